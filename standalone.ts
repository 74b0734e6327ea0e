import './shared/heap';
import 'reflect-metadata';
import { apiServices } from './api/services';
import { startEmbedded } from './embedded';
import { runProgram } from './shared/program';
import { services } from './shared/services';
import { workerServices } from './workers/services';

runProgram(() => startEmbedded({ services, apiServices, workerServices }));
