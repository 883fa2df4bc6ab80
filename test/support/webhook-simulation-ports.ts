/**
 * What simulated processes work through: the real statements, each after a moment; origins, receivers and death by
 * chance.
 */
import { ApiError } from "../../src/errors.ts";
import { FETCH_TIMEOUT_MS } from "../../src/limits.ts";
import { MAX_ATTEMPTS_OF_ACCOUNT, RUN_RENEWAL_MS } from "../../src/limits/webhook.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import type {
  AttemptPorts,
  CourierPorts,
  JournalEntry,
  Message,
  Ports,
  RunPorts,
  Seal,
  Work,
} from "../../src/webhook/ports.ts";
import { type Attempt, isDelivery, type Outcome } from "../../src/webhook/record.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { bucketInMemory } from "./embedded-storage.ts";
import { EventQueue, type Life, randomOf } from "./event-queue.ts";
import { uncounted } from "./memory.ts";
import type { Isolate, Mishaps } from "./simulated-platform.ts";
import { Tally } from "./webhook-tally.ts";

export interface Scenario extends Mishaps {
  readonly jobs: number;
  /** Jobs that come together, and how many of them in a second. */
  readonly burst: number;
  readonly perSecond: number;
  /** From the beginning of a burst to that of the next. */
  readonly everyMs: number;
  /** Messages that are worked on at the same time, and the isolates that do it. */
  readonly consumers: number;
  readonly isolates: number;
  /** Share of processes that are killed at some moment. */
  readonly killed: number;
  /** Shares of jobs that kill all of their isolate, whose origin is slow, and that compute for long. */
  readonly poison: number;
  readonly slow: number;
  readonly heavy: number;
  /** Of a hundred receivers, those that are down for the first day. */
  readonly down: number;
  readonly retrySeconds: readonly number[];
}

export interface SimulatedJob {
  readonly receiver: number;
  readonly isPoison: boolean;
  readonly originMs: number;
  readonly computeMs: number;
}

const START = Date.UTC(2026, 10, 20);
export const DAY_MS = 86_400_000;
/** What an isolate has memory for at the same time. */
const ROOM = 8;
const STORE_MS = 100;
const RESULT = { input: { bytes: 1_000_000 }, output: { url: "https://result.example/97146c98-98f0-4410-899b" } };

const plainSeal: Seal = {
  close: async (text) => new TextEncoder().encode(text),
  open: async (sealed) => new TextDecoder().decode(sealed),
};

export abstract class SimulatedPorts {
  readonly tally: Tally;
  protected readonly events = new EventQueue(START);
  protected readonly random = randomOf(20_261_122);
  /** Who is killed never gives memory back: that of this process would be full of them. */
  protected readonly uploads = uploadsOf(bucketInMemory(), { take: async () => uncounted });
  protected readonly jobs = new Map<string, SimulatedJob>();
  protected readonly scenario: Scenario;
  private readonly db: D1Database;
  private readonly journals = new Map<string, JournalEntry>();
  /** Who works on each job, and how often it was started. */
  private readonly working = new Map<string, Life>();
  private readonly starts = new Map<string, number>();

  /** @param openDatabase is told whom to tell of every statement */
  constructor(scenario: Scenario, openDatabase: (told: () => void) => D1Database) {
    this.scenario = scenario;
    this.tally = new Tally(() => this.events.now);
    this.db = openDatabase(() => this.tally.statement());
  }

  protected abstract send(message: Message, delayMs: number): void;
  protected abstract wake(id: string, at: number): void;

  protected kill(life: Life): void {
    if (life.alive) this.tally.kills += 1;
    life.kill();
  }

  /** The database as one process reaches it. */
  protected dbOf(life: Life): D1Database {
    const { db, events, random } = this;
    const soon = () => events.wait(life, 2 + random() * 10);
    const prepare = (sql: string, statement = db.prepare(sql)): unknown => ({
      statement,
      bind: (...values: readonly unknown[]) => prepare(sql, statement.bind(...values)),
      run: () => soon().then(() => statement.run()),
      all: () => soon().then(() => statement.all()),
      first: (column: string) => soon().then(() => statement.first(column)),
    });
    const batch = (wrapped: readonly { readonly statement: D1PreparedStatement }[]) =>
      soon().then(() => db.batch(wrapped.map(({ statement }) => statement)));
    return { prepare: (sql: string) => prepare(sql), batch } as unknown as D1Database;
  }

  protected portsOf(life: Life): Ports {
    const store = storeOf(this.dbOf(life));
    return {
      store: {
        ...store,
        claimRun: async (...given: Parameters<typeof store.claimRun>) => {
          const claimed = await store.claimRun(...given);
          if (claimed) this.starts.set(given[0], claimed.record.starts);
          return claimed;
        },
        finishRun: async (...given: Parameters<typeof store.finishRun>) => {
          const isFirst = await store.finishRun(...given);
          if (isFirst) this.judge(given[0], given[1].payload);
          return isFirst;
        },
        finishRunAndClaim: async (...given: Parameters<typeof store.finishRunAndClaim>) => {
          const delivery = await store.finishRunAndClaim(...given);
          if (delivery) this.judge(given[0], delivery.payload);
          return delivery;
        },
        finishDelivery: async (...given: Parameters<typeof store.finishDelivery>) => {
          const isDone = await store.finishDelivery(...given);
          if (isDone) this.note(given[0], given[2]);
          return isDone;
        },
      },
      uploads: this.uploads,
      seal: plainSeal,
      now: () => this.events.now,
      random: this.random,
      newClaim: () => String(this.random()),
      pause: (milliseconds) => this.events.wait(life, milliseconds),
      wake: async (id, at, entry) => {
        await this.events.wait(life, 5);
        if (entry) this.journals.set(id, entry);
        this.tally.wakes += 1;
        this.wake(id, at);
      },
      report: () => undefined,
    };
  }

  /** Failures are for those who are at fault. */
  private judge(id: string, payload: string): void {
    const job = this.jobs.get(id);
    const isAtFault = job?.isPoison === true || (job?.originMs ?? 0) > FETCH_TIMEOUT_MS;
    if (!isAtFault && payload.startsWith('{"success":false')) this.tally.innocent += 1;
  }

  private note(id: string, { status, wakeAt }: Outcome): void {
    if (wakeAt !== null) return;
    this.tally.finish(id, status === "delivered");
    this.jobs.delete(id);
    this.starts.delete(id);
  }

  protected runPortsOf(life: Life, isolate: Isolate, givenMs: number): RunPorts {
    return {
      ...this.portsOf(life),
      ...this.attemptPortsOf(life),
      beginAttempt: () => {
        const attempting = [...isolate.attempting].filter((other) => other.alive);
        if (attempting.length >= MAX_ATTEMPTS_OF_ACCOUNT) return undefined;
        isolate.attempting.add(life);
        return () => void isolate.attempting.delete(life);
      },
      perform: (work, signal) => this.perform(work, signal, life, isolate),
      closeCredit: () => this.events.wait(life, 5),
      join: (alone) => isolate.company.join(alone),
      everyRenewal: (renew) => this.timer(life, RUN_RENEWAL_MS, renew, true),
      whenLate: (giveUp) => this.timer(life, givenMs, giveUp, false),
      enqueue: async (message, delaySeconds) => {
        await this.events.wait(life, 10);
        this.send(message, delaySeconds * 1_000);
      },
    };
  }

  private timer(life: Life, milliseconds: number, act: () => void, repeats: boolean): () => void {
    let isOn = true;
    const set = (wait: number) =>
      this.events.schedule(life, wait, () => {
        if (!isOn) return;
        if (life.isBlocked) return set(100);
        act();
        if (repeats) set(milliseconds);
      });
    set(milliseconds);
    return () => void (isOn = false);
  }

  private async perform({ id }: Work, signal: AbortSignal, life: Life, isolate: Isolate): Promise<object> {
    const job = this.jobs.get(id) ?? { receiver: 0, isPoison: false, originMs: 0, computeMs: 0 };
    if (isolate.working.size >= ROOM) throw new ApiError(503, "No capacity");
    this.watch(id, life, isolate);
    this.endanger(job, life, isolate);
    try {
      await this.events.wait(life, Math.min(job.originMs, FETCH_TIMEOUT_MS), signal);
      if (job.originMs > FETCH_TIMEOUT_MS) throw new ApiError(422, "Unable to fetch image: origin took too long");
      // Half of what takes long takes no time slice.
      life.isBlocked = job.computeMs > 40_000;
      await this.events.wait(life, job.computeMs, signal);
      life.isBlocked = false;
      signal?.throwIfAborted();
      await this.events.wait(life, STORE_MS);
      this.tally.work(id);
      return RESULT;
    } finally {
      isolate.working.delete(life);
      if (this.working.get(id) === life) this.working.delete(id);
    }
  }

  /** Nobody else may be at the same job, and a suspect must be alone. */
  private watch(id: string, life: Life, isolate: Isolate): void {
    const other = this.working.get(id);
    if (other?.alive) this.tally.together += 1;
    this.working.set(id, life);
    if ((this.starts.get(id) ?? 0) > 1 && isolate.working.size > 0) this.tally.notAlone += 1;
    isolate.working.add(life);
  }

  private endanger({ isPoison, originMs, computeMs }: SimulatedJob, life: Life, isolate: Isolate): void {
    const total = originMs + computeMs + STORE_MS;
    if (isPoison) {
      this.events.schedule(life, Math.min(originMs, FETCH_TIMEOUT_MS) + this.random() * computeMs, () => {
        for (const other of isolate.lives) this.kill(other);
      });
    } else if (this.random() < this.scenario.killed) {
      this.events.schedule(life, this.random() * total * 1.1, () => this.kill(life));
    }
  }

  protected courierPortsOf(id: string, life: Life): CourierPorts {
    return {
      ...this.portsOf(life),
      ...this.attemptPortsOf(life),
      journal: {
        read: async () => this.journals.get(id),
        write: async (entry) => {
          await this.events.wait(life, 1);
          this.journals.set(id, entry);
        },
        clear: async () => void this.journals.delete(id),
      },
    };
  }

  private attemptPortsOf(life: Life): Pick<AttemptPorts, "retrySeconds" | "secrets" | "post"> {
    return {
      retrySeconds: this.scenario.retrySeconds,
      secrets: async () => {
        await this.dbOf(life).prepare("SELECT secret FROM webhook_secrets WHERE account_id = ?1").bind("a").first();
        return [];
      },
      post: ({ id }) => this.post(id, life),
    };
  }

  private async post(id: string, life: Life): Promise<Attempt> {
    const at = this.events.now;
    const receiver = this.jobs.get(id)?.receiver ?? 0;
    const isDown = receiver < this.scenario.down && at < START + DAY_MS;
    // Some of those that are down refuse, the others do not answer; of those that are up a few are slow.
    const isSilent = isDown && receiver % 2 === 0;
    await this.events.wait(life, isSilent ? 10_000 : receiver >= 97 ? 5_000 : 50 + this.random() * 200);
    const code = isSilent ? 0 : isDown || this.random() < 0.01 ? 500 : 200;
    this.tally.attempt(id, isDelivery(code));
    return { at, code, durationMs: this.events.now - at };
  }
}
