import '../shared/heap';
import 'reflect-metadata';
import { runProgram } from '../shared/program';
import { services } from '../shared/services';
import { startWorker } from './program';
import { workerServices } from './services';

runProgram(() => startWorker({ services, workerServices }));
