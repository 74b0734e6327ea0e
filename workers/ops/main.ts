import 'reflect-metadata';
import { run } from './run';

void run(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
