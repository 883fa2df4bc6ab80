/**
 * One invocation of the Worker: a clock of its own that moves at I/O alone, and an end that the platform may bring about
 * without unwinding anything.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import type { Around } from "../support/around.ts";
import { DOCS, READ, type Rule } from "./rule.ts";

export const CLOCK_RULES: readonly Rule[] = [
  {
    name: "the clock stands still",
    says: "`Date.now()` and `performance.now()` say the time of the last I/O of their invocation, however long it computes.",
    source: `${DOCS}/workers/runtime-apis/performance/`,
    read: READ,
  },
];

export const END_RULES: readonly Rule[] = [
  {
    name: "ends without unwinding",
    says: "An invocation over its time or memory ends where it is: no `finally` runs, no promise settles, no timer fires; the isolate goes on.",
    source: "https://github.com/cloudflare/workerd/issues/7276",
    read: READ,
  },
  {
    name: "cancelled after a hang-up",
    says: "Once the caller has gone, work handed to `waitUntil` has 30 seconds; then it is cancelled in the same way.",
    source: `${DOCS}/workers/runtime-apis/context/#waituntil`,
    read: READ,
  },
];

/** What an invocation is started by; each is an event of its own on the bill. */
export type Trigger = "fetch" | "queue" | "scheduled";

/** The time that `waitUntil` has once the caller is gone. */
export const AFTERLIFE_MS = 30_000;

const NEVER = new Promise<never>(() => undefined);

export class Invocation {
  readonly trigger: Trigger;
  readonly startedAt: number;
  /** What its clock says, milliseconds since 1970. */
  clock: number;
  hasEnded = false;
  readonly waiting = new Set<Promise<unknown>>();

  constructor(trigger: Trigger, now: number) {
    this.trigger = trigger;
    this.startedAt = now;
    this.clock = now;
  }

  /** From now on nothing of it goes on. */
  end(): void {
    this.hasEnded = true;
    this.waiting.clear();
  }

  /** What the handler is given. */
  get context(): ExecutionContext {
    const waitUntil = (work: Promise<unknown>) => {
      if (this.hasEnded) return;
      this.waiting.add(work);
      const over = () => void this.waiting.delete(work);
      work.then(over, over);
    };
    return { waitUntil, passThroughOnException: () => undefined, props: {} } as unknown as ExecutionContext;
  }
}

/** The invocation whose code is running; undefined: an object's, or the test's own. */
export const current = new AsyncLocalStorage<Invocation>();

/** An invocation that has ended hears of nothing any more. */
export function mortal(invocation: Invocation): Around {
  return async (_, go) => {
    if (invocation.hasEnded) return NEVER;
    try {
      return await go();
    } finally {
      if (invocation.hasEnded) await NEVER;
    }
  };
}

/** A call takes its invocation's clock on by the way there and back, however long it takes in truth. */
export function distant(invocation: Invocation, msOf: (binding: string) => number): Around {
  return async ({ where }, go) => {
    const startedAt = invocation.clock;
    try {
      return await go();
    } finally {
      const back = startedAt + msOf(where.slice(0, where.indexOf(".")));
      invocation.clock = Math.max(invocation.clock, back);
    }
  };
}
