import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';

/**
 * Builds our kustomizations as `kustomize build` does, as far as they need it: resources, patches,
 * a namespace, images. Anything else in a kustomization is an error.
 */

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; namespace?: string };
  readonly [field: string]: unknown;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly namespace?: string;
  readonly images?: readonly {
    readonly name: string;
    readonly newName: string;
    readonly newTag: string;
  }[];
}

/** What two elements of a list are the same by, as Kubernetes' schema says. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  ports: 'containerPort',
  topologySpreadConstraints: 'topologyKey',
};
/** Kinds that belong to no namespace. */
const CLUSTER_WIDE = new Set(['Namespace']);
const KNOWN = ['apiVersion', 'kind', 'resources', 'patches', 'namespace', 'images'];

export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as Manifest;
  });
}

export function build(folder: string): Manifest[] {
  const file = join(folder, 'kustomization.yaml');
  const given = parse(readFileSync(file, 'utf8')) as Kustomization;
  const unknown = Object.keys(given).filter((field) => !KNOWN.includes(field));
  if (unknown.length > 0) throw new Error(`${file}: ${unknown.join(', ')} is not built here`);
  const all = given.resources.flatMap((resource) => {
    const path = join(folder, resource);
    return statSync(path).isDirectory() ? build(path) : readManifests(readFileSync(path, 'utf8'));
  });
  for (const { path } of given.patches ?? [])
    for (const patch of readManifests(readFileSync(join(folder, path), 'utf8'))) {
      const index = all.findIndex((one) => isSame(one, patch));
      if (index < 0) throw new Error(`${dirname(file)}/${path} patches nothing`);
      all[index] = merge(all[index], patch) as Manifest;
    }
  return all.map((one) => {
    const placed = given.namespace && !CLUSTER_WIDE.has(one.kind);
    const metadata = placed ? { ...one.metadata, namespace: given.namespace } : one.metadata;
    return withImages({ ...one, metadata }, given.images ?? []) as Manifest;
  });
}

const isSame = (one: Manifest, other: Manifest) =>
  isDeepStrictEqual(
    [one.apiVersion, one.kind, one.metadata.name],
    [other.apiVersion, other.kind, other.metadata.name],
  );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a strategic merge: null takes a field away, known lists merge by key, others are
 * replaced.
 */
function merge(base: unknown, patch: unknown, field = ''): unknown {
  if (Array.isArray(base) && Array.isArray(patch)) return mergeLists(base, patch, field);
  if (!isObject(base) || !isObject(patch)) return patch;
  const merged = { ...base };
  for (const [name, value] of Object.entries(patch))
    if (value === null) Reflect.deleteProperty(merged, name);
    else merged[name] = name in base ? merge(base[name], value, name) : value;
  return merged;
}

function mergeLists(base: readonly unknown[], patch: readonly unknown[], field: string): unknown[] {
  const key = MERGE_KEYS[field];
  if (!key) return [...patch];
  const keyOf = (value: unknown) => (value as Record<string, unknown>)[key];
  const kept = base.map((one) => {
    const change = patch.find((other) => keyOf(other) === keyOf(one));
    return change === undefined ? one : merge(one, change);
  });
  return [...kept, ...patch.filter((other) => !base.some((one) => keyOf(one) === keyOf(other)))];
}

function withImages(value: unknown, images: NonNullable<Kustomization['images']>): unknown {
  if (Array.isArray(value)) return value.map((one) => withImages(one, images));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const image = name === 'image' ? images.find((one) => one.name === inner) : undefined;
      return [name, image ? `${image.newName}:${image.newTag}` : withImages(inner, images)];
    }),
  );
}
