import { ADMIN } from '../service/processes';
import type { CallerName, Scene } from '../clients/scene';

/** Who may do what, written out: a row for every operation of the document. */

/**
 * What a caller is told: done, or how it is refused. That something of somebody else is there is
 * told to nobody (404). Where nobody may do it in a test, whoever may is told of a fault (400).
 */
type Told = 'done' | 400 | 401 | 403 | 404;

/** One for each of `CALLERS`, in their order. */
type ToldAll = readonly [Told, Told, Told, Told, Told, Told];

/** What a request needs beside its method and path. */
export interface Ask {
  readonly params?: Readonly<Record<string, number | string>>;
  readonly query?: string;
  readonly body?: object;
  /** The caller's token, where it is not the usual one. */
  readonly token?: string;
}

export interface Row {
  readonly told: ToldAll;
  /**
   * Makes what the request is about, anew for each caller. It belongs to `user`; a course belongs
   * to `lecturer`.
   */
  readonly ask?: (scene: Scene, caller: CallerName) => Promise<Ask> | Ask;
}

const everybody: ToldAll = ['done', 'done', 'done', 'done', 'done', 'done'];
const signedIn: ToldAll = [401, 'done', 'done', 'done', 'done', 'done'];
const administrator: ToldAll = [401, 403, 403, 403, 403, 'done'];
const oneself: ToldAll = [401, 'done', 403, 403, 403, 'done'];
const oneselfUnseen: ToldAll = [401, 'done', 404, 404, 404, 'done'];
const ownLecturer: ToldAll = [401, 403, 403, 'done', 403, 'done'];

type Make = NonNullable<Row['ask']>;

const title: Make = async (scene) => ({ params: { bookInfoId: await scene.title() } });
const copy: Make = async (scene) => ({ params: await scene.copy(), body: { status: 'LOST' } });
const borrowed: Make = async (scene) => ({ params: { borrowId: await scene.borrow() } });
const hold: Make = async (scene) => ({ params: { holdId: await scene.hold() } });
const post: Make = async (scene) => ({
  params: { postId: await scene.post() },
  body: { title: 'Changed' },
});
const course: Make = async (scene) => ({
  params: { courseId: await scene.course() },
  body: { title: 'Video', url: 'https://video.example/1' },
});
const plainCourse: Make = async (scene) => ({ params: { courseId: await scene.course() } });
const oneVideo: Make = async (scene) => ({
  params: await scene.video(),
  body: { title: 'Changed' },
});
const takenVideo: Make = async (scene) => ({ params: await scene.takenVideo() });
const waiting: Make = async (scene, caller) => ({
  params: { courseId: await scene.fullCourse(caller === 'nobody' ? 'user' : caller) },
});
const taken: Make = async (scene) => ({
  params: { userId: scene.user.userId, courseId: await scene.takenCourse() },
});
const notice: Make = async (scene) => ({ params: { noticeId: await scene.notice() } });
const webhook: Make = async (scene) => ({ params: await scene.webhook() });
const user: Make = (scene) => ({ params: { userId: scene.user.userId } });
const ofUser: Make = (scene) => ({ query: `?userId=${scene.user.userId}` });
const command: Make = async (scene) => ({ params: { command: await scene.command() } });
/** A letter takes a command that cannot be carried out, of which there is none here. */
const noDeadLetter: Make = () => ({ params: { letterId: 999_999 } });
/** A worker of the service is not drained, for other tests use it. */
const noWorker: Make = () => ({ params: { worker: 'nobody' } });
/** A separate account, because the operation ends all of its tokens. */
const ownAccount: Make = async (scene, caller) =>
  caller === 'nobody' ? {} : { token: await scene.newAccount() };
/** Somebody new, who is `user` here. */
const newPerson: Make = async (scene, caller) => {
  const { userId, accessToken } = await scene.signUp();
  return { params: { userId }, ...(caller === 'user' && { token: accessToken }) };
};
const passwords: Make = async (scene, caller) => ({
  ...(await ownAccount(scene, caller)),
  body: { currentPassword: scene.password, newPassword: 'wrong horse battery' },
});
const account: Make = (scene) => ({
  body: { username: scene.word(), password: 'correct horse battery' },
});

export const MATRIX: Readonly<Record<string, Row>> = {
  signUp: { told: everybody, ask: account },
  logIn: { told: everybody, ask: () => ({ body: ADMIN }) },
  listAudit: { told: administrator },
  logOut: { told: signedIn, ask: ownAccount },
  changePassword: { told: signedIn, ask: passwords },
  getProfile: { told: signedIn },
  updateProfile: { told: signedIn, ask: () => ({ body: { locale: 'ko' } }) },
  createWebhook: {
    told: administrator,
    ask: async (scene) => {
      await scene.roomForWebhook();
      return { body: scene.webhookBody };
    },
  },
  listWebhooks: { told: administrator },
  getWebhook: { told: administrator, ask: webhook },
  updateWebhook: {
    told: administrator,
    ask: async (scene) => ({ params: await scene.webhook(), body: { status: 'active' } }),
  },
  deleteWebhook: { told: administrator, ask: webhook },
  testWebhook: { told: administrator, ask: webhook },
  listWebhookDeliveries: { told: administrator, ask: webhook },
  listNotices: { told: signedIn },
  readNotice: { told: [401, 'done', 404, 404, 404, 404], ask: notice },
  readAllNotices: { told: signedIn },
  listUsers: { told: administrator },
  updateUser: {
    told: administrator,
    ask: (scene) => ({ params: { userId: scene.user.userId }, body: { category: 'staff' } }),
  },
  exportMe: { told: signedIn },
  exportUser: { told: administrator, ask: user },
  eraseUser: { told: oneself, ask: newPerson },
  issuePasswordReset: {
    told: [401, 403, 403, 403, 403, 'done'],
    ask: async (scene) => ({ params: { userId: await scene.newAccountId() } }),
  },
  resetPassword: {
    told: everybody,
    ask: async (scene) => ({
      body: { resetToken: await scene.resetToken(), newPassword: 'wrong horse battery' },
    }),
  },
  createUser: { told: administrator, ask: account },
  getCommand: { told: [404, 'done', 404, 404, 404, 'done'], ask: command },
  streamCommand: { told: [404, 'done', 404, 404, 404, 'done'], ask: command },
  streamEvents: { told: administrator },
  streamConsole: { told: administrator },
  getConsoleHistory: { told: administrator },
  searchCommands: { told: administrator },
  listDeadLetters: { told: administrator },
  getDeadLetter: { told: [401, 403, 403, 403, 403, 404], ask: noDeadLetter },
  replayDeadLetters: { told: [401, 403, 403, 403, 403, 404], ask: noDeadLetter },
  resizePartitions: {
    told: [401, 403, 403, 403, 403, 400],
    ask: () => ({ body: { partitions: 0 } }),
  },
  drainWorker: { told: [401, 403, 403, 403, 403, 404], ask: noWorker },
  resumeWorker: { told: [401, 403, 403, 403, 403, 404], ask: noWorker },
  discardDeadLetter: { told: [401, 403, 403, 403, 403, 404], ask: noDeadLetter },

  searchTitles: { told: everybody },
  popularTitles: { told: everybody },
  getTitle: { told: everybody, ask: title },
  listCopies: { told: everybody, ask: title },
  registerTitle: {
    told: administrator,
    ask: (scene) => ({ body: { title: scene.word(), author: scene.word() } }),
  },
  registerTitles: {
    told: administrator,
    ask: (scene) => ({ body: { items: [{ title: scene.word(), author: scene.word() }] } }),
  },
  updateTitle: {
    told: administrator,
    ask: async (scene) => ({
      params: { bookInfoId: await scene.title() },
      body: { title: 'Changed' },
    }),
  },
  deleteTitle: { told: administrator, ask: title },
  getCopyByBarcode: {
    told: everybody,
    ask: async (scene) => ({ params: { barcode: await scene.barcode() } }),
  },
  addCopies: {
    told: administrator,
    ask: async (scene) => ({ params: { bookInfoId: await scene.title() }, body: { count: 1 } }),
  },
  setCopyStatus: { told: administrator, ask: copy },
  deleteCopy: { told: administrator, ask: async (scene) => ({ params: await scene.copy() }) },

  borrow: { told: signedIn, ask: async (scene) => ({ body: { bookInfoId: await scene.title() } }) },
  returnBook: {
    told: oneselfUnseen,
    ask: async (scene) => ({ body: { borrowId: await scene.borrow() } }),
  },
  borrowMany: {
    told: signedIn,
    ask: async (scene) => ({ body: { items: [{ bookInfoId: await scene.title() }] } }),
  },
  returnMany: {
    told: signedIn,
    ask: async (scene) => ({ body: { items: [{ borrowId: await scene.borrow() }] } }),
  },
  renewBorrow: { told: oneselfUnseen, ask: borrowed },
  getBorrow: { told: oneselfUnseen, ask: borrowed },
  listBorrows: { told: oneself, ask: ofUser },
  placeHold: {
    told: signedIn,
    ask: async (scene) => ({ params: { bookInfoId: await scene.title(0) } }),
  },
  cancelHold: { told: oneselfUnseen, ask: hold },
  getHold: { told: oneselfUnseen, ask: hold },
  listHolds: { told: oneself, ask: ofUser },

  getLoanRules: { told: everybody },
  getCalendar: { told: everybody },
  setCalendar: { told: administrator, ask: () => ({ body: { timeZone: null } }) },
  setLoanRules: { told: administrator, ask: () => ({ body: { rules: [] } }) },

  createPost: {
    told: ['done', 'done', 403, 403, 403, 'done'],
    ask: (scene) => ({ body: scene.draft() }),
  },
  listPosts: { told: everybody },
  findPostsByTags: { told: everybody, ask: () => ({ query: '?spring' }) },
  feedPostsByTags: { told: everybody, ask: () => ({ query: '?spring' }) },
  streamPostsByTags: { told: everybody, ask: () => ({ query: '?spring' }) },
  getPost: { told: everybody, ask: async (scene) => ({ params: { postId: await scene.post() } }) },
  updatePost: { told: oneself, ask: post },
  deletePost: { told: oneself, ask: async (scene) => ({ params: { postId: await scene.post() } }) },
  listTags: { told: everybody },
  getTag: {
    told: everybody,
    ask: (scene) => scene.tags().then(([name]) => ({ params: { name } })),
  },
  listRelatedTags: {
    told: everybody,
    ask: (scene) => scene.tags().then(([name]) => ({ params: { name } })),
  },
  renameTag: {
    told: administrator,
    ask: (scene) =>
      scene.tags().then(([name]) => ({ params: { name }, body: { name: scene.word() } })),
  },
  deleteTag: {
    told: administrator,
    ask: (scene) => scene.tags().then(([name]) => ({ params: { name } })),
  },
  mergeTag: {
    told: administrator,
    ask: (scene) => scene.tags().then(([name, into]) => ({ params: { name }, body: { into } })),
  },

  registerCourse: {
    told: ownLecturer,
    ask: (scene) => ({ body: { courseName: scene.word(), userId: scene.lecturer.userId } }),
  },
  searchCourses: { told: everybody },
  getCourse: { told: everybody, ask: plainCourse },
  addVideo: { told: ownLecturer, ask: course },
  addClip: { told: ownLecturer, ask: course },
  updateCourse: {
    told: ownLecturer,
    ask: async (scene) => ({ params: { courseId: await scene.course() }, body: { capacity: 5 } }),
  },
  deleteCourse: { told: ownLecturer, ask: plainCourse },
  updateVideo: { told: ownLecturer, ask: oneVideo },
  deleteVideo: {
    told: ownLecturer,
    ask: async (scene) => ({ params: await scene.video() }),
  },
  listVideos: { told: everybody, ask: plainCourse },
  getVideo: { told: everybody, ask: oneVideo },
  listClips: { told: everybody, ask: plainCourse },
  listSubscriptions: { told: ownLecturer, ask: plainCourse },
  subscribeUsers: {
    told: ownLecturer,
    ask: async (scene) => ({
      params: { courseId: await scene.course() },
      body: { userIds: [scene.user.userId] },
    }),
  },
  listWaitlist: { told: ownLecturer, ask: plainCourse },
  joinWaitlist: {
    told: signedIn,
    ask: async (scene) => ({ params: { courseId: await scene.fullCourse() } }),
  },
  leaveWaitlist: { told: signedIn, ask: waiting },
  subscribe: { told: signedIn, ask: plainCourse },
  unsubscribe: {
    told: signedIn,
    ask: async (scene, caller) => ({
      params: { courseId: await scene.takenCourse(caller === 'nobody' ? 'user' : caller) },
    }),
  },
  subscribeUser: {
    told: oneself,
    ask: async (scene) => ({
      params: { userId: scene.user.userId, courseId: await scene.course() },
    }),
  },
  getSubscription: { told: oneself, ask: taken },
  getCourseProgress: { told: oneself, ask: taken },
  unsubscribeUser: { told: oneself, ask: taken },
  completeCourse: { told: oneself, ask: taken },
  completeVideo: { told: oneself, ask: takenVideo },
  uncompleteVideo: { told: oneself, ask: takenVideo },
  getUser: { told: everybody, ask: user },
  listTakenCourses: { told: oneself, ask: user },
  listTakenCoursesJoined: { told: oneself, ask: user },
  listTakenCoursesOfUser: { told: oneself, ask: user },

  getDocument: { told: everybody },
  getEventsDocument: { told: everybody },
  getDocs: { told: everybody },
  getReaderPage: { told: everybody },
  getProblem: { told: everybody, ask: () => ({ params: { code: 'OUT_OF_STOCK' } }) },
  getConsolePage: { told: everybody },
  getDeskPage: { told: everybody },
  isAlive: { told: everybody },
  isReady: { told: everybody },
  getMetrics: { told: everybody },
};

/** For machines that have no token; what stands in `Authorization` means nothing there. */
export const TOKENLESS: readonly string[] = ['isAlive', 'isReady', 'getMetrics'];
