import { readFileSync } from 'node:fs';
import { STREAMS } from '@mgw/contracts';
import { memoryOf } from '@mgw/testing';
import { connect } from 'nats';
import { startStack, type RunningStack, type StackProcess } from '../stack';

/** The other hostile tests rely on these limits: a limit that does not reach the services would make them pass for nothing. */
describe('a stack with small limits', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await startStack({ heapMb: 128, streamMaxBytes: 3 * 1024 ** 2 });
  }, 150_000);
  afterAll(() => stack?.stop());

  it('gives each service a heap of 128 MB and each stream 3 MB', async () => {
    const services = stack.processes().filter(({ probe_port, app }) => probe_port !== undefined && app !== 'platform-simulator');
    expect(services).toHaveLength(8);
    for (const { pid } of services) {
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('--max-old-space-size=128');
      expect(memoryOf(pid).residentMb).toBeGreaterThan(20);
    }
    const [nats] = stack.processes('NATS') as [StackProcess];
    const as = { user: 'send', pass: stack.passwords.nats['send'] as string, inboxPrefix: '_INBOX.send' };
    const nc = await connect({ port: nats.port as number, ...as });
    const manager = await nc.jetstreamManager();
    for (const name of Object.keys(STREAMS)) expect((await manager.streams.info(name)).config.max_bytes).toBe(3 * 1024 ** 2);
    await nc.close();
  });

  it('is ready again with a new process after a service was killed', async () => {
    const before = stack.pids();
    const killed = Object.values(stack.pids('send'));
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await stack.ready('send', killed);
    expect({ ...stack.pids(), send: before['send'] }).toEqual(before);
    expect(stack.pids('send')['send']).not.toBe(before['send']);
  });
});
