/** A world of virtual time for webhooks: what can happen to processes, their calls, messages and alarms, one at a time. */
import { HAND_OUT_MS } from "../../src/limits/webhook.ts";
import { accept, begin } from "../../src/webhook/accept.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import { attend } from "../../src/webhook/courier.ts";
import type { Message } from "../../src/webhook/ports.ts";
import type { Status } from "../../src/webhook/record.ts";
import { run } from "../../src/webhook/run.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";
import { drain, type Fault } from "./processes.ts";
import { type Order, WebhookPorts } from "./webhook-ports.ts";

interface Row {
  id: string;
  status: Status;
  code: number;
  payload: string | null;
  attempts: string;
  wake_at: number | null;
  updated_at: number;
}

export class World extends WebhookPorts {
  readonly accepted: string[] = [];
  private ids = 0;
  /** Requests still to be made. */
  private readonly coming: Order[];

  constructor(db: D1Database, bucket: R2Bucket, orders: readonly Order[]) {
    super(db, bucket);
    this.coming = [...orders];
  }

  async clear(): Promise<void> {
    await this.db.batch(["webhooks", "moves"].map((table) => this.db.prepare(`DELETE FROM ${table}`)));
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
        for (const { id } of messages) {
          if (this.now < (this.told.get(id) ?? 0)) this.violations.push(`${id} was handed out twice within its window`);
          this.told.set(id, this.now + 0.75 * HAND_OUT_MS);
        }
        return gate(messages).catch((error: unknown) => {
          for (const { id } of messages) this.told.delete(id);
          throw error;
        });
      };
      const ports = {
        db: this.db,
        uploads: uploadsOf(this.bucket),
        now: () => this.now,
        random: () => 0.5,
        waiting: async () => this.messages.length,
        enqueue,
      };
      this.live(life, () => sweepWebhooks(ports).finally(resolve));
    });
    await drain();
  }

  /** The platform's time of somebody who runs a job is nearly over. */
  async hurry(index: number): Promise<void> {
    const living = this.calls.map(({ life }) => life).filter(({ deadlines }) => deadlines.size > 0);
    const life = living[index % living.length];
    for (const giveUp of life?.deadlines ?? []) giveUp();
    await drain();
  }

  /** All processes end where they stand; messages that are only in memory are gone; alarms and the database stay. */
  async restart(): Promise<void> {
    this.faults += 1;
    this.killAll();
    this.messages = [];
    this.company = this.newCompany();
  }

  /** No more faults: everything that can happen happens, with a sweep every minute, until nothing is left to do. */
  async settle(): Promise<void> {
    while (this.coming.length > 0) await this.accept();
    for (let round = 0; round < 10_000; round += 1) {
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
      .prepare("SELECT id, status, code, payload, attempts, wake_at, updated_at FROM webhooks")
      .all<Row>();
    return results;
  }

  private async isFinished(): Promise<boolean> {
    return (await this.rows()).every((row) => row.wake_at === null);
  }

  private async nextWake(): Promise<number> {
    return (await this.db.prepare("SELECT MIN(wake_at) AS at FROM webhooks").first<number>("at")) ?? Infinity;
  }
}
