export interface SharesOptions {
  /** Places in the pool: connections, requests, or bytes. */
  places: number;
  /** The part of an idle pool that one holder may occupy, between 0 and 1. */
  largest: number;
  /** Room for requests that wait for a place; by default there is none. */
  waiting?: { room: number; largest: number };
}

/** Returns a place to the pool. A second call does nothing. */
export type Release = () => void;

interface Waiter {
  timer: NodeJS.Timeout;
  resolve: (release: Release) => void;
}

/**
 * Divides a pool between its holders (guarantees §10, N2). A holder may occupy a fixed multiple of the places that are free at that moment:
 * alone it gets `largest` of the pool, and each further holder a little less. So a newcomer finds a place even if many holders never return
 * theirs. The same rule divides the room for waiting. With places = 1024 and largest = 1/16, one holder gets 64; ten holders that take all
 * they can leave 537, of which the eleventh gets 34.
 */
export class Shares {
  private readonly held = new Map<string, number>();
  /** Each holder's queue; the holder that was served last comes last. */
  private readonly queues = new Map<string, Waiter[]>();
  private readonly perFree: number;
  private readonly perRoom: number;
  private free: number;
  private room: number;

  constructor({ places, largest, waiting = { room: 0, largest: 0 } }: SharesOptions) {
    this.free = places;
    this.room = waiting.room;
    this.perFree = multipleFor(largest);
    this.perRoom = multipleFor(waiting.largest);
  }

  /** Whether the holder would get places now. */
  mayTake(holder: string, places = 1): boolean {
    return !this.queues.has(holder) && this.hasRoom(holder, places);
  }

  /**
   * @param places how many it takes at once; its last take may exceed its share, never the pool
   * @returns null when the holder has its share, has requests waiting, or the pool has too little left
   */
  tryTake(holder: string, places = 1): Release | null {
    return this.mayTake(holder, places) ? this.occupy(holder, places) : null;
  }

  /**
   * Waits in the holder's own queue when the holder has its share.
   * @param withinMs how long it may wait
   * @returns null when no place became free in time, or the holder's queue is full
   */
  take(holder: string, withinMs: number): Promise<Release | null> {
    const release = this.tryTake(holder);
    if (release !== null || withinMs <= 0) return Promise.resolve(release);
    const queue = this.queues.get(holder) ?? [];
    if (queue.length >= this.room * this.perRoom) return Promise.resolve(null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.leave(holder, waiter);
        resolve(null);
      }, withinMs);
      const waiter = { timer, resolve };
      queue.push(waiter);
      this.room -= 1;
      this.queues.set(holder, queue);
    });
  }

  /** Holders that would get no place now. */
  withoutRoom(): string[] {
    return [...this.held.keys()].filter((holder) => !this.mayTake(holder));
  }

  /** How many places each holder would get now if it alone took any, and how many a holder that occupies none would get. */
  rooms(): { of: Map<string, number>; newcomer: number } {
    return { of: new Map([...this.held.keys()].map((holder) => [holder, this.roomOf(holder)])), newcomer: this.roomFor(0) };
  }

  /** Places that this holder occupies. */
  heldBy(holder: string): number {
    return this.held.get(holder) ?? 0;
  }

  private hasRoom(holder: string, places = 1): boolean {
    return places <= this.free && this.heldBy(holder) < this.free * this.perFree;
  }

  private roomOf(holder: string): number {
    return this.queues.has(holder) ? 0 : this.roomFor(this.heldBy(holder));
  }

  /** Each place that a holder takes is one less that is free. */
  private roomFor(held: number): number {
    return Math.max(0, Math.min(this.free, Math.ceil((this.free * this.perFree - held) / (1 + this.perFree))));
  }

  private occupy(holder: string, places = 1): Release {
    this.free -= places;
    this.held.set(holder, this.heldBy(holder) + places);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.free += places;
      const left = this.heldBy(holder) - places;
      if (left === 0) this.held.delete(holder);
      else this.held.set(holder, left);
      this.serve();
    };
  }

  /** Gives a place to one request of each waiting holder in turn. */
  private serve(): void {
    for (const [holder, [waiter]] of this.queues) {
      if (waiter === undefined || !this.hasRoom(holder)) continue;
      clearTimeout(waiter.timer);
      const queue = this.leave(holder, waiter);
      if (queue.length > 0) {
        this.queues.delete(holder);
        this.queues.set(holder, queue);
      }
      waiter.resolve(this.occupy(holder));
    }
  }

  private leave(holder: string, waiter: Waiter): Waiter[] {
    const queue = this.queues.get(holder) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    this.room += 1;
    if (queue.length === 0) this.queues.delete(holder);
    return queue;
  }
}

/** A holder with k times the free places has k / (k + 1) of the pool. */
function multipleFor(largest: number): number {
  return largest / (1 - largest);
}
