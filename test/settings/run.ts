import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';
import { FILES } from './render';

/** `npm run settings`: writes the files that tell of every setting. */

for (const [path, render] of Object.entries(FILES)) writeFileSync(join(ROOT, path), render());
