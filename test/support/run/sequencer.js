const Sequencer = require('@jest/test-sequencer').default;

/**
 * Spreads the files of each project over the whole run, so that files that only compute run beside
 * those that wait for programs. By itself Jest takes the large files first and so leaves nearly all
 * units to the end, while the processors are idle before. Within a project the order is Jest's.
 */
class MixedProjects extends Sequencer {
  sort(tests) {
    const projects = new Map();
    for (const test of super.sort(tests)) {
      const { id } = test.context.config;
      const files = projects.get(id) ?? [];
      files.push(test);
      projects.set(id, files);
    }
    return [...projects.values()]
      .flatMap((files) =>
        files.map((test, index) => ({ test, part: (index + 0.5) / files.length })),
      )
      .sort((one, other) => one.part - other.part)
      .map(({ test }) => test);
  }
}

module.exports = MixedProjects;
