import { Type, type Static } from '@sinclair/typebox';

const Step = Type.Object({
  status: Type.String(),
  afterMs: Type.Number(),
  /** Null for `failed` without an error. */
  error: Type.Optional(
    Type.Union([Type.Object({ code: Type.Integer(), title: Type.String(), details: Type.Optional(Type.String()) }), Type.Null()]),
  ),
});
/** One status that will be posted. */
export type Step = Static<typeof Step>;

/** The person's reaction to a delivered message (platform §8.3, numbers 60 to 66). */
const Reaction = Type.Union(
  (['ok', 'stop', 'tap', 'react', 'username', 'new-number', 'old'] as const).map((reaction) => Type.Literal(reaction)),
);
export type Reaction = Static<typeof Reaction>;

export const Behaviour = Type.Object({
  steps: Type.Array(Step),
  /** How often each callback is posted. */
  repeat: Type.Optional(Type.Integer()),
  /** The first status is posted before the response to the request. */
  early: Type.Optional(Type.Boolean()),
  /** The platform normalizes the recipient to another number. */
  otherWaId: Type.Optional(Type.Boolean()),
  held: Type.Optional(Type.Boolean()),
  /** The person's preference is posted after the failure. */
  stopsMarketing: Type.Optional(Type.Boolean()),
  reaction: Type.Optional(Reaction),
});
export type Behaviour = Static<typeof Behaviour>;

const SENT = { status: 'sent', afterMs: 50 };
const DELIVERED = { status: 'delivered', afterMs: 400 };
const READ = { status: 'read', afterMs: 2_000 };
const FULL: Behaviour = { steps: [SENT, DELIVERED, READ] };

export const failed = (code: number, title: string, details?: string): Behaviour => ({
  steps: [SENT, { status: 'failed', afterMs: 400, error: { code, title, ...(details !== undefined && { details }) } }],
});

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
  '27': { steps: [SENT, { status: 'failed', afterMs: 400, error: null }] },
  '60': { ...FULL, reaction: 'ok' },
  '61': { ...FULL, reaction: 'stop' },
  '62': { ...FULL, reaction: 'tap' },
  '63': { ...FULL, reaction: 'react' },
  '64': { ...FULL, reaction: 'username' },
  '65': { ...FULL, reaction: 'new-number' },
  '66': { ...FULL, reaction: 'old' },
};

/** The behaviour of numbers other than test numbers (platform §8.2). */
export const STATUS_MODES = {
  usual: FULL,
  read_only: BEHAVIOURS['03'] as Behaviour,
  reorder: BEHAVIOURS['04'] as Behaviour,
  early: BEHAVIOURS['06'] as Behaviour,
  held: BEHAVIOURS['09'] as Behaviour,
  held_then_failed: BEHAVIOURS['10'] as Behaviour,
  drop: { steps: [] },
} satisfies Record<string, Behaviour>;
export type StatusMode = keyof typeof STATUS_MODES;

/** `+999 0 <code>` fails with that code. @returns undefined for other numbers than test numbers */
export function testBehaviour(recipient: string): Behaviour | undefined {
  const [, code] = /^9990(\d{1,7})$/.exec(recipient) ?? [];
  if (code !== undefined) return failed(Number(code), 'Failed because of the test number');
  return BEHAVIOURS[/^120155501(\d\d)$/.exec(recipient)?.[1] ?? ''];
}
