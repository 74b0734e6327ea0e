import '../shared/heap';
import { runProgram } from '../shared/program';
import { services } from '../shared/services';
import { startApiProgram } from './program';
import { apiServices } from './services';

runProgram(() => startApiProgram({ services, apiServices }));
