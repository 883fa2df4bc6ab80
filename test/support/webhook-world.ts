/** A world of virtual time for webhooks: real steps, statements and database; virtual queue, alarms and receiver. */
import { ApiError } from "../../src/errors.ts";
import { accept, begin } from "../../src/webhook/accept.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import { attend } from "../../src/webhook/courier.ts";
import type { JournalEntry, Message, Seal } from "../../src/webhook/ports.ts";
import { type Attempt, isDelivery, type Status } from "../../src/webhook/record.ts";
import { run } from "../../src/webhook/run.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";
import { drain, type Fault, type Life, Processes } from "./processes.ts";

export interface Order {
  /** What the receiver answers to the first attempts; 200 after them. */
  readonly codes: readonly number[];
  readonly direct: boolean;
  readonly upload: boolean;
  readonly delay: number;
  readonly kind: string;
}

interface Row {
  id: string;
  status: Status;
  code: number;
  payload: string | null;
  attempts: string;
  wake_at: number | null;
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

export class World extends Processes {
  now = START;
  readonly orders = new Map<string, Order>();
  readonly accepted: string[] = [];
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
  /** Until when each job is in somebody's hands. */
  readonly held = new Map<string, number>();
  /** When each notification may be sent. */
  readonly due = new Map<string, number>();
  /** What must never happen and did. */
  readonly violations: string[] = [];
  private ids = 0;
  /** Requests still to be made. */
  private readonly coming: Order[];
  readonly db: D1Database;
  readonly bucket: R2Bucket;

  constructor(db: D1Database, bucket: R2Bucket, orders: readonly Order[]) {
    super();
    this.db = db;
    this.bucket = bucket;
    this.coming = [...orders];
  }

  async clear(): Promise<void> {
    await this.db.batch(["webhooks", "webhook_jobs", "moves"].map((table) => this.db.prepare(`DELETE FROM ${table}`)));
  }

  /** A request that accepts a job, up to its first call. */
  async accept(): Promise<void> {
    const order = this.coming.shift();
    if (!order) return;
    const id = `job-${(this.ids += 1)}`;
    this.orders.set(id, order);
    const life = this.born();
    const ports = this.ports(life);
    const acceptance = {
      id,
      accountId: "account",
      url: "https://receiver.example/",
      delaySeconds: order.delay,
      job: JSON.stringify({ kind: order.kind }),
      upload: order.upload ? new Uint8Array([1, 2, 3]) : undefined,
    };
    const start = order.direct
      ? async () => this.spawn((own) => run(id, this.runPorts(own)))
      : this.gated(life, "queue.send", async () => void this.messages.push({ kind: "run", id }));
    // Who got no answer asks again, as a new request.
    const again = () => void (this.ids < 6 && !this.accepted.includes(id) && this.coming.push(order));
    this.deaths.set(life, again);
    this.live(life, async () => {
      await accept(acceptance, ports).catch((error: unknown) => {
        again();
        throw error;
      });
      this.accepted.push(id);
      await begin(id, { ...ports, start });
    });
    await drain();
  }

  /** One of all things that can happen now happens, a waiting call perhaps with a fault; time passes when nothing can. */
  async act(choice: number, fault?: Fault): Promise<void> {
    const due = this.dueAlarms();
    const acts = [
      ...(this.coming.length > 0 ? [() => this.accept()] : []),
      ...this.calls.map((_, index) => () => this.step(index, fault)),
      ...this.messages.map((_, index) => () => this.receive(index, false)),
      ...due.map((_, index) => () => this.ring(index)),
    ];
    const act = acts[choice % acts.length];
    if (act) return act();
    await this.pass(Math.max(1, Math.min(...this.alarms.values(), this.now + 60_000) - this.now));
    if (choice % 2 === 0) await this.sweep();
  }

  async receive(index: number, again: boolean): Promise<void> {
    const [message] = this.messages.splice(index % this.messages.length, 1);
    if (!message) return;
    if (again) {
      this.faults += 1;
      this.messages.push(message);
    }
    if (message.kind === "run") this.spawn((life) => run(message.id, this.runPorts(life)));
    else this.wake(message.id, this.now);
    await drain();
  }

  dueAlarms(): string[] {
    return [...this.alarms].filter(([id, at]) => at <= this.now && !this.couriers.has(id)).map(([id]) => id);
  }

  /** As the platform does it: one handler of an object at a time, called again when it failed. */
  async ring(index: number): Promise<void> {
    const due = this.dueAlarms();
    const id = due[index % due.length];
    if (id === undefined) return;
    this.alarms.delete(id);
    this.couriers.add(id);
    const life = this.born();
    const again = () => {
      this.couriers.delete(id);
      this.wake(id, this.now + 2_000);
    };
    this.deaths.set(life, again);
    this.live(life, async () => {
      try {
        const next = await attend(id, this.courierPorts(id, life));
        this.couriers.delete(id);
        if (next !== undefined) this.wake(id, next);
      } catch {
        again();
      }
    });
    await drain();
  }

  loseMessage(index: number): void {
    this.faults += 1;
    this.messages.splice(index % this.messages.length, 1);
  }

  /** An alarm that nothing asked for, as a sweep that is late causes it. */
  disturb(index: number): void {
    const id = [...this.orders.keys()][index % this.orders.size];
    if (id !== undefined) this.wake(id, this.now);
  }

  loseAlarm(index: number): void {
    this.faults += 1;
    const id = [...this.alarms.keys()][index % this.alarms.size];
    if (id !== undefined) this.alarms.delete(id);
  }

  async pass(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    const living = new Set(this.calls.map((call) => call.life));
    for (const life of living) for (const renew of life.renewals) renew();
    await drain();
  }

  async sweep(): Promise<void> {
    const life = this.born();
    const gate = this.gated(
      life,
      "queue.sendBatch",
      async (messages: readonly Message[]) => void this.messages.push(...messages),
    );
    await new Promise<void>((resolve) => {
      const enqueue = (messages: readonly Message[]) => {
        resolve();
        return gate(messages);
      };
      const ports = { db: this.db, uploads: uploadsOf(this.bucket), now: () => this.now, enqueue };
      this.live(life, () => sweepWebhooks(ports).finally(resolve));
    });
    await drain();
  }

  /** All processes end where they stand; messages that are only in memory are gone; alarms and the database stay. */
  async restart(): Promise<void> {
    this.faults += 1;
    this.killAll();
    this.messages = [];
  }

  /** No more faults: everything that can happen happens, with a sweep every minute, until nothing is left to do. */
  async settle(): Promise<void> {
    while (this.coming.length > 0) await this.accept();
    for (let round = 0; round < 2_000; round += 1) {
      if (this.calls.length > 0) await this.step(0);
      else if (this.messages.length > 0) await this.receive(0, false);
      else if (this.dueAlarms().length > 0) await this.ring(0);
      else if (this.alarms.size === 0 && (await this.isFinished())) return;
      else {
        const next = Math.min(...this.alarms.values(), await this.nextWake());
        await this.pass(Math.max(60_000, next - this.now));
        await this.sweep();
      }
    }
    throw new Error("It never came to rest");
  }

  /** Whatever can still arrive late for a finished record arrives. */
  async echo(): Promise<void> {
    for (const { id } of await this.rows()) {
      this.messages.push({ kind: "run", id }, { kind: "run", id }, { kind: "deliver", id });
      this.wake(id, this.now);
    }
    await this.settle();
  }

  async rows(): Promise<Row[]> {
    const { results } = await this.db
      .prepare("SELECT id, status, code, payload, attempts, wake_at FROM webhooks")
      .all<Row>();
    return results;
  }

  private async isFinished(): Promise<boolean> {
    return (await this.rows()).every((row) => row.wake_at === null);
  }

  private async nextWake(): Promise<number> {
    return (await this.db.prepare("SELECT MIN(wake_at) AS at FROM webhooks").first<number>("at")) ?? Infinity;
  }

  private ports(life: Life) {
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
          if (done) this.due.set(args[0], args[2]);
          return done;
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
      pause: async () => undefined,
      wake: this.gated(life, "courier.wake", async (id: string, at: number) => this.wake(id, at)),
      report: (id: string, error: unknown) => void this.judge(id, error),
    };
  }

  /** A fault that nobody injected is one of ours; a job that was taken over and is done may find its bytes gone. */
  private async judge(id: string, error: unknown): Promise<void> {
    if (error instanceof ApiError || /injected|a fault of ours/.test(String(error))) return;
    const status = await this.db.prepare("SELECT status FROM webhooks WHERE id = ?1").bind(id).first("status");
    if (status === "created") this.violations.push(`${id}: ${String(error)}`);
  }

  private runPorts(life: Life) {
    return {
      ...this.ports(life),
      perform: this.gated(
        life,
        "perform",
        async ({ job, upload, id }: { job: string; upload: Uint8Array | undefined; id: string }) => {
          const { kind } = JSON.parse(job) as { kind: string };
          if ((upload !== undefined) !== this.orders.get(id)?.upload)
            this.violations.push(`${id} came without its bytes`);
          if (kind === "bad") throw new ApiError(422, "resize.width must be a positive integer");
          if (kind === "busy" && this.now < START + 5_000) throw new ApiError(503, "No capacity");
          if (kind === "broken") throw new Error("a fault of ours");
          return { input: {}, output: { url: `https://result.example/${crypto.randomUUID()}` } };
        },
      ),
      closeCredit: this.gated(life, "meter.close", async ({ id }: { id: string }, payload: string) => {
        if ((JSON.parse(payload) as { success: boolean }).success) this.charges.push(id);
      }),
      everyRenewal: (renew: () => void) => {
        life.renewals.add(renew);
        return () => void life.renewals.delete(renew);
      },
    };
  }

  private courierPorts(id: string, life: Life) {
    return {
      ...this.ports(life),
      journal: {
        read: async () => this.journals.get(id),
        write: this.gated(life, "journal.write", async (entry: JournalEntry) => {
          this.journals.set(id, entry);
          if (entry.outcome.status === "delivered") this.recorded.add(id);
        }),
        clear: this.gated(life, "journal.clear", async () => void this.journals.delete(id)),
      },
      retrySeconds: RETRY_SECONDS,
      secrets: this.gated(life, "secrets", async () => ["whsec_AAAA"]),
      post: this.gated(life, "post", async (notification: { id: string; body: string }) =>
        this.post(notification, life),
      ),
      enqueue: this.gated(life, "queue.send", async (message: Message) => void this.messages.push(message)),
    };
  }

  private post({ id, body }: { id: string; body: string }, life: Life): Attempt {
    const before = this.delivered.get(id);
    if (before && before.alive && !before.excused) this.violations.push(`${id} was notified again though nobody died`);
    if (this.recorded.has(id)) this.violations.push(`${id} was notified again after a recorded 2xx`);
    if (this.now < (this.due.get(id) ?? 0)) this.violations.push(`${id} was notified before it was due`);
    const sent = this.posts.filter((post) => post.id === id).length;
    const code = this.orders.get(id)?.codes[sent] ?? 200;
    this.posts.push({ id, body, code });
    if (isDelivery(code)) this.delivered.set(id, life);
    return { at: this.now, code, durationMs: 7 };
  }

  private wake(id: string, at: number): void {
    this.alarms.set(id, Math.min(at, this.alarms.get(id) ?? Infinity));
  }
}
