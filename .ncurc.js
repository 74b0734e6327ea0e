/**
 * `npm run updates` lists each package with a version that has been out for 90 days and runs on
 * the oldest Node that we support. SECURITY.md promises these 90 days.
 */
module.exports = {
  cooldown: 90,
  enginesNode: true,
  errorLevel: 2,
  reject: [
    // The types of the oldest Node that we support.
    '@types/node',
    // typedoc takes versions below 6.1 only.
    'typescript',
  ],
};
