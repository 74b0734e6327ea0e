// Keeps the open borrows of the library in a file, and catches up with what it missed.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Lendline, Refusal } from '@lendline/client';

const { API_URL = 'http://127.0.0.1:3000', TOKEN, FILE = 'open-borrows.json' } = process.env;
const lendline = new Lendline({ baseUrl: API_URL, token: TOKEN });

/** What is open now. Kept events that are older change nothing in the end. */
async function begin() {
  const borrows = new Map();
  for await (const { borrowId, title, dueAt } of lendline.borrows.list({ returned: false }))
    borrows.set(borrowId, { title, dueAt });
  return { after: '', borrows };
}

/** Applying an event twice is the same as once: the same event may come twice. */
function apply({ type, data: { borrowId, title, dueAt } }, borrows) {
  if (/[.](?:created|renewed)$/.test(type)) borrows.set(borrowId, { title, dueAt });
  if (/[.](?:returned|lost)$/.test(type)) borrows.delete(borrowId);
}

/** The place and what was made of the events up to it are one file, so that they always agree. */
function save({ after, borrows }) {
  writeFileSync(`${FILE}.new`, JSON.stringify({ after, borrows: [...borrows] }));
  renameSync(`${FILE}.new`, FILE);
}

function load() {
  const { after, borrows } = JSON.parse(readFileSync(FILE, 'utf8'));
  return { after, borrows: new Map(borrows) };
}

let state = existsSync(FILE) ? load() : await begin();
for (;;) {
  try {
    for await (const event of lendline.events({ types: ['lending.borrow'], after: state.after })) {
      apply(event, state.borrows);
      state.after = event.id;
      save(state);
      console.log(`${event.type} ${event.data.borrowId}: ${state.borrows.size} open`);
    }
  } catch (error) {
    if (!(error instanceof Refusal && error.problem.code === 'EVENT_NOT_KEPT')) throw error;
    // Away for longer than events are kept.
    state = await begin();
  }
}
