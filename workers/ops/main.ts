import 'reflect-metadata';
import { services } from '../../shared/services';
import { commands } from './commands';
import { run } from './run';

void run(process.argv.slice(2), commands, services).then((exitCode) => {
  process.exitCode = exitCode;
});
