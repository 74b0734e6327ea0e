import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import type { Locale } from '../../shared/identity/commands';
import { User } from '../../shared/identity/tables';
import type { Logger } from '../../shared/logger';
import { Notice } from '../../shared/notices/tables';
import type { NoticeAbout } from '../../shared/notices/views';
import { atOnce } from '../jobs/at-once';
import type { LeaderJob } from '../jobs/leader-jobs';
import { mailsSent } from '../metrics';
import { mailText } from './texts';

/**
 * Sends notices by e-mail, at least once: an e-mail is marked once the mail server has accepted it.
 * Temporary refusals are retried. While the server is unavailable, no attempt is counted.
 */

/** Pause while no e-mail is due, milliseconds. */
const POLL_MS = 1000;
/** E-mails read at a time, and connections to the mail server. */
const AT_A_TIME = 20;
const CONNECTIONS_MAX = 4;
/** How long a due e-mail is worth sending, milliseconds: a day. */
const WORTH_MS = 24 * 3600 * 1000;
/** Pause after the first refusal, milliseconds; each further one is three times as long. */
const FIRST_PAUSE_MS = 60_000;
/** How often an e-mail may be refused. */
const TRIES_MAX = 6;
/** How long the mail server may take to connect, and to answer, milliseconds. */
const ANSWER_MS = 10_000;

export interface MailServer {
  readonly url: string;
  /** Sender of the e-mails. */
  readonly from: string;
}

export interface MailOptions extends MailServer {
  readonly database: Sequelize;
  readonly now: Now;
  readonly logger: Logger;
}

interface Due {
  readonly notice: Notice;
  readonly email: string;
  readonly locale: Locale;
}

/** Returns notices whose e-mail is due, with the receivers who have an address. */
async function dueMails(now: Date) {
  const notices = await Notice.findAll({
    where: { mailAt: { [Op.gt]: new Date(now.getTime() - WORTH_MS), [Op.lte]: now } },
    order: ['mailAt', 'id'],
    limit: AT_A_TIME,
  });
  const receivers = await User.findAll({
    attributes: ['id', 'email', 'locale'],
    where: { id: notices.map(({ userId }) => userId), email: { [Op.ne]: null } },
  });
  return { notices, receivers: new Map(receivers.map((user) => [user.id, user])) };
}

/** A refusal of the mail server, as nodemailer reports it. */
interface Refusal {
  /** `EENVELOPE` for its addresses, `EMESSAGE` for its content. */
  readonly code?: string;
  readonly responseCode?: number;
}

const isOfThisMail = ({ code }: Refusal): boolean => code === 'EENVELOPE' || code === 'EMESSAGE';
const isForGood = ({ responseCode = 0 }: Refusal): boolean => responseCode >= 500;

export function noticeMail({ database, url, from, now, logger }: MailOptions): LeaderJob {
  const waits = { connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS };
  const options: SMTPTransport.Options = { url, ...waits, socketTimeout: ANSWER_MS };
  // Loaded where there is a mail server: it is a sixtieth of a start.
  const opened = import('nodemailer').then(({ createTransport }) =>
    createTransport(options, { from }),
  );

  const mark = (id: number, changes: { mailAt: Date | null; mailTries?: number }) =>
    database.transaction((transaction) => Notice.update(changes, { where: { id }, transaction }));

  async function send({ notice, email, locale }: Due): Promise<void> {
    const { eventId, type, about } = notice;
    const transport = await opened;
    await transport.sendMail({
      to: { name: '', address: email },
      // The same at each attempt, so that receivers can recognise a repeated e-mail.
      messageId: `<${eventId}@lendline>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...mailText(type, JSON.parse(about) as NoticeAbout, locale),
    });
  }

  /**
   * Sends an e-mail.
   * @throws errors that are not the e-mail's fault, so the next one would fail as well.
   */
  async function trySending(due: Due): Promise<void> {
    const { id, mailTries: refused } = due.notice;
    try {
      await send(due);
      mailsSent.inc({ ending: 'sent' });
      await mark(id, { mailAt: null });
    } catch (error) {
      const refusal = error as Refusal;
      if (!isOfThisMail(refusal)) throw error;
      const mailTries = refused + 1;
      const isGivenUp = isForGood(refusal) || mailTries >= TRIES_MAX;
      // Its text may contain the address.
      const { code, responseCode } = refusal;
      logger.warn({ noticeId: id, code, responseCode, isGivenUp }, 'e-mail refused');
      if (isGivenUp) mailsSent.inc({ ending: 'refused' });
      const pauseMs = FIRST_PAUSE_MS * 3 ** refused;
      const mailAt = isGivenUp ? null : new Date(now().getTime() + pauseMs);
      await mark(id, { mailAt, mailTries });
    }
  }

  return {
    name: 'notice-mail',
    everyMs: POLL_MS,
    async run() {
      const { notices, receivers } = await dueMails(now());
      await atOnce(notices, CONNECTIONS_MAX, async (notice) => {
        const { email = null, locale = 'en' } = receivers.get(notice.userId) ?? {};
        if (email === null || notice.readAt !== null) await mark(notice.id, { mailAt: null });
        else await trySending({ notice, email, locale });
      });
      return notices.length === AT_A_TIME;
    },
  };
}
