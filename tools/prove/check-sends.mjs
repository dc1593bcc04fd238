// Compares the responses to clients, the messages that the platform accepted, and the database's records.
import { accepted, groupBy, isSent, isStatus } from './witness-views.mjs';

/** Errors that promise an unsent message. */
const NOT_SENT = new Set([
  'VALIDATION_FAILED',
  'PLATFORM_REFUSED',
  'PLATFORM_UNAVAILABLE',
  'PLATFORM_THROTTLED',
  'OVERLOADED',
  'WINDOW_CLOSED',
  'DAILY_LIMIT_REACHED',
  'RATE_LIMITED',
  'RECIPIENT_SUPPRESSED',
  'TEMPLATE_NOT_FOUND',
  'NOT_CONNECTED',
]);
const RANK = { sent: 1, delivered: 2, failed: 3, read: 4, played: 4 };
export const SEND_CHECKS = {
  'sends lost': (run) => {
    const platform = new Set(accepted(run).map(({ id }) => id));
    const records = new Set(run.records.map(({ message_id }) => message_id));
    const promised = run.sends.flatMap(({ responses }) =>
      responses.filter(({ status }) => status === 200).map(({ message_id }) => message_id),
    );
    return [
      ...promised.filter((id) => !platform.has(id)).map((id) => `${id} got a 200, but the platform does not have it`),
      ...[...platform].filter((id) => !records.has(id)).map((id) => `${id} was accepted by the platform and has no record`),
    ];
  },
  'sent twice': (run) =>
    [...groupBy(accepted(run), ({ token }) => token)]
      .filter(([, calls]) => calls.length > 1)
      .map(([token, calls]) => `${token} ${calls.length} times`),
  misreported: (run) => {
    const byToken = groupBy(accepted(run), ({ token }) => token);
    return run.sends.flatMap(({ token, responses }) => {
      const [call] = byToken.get(token) ?? [];
      const wrong = responses.filter(
        ({ status, message_id, otp }) => status === 200 && call && (message_id !== call.id || (otp && otp !== call.code)),
      );
      const denied = responses.length > 0 && responses.every(({ error_code }) => NOT_SENT.has(error_code));
      return [
        ...wrong.map(({ message_id }) => `${token} got ${message_id}, but the platform has ${call.id}`),
        ...(denied && call
          ? [`${token} was refused with ${responses.map(({ error_code }) => error_code)}, but the platform accepted it`]
          : []),
      ];
    });
  },
  'message.sent events missing or recorded twice': (run) => {
    const events = groupBy(run.events.filter(isSent), ({ message_id }) => message_id);
    const ids = new Set(accepted(run).map(({ id }) => id));
    const counted = [...ids].filter((id) => events.get(id)?.length !== 1).map((id) => `${id} has ${events.get(id)?.length ?? 0} events`);
    const invented = [...events.keys()].filter((id) => !ids.has(id)).map((id) => `${id} has an event, the platform does not have it`);
    return [...counted, ...invented];
  },
  'message.received events missing or recorded twice': (run) => {
    const events = groupBy(
      run.events.filter(({ subject }) => subject === 'public.message.received'),
      ({ message_id }) => message_id,
    );
    const written = new Set(run.callbacks.filter(({ kind }) => kind === 'message').map(({ id }) => id));
    return [...written].filter((id) => events.get(id)?.length !== 1).map((id) => `${id} has ${events.get(id)?.length ?? 0} events`);
  },
  'statuses wrong': (run) => {
    const reported = groupBy(
      run.callbacks.filter(({ kind }) => kind === 'status'),
      ({ id }) => id,
    );
    const records = new Map(run.records.map(({ message_id, status }) => [message_id, status]));
    const wrong = accepted(run).flatMap(({ id }) => {
      const highest = Math.max(1, ...(reported.get(id) ?? []).map(({ status }) => RANK[status] ?? 0));
      return RANK[records.get(id)] === highest ? [] : [`${id} is ${records.get(id)}, the platform reported rank ${highest}`];
    });
    // If two reads do not overlap, the later one must not show a lower status.
    const fell = [...groupBy(run.reads, ({ message_id }) => message_id)].flatMap(([id, reads]) =>
      reads
        .filter((read) => reads.some(({ ended, status }) => ended < read.begun && RANK[status] > RANK[read.status]))
        .map(() => `${id} fell`),
    );
    return [...wrong, ...fell];
  },
  'message.status events wrong': (run) => {
    const events = groupBy(run.events.filter(isStatus), ({ message_id }) => message_id);
    const isRise = ({ status }, i, all) => RANK[status] > (i === 0 ? RANK.sent : RANK[all[i - 1].status]);
    const records = new Map(run.records.map(({ message_id, status }) => [message_id, status]));
    return accepted(run).flatMap(({ id }) => {
      const status = records.get(id);
      const rises = (events.get(id) ?? []).toSorted((a, b) => a.seq - b.seq);
      const last = rises.at(-1)?.status ?? 'sent';
      return rises.every(isRise) && last === status ? [] : [`${id} is ${status}, its events are ${rises.map((rise) => rise.status)}`];
    });
  },
  'daily cap wrong': (run) => {
    const counted = groupBy(
      run.intents.filter(({ state }) => state !== 'refused'),
      (one) => `${one.api_key_id} ${one.usage_day}`,
    );
    return run.usage.flatMap(({ api_key_id, day, used }) => {
      const cap = run.keys.find(({ id }) => id === api_key_id)?.cap ?? Infinity;
      const intents = counted.get(`${api_key_id} ${day}`)?.length ?? 0;
      return used === intents && used <= cap ? [] : [`key ${api_key_id} on ${day}: used ${used}, ${intents} sends, cap ${cap}`];
    });
  },
};
