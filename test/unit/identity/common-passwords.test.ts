import { dictionary } from '@zxcvbn-ts/language-common';
import { COMMON_PASSWORDS } from '../../../shared/identity/common-passwords';

const LENGTH_MIN = 8;
const LISTED = 3000;

it('the common passwords are the first 3,000 of the package that are long enough to be chosen', () => {
  const all = dictionary['passwords-common'].map((password) => password.toLowerCase());
  const choosable = [...new Set(all)].filter(
    (password) => Array.from(password).length >= LENGTH_MIN,
  );
  expect([...COMMON_PASSWORDS]).toEqual(choosable.slice(0, LISTED));
});
