import { shownNumber } from '../../shared/format';
import type { AdminTexts } from './texts-en';

/** The texts of the catalogue's management in Korean. */

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)}초` : `${Math.ceil(seconds / 60)}분`;

export const koreanAdmin: AdminTexts = {
  heading: '목록 관리',
  register: '도서 등록',
  change: '도서 수정',
  save: '저장',
  saved: '저장했습니다.',
  registered: (title) => `등록했습니다: ${title}`,
  title: '제목',
  author: '저자',
  isbn: 'ISBN',
  publicationDate: '출판일',
  bookImg: '표지 URL',
  copies: '소장 권수',
  addCopies: '복본 추가',
  add: '추가',
  added: (count) => `${shownNumber(count)}권을 추가했습니다.`,
  count: '권수',
  import: '도서 가져오기',
  importHint:
    '파일은 UTF-8이어야 합니다. 첫 줄은 열 이름입니다: title과 author, 그리고 선택 항목인 isbn, publicationDate, bookImg, copies. 이미 등록된 ISBN은 그대로 둡니다. ISBN이 없는 행은 새 도서가 됩니다. 긴 파일에는 import-books 명령을 사용하세요.',
  file: '파일',
  importRows: '가져오기',
  imported: (done, total) => `${shownNumber(total)}행 중 ${shownNumber(done)}행`,
  importResults: (registered, there, refused) =>
    `등록 ${shownNumber(registered)}, 이미 있음 ${shownNumber(there)}, 거절 ${shownNumber(refused)}`,
  missingColumn: (name) => `첫 줄에 ${name} 열이 없습니다.`,
  noRows: '파일에 행이 없습니다.',
  tooManyRows: (limit) =>
    `파일이 ${shownNumber(limit)}행보다 깁니다. import-books 명령을 사용하세요.`,
  notNumber: 'copies는 정수여야 합니다',
  line: '줄',
  why: '이유',
  unknownEncoding:
    'UTF-8 텍스트 파일이 아닙니다. 스프레드시트 프로그램에서 "CSV UTF-8"로 다시 저장하세요.',
  guessed: (encoding, title) =>
    `UTF-8 파일이 아니어서 ${encoding}(으)로 읽었습니다. 첫 제목은 "${title}"입니다. 맞습니까?`,
  importGuessed: (encoding) => `${encoding}(으)로 가져오기`,
  drop: 'CSV 파일을 여기에 놓거나 선택하세요.',
  rate: (perSecond, leftSeconds) =>
    `초당 ${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)}행, 약 ${duration(leftSeconds)} 남음`,
  faults: (count) => `거절된 ${shownNumber(count)}행 내려받기`,
  faultsFile: 'refused-rows.csv',
};
