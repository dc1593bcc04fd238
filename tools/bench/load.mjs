// Puts load on one address: one request per connection at a time. A separate process, so that its CPU time does not count as the
// product's. usage: node load.mjs '<json>'; prints one line of JSON.
import { Pool } from 'undici';

const { origin, path, keys, connections, seconds, kind } = JSON.parse(process.argv[2]);
const pool = new Pool(origin, { connections, pipelining: 1 });
const bodies = {
  template: (n) => ({ phone: phone(n), template_name: 'order_update', body_params: ['Asha', String(n)] }),
  text: (n) => ({ phone: windowPhone(n), message: `Hello ${n}` }),
  media: (n) => ({ phone: windowPhone(n), media_type: 'image', media_url: 'https://example.com/a.png' }),
  otp: (n) => ({ phone: phone(n), template_name: 'login_code' }),
};
const phone = (n) => `1202${String(n % 10_000_000).padStart(7, '0')}`;
const windowPhone = (n) => `1203555${String(n % 1_000).padStart(4, '0')}`;
const latencies = [];
const statuses = {};
let n = Math.floor(Math.random() * 1_000_000);
const end = performance.now() + seconds * 1_000;

async function worker() {
  while (performance.now() < end) {
    const body = JSON.stringify(bodies[kind]((n += 1)));
    const headers = { 'content-type': 'application/json', 'x-api-key': keys[n % keys.length] };
    const begun = performance.now();
    const response = await pool.request({ method: 'POST', path, headers, body }).catch(() => null);
    await response?.body.dump();
    const status = response?.statusCode ?? 0;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 200) latencies.push(performance.now() - begun);
  }
}
const begun = performance.now();
await Promise.all(Array.from({ length: connections }, worker));
const took = (performance.now() - begun) / 1_000;
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? null;
console.log(JSON.stringify({ perSecond: latencies.length / took, p50: at(0.5), p99: at(0.99), sent: latencies.length, statuses }));
process.exit(0);
