/**
 * Expects a list that people write by hand to have what it must have, each once, and nothing else.
 * `where` is its file, which the failure names.
 */
export function expectListed(
  where: string,
  listed: readonly string[],
  wanted: readonly string[],
): void {
  const [has, needs] = [new Set(listed), new Set(wanted)];
  const twice = listed.filter((name, index) => listed.indexOf(name) !== index);
  expect([
    ...[...needs].filter((name) => !has.has(name)).map((name) => `${where} lacks ${name}`),
    ...[...has]
      .filter((name) => !needs.has(name))
      .map((name) => `${where} has ${name}, which does not exist`),
    ...twice.map((name) => `${where} has ${name} twice`),
  ]).toEqual([]);
}
