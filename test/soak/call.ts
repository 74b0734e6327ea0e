/** What the users of a soak ask for, and are told. */

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface Call {
  readonly token?: string;
  readonly body?: object;
}

export interface UsersOptions {
  readonly urls: readonly string[];
  readonly writesPerSecond: number;
  readonly admin: string;
  readonly tokenOf: (userId: number, role?: 'user' | 'lecturer') => string;
}
