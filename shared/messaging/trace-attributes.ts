import type { Attributes, Systems } from '../tracing';
import { commandsExchange, generationOf } from './topology';

/**
 * Returns where a command is sent to or taken from, by OpenTelemetry's conventions for messaging
 * and RabbitMQ. A partition's queue has the name of its routing key.
 */
export function destinationAttributes({ messaging }: Systems, partition: string): Attributes {
  if (messaging === 'lendline')
    return { 'messaging.system': messaging, 'messaging.destination.name': partition };
  return {
    'messaging.system': messaging,
    'messaging.destination.name': `${commandsExchange(generationOf(partition))}:${partition}`,
    'messaging.rabbitmq.destination.routing_key': partition,
  };
}
