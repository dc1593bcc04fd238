import { pipeline, Transform, type Readable } from 'node:stream';
import { Egress, EgressRules, type EgressDownload } from '@mgw/egress';

/** Time until the status line, and the longest pause within a file, in milliseconds. */
const PAUSE_MS = 15_000;

/** The bytes of a file, both ends included. */
export interface FileRange {
  first: number;
  last: number;
}

/**
 * `bytes` has exactly the bytes of the range, or ends with an error. `isTransient` is true if the host of the file did not respond, so that
 * another call may succeed.
 */
type DownloadedFile = { kind: 'file'; bytes: Readable } | { kind: 'failed'; problem: string; isTransient: boolean };

interface Source {
  url: string;
  accessToken: string;
  mimeType: string;
  /** Bytes of the whole file. */
  size: number;
}

/**
 * Downloads files of the platform. The address of a file comes from outside: it is called only on the platform's own hosts and by the rules
 * for addresses of customers (guarantees §5, decision 341). Nothing of a response is trusted.
 */
export class MediaDownloads {
  private readonly egress: Egress;
  private readonly graphHost: string;

  constructor(
    graphBaseUrl: string,
    private readonly mediaHosts: readonly string[],
  ) {
    const { host, hostname, port, protocol } = new URL(graphBaseUrl);
    this.graphHost = host;
    // The operator chose this host, so it may be private, as the simulator's is.
    const allowed = `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
    this.egress = new Egress(new EgressRules({ allowedTargets: [allowed], ports: [443] }));
  }

  async open({ url, accessToken, mimeType, size }: Source, range: FileRange): Promise<DownloadedFile> {
    if (!this.isOwnHost(url)) return failed('the file is not on a host of WhatsApp');
    const isWhole = range.first === 0 && range.last === size - 1;
    const headers = {
      authorization: `Bearer ${accessToken}`,
      'accept-encoding': 'identity',
      ...(!isWhole && { range: `bytes=${range.first}-${range.last}` }),
    };
    const response = await this.egress.get({ url, headers, timeoutMs: PAUSE_MS });
    if (response.kind !== 'responded')
      return failed(`the host of the file did not respond (${response.kind})`, response.kind !== 'refused');
    const problem = problemOf(response, { range, size, mimeType });
    if (problem !== null) {
      response.body.on('error', () => undefined).destroy();
      return failed(problem);
    }
    const { first, last } = response.status === 206 ? { first: 0, last: range.last - range.first } : range;
    const total = response.status === 206 ? last + 1 : size;
    return { kind: 'file', bytes: part(response.body, { first, last }, total) };
  }

  close(): Promise<void> {
    return this.egress.close();
  }

  private isOwnHost(text: string): boolean {
    if (!URL.canParse(text)) return false;
    const { host, hostname } = new URL(text);
    return (
      host === this.graphHost ||
      this.mediaHosts.some((pattern) => (pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern))
    );
  }
}

const failed = (problem: string, isTransient = false): DownloadedFile => ({ kind: 'failed', problem, isTransient });

/** The fault of a response's status and headers, or null. */
function problemOf(
  { status, headers }: EgressDownload,
  { range: { first, last }, size, mimeType }: { range: FileRange; size: number; mimeType: string },
): string | null {
  if (status !== 200 && status !== 206) return `the host of the file responded with ${status}`;
  if (headers['content-encoding'] !== undefined) return 'the file is encoded';
  const type = String(headers['content-type'] ?? '');
  // A page with an error or a login, where a file was promised.
  if (/^text\/html\b/i.test(type) && !/^text\/html\b/i.test(mimeType)) return 'the host of the file responded with a page';
  if (status === 206 && headers['content-range'] !== `bytes ${first}-${last}/${size}`) return 'the host of the file sent another part';
  const expected = status === 206 ? last - first + 1 : size;
  const length = headers['content-length'];
  return length === undefined || Number(length) === expected ? null : 'the file has another length than WhatsApp stated';
}

/** Passes bytes on as they are read. @param total bytes of the whole body */
function part(body: Readable, { first, last }: FileRange, total: number): Readable {
  let read = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const begin = read;
      read += chunk.length;
      if (read > total) return done(new Error('the file is longer than WhatsApp stated'));
      if (read > first) this.push(chunk.subarray(Math.max(0, first - begin), last + 1 - begin));
      if (read <= last || last + 1 === total) return done();
      // The host ignored the range. Without `done` nothing more is read.
      this.push(null);
    },
    flush: (done) => done(read < total ? new Error('the file is shorter than WhatsApp stated') : null),
  });
  pipeline(body, stream, () => undefined);
  return stream.once('end', () => stream.destroy());
}
