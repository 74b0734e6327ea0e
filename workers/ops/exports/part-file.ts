import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import Joi from 'joi';
import { OpsError } from '../command';

/**
 * A file that is written in steps and exists only when it is complete. Until then it is
 * `FILE.part`, and `FILE.resume` says how far it is right, so that an interrupted export continues
 * there. Only their owner can read them.
 */

const PRIVATE = 0o600;

/** How far an export is. */
interface Position {
  /** The id of the last row. */
  readonly after: number;
  readonly rows: number;
  readonly bytes: number;
}

const START: Position = { after: 0, rows: 0, bytes: 0 };
const whole = Joi.number().integer().min(0).required();
const position = Joi.object<Position>({ after: whole, rows: whole, bytes: whole });

export class PartFile {
  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
    private at: Position,
  ) {}

  /** Begins the file, or goes on with it. @throws OpsError when it is there already. */
  static async open(file: string): Promise<PartFile> {
    if (existsSync(file))
      throw new OpsError(`${file} already exists. Move it, or name another file.`);
    const at = await storedPosition(file);
    if (at) {
      const handle = await open(`${file}.part`, 'r+');
      // What was written behind the last step is written again.
      await handle.truncate(at.bytes);
      return new PartFile(file, handle, at);
    }
    await rm(`${file}.part`, { force: true });
    return new PartFile(file, await open(`${file}.part`, 'wx', PRIVATE), START);
  }

  get position(): Position {
    return this.at;
  }

  /** One step: text, the id of its last row and the number of its rows. */
  async append(text: string, after: number, rows: number): Promise<void> {
    const bytes = Buffer.from(text);
    const { at } = this;
    await this.handle.write(bytes, 0, bytes.length, at.bytes);
    this.at = { after, rows: at.rows + rows, bytes: at.bytes + bytes.length };
    await writeFile(`${this.file}.resume.new`, JSON.stringify(this.at), { mode: PRIVATE });
    await rename(`${this.file}.resume.new`, `${this.file}.resume`);
  }

  /** `end`: what stands behind the last step. */
  async complete(end = ''): Promise<void> {
    await this.handle.write(end, this.at.bytes);
    await this.handle.sync();
    await rename(`${this.file}.part`, this.file);
    await rm(`${this.file}.resume`, { force: true });
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/**
 * Returns how far an earlier export came. Null when there is none, or part of its file is missing.
 */
async function storedPosition(file: string): Promise<Position | null> {
  try {
    const stored = position.validate(JSON.parse(await readFile(`${file}.resume`, 'utf8')));
    if (stored.error) return null;
    const { size } = await stat(`${file}.part`);
    return size >= stored.value.bytes ? stored.value : null;
  } catch {
    return null;
  }
}
