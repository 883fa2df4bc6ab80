/** Isolates, the queue and alarms as the platform has them, on a simulated clock, with everything that may go wrong. */
import { ALONE_PAUSE_MS } from "../../src/limits/webhook.ts";
import { Company } from "../../src/webhook/company.ts";
import type { Message } from "../../src/webhook/ports.ts";
import { type EventQueue, Life } from "./event-queue.ts";

/** How often the platform calls an alarm, or brings a message, that failed. */
const ALARM_TRIES = 6;
const MESSAGE_TRIES = 10;
/** The first wait before it does so. */
const AGAIN_MS = 2_000;

export class Isolate {
  /** Invocations that are not over. */
  readonly lives = new Set<Life>();
  /** Invocations that work on a job. */
  readonly working = new Set<Life>();
  /** Those that make a first attempt. */
  readonly attempting = new Set<Life>();
  readonly company: Company;
  direct = 0;

  constructor(events: EventQueue) {
    const own = new Life();
    this.company = new Company({ now: () => events.now, pause: () => events.wait(own, ALONE_PAUSE_MS) });
  }

  /** A new invocation. */
  enter(): Life {
    const life = new Life();
    this.lives.add(life);
    life.onDeath(() => this.leave(life));
    return life;
  }

  leave(life: Life): void {
    this.lives.delete(life);
    this.working.delete(life);
  }

  /** As for want of memory: all invocations end. The isolate stays, as it has been seen to. */
  killAll(): void {
    for (const life of this.lives) life.kill();
  }
}

export interface Mishaps {
  /** Shares of messages that are lost, and that come twice. */
  readonly lost: number;
  readonly doubled: number;
}

/** Brings messages in the order in which they came, so many at a time. */
export class SimulatedQueue {
  private readonly line: { readonly message: Message; readonly tries: number }[] = [];
  private head = 0;
  private busy = 0;
  private readonly own = new Life();
  private readonly events: EventQueue;
  private readonly random: () => number;
  private readonly mishaps: Mishaps;
  private readonly consumers: number;
  private readonly consume: (message: Message, end: (failed: boolean) => void) => void;

  constructor(
    events: EventQueue,
    random: () => number,
    mishaps: Mishaps,
    consumers: number,
    consume: (message: Message, end: (failed: boolean) => void) => void,
  ) {
    this.events = events;
    this.random = random;
    this.mishaps = mishaps;
    this.consumers = consumers;
    this.consume = consume;
  }

  /** Messages that wait. */
  get length(): number {
    return this.line.length - this.head;
  }

  send(message: Message, delayMs = 0): void {
    if (this.random() < this.mishaps.lost) return;
    this.bring(message, 1, delayMs);
    if (this.random() < this.mishaps.doubled) this.bring(message, 1, delayMs + this.random() * 10_000);
  }

  private bring(message: Message, tries: number, delayMs: number): void {
    this.events.schedule(this.own, delayMs, () => {
      this.line.push({ message, tries });
      this.pump();
    });
  }

  private pump(): void {
    while (this.busy < this.consumers) {
      const next = this.line[this.head];
      if (!next) return;
      this.head += 1;
      if (this.head === 10_000) this.head -= this.line.splice(0, this.head).length;
      this.start(next.message, next.tries);
    }
  }

  private start(message: Message, tries: number): void {
    this.busy += 1;
    let isOver = false;
    this.consume(message, (failed) => {
      if (isOver) return;
      isOver = true;
      this.busy -= 1;
      if (failed && tries < MESSAGE_TRIES) this.bring(message, tries + 1, AGAIN_MS * 2 ** tries);
      this.pump();
    });
  }
}

/** One alarm per name: the earliest that was asked for; one handler at a time; called again when it fails, some times. */
export class SimulatedAlarms {
  private readonly set = new Map<string, number>();
  private readonly ringing = new Set<string>();
  private readonly own = new Life();
  private readonly events: EventQueue;
  private readonly handle: (name: string, end: (next: number | undefined | "failed") => void) => void;

  constructor(events: EventQueue, handle: (name: string, end: (next: number | undefined | "failed") => void) => void) {
    this.events = events;
    this.handle = handle;
  }

  wake(name: string, at: number, tries = 1): void {
    const earlier = this.set.get(name) ?? Infinity;
    if (earlier <= at) return;
    this.set.set(name, at);
    this.events.schedule(this.own, at - this.events.now, () => {
      if (this.set.get(name) === at && !this.ringing.has(name)) this.ring(name, tries);
    });
  }

  private ring(name: string, tries: number): void {
    this.set.delete(name);
    this.ringing.add(name);
    this.handle(name, (next) => {
      if (!this.ringing.delete(name)) return;
      const asked = this.set.get(name);
      this.set.delete(name);
      if (next === "failed" && tries < ALARM_TRIES) this.wake(name, this.events.now + AGAIN_MS * 2 ** tries, tries + 1);
      else if (typeof next === "number") this.wake(name, next);
      // Somebody asked while it rang.
      if (asked !== undefined) this.wake(name, Math.max(asked, this.events.now + 1));
    });
  }
}
