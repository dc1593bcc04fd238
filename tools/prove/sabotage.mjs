// Falsifies a witness or breaks the product. Trust a check only after it has failed here.
import { setTimeout as pause } from 'node:timers/promises';

const sentEvents = ({ events }) => events.filter(({ subject }) => subject === 'public.message.sent');
const went = ({ calls }) => calls.filter(({ id }) => id !== null);
const without = (list, one) => void list.splice(list.indexOf(one), 1);

/** Breaks of the running product, by name. */
export const BREAKS = {
  'swallow-callbacks': {
    check: 'statuses wrong',
    break: async ({ callbacks }) => {
      callbacks.mode = 'swallow';
      await pause(5_000);
      callbacks.mode = null;
    },
  },
  'delete-deliveries': {
    check: 'events missing at receivers',
    break: ({ product }) =>
      product.database((query) => query(`DELETE FROM dispatch.deliveries WHERE id IN (SELECT max(id) FROM dispatch.deliveries)`)),
  },
  'send-again': {
    check: 'sent twice',
    break: async ({ platform, product }) => {
      const [{ phone_number_id: number }] = product.demo.businesses;
      const call = platform.calls.find(({ id, number: from }) => id !== null && from === number);
      const headers = { authorization: `Bearer EAAdemo${number}`, 'content-type': 'application/json' };
      await fetch(`${platform.url}/v24.0/${number}/messages`, { method: 'POST', headers, body: JSON.stringify(call.body) });
    },
  },
};

/** Falsifications of the witnesses' logs, by name. */
export const SABOTAGE = {
  lose: {
    check: 'sends lost',
    falsify: (run) =>
      without(
        run.records,
        run.records.find(({ message_id }) => message_id === went(run)[0].id),
      ),
  },
  double: { check: 'sent twice', falsify: (run) => void run.calls.push({ ...went(run)[0], id: 'wamid.twice' }) },
  misreport: {
    check: 'misreported',
    falsify: (run) => {
      const send = run.sends.find(({ responses }) => responses.at(-1)?.status === 200);
      send.responses = [{ ...send.responses.at(-1), status: 400, error_code: 'PLATFORM_REFUSED', message_id: undefined }];
    },
  },
  'drop-event': { check: 'message.sent events missing or recorded twice', falsify: (run) => without(run.events, sentEvents(run)[0]) },
  'double-event': {
    check: 'message.sent events missing or recorded twice',
    falsify: (run) => void run.events.push({ ...sentEvents(run)[0], event_id: 'message.sent:again' }),
  },
  'drop-inbound': {
    check: 'message.received events missing or recorded twice',
    falsify: (run) =>
      without(
        run.events,
        run.events.find(({ subject }) => subject === 'public.message.received'),
      ),
  },
  'drop-status': {
    check: 'message.status events wrong',
    falsify: (run) =>
      without(
        run.events,
        run.events.findLast(({ subject }) => subject === 'public.message.status'),
      ),
  },
  'double-status': {
    check: 'message.status events wrong',
    falsify: (run) => void run.events.push(run.events.find(({ subject }) => subject === 'public.message.status')),
  },
  status: {
    check: 'statuses wrong',
    falsify: (run) => void (run.records.find(({ message_id }) => message_id === went(run)[0].id).status = 'sent'),
  },
  broadcast: { check: 'broadcasts wrong', falsify: (run) => void (run.broadcasts.find(({ id }) => id !== null).sent -= 1) },
  'drop-receipt': {
    check: 'events missing at receivers',
    falsify: (run) => {
      const { webhook, event_id } = run.receipts.find(({ status }) => status === 200);
      run.receipts = run.receipts.filter((one) => one.webhook !== webhook || one.event_id !== event_id);
    },
  },
  'change-body': { check: 'bodies that changed on a repeat', falsify: (run) => void (run.receipts[0].same_bytes = false) },
  reorder: {
    check: 'inversions within a conversation',
    falsify: (run) => {
      const same = (one) =>
        run.receipts.find(
          (other) => other.webhook === one.webhook && other.conversation === one.conversation && other.event_id !== one.event_id,
        );
      const first = run.receipts.find((one) => one.conversation && same(one));
      const second = same(first);
      const [a, b] = [run.receipts.indexOf(first), run.receipts.indexOf(second)];
      [run.receipts[a], run.receipts[b]] = [second, first];
    },
  },
  republish: {
    check: 'events published again without a lost store',
    falsify: (run) => void run.republished.push({ at: 0, process: 'send', stream: 'PUBLIC', again: 5_700 }),
  },
  'fail-count': { check: 'fail_count wrong', falsify: (run) => void (run.webhooks[0].fail_count += 1) },
  cap: { check: 'daily cap wrong', falsify: (run) => void (run.usage[0].used += 1) },
  die: {
    check: 'processes that died by themselves',
    falsify: (run) => void run.deaths.push({ name: 'send', pid: 1, at: 0, said: 'send ended (1)' }),
  },
  stick: { check: 'not finished at the end', falsify: (run) => void (run.unfinished['deliveries not ended'] = 3) },
};
