import '../../shared/heap';
import 'reflect-metadata';
import { startApiProgram } from '../../api/program';
import { apiServices } from '../../api/services';
import { startEmbedded } from '../../embedded';
import { runProgram } from '../../shared/program';
import { servicesOf } from '../../shared/service';
import { serviceList } from '../../shared/services';
import { commands } from '../../workers/ops/commands';
import { run } from '../../workers/ops/run';
import type { OpenServices } from '../../workers/pipeline';
import { startWorker } from '../../workers/program';
import { workerServices } from '../../workers/services';
import { guestsApi } from './api/service';
import { guests } from './shared/guests';
import { guestsWorker } from './workers/service';

/**
 * The programs with the guest book besides the product's services. Arguments: which program, and
 * its own.
 */

const services = servicesOf({ ...serviceList, guests });
const api = { services, apiServices: [...apiServices, guestsApi] };
const worker = {
  services,
  workerServices:
    (config: Parameters<typeof workerServices>[0]): OpenServices =>
    (parts) => ({ ...workerServices(config)(parts), guests: guestsWorker }),
};

const [program, ...argv] = process.argv.slice(2);
switch (program) {
  case 'embedded':
    runProgram(() => startEmbedded({ ...api, ...worker }));
    break;
  case 'api':
    runProgram(() => startApiProgram(api));
    break;
  case 'worker':
    runProgram(() => startWorker(worker));
    break;
  default:
    void run(argv, commands, services).then((exitCode) => {
      process.exitCode = exitCode;
    });
}
