/** A simulated clock: what is to happen later happens in the order of its time, as fast as it can be computed. */

/** What may be killed: then nothing that it waits for comes back to it, and none of its `finally` runs. */
export class Life {
  alive = true;
  /** It computes without a break: its timers do not fire. */
  isBlocked = false;
  private readonly watchers: (() => void)[] = [];

  /** Has somebody else told of its death. */
  onDeath(tell: () => void): void {
    this.watchers.push(tell);
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const tell of this.watchers) tell();
  }
}

/** Continuations, one after the other, between two waits of a process: more than there are. */
const TURNS = 40;

interface Event {
  readonly at: number;
  readonly order: number;
  readonly life: Life;
  readonly go: () => void;
}

export class EventQueue {
  now: number;
  /** A heap: no event is before its parent. */
  private readonly heap: Event[] = [];
  private order = 0;

  constructor(start: number) {
    this.now = start;
  }

  /** Does something later, unless whoever wants it is dead by then. */
  schedule(life: Life, milliseconds: number, go: () => void): void {
    const at = this.now + Math.max(1, Math.round(milliseconds));
    this.push({ at, order: (this.order += 1), life, go });
  }

  /** @throws the reason of the signal as soon as it is aborted, unless nothing can be noticed meanwhile */
  wait(life: Life, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.schedule(life, milliseconds, resolve);
      signal?.addEventListener("abort", () => life.isBlocked || reject(signal.reason as Error), { once: true });
    });
  }

  /** Does what is next, with everything else of that millisecond, and lets all of it come as far as it can. */
  async step(): Promise<boolean> {
    const [first] = this.heap;
    if (!first) return false;
    // Somebody may have put the clock forward.
    this.now = Math.max(this.now, first.at);
    for (let next = this.heap[0]; next && next.at <= this.now; next = this.heap[0]) {
      this.pop();
      if (next.life.alive) next.go();
    }
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
    return true;
  }

  private push(event: Event): void {
    const { heap } = this;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let place = 0;
    for (;;) {
      const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
      const isRight = left && right && isBefore(right, left);
      const least = isRight ? right : left;
      if (!least || !isBefore(least, last)) break;
      heap[place] = least;
      place = 2 * place + (isRight ? 2 : 1);
    }
    heap[place] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
