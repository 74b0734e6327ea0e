import type { Attributes, Systems } from '../tracing';
import { commandsExchange, generationOf } from './topology';

/**
 * Says where a command is sent and taken from, as OpenTelemetry's conventions for messaging and for
 * RabbitMQ do. A partition's queue has the name of its routing key.
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
