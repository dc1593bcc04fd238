// A server that npm start runs itself (PostgreSQL, NATS, Redis). Restarts it on its port with its data when it dies.
import { setTimeout as pause } from 'node:timers/promises';
import { Deaths } from './deaths.mjs';

export class OwnServer {
  #process;
  #launched;
  #stopping = false;
  #keepAlive = false;
  /** After a crash PostgreSQL refuses to start until its last backend has ended, which takes as long as its statement. */
  #deaths = new Deaths({ limit: 10, windowMs: 60_000 });

  /** @param options `launch({ port, onSpawn })` starts the server and resolves when it accepts connections */
  constructor({ name, launch, say, onGiveUp, onChange }) {
    Object.assign(this, { name, launch, say, onGiveUp, onChange });
  }

  get pid() {
    return this.#process?.pid;
  }

  async start() {
    this.#launched = this.launch({ port: this.port, onSpawn: (process, port) => this.#spawned(process, port) });
    const { url } = await this.#launched;
    Object.assign(this, { url, readyMs: Date.now() - this.startedAt });
    this.onChange();
    this.#watch();
  }

  /** Restarts it from now on when it dies. Before, its death fails the start. */
  keepAlive() {
    this.#keepAlive = true;
  }

  async stop() {
    this.#stopping = true;
    await this.#process?.stop();
    // A start may be about to spawn it.
    await this.#launched?.catch(() => undefined);
  }

  #spawned(process, port) {
    this.#process = process;
    Object.assign(this, { port, startedAt: Date.now(), readyMs: undefined });
    this.onChange();
    if (this.#stopping) void process.stop();
  }

  #watch() {
    const process = this.#process;
    void process.exited.then(({ code, signal }) => {
      if (this.#stopping) return;
      const ended = `${this.name} ended (${signal ?? code})`;
      if (this.#keepAlive) void this.#revive(ended);
      else this.onGiveUp(`${ended}: ${process.lastWords()}`);
    });
  }

  async #revive(reason) {
    const waitMs = this.#deaths.next();
    if (waitMs === null) return this.onGiveUp(`${this.name} keeps dying: ${reason}`);
    this.say(`${reason}, starting it again with its data`);
    await pause(waitMs);
    if (this.#stopping) return;
    try {
      await this.start();
      this.say(`${this.name} accepts connections again`);
    } catch (error) {
      if (!this.#stopping) await this.#revive(error.message);
    }
  }
}
