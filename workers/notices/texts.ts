import type { Locale } from '../../shared/identity/commands';
import type { NoticeAbout, NoticeType } from '../../shared/notices/views';

/** Texts of e-mails, in the language of their receiver. */

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

interface Facts {
  readonly title: string;
  /** In words. */
  readonly until: string;
}

type Texts = Readonly<
  Record<NoticeType, (facts: Facts) => readonly [subject: string, text: string]>
>;

const en: Texts = {
  'lending.hold.ready': ({ title, until }) => [
    `Ready for you: ${title}`,
    `A copy of "${title}" is set aside for you. Please pick it up by ${until}.`,
  ],
  'lending.hold.expired': ({ title }) => [
    `Your hold has expired: ${title}`,
    `The copy of "${title}" that was set aside for you went to the next reader. Place a new hold if you still want it.`,
  ],
  'lending.borrow.due-soon': ({ title, until }) => [
    `Due soon: ${title}`,
    `"${title}" is due on ${until}. Please renew it or bring it back by then.`,
  ],
  'lending.borrow.overdue': ({ title, until }) => [
    `Overdue: ${title}`,
    `"${title}" was due on ${until}. Please bring it back.`,
  ],
  'lending.borrow.lost': ({ title }) => [
    `Declared lost: ${title}`,
    `The copy of "${title}" that you borrowed was declared lost. If you still have it, please bring it back.`,
  ],
  'courses.waitlist.promoted': ({ title }) => [
    `You have a seat: ${title}`,
    `A seat in "${title}" came free, and it is yours. You are subscribed.`,
  ],
  'courses.subscription.completed': ({ title }) => [
    `Course completed: ${title}`,
    `You have completed "${title}". Congratulations!`,
  ],
};

const ko: Texts = {
  'lending.hold.ready': ({ title, until }) => [
    `예약하신 책이 준비되었습니다: ${title}`,
    `예약하신 "${title}" 책이 준비되었습니다. ${until}까지 찾아가 주세요.`,
  ],
  'lending.hold.expired': ({ title }) => [
    `예약이 만료되었습니다: ${title}`,
    `"${title}" 책의 수령 기한이 지나 다음 대기자에게 넘어갔습니다. 계속 원하시면 다시 예약해 주세요.`,
  ],
  'lending.borrow.due-soon': ({ title, until }) => [
    `반납일이 다가옵니다: ${title}`,
    `대출하신 "${title}" 책의 반납 기한은 ${until}입니다. 그 전에 연장하시거나 반납해 주세요.`,
  ],
  'lending.borrow.overdue': ({ title, until }) => [
    `연체되었습니다: ${title}`,
    `대출하신 "${title}" 책의 반납 기한이 ${until}에 지났습니다. 반납해 주세요.`,
  ],
  'lending.borrow.lost': ({ title }) => [
    `분실 처리되었습니다: ${title}`,
    `대출하신 "${title}" 책이 분실 처리되었습니다. 책을 가지고 계시면 반납해 주세요.`,
  ],
  'courses.waitlist.promoted': ({ title }) => [
    `수강 신청이 완료되었습니다: ${title}`,
    `"${title}" 강의에 빈자리가 생겨 수강 신청이 완료되었습니다.`,
  ],
  'courses.subscription.completed': ({ title }) => [
    `강의를 완료하셨습니다: ${title}`,
    `"${title}" 강의를 완료하셨습니다. 축하합니다!`,
  ],
};

const TEXTS: Readonly<Record<Locale, Texts>> = { en, ko };

const inWords = (instant: string, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'long', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' },
  }).format(new Date(instant));

export function mailText(type: NoticeType, about: NoticeAbout, locale: Locale): MailText {
  const { title, until } = about;
  const facts = { title, until: until === null ? '' : inWords(until, locale) };
  const [subject, text] = TEXTS[locale][type](facts);
  return { subject, text: `${text}\n` };
}
