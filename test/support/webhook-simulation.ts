/**
 * Webhook jobs by the hundred thousand: the real moves, statements and schema on a simulated platform, where processes,
 * messages, origins and receivers fail at random. Demand is counted: nothing is slower because much is asked of it.
 */
import { DIRECT_RUN_MS, DIRECT_WORK_MS, MAX_DIRECT_RUNS, QUEUE_WORK_MS } from "../../src/limits/webhook.ts";
import { accept, begin } from "../../src/webhook/accept.ts";
import { attend } from "../../src/webhook/courier.ts";
import type { Message } from "../../src/webhook/ports.ts";
import { run } from "../../src/webhook/run.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";
import { Life } from "./event-queue.ts";
import { Isolate, SimulatedAlarms, SimulatedQueue } from "./simulated-platform.ts";
import { DAY_MS, type Scenario, type SimulatedJob, SimulatedPorts } from "./webhook-simulation-ports.ts";

const SWEEP_MS = 60_000;
const RECEIVERS = 100;

export class Simulation extends SimulatedPorts {
  private readonly own = new Life();
  private readonly isolates: readonly Isolate[];
  private readonly queue: SimulatedQueue;
  private readonly alarms: SimulatedAlarms;
  private isOver = false;

  constructor(scenario: Scenario, openDatabase: (told: () => void) => D1Database) {
    super(scenario, openDatabase);
    const { events, random } = this;
    this.isolates = Array.from({ length: scenario.isolates }, () => new Isolate(events));
    this.queue = new SimulatedQueue(events, random, scenario, scenario.consumers, (message, end) =>
      this.consume(message, end),
    );
    this.alarms = new SimulatedAlarms(events, (id, end) => this.attend(id, end));
  }

  /** Lets every job come, and goes on until all of them have come to their end. */
  async run(): Promise<void> {
    const { jobs, burst, everyMs } = this.scenario;
    for (let first = 0; first < jobs; first += burst) {
      const last = Math.min(jobs, first + burst) - 1;
      this.events.schedule(this.own, 1 + (first / burst) * everyMs, () => this.arrive(first, last));
    }
    this.everyMinute();
    // What is left in the queue by then are messages about jobs that are done.
    while (this.tally.finished < jobs && (await this.events.step()));
    this.isOver = true;
  }

  /** Sweeps as they are after so many days, until nothing is left to delete; answers with their number. */
  async sweepAfter(days: number, left: () => number): Promise<number> {
    this.events.now += days * DAY_MS;
    let sweeps = 0;
    for (; left() > 0; sweeps += 1) {
      let isSweeping = true;
      void this.sweep().finally(() => (isSweeping = false));
      while (isSweeping) await this.events.step();
    }
    return sweeps;
  }

  private everyMinute(): void {
    this.events.schedule(this.own, SWEEP_MS, () => {
      if (this.isOver) return;
      void this.sweep();
      this.everyMinute();
    });
  }

  private sweep(): Promise<void> {
    return sweepWebhooks({
      db: this.dbOf(this.own),
      uploads: this.uploads,
      now: () => this.events.now,
      random: this.random,
      waiting: async () => this.queue.length,
      enqueue: async (messages) => {
        await this.events.wait(this.own, 20);
        this.tally.handedOut += messages.length;
        for (const message of messages) this.send(message, 0);
      },
    });
  }

  private arrive(index: number, last: number): void {
    this.accept(index);
    if (index < last) this.events.schedule(this.own, this.gap(index), () => this.arrive(index + 1, last));
  }

  /** The clock has whole milliseconds. */
  private gap(index: number): number {
    const every = 1_000 / this.scenario.perSecond;
    return Math.floor((index + 1) * every) - Math.floor(index * every);
  }

  private accept(index: number): void {
    const id = hexOf(this.random, 32);
    const isolate = this.anIsolate();
    // Requests die after their answer only: who got none has no job, and asks again.
    const life = new Life();
    this.jobs.set(id, this.newJob());
    const start = async () => {
      if (isolate.direct < MAX_DIRECT_RUNS && !isolate.company.isClosed()) return this.runDirectly(id, isolate);
      await this.events.wait(life, 10);
      this.send({ kind: "run", id }, 0);
    };
    const upload = index % 10 === 0 ? new Uint8Array(1) : undefined;
    const more = { accountId: `account-${index % 7}`, url: "https://receiver.example/", delaySeconds: 0, job: "{}" };
    const ports = this.portsOf(life);
    void accept({ id, ...more, upload }, ports).then(async () => {
      this.tally.accept(id);
      if (this.random() < this.scenario.killed) return life.kill();
      await begin(id, { ...ports, start });
    });
  }

  private newJob(): SimulatedJob {
    const { random } = this;
    const { poison, slow, heavy } = this.scenario;
    return {
      receiver: Math.floor(random() * RECEIVERS),
      isPoison: random() < poison,
      originMs: random() < slow ? 15_000 + random() * 20_000 : 50 + random() * 400,
      computeMs: random() < heavy ? 20_000 + random() * 40_000 : 200 + random() ** 3 * 6_000,
    };
  }

  /** Work after an answer; the platform ends it after 30 seconds. */
  private runDirectly(id: string, isolate: Isolate): void {
    const life = isolate.enter();
    isolate.direct += 1;
    let isOver = false;
    const over = () => {
      if (!isOver) isolate.direct -= 1;
      isOver = true;
      isolate.leave(life);
    };
    life.onDeath(over);
    this.events.schedule(life, DIRECT_RUN_MS, () => !isOver && this.kill(life));
    void run(id, this.runPortsOf(life, isolate, DIRECT_WORK_MS)).then(over, over);
  }

  private consume(message: Message, end: (failed: boolean) => void): void {
    const isolate = this.anIsolate();
    const life = isolate.enter();
    life.onDeath(() => this.events.schedule(this.own, 100, () => end(true)));
    const over = (failed: boolean) => {
      isolate.leave(life);
      end(failed);
    };
    const work =
      message.kind === "run"
        ? run(message.id, this.runPortsOf(life, isolate, QUEUE_WORK_MS))
        : this.portsOf(life).wake(message.id, this.events.now);
    void work.then(
      () => over(false),
      () => over(true),
    );
  }

  private attend(id: string, end: (next: number | undefined | "failed") => void): void {
    this.tally.alarms += 1;
    const life = new Life();
    life.onDeath(() => end("failed"));
    if (this.random() < this.scenario.killed) this.events.schedule(life, this.random() * 500, () => this.kill(life));
    void attend(id, this.courierPortsOf(id, life)).then(end, () => end("failed"));
  }

  protected send(message: Message, delayMs: number): void {
    this.tally.messages += 1;
    this.queue.send(message, delayMs);
  }

  protected wake(id: string, at: number): void {
    this.alarms.wake(id, at);
  }

  private anIsolate(): Isolate {
    const isolate = this.isolates[Math.floor(this.random() * this.isolates.length)];
    if (!isolate) throw new Error("There is no isolate");
    return isolate;
  }
}

function hexOf(random: () => number, digits: number): string {
  return Array.from({ length: digits / 8 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
}
