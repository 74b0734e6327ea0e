const Sequencer = require('@jest/test-sequencer').default;

/** The first, the last, the second, the last but one, and so on. */
const fromBothEnds = (files) =>
  files.map((_file, index) => files.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2));

/**
 * Spreads the files of each project over the whole run, and in a project large files among small
 * ones, so that files that compute run beside those that wait for programs. By itself Jest takes
 * the large files first: they wait, while nearly all units are left to the end.
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
        fromBothEnds(files).map((test, index) => ({ test, part: (index + 0.5) / files.length })),
      )
      .sort((one, other) => one.part - other.part)
      .map(({ test }) => test);
  }
}

module.exports = MixedProjects;
