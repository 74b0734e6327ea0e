import { cleanUp } from '../cleanup';

/** Stops what the setups of all projects have started; Jest runs it once. */
export default cleanUp;
