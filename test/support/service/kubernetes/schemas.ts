import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../child';
import type { Manifest } from './kustomize';

/**
 * Checks manifests against the published schemas of Kubernetes, the Prometheus operator and KEDA.
 * These let unknown fields pass, which Kubernetes itself drops or refuses, so the compiler finds
 * them with the types that were made of the same schemas.
 */

/** The package of a schema, by the API's group; a core kind has none. */
const PACKAGES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

const moduleOf = ({ apiVersion, kind }: Manifest): string =>
  `${PACKAGES[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;

const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

type Model = new (manifest: Manifest) => { validate(): void };

/** Returns what is wrong with a manifest by its schema; null when nothing is. */
export function faultOf(manifest: Manifest): string | null {
  // oxlint-disable-next-line typescript/no-require-imports -- the module depends on the manifest
  const { [manifest.kind]: model } = require(moduleOf(manifest)) as Record<string, Model>;
  try {
    new model!(manifest).validate();
    return null;
  } catch (error) {
    return `${nameOf(manifest)}: ${(error as Error).message}`;
  }
}

/** Fields that the schemas do not know, and values of a wrong type, of all manifests. */
export function typeFaults(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map(
    (one, index) =>
      `export const m${index}: import('${moduleOf(one)}').I${one.kind} = ${JSON.stringify(one)};`,
  );
  const file = join(ROOT, 'test/support/kubernetes/manifests.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    target: ts.ScriptTarget.ES2023,
  };
  const host = ts.createCompilerHost(options);
  const fromDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2023)
      : fromDisk(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map(({ file: source, start = 0, messageText }) => {
      const line = source ? source.getLineAndCharacterOfPosition(start).line : 0;
      const text = ts.flattenDiagnosticMessageText(messageText, ' ');
      return `${manifests[line] ? nameOf(manifests[line]) : ''}: ${text}`;
    });
}
