/** The ports of webhooks in virtual time: the real statements and database; virtual queue, alarms and receiver. */
import { ApiError } from "../../src/errors.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import { Company } from "../../src/webhook/company.ts";
import type { JournalEntry, Message, Seal, Work } from "../../src/webhook/ports.ts";
import { type Attempt, isDelivery } from "../../src/webhook/record.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { type Life, Processes } from "./processes.ts";

export interface Order {
  /** What the receiver answers to the first attempts; 200 after them. */
  readonly codes: readonly number[];
  readonly direct: boolean;
  readonly upload: boolean;
  readonly delay: number;
  readonly kind: string;
}

export const RETRY_SECONDS = [5, 60];
const START = Date.UTC(2026, 10, 20, 12);

const plainSeal: Seal = {
  close: async (text, context) => new TextEncoder().encode(`${context}|${text}`),
  open: async (sealed, context) => {
    const text = new TextDecoder().decode(sealed);
    if (!text.startsWith(`${context}|`)) throw new Error("sealed for something else");
    return text.slice(context.length + 1);
  },
};

/** What lasts, what was seen, and the ports that processes work through. */
export class WebhookPorts extends Processes {
  now = START;
  readonly orders = new Map<string, Order>();
  messages: Message[] = [];
  readonly alarms = new Map<string, number>();
  readonly journals = new Map<string, JournalEntry>();
  readonly couriers = new Set<string>();
  readonly posts: { id: string; body: string; code: number }[] = [];
  readonly charges: string[] = [];
  /** Notifications that some durable place knows to be delivered. */
  readonly recorded = new Set<string>();
  /** Who got a 2xx for each notification. */
  readonly delivered = new Map<string, Life>();
  /** Until when those who did a job may be at its first attempt; couriers are alone for as long as they live. */
  readonly leases = new Map<Life, number>();
  /** Until when each job is in somebody's hands. */
  readonly held = new Map<string, number>();
  /** The how many-eth start of its job each process is. */
  readonly starts = new Map<Life, number>();
  /** What is worked on at this moment. */
  readonly working = new Set<{ readonly id: string; readonly life: Life }>();
  /** Until when nobody else is told of each record. */
  readonly told = new Map<string, number>();
  /** When each notification may be sent. */
  readonly due = new Map<string, number>();
  /** What must never happen and did. */
  readonly violations: string[] = [];
  readonly db: D1Database;
  readonly bucket: R2Bucket;
  /** How often somebody asked for leave to make a first attempt. */
  private asked = 0;
  /** The jobs of the only isolate. */
  protected company = this.newCompany();

  constructor(db: D1Database, bucket: R2Bucket) {
    super();
    this.db = db;
    this.bucket = bucket;
  }

  protected ports(life: Life) {
    const store = storeOf(this.db);
    const uploads = uploadsOf(this.bucket);
    const gate = <T extends object>(prefix: string, port: T): T =>
      Object.fromEntries(
        Object.entries(port).map(([name, call]) => [
          name,
          this.gated(life, `${prefix}.${name}`, call as () => Promise<unknown>),
        ]),
      ) as T;
    return {
      store: gate("store", {
        ...store,
        claimRun: async (...args: Parameters<typeof store.claimRun>) => {
          const [id, , now, leaseMs] = args;
          const claimed = await store.claimRun(...args);
          if (claimed && now < (this.held.get(id) ?? 0)) this.violations.push(`${id} was processed by two`);
          if (claimed) this.held.set(id, now + leaseMs);
          if (claimed) this.starts.set(life, claimed.record.starts);
          if (claimed) this.told.delete(id);
          return claimed;
        },
        renewRun: async (...args: Parameters<typeof store.renewRun>) => {
          const renewed = await store.renewRun(...args);
          if (renewed) this.held.set(args[0], args[2]);
          return renewed;
        },
        releaseRun: async (...args: Parameters<typeof store.releaseRun>) => {
          const released = await store.releaseRun(...args);
          if (released) this.held.delete(args[0]);
          return released;
        },
        finishRun: async (...args: Parameters<typeof store.finishRun>) => {
          const done = await store.finishRun(...args);
          if (done) this.due.set(args[0], args[1].dueAt);
          if (done) this.told.delete(args[0]);
          return done;
        },
        finishRunAndClaim: async (...args: Parameters<typeof store.finishRunAndClaim>) => {
          const claimed = await store.finishRunAndClaim(...args);
          if (claimed) this.leases.set(life, args[1].now + args[3]);
          if (claimed) this.due.set(args[0], args[1].dueAt);
          if (claimed) this.told.delete(args[0]);
          return claimed;
        },
        claimDelivery: async (...args: Parameters<typeof store.claimDelivery>) => {
          const claimed = await store.claimDelivery(...args);
          if (claimed) this.told.delete(args[0]);
          return claimed;
        },
        untell: async (ids: readonly string[]) => {
          await store.untell(ids);
          for (const id of ids) this.told.delete(id);
        },
        finishDelivery: async (...args: Parameters<typeof store.finishDelivery>) => {
          const done = await store.finishDelivery(...args);
          if (done) this.due.set(args[0], args[2].wakeAt ?? Infinity);
          if (done && args[2].status === "delivered") this.recorded.add(args[0]);
          return done;
        },
      }),
      uploads: gate("uploads", uploads),
      seal: plainSeal,
      now: () => this.now,
      newClaim: () => crypto.randomUUID(),
      random: () => 0.5,
      pause: async () => undefined,
      wake: this.gated(life, "courier.wake", async (id: string, at: number, entry?: JournalEntry) => {
        if (entry) this.keepEntry(id, entry);
        this.wake(id, at);
      }),
      report: (id: string, error: unknown) => void this.judge(id, error),
    };
  }

  /** A fault that nobody injected is one of ours; a job that was taken over and is done may find its bytes gone. */
  private async judge(id: string, error: unknown): Promise<void> {
    if (error instanceof ApiError || /injected|a fault of ours/.test(String(error))) return;
    const status = await this.db.prepare("SELECT status FROM webhooks WHERE id = ?1").bind(id).first("status");
    if (status === "created") this.violations.push(`${id}: ${String(error)}`);
  }

  protected newCompany(): Company {
    const isolate = this.born();
    const pause = (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const go = async () => {
          this.now += milliseconds;
          resolve();
        };
        this.calls.push({ life: isolate, name: "company.pause", go });
      });
    return new Company({ now: () => this.now, pause });
  }

  protected runPorts(life: Life) {
    const perform = this.gated(life, "perform", async (work: Work) => this.perform(work));
    return {
      ...this.ports(life),
      ...this.attemptPorts(life),
      // Some have leave.
      beginAttempt: () => ((this.asked += 1) % 3 === 0 ? undefined : () => undefined),
      perform: async (work: Work) => {
        const mine = { id: work.id, life };
        this.working.add(mine);
        const together = [...this.working].filter((other) => other.life.alive && other.id !== work.id);
        for (const { id, life: worker } of [mine, ...together])
          if (together.length > 0 && (this.starts.get(worker) ?? 0) > 1)
            this.violations.push(`${id} was started before and was not alone`);
        return perform(work).finally(() => this.working.delete(mine));
      },
      closeCredit: this.gated(life, "meter.close", async ({ id }: { id: string }, payload: string) => {
        if ((JSON.parse(payload) as { success: boolean }).success) this.charges.push(id);
      }),
      join: (alone: boolean) => this.company.join(alone),
      everyRenewal: (renew: () => void) => {
        life.renewals.add(renew);
        return () => void life.renewals.delete(renew);
      },
      whenLate: (giveUp: () => void) => {
        life.deadlines.add(giveUp);
        return () => void life.deadlines.delete(giveUp);
      },
      enqueue: this.gated(life, "queue.send", async (message: Message) => void this.messages.push(message)),
    };
  }

  private async perform({ job, upload, id }: Work): Promise<object> {
    const { kind } = JSON.parse(job) as { kind: string };
    if ((upload !== undefined) !== this.orders.get(id)?.upload) this.violations.push(`${id} came without its bytes`);
    if (kind === "bad") throw new ApiError(422, "resize.width must be a positive integer");
    if (kind === "busy" && this.now < START + 5_000) throw new ApiError(503, "No capacity");
    if (kind === "broken") throw new Error("a fault of ours");
    return { input: {}, output: { url: `https://result.example/${crypto.randomUUID()}` } };
  }

  private keepEntry(id: string, entry: JournalEntry): void {
    this.journals.set(id, entry);
    if (entry.outcome.status === "delivered") this.recorded.add(id);
  }

  protected courierPorts(id: string, life: Life) {
    return {
      ...this.ports(life),
      ...this.attemptPorts(life),
      journal: {
        read: async () => this.journals.get(id),
        write: this.gated(life, "journal.write", async (entry: JournalEntry) => this.keepEntry(id, entry)),
        clear: this.gated(life, "journal.clear", async () => void this.journals.delete(id)),
      },
    };
  }

  private attemptPorts(life: Life) {
    return {
      retrySeconds: RETRY_SECONDS,
      secrets: this.gated(life, "secrets", async () => ["whsec_AAAA"]),
      post: this.gated(life, "post", async (notification: { id: string; body: string }) =>
        this.post(notification, life),
      ),
    };
  }

  private post({ id, body }: { id: string; body: string }, life: Life): Attempt {
    const before = this.delivered.get(id);
    // Who did not come to note an answer before the lease ended is taken for dead.
    const isLate = before !== undefined && this.now >= (this.leases.get(before) ?? Infinity);
    if (before && before.alive && !before.excused && !isLate)
      this.violations.push(`${id} was notified again though nobody died`);
    if (this.recorded.has(id)) this.violations.push(`${id} was notified again after a recorded 2xx`);
    if (this.now < (this.due.get(id) ?? 0)) this.violations.push(`${id} was notified before it was due`);
    const sent = this.posts.filter((post) => post.id === id).length;
    const code = this.orders.get(id)?.codes[sent] ?? 200;
    this.posts.push({ id, body, code });
    if (isDelivery(code)) this.delivered.set(id, life);
    return { at: this.now, code, durationMs: 7 };
  }

  protected wake(id: string, at: number): void {
    this.alarms.set(id, Math.min(at, this.alarms.get(id) ?? Infinity));
  }
}
