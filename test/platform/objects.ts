/** Durable Objects: what they write and how long they stay awake, evictions at idle moments, alarms that come twice. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";

import type { Bill } from "./bill.ts";
import type { Time } from "./globals.ts";
import { current } from "./invocation.ts";

type Stub = DurableObjectStub<undefined>;

/** Objects that were called, by namespace and name. */
export class Objects {
  /** Evicts objects before a call that comes so many milliseconds after the last. */
  idleMs = Number.POSITIVE_INFINITY;
  private readonly known = new Map<string, Stub>();
  private readonly calledAt = new Map<string, number>();
  private readonly cursors: SqlStorageCursor<never>[] = [];
  /** Timers that keep objects awake, and when they were set. */
  private readonly timers = new Map<unknown, number>();
  private isWatching = false;
  private readonly bill: Bill;
  private readonly time: Time;
  private readonly environment: () => object;
  private readonly files: RegExp;

  /**
   * @param environment what objects are bound to
   * @param files whose timers are those of objects
   */
  constructor(bill: Bill, time: Time, environment: () => object, files = /\/src\/(?:account|entrances)\//) {
    this.bill = bill;
    this.time = time;
    this.environment = environment;
    this.files = files;
  }

  /** Before an object is called: from then on what it does is counted. */
  async watch(namespace: string, name: string, stub: object): Promise<void> {
    const id = `${namespace} ${name}`;
    this.known.set(id, stub as Stub);
    const { now } = this.time;
    if (now - (this.calledAt.get(id) ?? now) > this.idleMs) await evicted(stub as Stub);
    this.calledAt.set(id, now);
    await runInDurableObject(stub as Stub, (instance, state) => this.prepare(instance, state));
  }

  /** Objects lose their memory; those that the runtime has evicted by itself have lost it already. */
  async evict(): Promise<void> {
    await Promise.all(this.known.values().map(evicted));
  }

  /**
   * Calls the alarms that are set, whenever they are due.
   * @param times how often each is called
   * @param namespace of these objects alone; absent: of all
   */
  async ring(times = 1, namespace = ""): Promise<number> {
    let rung = 0;
    for (const [name, stub] of this.known) {
      if (!name.startsWith(namespace)) continue;
      await runInDurableObject(stub, (instance, state) => this.prepare(instance, state));
      if (!(await runDurableObjectAlarm(stub))) continue;
      rung += 1;
      for (let time = 1; time < times; time += 1) {
        await runInDurableObject(stub, (instance) => (instance as { alarm?: () => unknown }).alarm?.());
      }
    }
    return rung;
  }

  /** Rows of statements that objects have run. */
  settleRows(): void {
    for (const cursor of this.cursors.splice(0)) this.bill.add("objectRows", cursor.rowsWritten);
  }

  private prepare(instance: object, { storage }: DurableObjectState): void {
    const object = instance as { env?: object; alarm?: () => unknown };
    object.env = this.environment();
    const alarm = Object.getPrototypeOf(object).alarm as (() => unknown) | undefined;
    if (alarm && !Object.hasOwn(object, "alarm")) {
      object.alarm = () => {
        this.bill.add("calls");
        this.bill.calls.push("alarm");
        return alarm.call(object);
      };
    }
    this.watchStorage(storage);
  }

  /** All objects of the runtime share these prototypes. */
  private watchStorage(storage: DurableObjectStorage): void {
    if (this.isWatching) return;
    this.isWatching = true;
    this.count(storage, ["put", "delete"], (given) => keysOf(given[0]));
    this.count(storage, ["setAlarm"], () => 1);
    this.count(storage.kv, ["put", "delete"], () => 1);
    const { sql } = storage;
    const prototype = Object.getPrototypeOf(sql) as SqlStorage;
    const { exec } = prototype as { readonly exec: (this: SqlStorage, ...given: unknown[]) => object };
    const { cursors } = this;
    this.time.put(prototype, {
      exec(this: SqlStorage, ...given: unknown[]) {
        const cursor = exec.apply(this, given);
        cursors.push(cursor as never);
        return cursor;
      },
    });
    this.watchTimers();
  }

  /** An object is kept awake from when a timer is set until it fires or is cleared. */
  private watchTimers(): void {
    const { setTimeout: later, clearTimeout: notLater } = globalThis;
    const { timers, bill } = this;
    const over = (handle: unknown) => {
      const setAt = timers.get(handle);
      if (setAt !== undefined) bill.add("awakeSeconds", (realNow() - setAt) / 1_000);
      timers.delete(handle);
    };
    this.time.put(globalThis, {
      setTimeout: (run: (...given: unknown[]) => void, ms = 0, ...more: unknown[]) => {
        if (current.getStore() || !this.isOfObject()) return later(run, ms, ...more);
        const handle: unknown = later(() => {
          over(handle);
          run(...more);
        }, ms);
        timers.set(handle, realNow());
        return handle;
      },
      clearTimeout: (handle: never) => {
        over(handle);
        notLater(handle);
      },
    });
  }

  /** Resolves when no timer keeps an object awake. */
  async rest(): Promise<void> {
    while (this.timers.size > 0) await realWait(10);
  }

  /** Objects have no invocation of their own here: their timers are told by the files that set them. */
  private isOfObject(): boolean {
    return this.files.test(new Error("where").stack ?? "");
  }

  private count(owner: object, methods: readonly string[], rowsOf: (given: readonly unknown[]) => number): void {
    const prototype = Object.getPrototypeOf(owner) as Record<string, (...given: unknown[]) => unknown>;
    const { bill } = this;
    for (const method of methods) {
      const real = prototype[method];
      if (!real) throw new Error(`The storage of objects has no ${method}`);
      this.time.put(prototype, {
        [method](this: object, ...given: unknown[]) {
          bill.add("objectRows", rowsOf(given));
          return real.apply(this, given);
        },
      });
    }
  }
}

async function evicted(stub: Stub): Promise<void> {
  await evictDurableObject(stub).catch((error: unknown) => {
    if (!String(error).includes("it is not currently running")) throw error;
  });
}

/** Entries that a call of `put` or `delete` names. */
function keysOf(first: unknown): number {
  if (typeof first === "string") return 1;
  return Array.isArray(first) ? first.length : Object.keys(first as object).length;
}

const realNow = performance.now.bind(performance);
const realWait = scheduler.wait.bind(scheduler);
