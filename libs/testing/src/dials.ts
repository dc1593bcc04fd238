import { createHook } from 'node:async_hooks';

interface Dial {
  address?: string;
  port?: number;
}

/** Watches every outgoing TCP connection that this process tries from now on, by whatever client, including those that fail. */
export function watchDials(): { dials(): string[]; stop(): void } {
  const seen: Dial[] = [];
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TCPCONNECTWRAP') seen.push(resource as Dial);
    },
  }).enable();
  return { dials: () => seen.map(({ address, port }) => `${address} ${port}`), stop: () => void hook.disable() };
}
