import { STREAMS, type StreamName } from '@mgw/contracts';
import { streamMaxBytes } from '@mgw/nats';
import {
  DiscardPolicy,
  NatsError,
  RetentionPolicy,
  StorageType,
  nanos,
  type ConsumerInfo,
  type JetStreamManager,
  type MsgRequest,
  type NatsConnection,
  type StreamConfig,
  type StreamState,
} from 'nats';

const HOUR = 3_600_000;

/** Age at which a stream deletes a message: a service that was down over a weekend misses nothing. Outboxes keep events as long. */
export const MAX_AGE_MS = 72 * HOUR;

/** Replicas in a cluster, so that one server may fail. */
const IN_A_CLUSTER = 3;

/** The number of replicas that this server allows, and the size from the settings. */
export function limitsOn(connection: NatsConnection): StreamLimits {
  return { replicas: connection.info?.cluster ? IN_A_CLUSTER : 1, maxBytes: streamMaxBytes(connection) };
}

/** JetStream's error code when a stream would reserve more than its store has. */
const INSUFFICIENT_STORAGE = 10_047;

interface StreamLimits {
  /** Replicas of each stream; 3 in a cluster. */
  replicas?: number;
  /** Size of each stream, in bytes. A full stream refuses new messages and drops none. */
  maxBytes?: number | undefined;
}

/** Creates missing streams of the contracts. Safe to repeat and to run concurrently. */
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
    max_age: nanos(MAX_AGE_MS),
    duplicate_window: nanos(10 * 60_000),
    num_replicas: replicas,
  };
  if (await exists(manager, name)) return;
  try {
    await manager.streams.add(config);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (await exists(manager, name)) return;
    if (!hasNoStorage(error)) throw error;
    const problem = `JetStream's store has no room for the stream ${name} of ${maxBytes} bytes`;
    throw new Error(`${problem}: enlarge the store, or lower NATS_STREAM_MAX_BYTES`, { cause: error });
  }
}

function hasNoStorage(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === INSUFFICIENT_STORAGE;
}

async function exists(manager: JetStreamManager, name: string): Promise<boolean> {
  try {
    await manager.streams.info(name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The stream of a subject. */
export function streamOf(subject: string): string | undefined {
  return Object.entries(STREAMS).find(([, { subjects }]) => subject.startsWith(subjects.slice(0, -1)))?.[0];
}

/** Whether JetStream responded that the stream or consumer does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}

/** Whether JetStream refused an event because the stream is full. */
export function isFull(error: unknown): boolean {
  return error instanceof NatsError && /maximum (bytes|messages) exceeded/.test(error.api_error?.description ?? error.message);
}

/**
 * Deletes the messages that every durable consumer of a stream has handled or filters out. A stream without consumers keeps everything.
 * @returns whether anything was deleted
 */
export async function makeRoom(manager: JetStreamManager, stream: string): Promise<boolean> {
  // Read before the consumers, so that messages published meanwhile stay.
  const { state } = await manager.streams.info(stream);
  const handled = await handledByAll(manager, stream, state);
  if (handled === undefined || handled < state.first_seq) return false;
  const { purged } = await manager.streams.purge(stream, { seq: handled + 1 });
  return purged > 0;
}

/**
 * @param state the stream's state, read before
 * @returns the highest sequence up to which every durable consumer has handled its messages; undefined without consumers
 */
export async function handledByAll(manager: JetStreamManager, stream: string, state: StreamState): Promise<number | undefined> {
  let handled: number | undefined;
  for await (const consumer of manager.consumers.list(stream)) {
    if (consumer.config.durable_name === undefined) continue;
    const upTo = await handledUpTo(manager, consumer, state);
    handled = Math.min(handled ?? upTo, upTo);
  }
  return handled;
}

/** @returns the highest sequence up to which the consumer has handled its messages */
async function handledUpTo(manager: JetStreamManager, consumer: ConsumerInfo, { first_seq, last_seq }: StreamState): Promise<number> {
  const { stream_name, config, num_ack_pending, ack_floor, delivered } = consumer;
  const acknowledged = num_ack_pending === 0 ? Math.max(ack_floor.stream_seq, delivered.stream_seq) : ack_floor.stream_seq;
  if (config.filter_subject === undefined || config.filter_subject === '') return acknowledged;
  // The stream's leader knows the next message that matches the filter. `num_pending` may lag behind in a cluster.
  const next = await nextMatchingSeq(manager, stream_name, config.filter_subject, Math.max(acknowledged + 1, first_seq));
  return next === undefined ? last_seq : Math.max(acknowledged, next - 1);
}

async function nextMatchingSeq(manager: JetStreamManager, stream: string, subject: string, from: number): Promise<number | undefined> {
  try {
    return (await manager.streams.getMessage(stream, { seq: from, next_by_subj: subject } as MsgRequest)).seq;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
