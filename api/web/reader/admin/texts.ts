/** What administrators are told beside `texts.admin`. */

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

export const adminTexts = {
  unknownEncoding:
    'The file is not text in UTF-8. Save it again as "CSV UTF-8" in your spreadsheet program.',
  guessed: (encoding: string, title: string) =>
    `This file is not in UTF-8. It was read as ${encoding}. Its first title is "${title}". Is that right?`,
  importGuessed: (encoding: string) => `Import as ${encoding}`,
  cancel: 'Cancel',
  drop: 'Drop a CSV file here, or choose one.',
  rate: (perSecond: number, leftSeconds: number) =>
    `${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)} rows a second, about ${duration(leftSeconds)} left`,
  faults: (count: number) => `Download ${many(count, 'refused row')}`,
  faultsFile: 'refused-rows.csv',
} as const;
