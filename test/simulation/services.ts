import type { Envelope } from '../../shared/command';
import type { Services } from '../../shared/service';
import type { OpenServices } from '../../workers/pipeline';
import { stockService } from './stock';

/** The one service that is simulated. */
export const services: Services = {
  names: ['stock'],
  commandTypes: [],
  eventTypes: [],
  migrations: [],
  // What a command may look like is tested elsewhere, and looking takes most of a simulation's
  // time.
  decode(content) {
    try {
      return { envelope: JSON.parse(content) as Envelope };
    } catch {
      return { malformed: 'the message is not JSON', header: null };
    }
  },
};

export const openServices: OpenServices = ({ lockRows }) => ({ stock: stockService(lockRows) });
