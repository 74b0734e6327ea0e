import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PartFile } from '../../../workers/ops/exports/part-file';
import { temporaryFolder } from '../../support/run/cleanup';

/** A file that is written in steps, cut off at any of them. */

const newFile = async () => join(await temporaryFolder('part'), 'rows.csv');

it('a file is there once it is complete, and for its owner only', async () => {
  const file = await newFile();
  const part = await PartFile.open(file);
  await part.append('a\n', 1, 1);
  expect(existsSync(file)).toBe(false);
  for (const name of ['part', 'resume'])
    expect(statSync(`${file}.${name}`).mode & 0o777).toBe(0o600);
  await part.complete();
  await part.close();
  expect(readFileSync(file, 'utf8')).toBe('a\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect([existsSync(`${file}.part`), existsSync(`${file}.resume`)]).toEqual([false, false]);
  await expect(PartFile.open(file)).rejects.toThrow('already exists');
});

it('an interrupted file continues after its last step', async () => {
  const file = await newFile();
  const first = await PartFile.open(file);
  await first.append('ä\n', 7, 1);
  await first.close();
  appendFileSync(`${file}.part`, 'half a r');
  const second = await PartFile.open(file);
  expect(second.position).toEqual({ after: 7, rows: 1, bytes: 3 });
  await second.append('b\n', 9, 1);
  await second.complete();
  await second.close();
  expect(readFileSync(file, 'utf8')).toBe('ä\nb\n');
});

it('a file with unknown or missing steps begins again', async () => {
  const file = await newFile();
  const first = await PartFile.open(file);
  await first.append('a\n', 7, 1);
  await first.close();
  for (const lose of [
    () => {
      appendFileSync(`${file}.resume`, '}');
    },
    () => {
      appendFileSync(`${file}.resume`, '');
    },
  ]) {
    lose();
    const again = await PartFile.open(file);
    expect(again.position).toEqual({ after: 0, rows: 0, bytes: 0 });
    await again.close();
  }
});
