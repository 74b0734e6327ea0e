import type { UserRow } from '../../shared/identity/views';
import type { Belongings } from '../batch/service/belongings';
import type { AccountChange } from './changes';
import type { StoredWebhook, WebhookChange } from './webhook-changes';
import { Workers, type WorkersChange, type WorkersView } from './workers';

/** The users and names that a batch of identity commands knows, and their changes. */

/** An account to make. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly loginName: string;
  /** Null for a look that is too long to store, in a command of the former release. */
  readonly loginLook: string | null;
  readonly passwordHash: string;
  readonly role: 'user' | 'lecturer';
  readonly isAdmin: boolean;
  readonly mustChangePassword: boolean;
  readonly createdAt: Date;
}

export interface StoredUser extends UserRow {
  /** Whether it signs in with a password. */
  readonly hasPassword: boolean;
  /** Generation of its tokens. */
  readonly generation: number;
  readonly resetId: string | null;
  readonly resetExpiresAt: Date | null;
}

/** What decisions can read. */
export interface IdentityView {
  /** Returns whether an account of this case-folded name exists. */
  isTaken(loginName: string): boolean;
  /** Returns whether some account's name has this look. */
  isLookTaken(look: string): boolean;
  /** Returns whether some user has this id, for instance one of an identity provider. */
  isUser(userId: number): boolean;
  userOf(userId: number): StoredUser | undefined;
  /** Returns whether an administrator other than this user can sign in. */
  hasOtherAdministrator(userId: number): boolean;
  readonly webhookCount: number;
  webhookOf(webhookId: number): StoredWebhook | undefined;
  /** Returns what the other services keep about a user whom the batch erases. */
  belongingsOf(userId: number): Belongings;
  readonly workers: WorkersView;
}

/** What a decision changes. */
export interface IdentityChanges {
  readonly account?: Account;
  /** The changed user, and how the change is written. */
  readonly user?: StoredUser;
  /** The erased user. */
  readonly erased?: number;
  readonly change?: AccountChange;
  readonly webhook?: WebhookChange;
  readonly workers?: WorkersChange;
}

export class IdentityState implements IdentityView {
  readonly accounts: Account[] = [];
  readonly changes: AccountChange[] = [];
  readonly webhookChanges: WebhookChange[] = [];
  readonly workers = new Workers();
  private readonly taken = new Set<string>();
  private readonly looks = new Set<string>();
  private readonly ids = new Set<number>();
  private readonly users = new Map<number, StoredUser>();
  private readonly administrators = new Set<number>();
  private readonly webhooks = new Map<number, StoredWebhook>();
  private readonly belongings = new Map<number, Belongings>();

  loadName(loginName: string): void {
    this.taken.add(loginName);
  }

  loadLook(look: string): void {
    this.looks.add(look);
  }

  loadId(userId: number): void {
    this.ids.add(userId);
  }

  loadAdministrator(userId: number): void {
    this.administrators.add(userId);
  }

  loadUser(user: StoredUser): void {
    this.users.set(user.id, user);
  }

  loadWebhook(webhook: StoredWebhook): void {
    this.webhooks.set(webhook.id, webhook);
  }

  loadBelongings(userId: number, part: Partial<Belongings>): void {
    const { openBorrows, followUps } = this.belongingsOf(userId);
    this.belongings.set(userId, {
      openBorrows: [...openBorrows, ...(part.openBorrows ?? [])],
      followUps: [...followUps, ...(part.followUps ?? [])],
    });
  }

  isTaken(loginName: string): boolean {
    return this.taken.has(loginName);
  }

  isLookTaken(look: string): boolean {
    return this.looks.has(look);
  }

  isUser(userId: number): boolean {
    return this.ids.has(userId);
  }

  userOf(userId: number): StoredUser | undefined {
    return this.users.get(userId);
  }

  hasOtherAdministrator(userId: number): boolean {
    return this.administrators.size > (this.administrators.has(userId) ? 1 : 0);
  }

  get webhookCount(): number {
    return this.webhooks.size;
  }

  webhookOf(webhookId: number): StoredWebhook | undefined {
    return this.webhooks.get(webhookId);
  }

  belongingsOf(userId: number): Belongings {
    return this.belongings.get(userId) ?? { openBorrows: [], followUps: [] };
  }

  evolve({ account, user, erased, change, webhook, workers }: IdentityChanges): void {
    if (webhook) this.evolveWebhook(webhook);
    if (workers) this.workers.evolve(workers);
    if (account) {
      this.accounts.push(account);
      this.taken.add(account.loginName);
      if (account.loginLook !== null) this.looks.add(account.loginLook);
    }
    if (change) this.changes.push(change);
    if (erased !== undefined) {
      this.users.delete(erased);
      this.administrators.delete(erased);
    }
    if (!user) return;
    this.users.set(user.id, user);
    if (user.isAdmin && user.status === 'active') this.administrators.add(user.id);
    else this.administrators.delete(user.id);
  }

  private evolveWebhook(change: WebhookChange): void {
    this.webhookChanges.push(change);
    const { kind, webhook } = change;
    if (kind === 'delete') this.webhooks.delete(webhook.id);
    else this.webhooks.set(webhook.id, webhook);
  }
}
