/**
 * Loaded into a program under test with NODE_OPTIONS=--require: gives it a migration of a made-up
 * later release, which adds a column.
 */
const wrapExports = require('./wrap-exports');

const migration = {
  name: '9999-later-rank',
  up: (query) =>
    query.sequelize.query('ALTER TABLE book_info ADD COLUMN later_rank INT NOT NULL DEFAULT 1'),
};

wrapExports({
  servicesOf:
    (make) =>
    (...given) => {
      const services = make(...given);
      return { ...services, migrations: [...services.migrations, migration] };
    },
});
