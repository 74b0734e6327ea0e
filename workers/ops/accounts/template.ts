import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OpsError } from '../command';

/** What may stand in SQL, JSON and URLs without being written in another way. */
const PLAIN = /^[A-Za-z0-9._~/-]*$/;

/** The folder of package.json: the sources and `dist/` lie at different depths below it. */
function projectFolder(folder = __dirname): string {
  return existsSync(join(folder, 'package.json')) ? folder : projectFolder(dirname(folder));
}

/**
 * A file of `deploy/` with its names in `${}` filled in.
 * @throws OpsError for a value that would have to be quoted.
 */
export function filledIn(file: string, values: Readonly<Record<string, string>>): string {
  const template = readFileSync(join(projectFolder(), 'deploy', file), 'utf8');
  const unfit = Object.keys(values).filter((name) => !PLAIN.test(values[name] ?? ''));
  if (unfit.length > 0)
    throw new OpsError(`Only letters, digits and ._~/- may stand in ${unfit.join(', ')}.`);
  return template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file} names \${${name}}, which nobody gives`);
    return value;
  });
}
