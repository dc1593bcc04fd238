import type { Reaction } from './replies';

/** One status that will be told; `errors: null` means `failed` without any. */
export interface Step {
  status: string;
  afterMs: number;
  error?: { code: number; title: string } | null;
}

/** How a recipient behaves. */
export interface Behaviour {
  steps: Step[];
  /** Each webhook is posted this often. */
  repeat?: number;
  /** The first status is told before the answer to the request. */
  early?: boolean;
  /** The platform writes to another number than the one dialled. */
  otherWaId?: boolean;
  held?: boolean;
  /** After the failure the person's preference is told. */
  stopsMarketing?: boolean;
  /** What the person does after delivery. */
  reaction?: Reaction;
}

const SENT = { status: 'sent', afterMs: 50 };
const DELIVERED = { status: 'delivered', afterMs: 400 };
const READ = { status: 'read', afterMs: 2_000 };
const FULL: Behaviour = { steps: [SENT, DELIVERED, READ] };

const failed = (code: number, title: string): Behaviour => ({ steps: [SENT, { status: 'failed', afterMs: 400, error: { code, title } }] });

/** `+1 201 555 01NN` (platform §8.3). */
const BEHAVIOURS: Record<string, Behaviour> = {
  '00': FULL,
  '01': { steps: [SENT, DELIVERED] },
  '02': { steps: [SENT] },
  '03': { steps: [SENT, READ] },
  '04': { steps: [{ ...READ, afterMs: 50 }, DELIVERED, { ...SENT, afterMs: 800 }] },
  '05': { ...FULL, repeat: 3 },
  '06': {
    steps: [
      { ...DELIVERED, afterMs: 0 },
      { ...SENT, afterMs: 100 },
    ],
    early: true,
  },
  '07': { steps: [SENT, DELIVERED, { status: 'played', afterMs: 2_000 }] },
  '08': { ...FULL, otherWaId: true },
  '09': { steps: FULL.steps.map((step) => ({ ...step, afterMs: step.afterMs + 1_500 })), held: true },
  '10': { steps: [{ status: 'failed', afterMs: 1_500, error: { code: 132015, title: 'Template is paused' } }], held: true },
  '20': failed(131026, 'Message undeliverable'),
  '21': failed(131047, 'Re-engagement message'),
  '22': failed(131049, 'This message was not delivered to maintain healthy ecosystem engagement'),
  '23': { ...failed(131050, 'User has stopped marketing messages from this business'), stopsMarketing: true },
  '24': failed(130472, "User's number is part of an experiment"),
  '25': failed(131053, 'Media upload error'),
  '26': failed(131000, 'Something went wrong'),
  '60': { ...FULL, reaction: 'ok' },
  '61': { ...FULL, reaction: 'stop' },
  '62': { ...FULL, reaction: 'tap' },
  '63': { ...FULL, reaction: 'react' },
  '64': { ...FULL, reaction: 'username' },
  '65': { ...FULL, reaction: 'new-number' },
  '66': { ...FULL, reaction: 'old' },
  '27': { steps: [SENT, { status: 'failed', afterMs: 400, error: null }] },
};

/** Everybody else gets messages and reads them; `+999 0 <code>` fails with that code. */
export function behaviourOf(recipient: string): Behaviour {
  const [, code] = /^9990(\d{1,7})$/.exec(recipient) ?? [];
  if (code !== undefined) return failed(Number(code), 'Failed, as this test number asks');
  return BEHAVIOURS[/^120155501(\d\d)$/.exec(recipient)?.[1] ?? ''] ?? FULL;
}
