// A reader's kiosk in the terminal: find, borrow, return, and list what you have.
import { createInterface } from 'node:readline/promises';
import { Lendline } from '@lendline/client';

const { API_URL = 'http://127.0.0.1:3000' } = process.env;
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();
const ask = async (question) => {
  process.stdout.write(question);
  const { value, done } = await lines.next();
  if (done) process.exit();
  return value.trim();
};
const day = (instant) => instant.slice(0, 10);
/** Says what became of a call. */
const say = ({ ok, value, problem }, done) => console.log(ok ? done(value) : problem.detail);

async function signIn() {
  const nobody = new Lendline({ baseUrl: API_URL });
  for (;;) {
    const username = await ask('Username: ');
    const signedIn = await nobody.accounts.logIn({ username, password: await ask('Password: ') });
    if (signedIn.ok) return nobody.withToken(signedIn.value.accessToken);
    console.log(signedIn.problem.detail);
  }
}

const commands = {
  async find(lendline, words) {
    let found = 0;
    for await (const { bookInfoId, title, author, availableStock } of lendline.books.list({
      q: words,
    })) {
      console.log(`${bookInfoId}  ${title}, ${author} (${availableStock} available)`);
      if (++found === 10) return;
    }
    if (found === 0) console.log('No titles found.');
  },
  async borrow(lendline, id) {
    const made = await lendline.borrows.create({ bookInfoId: Number(id) });
    say(made, ({ title, dueAt }) => `"${title}" is yours until ${day(dueAt)}.`);
  },
  async return(lendline, id) {
    const made = await lendline.returns.create({ bookInfoId: Number(id) });
    say(made, ({ title }) => `"${title}" is returned.`);
  },
  async mine(lendline) {
    for await (const { bookInfoId, title, dueAt } of lendline.borrows.list({ returned: false }))
      console.log(`${bookInfoId}  ${title}, due ${day(dueAt)}`);
  },
};

const lendline = await signIn();
console.log('find WORDS, borrow ID, return ID, mine');
for (;;) {
  const [name, ...words] = (await ask('> ')).split(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : null;
  if (!command) console.log(`Commands: ${Object.keys(commands).join(', ')}`);
  else await command(lendline, words.join(' ')).catch(({ message }) => console.log(message));
}
