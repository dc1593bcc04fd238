// Compares the witnesses. Each check returns what is wrong; a run holds when every list is empty.

/** Errors that promise that nothing was sent. */
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
/** A wiped store is noticed at the next connection, or within the minute in which relays compare. */
const NOTICED_WITHIN_MS = 90_000;
const SILENT_MS = 2_000;

const groupBy = (list, keyOf) => {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
};
const accepted = ({ calls }) => calls.filter(({ id }) => id !== null);
const isSent = ({ subject }) => subject === 'public.message.sent';

export const CHECKS = {
  'sends lost': (run) => {
    const platform = new Set(accepted(run).map(({ id }) => id));
    const records = new Set(run.records.map(({ message_id }) => message_id));
    const promised = run.sends.flatMap(({ answers }) => answers.filter(({ status }) => status === 200).map(({ message_id }) => message_id));
    return [
      ...promised.filter((id) => !platform.has(id)).map((id) => `${id} was answered 200, the platform does not have it`),
      ...[...platform].filter((id) => !records.has(id)).map((id) => `${id} was accepted by the platform and has no record`),
    ];
  },
  'sent twice': (run) =>
    [...groupBy(accepted(run), ({ token }) => token)]
      .filter(([, calls]) => calls.length > 1)
      .map(([token, calls]) => `${token} ${calls.length} times`),
  misreported: (run) => {
    const byToken = groupBy(accepted(run), ({ token }) => token);
    return run.sends.flatMap(({ token, answers }) => {
      const [call] = byToken.get(token) ?? [];
      const wrong = answers.filter(
        ({ status, message_id, otp }) => status === 200 && call && (message_id !== call.id || (otp && otp !== call.code)),
      );
      const denied = answers.length > 0 && answers.every(({ error_code }) => NOT_SENT.has(error_code));
      return [
        ...wrong.map(({ message_id }) => `${token} was answered with ${message_id}, the platform has ${call.id}`),
        ...(denied && call ? [`${token} was answered ${answers.map(({ error_code }) => error_code)}, the platform accepted it`] : []),
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
    const told = groupBy(
      run.callbacks.filter(({ kind }) => kind === 'status'),
      ({ id }) => id,
    );
    const records = new Map(run.records.map(({ message_id, status }) => [message_id, status]));
    const wrong = accepted(run).flatMap(({ id }) => {
      const highest = Math.max(1, ...(told.get(id) ?? []).map(({ status }) => RANK[status] ?? 0));
      return RANK[records.get(id)] === highest ? [] : [`${id} is ${records.get(id)}, the platform told rank ${highest}`];
    });
    // Reads that do not overlap: the later one never shows less.
    const fell = [...groupBy(run.reads, ({ message_id }) => message_id)].flatMap(([id, reads]) =>
      reads
        .filter((read) => reads.some(({ ended, status }) => ended < read.begun && RANK[status] > RANK[read.status]))
        .map(() => `${id} fell`),
    );
    return [...wrong, ...fell];
  },
  'broadcasts wrong': (run) => {
    const tokens = new Set(accepted(run).map(({ token }) => token));
    return run.broadcasts
      .filter(({ id }) => id !== null)
      .flatMap((one) => {
        const went = one.tokens.filter((token) => tokens.has(token)).length;
        const ends = run.events.filter(({ broadcast_id }) => Number(broadcast_id) === one.id).length;
        const holds = one.status === 'completed' && one.sent + one.failed === one.total && one.sent === went && ends === 1;
        return holds ? [] : [`broadcast ${one.id}: ${one.status}, ${one.sent}+${one.failed} of ${one.total}, ${went} went, ${ends} events`];
      });
  },
  'events missing at receivers': (run) => {
    const got = groupBy(run.receipts, ({ webhook, event_id }) => `${webhook} ${event_id}`);
    const records = new Map(run.deliveries.map((one) => [`${one.webhook_id} ${one.event_id}`, one]));
    return run.webhooks.flatMap(({ id, name, business_id }) =>
      run.events
        .filter((event) => event.business_id === business_id)
        .flatMap(({ event_id }) => {
          const record = records.get(`${id} ${event_id}`);
          const attempts = got.get(`${name} ${event_id}`) ?? [];
          const answered = attempts.some(({ status }) => status === 200);
          const known = record?.state === 'failed' && attempts.every(({ status }) => status !== 200);
          const holds = record && (record.state === 'succeeded' ? answered : known);
          return holds ? [] : [`${name} ${event_id}: ${record?.state ?? 'no delivery'}, answered ${attempts.map(({ status }) => status)}`];
        }),
    );
  },
  'bodies that changed on a repeat': (run) => run.receipts.filter(({ same_bytes }) => !same_bytes).map(({ event_id }) => event_id),
  'inversions within a conversation': (run) => {
    const place = new Map(run.events.map(({ event_id, seq }) => [event_id, seq]));
    const ordered = run.receipts.filter(({ conversation, event_id }) => conversation && place.has(event_id));
    return [...groupBy(ordered, ({ webhook, conversation }) => `${webhook} ${conversation}`)].flatMap(([lane, attempts]) =>
      attempts.flatMap(({ event_id }, nth) => {
        const before = attempts[nth - 1];
        return before && place.get(before.event_id) > place.get(event_id) ? [`${lane}: ${before.event_id} before ${event_id}`] : [];
      }),
    );
  },
  'events published again without a lost store': (run) => {
    const wipes = run.faults.filter(({ name }) => name === 'wipe nats').map(({ at }) => at);
    return run.republished
      .filter(({ at }) => !wipes.some((wipe) => at >= wipe && at < wipe + NOTICED_WITHIN_MS))
      .map(({ process, stream, again }) => `${process} published ${again} of ${stream} again`);
  },
  'fail_count wrong': (run) =>
    run.webhooks.flatMap(({ id, name, fail_count }) => {
      const ended = run.deliveries.filter(({ webhook_id, state }) => webhook_id === id && ['succeeded', 'failed'].includes(state));
      const expected = ended.length - 1 - ended.findLastIndex(({ state }) => state === 'succeeded');
      return fail_count === expected ? [] : [`${name} has ${fail_count}, ${expected} failed since the last success`];
    }),
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
  'processes that died by themselves': ({ deaths }) => deaths.map(({ name }) => name),
  'not finished at the end': ({ unfinished }) => Object.entries(unfinished).map(([name, count]) => `${name}: ${count}`),
};

/** Depends on the machine too, so it is shown and does not count: pauses of a healthy receiver after one dispatcher was killed. */
export function silences(run) {
  const healthy = run.webhooks.filter(({ mode, name }) => mode === 'ok' && name !== 'disturbed');
  const kills = run.faults.filter(({ name }) => name === 'kill outbound-webhook-dispatcher');
  return healthy.flatMap(({ name }) => {
    const times = run.receipts.filter(({ webhook }) => webhook === name).map(({ at }) => at);
    return kills.flatMap(({ at }) => {
      const next = times.filter((time) => time > at && time < at + 30_000);
      const gaps = next.map((time, nth) => time - (next[nth - 1] ?? at));
      const longest = Math.max(0, ...gaps);
      return longest > SILENT_MS ? [`${name} heard nothing for ${(longest / 1_000).toFixed(1)} s`] : [];
    });
  });
}

/** @returns the table: each check with what it found */
export function check(run) {
  return Object.entries(CHECKS).map(([name, find]) => ({ name, wrong: find(run) }));
}
