import { importCommand } from './import-command';
import { cleanPostRow, POST_COLUMNS } from './post-row';
import { KnownPosts, postIdentity, registerPost } from './register-post';

export const importPosts = importCommand({
  things: 'posts',
  notes: [
    'Columns: title, content, userId (the author), tags (separated by commas; in JSON Lines also a list). A post gets the',
    'date of its import. It is skipped when its author has one with the same title, content and tags.',
  ],
  format: { columns: POST_COLUMNS, required: [['title'], ['content'], ['userid']] },
  prepare() {
    const known = new KnownPosts();
    return {
      clean: cleanPostRow,
      identity: postIdentity,
      sameBy: () => 'same post',
      register: (client, post) => registerPost(client, post, known),
    };
  },
});
