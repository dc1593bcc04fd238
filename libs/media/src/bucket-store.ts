import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { onDeadline } from '@mgw/deadlines';
import type { FileRange } from './downloads';
import type { FileStore } from './file-store';

/** Time to connect, until the response of a read, and the longest pause, in milliseconds. */
const CONNECT_MS = 5_000;
const RESPONSE_MS = 10_000;
const PAUSE_MS = 15_000;
/** More than the transfers that a gateway permits at once. */
const CONNECTIONS = 128;

const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A bucket of S3, or of a server that speaks its protocol. */
export class BucketStore implements FileStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  /** @param address `https://<key id>:<secret>@<host>/<bucket>[/<prefix>][?region=…]`; without key the client looks for a role */
  constructor(
    { origin, username, password, pathname, searchParams }: URL,
    private readonly responseMs = RESPONSE_MS,
  ) {
    const [bucket = '', ...prefix] = pathname.split('/').filter((part) => part !== '');
    this.bucket = bucket;
    this.prefix = prefix.map((part) => `${part}/`).join('');
    const agent = { maxSockets: CONNECTIONS, keepAlive: true };
    this.client = new S3Client({
      endpoint: origin,
      region: searchParams.get('region') ?? 'us-east-1',
      forcePathStyle: true,
      ...(username !== '' && {
        credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
      }),
      // A streamed body cannot be sent twice, and the caller retries.
      maxAttempts: 1,
      // It would write to the console, outside the log.
      logger: SILENT,
      // Servers other than S3 do not know its newer checksums, and the caller checks the hash.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: PAUSE_MS, httpAgent: agent, httpsAgent: agent },
    });
  }

  async put(key: string, bytes: Readable, size: number, signal: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({ ...this.at(key), Body: bytes, ContentLength: size });
    // The client would wait for the rest of a broken stream.
    const broken = new AbortController();
    bytes.once('error', () => broken.abort());
    await this.client.send(command, { abortSignal: AbortSignal.any([signal, broken.signal]) });
  }

  async open(key: string, { first, last }: FileRange): Promise<Readable> {
    const command = new GetObjectCommand({ ...this.at(key), Range: `bytes=${first}-${last}` });
    // A signal that aborts later would cut the body.
    const late = new AbortController();
    const cancel = onDeadline(this.responseMs, () => late.abort());
    try {
      const { Body } = await this.client.send(command, { abortSignal: late.signal });
      return Body as Readable;
    } finally {
      cancel();
    }
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.at(key)), { abortSignal: signal });
  }

  close(): void {
    this.client.destroy();
  }

  private at(key: string) {
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}
