import { createHash } from 'node:crypto';

interface Place {
  /** The number of a step, from 0. */
  step: number;
  /** The key after which the step continues. */
  after: string | null;
}

/** Cursors of requests that go through a list of steps. They name the list, because a replica of another version may have another one (decision 743). */
export class StepCursors {
  /**
   * Begins with two spaces. The previous version reads them as step 0 and a key before all others, so it starts over, or fails if the keys are
   * numbers, UUIDs or JSON.
   */
  private readonly prefix: string;

  /**
   * @param steps their number
   * @param list what the steps do
   */
  constructor(
    private readonly steps: number,
    list: unknown,
  ) {
    const id = createHash('sha256')
      .update(JSON.stringify(list ?? null))
      .digest('base64url');
    this.prefix = `  ${id} `;
  }

  /** @returns null if a replica with another list wrote the cursor */
  read(cursor: string | null): Place | null {
    if (cursor === null) return { step: 0, after: null };
    if (!cursor.startsWith(this.prefix)) return null;
    const [step, ...after] = cursor.slice(this.prefix.length).split(' ');
    return { step: Number(step), after: after.length === 0 ? null : after.join(' ') };
  }

  first(): string {
    return `${this.prefix}0`;
  }

  within(step: number, after: string): string {
    return `${this.prefix}${step} ${after}`;
  }

  /** @returns null after the last step */
  afterStep(step: number): string | null {
    return step + 1 < this.steps ? `${this.prefix}${step + 1}` : null;
  }
}
