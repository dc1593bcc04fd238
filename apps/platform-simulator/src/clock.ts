import { Type, type Static } from '@sinclair/typebox';

export const ClockState = Type.Object({ offset_ms: Type.Number(), stopped_at: Type.Union([Type.Number(), Type.Null()]) });

/** The simulator's time, which the control plane can move or stop. Timestamps and limits follow it, pauses do not (decision 233). */
export class Clock {
  private offsetMs = 0;
  private stoppedAt: number | null = null;

  /** Milliseconds since 1970. */
  now(): number {
    return this.stoppedAt ?? Date.now() + this.offsetMs;
  }

  /** @param offsetMs from the machine's time @param stopped stops the clock there */
  set(offsetMs: number, stopped: boolean): void {
    this.offsetMs = offsetMs;
    this.stoppedAt = stopped ? Date.now() + offsetMs : null;
  }

  state(): Static<typeof ClockState> {
    return { offset_ms: this.offsetMs, stopped_at: this.stoppedAt };
  }

  restore({ offset_ms, stopped_at }: Static<typeof ClockState>): void {
    this.offsetMs = offset_ms;
    this.stoppedAt = stopped_at;
  }
}
