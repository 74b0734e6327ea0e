import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary, succeeded, type Library } from '../clients/books';
import { MailServer } from '../clients/mail-server';
import { Receiver } from '../clients/receiver';
import type { Reader } from '../clients/requests';
import { LONG } from '../faults/outage';
import { onCleanUp } from '../run/cleanup';
import { newSecret, startServers, type Environment, type System } from '../service/processes';
import { exportedSecret, targetAt } from '../service/target';
import { waitUntil } from '../wait';

/** A library whose events go to a webhook, and whose readers get e-mails of their holds. */

const TITLES = 4;
const PAUSE_MS = 250;
/** Pause between two looks at what has been delivered, milliseconds. */
const LOOK_MS = 1000;
/**
 * How long the last delivery may take after a fault, milliseconds: its longest pause, and more for
 * what has gathered in ten minutes.
 */
const DELIVERED_MS = LONG ? 900_000 : 240_000;
const WANTED = /^lending[.](?:borrow|hold)[.]/;

interface Kept {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
}

interface Scene {
  readonly webhookId: number;
  readonly titles: readonly number[];
  /** Who waits for each title, and has an address. */
  readonly waiting: Reader;
}

export class Deliveries {
  private constructor(
    readonly system: System,
    readonly receiver: Receiver,
    readonly mail: MailServer,
    private readonly library: Library,
    private readonly scene: Scene,
  ) {}

  static async begin(env: Environment = {}): Promise<Deliveries> {
    const mail = new MailServer();
    await mail.start();
    onCleanUp(() => mail.stop());
    const system = await startServers({
      apis: 1,
      workers: 1,
      env: {
        ...{ JWT_SECRET: exportedSecret(newSecret), WEBHOOK_ALLOW_PRIVATE: 'true' },
        ...{ SMTP_URL: mail.url, SMTP_FROM: 'Library <library@example.org>' },
        ...env,
      },
    });
    const library = await openLibrary(targetAt('servers', [system.apis[0]?.url ?? '']));
    const receiver = await new Receiver().start();
    const body = { url: receiver.url, types: ['lending.borrow', 'lending.hold'] };
    const { webhookId } = succeeded(await library.manage('post', '/api/webhooks', body), 201);
    const titles: number[] = [];
    for (let count = 0; count < TITLES; count += 1)
      titles.push((await library.registered({ copies: 1 })).bookInfoId);
    const waiting = library.newReader();
    const { token } = waiting;
    const email = { email: 'ada@example.org' };
    succeeded(await library.call('patch', '/api/users/me', { token, body: email }), 200);
    return new Deliveries(system, receiver, mail, library, { webhookId, titles, waiting });
  }

  /** Does what an operator does who does not wait for the next attempt. */
  async resume(): Promise<void> {
    const path = `/api/webhooks/${this.scene.webhookId}`;
    succeeded(await this.library.manage('patch', path, { status: 'active' }), 200);
  }

  /**
   * Somebody borrows each title, somebody waits for it, gets it and returns it. What is refused
   * meanwhile does not matter: what counts are the events that there are.
   */
  async lend(): Promise<void> {
    const {
      library,
      scene: { waiting, titles },
    } = this;
    await Promise.all(
      titles.map(async (bookInfoId) => {
        const reader = library.newReader();
        await library.borrow(reader, { bookInfoId });
        await library.placeHold(waiting, bookInfoId);
        await library.giveBack(reader, { bookInfoId });
        await library.borrow(waiting, { bookInfoId });
        await library.giveBack(waiting, { bookInfoId });
      }),
    );
  }

  async lendFor(ms: number): Promise<void> {
    for (const end = Date.now() + ms; Date.now() < end;) {
      await this.lend();
      await pause(PAUSE_MS);
    }
  }

  /** The events of borrows and holds, in their order. */
  private async events(): Promise<Kept[]> {
    const events: Kept[] = [];
    for (let after = '', more = true; more;) {
      const path = `/api/events?size=1000&after=${after}`;
      const page = succeeded(await this.library.manage('get', path), 200) as {
        items: Kept[];
        next: string;
        more: boolean;
      };
      events.push(...page.items);
      ({ next: after, more } = page);
    }
    return events.filter(({ type }) => WANTED.test(type));
  }

  /** Waits until all is delivered. Returns the faults and the number of deliveries. */
  async outcome() {
    const { receiver, mail } = this;
    const notified = ({ type }: Kept) => type === 'lending.hold.ready';
    let events = await this.events();
    const isDelivered = () =>
      receiver.accepted.length >= events.length && mail.ids.size >= events.filter(notified).length;
    await waitUntil('everything is delivered', DELIVERED_MS, async () => {
      if (isDelivered()) {
        // Only now: to read ten thousands again and again would keep the receiver from answering.
        events = await this.events();
        if (isDelivered()) return true;
      }
      await pause(LOOK_MS);
      return undefined;
    });
    const ofSubject = (list: readonly Kept[], subject: string) =>
      list.filter((event) => event.subject === subject).map(({ id }) => id);
    const subjects = new Set(events.map(({ subject }) => subject));
    const { accepted } = receiver;
    return {
      events: events.length,
      mails: mail.ids.size,
      outOfOrder: [...subjects].filter(
        (subject) => String(ofSubject(accepted, subject)) !== String(ofSubject(events, subject)),
      ),
      unsent: events.filter(notified).filter(({ id }) => !mail.ids.has(id)),
      again: {
        deliveries:
          receiver.received.filter(({ answer }) => answer === 204).length - accepted.length,
        mails: mail.mails.length - mail.ids.size,
      },
    };
  }
}
