// Controls the process of the webhooks' receivers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../servers/free-port.cjs';

export class Receivers {
  static async listen() {
    const receivers = new Receivers();
    receivers.port = await freePort();
    receivers.child = fork(new URL('receiver-process.mjs', import.meta.url), [String(receivers.port)], { serialization: 'advanced' });
    await once(receivers.child, 'message');
    return receivers;
  }

  url(name) {
    return `http://127.0.0.1:${this.port}/${name}`;
  }

  /** @param mode ok, fail, hang or reset */
  set(name, mode) {
    this.child.send({ set: { name, mode } });
  }

  /** @returns every attempt so far, in order of arrival */
  async attempts() {
    this.child.send({ collect: true });
    const [{ attempts }] = await once(this.child, 'message');
    return attempts;
  }
}
