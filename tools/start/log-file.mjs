// The log of all processes of a stack: a file of limited size, and the previous one beside it.
import { createWriteStream, fstatSync, openSync, renameSync } from 'node:fs';
import { basename } from 'node:path';

const MAX_BYTES = 50 * 1024 ** 2;

export class LogFile {
  #stream;
  #bytes = 0;
  #failed = false;

  constructor(file, say, maxBytes = MAX_BYTES) {
    Object.assign(this, { file, say, maxBytes });
    this.#open();
  }

  /** Drops lines after a failure, because the stack runs without its log too. */
  write(line) {
    if (this.#failed) return;
    if (this.#bytes >= this.maxBytes) this.#rotate();
    this.#bytes += Buffer.byteLength(line);
    this.#stream?.write(line);
  }

  #open() {
    try {
      // Before a rotation can rename the file.
      const fd = openSync(this.file, 'a');
      this.#bytes = fstatSync(fd).size;
      this.#stream = createWriteStream(this.file, { fd }).on('error', (error) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #rotate() {
    // The stream keeps its file, and writes there what still waits.
    this.#stream?.end();
    try {
      renameSync(this.file, `${this.file}.1`);
    } catch (error) {
      return this.#fail(error);
    }
    this.#open();
  }

  #fail({ message }) {
    if (this.#failed) return;
    this.#failed = true;
    this.say(`could not write ${basename(this.file)} (${message}): the next start tries again`);
  }
}
