import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** The bytes of a file. It withholds the last of them unless their hash is right, so that no reader has all bytes of a wrong file. */
export class CheckedBytes {
  /** The error of the source or of its hash. A reader that fails leaves none. */
  error: Error | null = null;
  readonly stream: Readable;

  constructor(
    private readonly source: Readable,
    private readonly sha256: string,
  ) {
    this.stream = Readable.from(this.bytes(), { objectMode: false });
  }

  private async *bytes(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let withheld: Buffer | null = null;
    try {
      for await (const chunk of this.source as AsyncIterable<Buffer>) {
        hash.update(chunk);
        if (withheld) yield withheld;
        withheld = chunk;
      }
      if (hash.digest('hex') !== this.sha256) throw new Error('the file has another hash than WhatsApp stated');
    } catch (error) {
      throw (this.error = error as Error);
    }
    if (withheld) yield withheld;
  }
}
