import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { ConsoleSample, Totals } from './sample';

/**
 * The totals of the last minutes, with which the console's charts begin. While somebody watches,
 * they are those of the samples; from before, the stored outcomes tell how many commands ended.
 */

/** How far it looks back, seconds: samples, and outcomes, whose rows have to be counted. */
const SAMPLES_S = 180;
const OUTCOMES_S = 120;
/** Outcomes of the latest seconds are not complete, for batches are still being committed. */
const INCOMPLETE_S = 2;

/** A second of the service. */
export interface ConsolePoint extends Totals {
  readonly at: string;
}

export class History {
  private points: ConsolePoint[] = [];

  constructor(
    private readonly database: Sequelize,
    private readonly now: () => Date,
  ) {}

  add(sample: Pick<ConsoleSample, 'at' | 'totals'>): void {
    this.points = [...this.points.slice(1 - SAMPLES_S), { at: sample.at, ...sample.totals }];
  }

  /** Returns the latest points, the earliest first. */
  async read(): Promise<readonly ConsolePoint[]> {
    const now = this.now().getTime();
    const points = this.points.filter(({ at }) => Date.parse(at) >= now - SAMPLES_S * 1000);
    const [first] = points;
    const end = first ? Date.parse(first.at) : now - INCOMPLETE_S * 1000;
    return [...(await this.ended(now - OUTCOMES_S * 1000, end)), ...points];
  }

  /**
   * Returns how many commands ended in each second between the instants, milliseconds since 1970.
   */
  private async ended(from: number, to: number): Promise<ConsolePoint[]> {
    const begin = Math.ceil(from / 1000);
    const seconds = Math.max(0, Math.floor(to / 1000) - begin);
    if (seconds === 0) return [];
    // Both databases write an instant so that its first 19 characters are its second.
    const rows = await this.database.query<{ second: string; ended: number }>(
      'SELECT SUBSTR(completed_at, 1, 19) AS second, COUNT(*) AS ended FROM command_outcome WHERE completed_at >= :from AND completed_at < :to GROUP BY SUBSTR(completed_at, 1, 19)',
      {
        replacements: {
          from: new Date(begin * 1000),
          to: new Date((begin + seconds) * 1000),
        },
        type: QueryTypes.SELECT,
      },
    );
    const counts = new Map(
      rows.map(({ second, ended }) => [`${second.replace(' ', 'T')}.000Z`, ended]),
    );
    return Array.from({ length: seconds }, (_, index) => {
      const at = new Date((begin + index) * 1000).toISOString();
      return { at, perSecond: counts.get(at) ?? 0, depth: null, oldestAgeMs: null };
    });
  }
}
