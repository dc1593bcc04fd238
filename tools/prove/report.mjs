// Prints the table of a run and its last line.
import { check, longPauses } from './check.mjs';

const SHOWN = 5;

/** Prints the results of the checks. @returns the number of failed checks */
export function report(run, { print = console.log } = {}) {
  const rows = check(run);
  const width = Math.max(...rows.map(({ name }) => name.length));
  print('');
  for (const { name, wrong } of rows) {
    print(`${wrong.length === 0 ? '✓' : '✗'} ${name.padEnd(width)} ${String(wrong.length).padStart(6)}`);
    for (const line of wrong.slice(0, SHOWN)) print(`    ${line}`);
    if (wrong.length > SHOWN) print(`    and ${wrong.length - SHOWN} more`);
  }
  const silent = longPauses(run);
  print(`· ${'healthy receivers silent for more than 2 s'.padEnd(width)} ${String(silent.length).padStart(6)}  (not counted)`);
  for (const line of silent.slice(0, SHOWN)) print(`    ${line}`);
  const injected = run.faults.filter(({ problem }) => !problem);
  const kinds = new Set(injected.map(({ name }) => name)).size;
  const outcomes = {};
  for (const { responses } of run.sends) {
    const { status, error_code } = responses.at(-1) ?? { status: 'none' };
    const word = status === 200 ? 'accepted' : (error_code ?? (status === 0 ? 'no response' : status));
    outcomes[word] = (outcomes[word] ?? 0) + 1;
  }
  print(
    `\n${injected.length} faults of ${kinds} kinds, ${run.sends.length} sends, ${run.calls.filter(({ id }) => id).length} accepted, ${run.receipts.length} deliveries`,
  );
  print(
    `clients' last responses: ${Object.entries(outcomes)
      .map(([word, count]) => `${word} ${count}`)
      .join(', ')}`,
  );
  const failed = rows.filter(({ wrong }) => wrong.length > 0).length;
  print(`${rows.length - failed} passed, ${failed} failed`);
  return failed;
}
