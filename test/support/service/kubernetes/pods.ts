import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { Manifest } from './kustomize';

/** What runs in the pods of a set of manifests. */

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: IPodSpec;
}

function podOf(manifest: Manifest): PodTemplate | null {
  const { template } = (manifest['spec'] ?? {}) as { template?: PodTemplate };
  return template ?? null;
}

export const podsOf = (manifests: readonly Manifest[]): PodTemplate[] =>
  manifests.flatMap((one) => podOf(one) ?? []);

/** Returns the only container of a manifest's pods. */
export function containerOf(manifests: readonly Manifest[], kind: string, name: string) {
  const manifest = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  const pod = manifest && podOf(manifest);
  const container = pod?.spec.containers[0];
  if (!container) throw new Error(`There is no ${kind} ${name}`);
  return { pod, container };
}

/** Values of a container's variables; of a Secret's, the result of `secret`. */
export function environmentOf(
  { env = [] }: IContainer,
  secret: (name: string, key: string) => string | undefined,
): Record<string, string> {
  const values = env.map(({ name, value, valueFrom }) => {
    const reference = valueFrom?.secretKeyRef;
    const found = reference ? secret(reference.name ?? '', reference.key) : value;
    if (found === undefined) throw new Error(`${name} has no value`);
    return [name, found] as const;
  });
  return Object.fromEntries(values);
}
