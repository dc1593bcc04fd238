// Measures a broadcast at the platform's pace for a number and at that of its highest tier, and the live sends during it.
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, median, sum } from './product.mjs';
import { loadOf } from './sends.mjs';

/** WhatsApp's messages a second of a number, and of one of the highest tier. */
export const PLATFORM_PACE = 80;
const HIGHEST_PACE = 1_000;
const RECIPIENTS = 20_000;
const LIVE_CONNECTIONS = 16;
const WARM_UP_SECONDS = 10;
/** Processes beside the services of the product. */
const SERVERS = ['PostgreSQL', 'NATS', 'Redis', 'platform-simulator'];

/**
 * Adds the metrics of broadcasts to the products' results. The products broadcast at `PLATFORM_PACE`.
 * @param startAt starts the measured product again, at another pace
 */
export async function measureBroadcast({ products, startAt, rounds, seconds }) {
  const broadcasts = new Map();
  for (const product of products) {
    await loadOf(product, 'template', LIVE_CONNECTIONS, WARM_UP_SECONDS);
    broadcasts.set(product, await Broadcast.start(product));
  }
  const alone = await alternate(products, rounds, (product) => broadcasts.get(product).running((broadcast) => broadcast.pace(seconds)));
  const live = (product) => loadOf(product, 'template', LIVE_CONNECTIONS, seconds);
  const bothStates = await alternate(products, rounds, async (product) => {
    const without = await live(product);
    return { without, during: await broadcasts.get(product).running(() => live(product)) };
  });
  for (const product of products) {
    const paces = alone.get(product);
    const cores = (name) => median(paces.map(({ cores }) => cores[name]));
    const used = Object.fromEntries(Object.keys(paces[0].cores).map((name) => [name, cores(name)]));
    const services = Object.entries(used).filter(([name]) => !SERVERS.includes(name));
    product.broadcast = {
      'broadcast, 80/s, per second': median(paces.map(({ perSecond }) => perSecond)),
      'broadcast, 80/s, cores of the busiest service': Math.max(...services.map(([, cores]) => cores)),
      'broadcast, 80/s, cores of PostgreSQL': used.PostgreSQL,
      'broadcast, 80/s, cores of everything': sum(used),
      'live sends × 16, p99 ms': median(bothStates.get(product).map(({ without }) => without.p99)),
      'live sends × 16 during a broadcast, p99 of without': median(
        bothStates.get(product).map(({ without, during }) => during.p99 / without.p99),
      ),
    };
    await broadcasts.get(product).cancel();
  }
  const fast = await startAt(HIGHEST_PACE);
  await loadOf(fast, 'template', LIVE_CONNECTIONS, WARM_UP_SECONDS);
  const { perSecond, cores } = await (await Broadcast.start(fast)).running((broadcast) => broadcast.pace(seconds * 2));
  products[0].broadcast['broadcast, 1,000/s, per second'] = perSecond;
  products[0].broadcast['broadcast, 1,000/s, cores of everything'] = sum(cores);
}

class Broadcast {
  /** Creates a broadcast and pauses it. */
  static async start(product) {
    const { operator, account } = product;
    await operator('PATCH', `/api/admin/businesses/${account.businessId}`, { broadcast_daily_limit: 10 * RECIPIENTS });
    const recipients = Array.from({ length: RECIPIENTS }, (_, n) => ({
      phone: `1208${String(n).padStart(7, '0')}`,
      body_params: ['Asha', String(n)],
    }));
    const { id } = await account.client('POST', '/api/client/broadcasts', { name: 'Bench', template_name: 'order_update', recipients });
    const broadcast = Object.assign(new Broadcast(), { product, path: `/api/client/broadcasts/${id}` });
    await broadcast.change('pause');
    return broadcast;
  }

  /** Resumes the broadcast, waits until its pace is even, and pauses it after `act`. */
  async running(act) {
    await this.change('resume');
    await pause(2_000);
    const result = await act(this);
    await this.change('pause');
    await pause(1_000);
    return result;
  }

  /** @returns messages and CPU seconds in a second, the latter by process */
  async pace(seconds) {
    const [begun, before] = [performance.now(), await this.sent()];
    const { cpu } = await this.product.counting(() => pause(seconds * 1_000));
    const [sent, took] = [(await this.sent()) - before, (performance.now() - begun) / 1_000];
    return { perSecond: sent / took, cores: Object.fromEntries(Object.entries(cpu).map(([name, used]) => [name, used / seconds])) };
  }

  cancel() {
    return this.change('cancel');
  }

  change(action) {
    return this.product.account.client('POST', `${this.path}/${action}`, {});
  }

  async sent() {
    return (await this.product.account.client('GET', this.path)).sent;
  }
}
