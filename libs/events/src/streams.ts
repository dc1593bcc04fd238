import { STREAMS, type StreamName } from '@mgw/contracts';
import { streamMaxBytes } from '@mgw/nats';
import {
  DiscardPolicy,
  NatsError,
  RetentionPolicy,
  StorageType,
  nanos,
  type JetStreamManager,
  type NatsConnection,
  type StreamConfig,
} from 'nats';

const HOUR = 3_600_000;

/** Copies in a cluster: one server may be lost. */
const IN_A_CLUSTER = 3;

/** The copies that this server allows, and the size from the settings. */
export function limitsOn(connection: NatsConnection): StreamLimits {
  return { replicas: connection.info?.cluster ? IN_A_CLUSTER : 1, maxBytes: streamMaxBytes(connection) };
}

export interface StreamLimits {
  /** Copies of each stream, as many servers; 3 in a cluster. */
  replicas?: number;
  /** Size of each stream, in bytes. A full stream refuses; nothing old is dropped for something new. */
  maxBytes?: number | undefined;
}

/** Makes the streams of the contracts where they are missing. Safe to repeat and to run side by side. */
export async function ensureStreams(manager: JetStreamManager, limits: StreamLimits = {}): Promise<void> {
  for (const name of Object.keys(STREAMS) as StreamName[]) await ensureStream(manager, name, limits);
}

async function ensureStream(
  manager: JetStreamManager,
  name: StreamName,
  { replicas = 1, maxBytes = 1024 ** 3 }: StreamLimits,
): Promise<void> {
  const config: Partial<StreamConfig> & { name: string } = {
    name,
    subjects: [STREAMS[name].subjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    // The default, `old`, would drop acknowledged events silently (guarantees §4).
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    // As long as the outbox: a service that was away over a weekend misses nothing.
    max_age: nanos(72 * HOUR),
    duplicate_window: nanos(10 * 60_000),
    num_replicas: replicas,
  };
  if (await isThere(manager, name)) return;
  try {
    await manager.streams.add(config);
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!(await isThere(manager, name))) throw error;
  }
}

async function isThere(manager: JetStreamManager, name: string): Promise<boolean> {
  try {
    await manager.streams.info(name);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whether JetStream answered that the stream or consumer does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}

/** Whether JetStream refused an event because the stream has no room. */
export function isFull(error: unknown): boolean {
  return error instanceof NatsError && /maximum (bytes|messages) exceeded/.test(error.api_error?.description ?? error.message);
}

/** Deletes what every durable consumer of a stream has handled. @returns whether there is room now */
export async function makeRoom(manager: JetStreamManager, stream: string): Promise<boolean> {
  const floors: number[] = [];
  for await (const consumer of manager.consumers.list(stream)) floors.push(consumer.ack_floor.stream_seq);
  const handled = floors.length === 0 ? 0 : Math.min(...floors);
  // The server takes "up to sequence 1" for "everything".
  if (handled === 0) return false;
  const { purged } = await manager.streams.purge(stream, { seq: handled + 1 });
  return purged > 0;
}
