import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OpsError } from '../command';

/** Texts that need no quoting in SQL, JSON and URLs. */
const PLAIN = /^[A-Za-z0-9._~/-]*$/;

/** Returns the folder of package.json. The sources and `dist/` lie at different depths below it. */
function projectFolder(folder = __dirname): string {
  return existsSync(join(folder, 'package.json')) ? folder : projectFolder(dirname(folder));
}

/**
 * Fills in the `${}` of a file of `deploy/`.
 * @throws OpsError for a value that would need quoting.
 */
export function filledIn(file: string, values: Readonly<Record<string, string>>): string {
  const template = readFileSync(join(projectFolder(), 'deploy', file), 'utf8');
  const unfit = Object.keys(values).filter((name) => !PLAIN.test(values[name] ?? ''));
  if (unfit.length > 0)
    throw new OpsError(`Only letters, digits and ._~/- may stand in ${unfit.join(', ')}.`);
  return template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file} names \${${name}}, which has no value`);
    return value;
  });
}
