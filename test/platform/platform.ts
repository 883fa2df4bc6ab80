/**
 * A deployment on the platform: the service with its real bindings, each call bounded, billed and as far away as the
 * platform puts it, on a clock that tests let pass.
 */
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { databasesOf } from "../../src/account/databases.ts";
import { createConsumer } from "../../src/entrances/queue.ts";
import { sweep } from "../../src/entrances/sweep.ts";
import { createApp } from "../../src/http/app.ts";
import { DEFAULT_LOG_SAMPLE } from "../../src/limits.ts";
import { DEFAULT_METER_BLOCK_SECONDS } from "../../src/limits/accounts.ts";
import { type Pipeline, pipeline } from "../../src/pipeline/edges.ts";
import wrangler from "../../wrangler.toml?raw";
import { type Around, aroundBinding, aroundDatabase, aroundObjects, nested } from "../support/around.ts";
import { Bill, type Usage } from "./bill.ts";
import { bounded, isNumbered } from "./bounds.ts";
import { WorkersCache } from "./cache.ts";
import { EdgeCache } from "./edge.ts";
import { Time } from "./globals.ts";
import { AFTERLIFE_MS, current, distant, Invocation, mortal, type Trigger } from "./invocation.ts";
import { IsolateMemory } from "./memory.ts";
import { Objects } from "./objects.ts";
import { PlatformQueue } from "./queue.ts";

export interface Terms {
  readonly pipeline?: Pipeline;
  /** What the web answers. */
  readonly web?: (request: Request) => Response | Promise<Response>;
  /** Milliseconds to each binding and back. */
  readonly distanceMs?: number | ((binding: string) => number);
  /** The Worker's address: one of its own, or the platform's shared domain. */
  readonly domain?: "own" | "shared";
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Around the calls of one invocation, besides. */
  readonly around?: Around;
}

/** An answer with its whole body, and the invocation that gave it. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of JSON freely
  readonly body: any;
  readonly invocation: Invocation;
}

/** Whether each invocation is an event of the log. */
const LOGS_INVOCATIONS = !/^invocation_logs\s*=\s*false/m.test(wrangler);
/** How often in turn nothing must happen in truth before a long timer fires: counted in turns, as work may take any time. */
const QUIET_TURNS = 15;

export class Platform {
  readonly bill = new Bill();
  readonly time = new Time();
  readonly queue: PlatformQueue;
  readonly objects: Objects;
  readonly invocations = new Set<Invocation>();
  /** The cache in front, for whoever visits through it. */
  readonly cache: WorkersCache;
  /** `caches.default` of the place at which requests come in. */
  readonly edge: EdgeCache;
  readonly memory = new IsolateMemory();
  /** Kept by the platform's bucket at these moments, by key. */
  private readonly uploaded = new Map<string, number>();
  private readonly terms: Terms;
  private readonly app: ReturnType<typeof createApp>;
  private readonly consume: ReturnType<typeof createConsumer>;
  private underway = 0;
  private touches = 0;

  constructor(terms: Terms) {
    this.terms = terms;
    this.app = createApp(terms.pipeline ?? pipeline);
    this.consume = createConsumer(terms.pipeline ?? pipeline);
    const now = () => this.time.now;
    this.edge = new EdgeCache(now);
    this.queue = new PlatformQueue(now, this.bill);
    this.objects = new Objects(this.bill, this.time, () => this.bindings([this.busy(), this.bill.counting()]));
    this.cache = new WorkersCache(now, async (request) => this.answerOf(request, "fetch").response);
  }

  /** A request that reaches the Worker. */
  async ask(path: string, init: RequestInit = {}): Promise<Answered> {
    const { response, invocation } = this.answerOf(new Request(new URL(path, "https://darkroom.test"), init), "fetch");
    const answer = await this.living(response);
    const bytes = new Uint8Array(await this.living(answer.arrayBuffer()));
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    const body: unknown = isJson && bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
    return { status: answer.status, headers: answer.headers, bytes, body, invocation };
  }

  /** What an isolate does in an invocation of its own, beside what it hands to `waitUntil`. */
  async invoke<Result>(work: (bindings: Env, context: ExecutionContext) => Promise<Result>): Promise<Result> {
    const invocation = this.enter("fetch");
    const bindings = this.bindingsOf(invocation);
    return this.living(current.run(invocation, () => work(bindings, invocation.context)));
  }

  /** A request whose answer nobody waits for, with its invocation. */
  begin(
    path: string,
    init: RequestInit = {},
  ): { readonly response: Promise<Response>; readonly invocation: Invocation } {
    const begun = this.answerOf(new Request(new URL(path, "https://darkroom.test"), init), "fetch");
    begun.response.catch(() => undefined);
    return begun;
  }

  /** Lets all work end that answers did not wait for, however long its timers are. */
  async settle(): Promise<void> {
    for (;;) {
      const waiting = [...this.invocations].flatMap((invocation) => [...invocation.waiting]);
      if (waiting.length === 0) break;
      await this.living(Promise.allSettled(waiting));
    }
    // Clocks of invocations go on with each call: the world is not earlier than what was done in it.
    const ahead = Math.max(...[...this.invocations].map(({ clock }) => clock)) - this.time.now;
    if (ahead > 0) this.time.pass(ahead);
    await this.objects.rest();
    this.objects.settleRows();
  }

  /** Lets time pass, and all happen that is due in it. */
  async advance(ms: number): Promise<void> {
    const until = this.time.now + ms;
    do await this.quiet();
    while (this.time.fireNext(until));
    if (until > this.time.now) this.time.pass(until - this.time.now);
  }

  /** The caller of an invocation has gone: 30 seconds later it is over, done or not. */
  async hangUp(invocation: Invocation): Promise<void> {
    this.time.pass(AFTERLIFE_MS);
    invocation.end();
    this.invocations.delete(invocation);
  }

  /** Brings the messages of the queue, those that come later too. */
  async drain({ twice = false, until = Infinity } = {}): Promise<void> {
    for (let next = this.queue.nextDue; next !== undefined && next <= until; next = this.queue.nextDue) {
      if (next > this.time.now) this.time.pass(next - this.time.now);
      await this.queue.bring((message) => this.consumed(message), twice);
      await this.settle();
    }
  }

  /** The clock of the deployment strikes. */
  async strike(): Promise<void> {
    const invocation = this.enter("scheduled");
    const bindings = this.bindingsOf(invocation);
    await this.living(current.run(invocation, () => sweep(bindings)));
    await this.settle();
  }

  /** What was used since the last time. */
  used(): Usage {
    this.objects.settleRows();
    return this.bill.take();
  }

  install(): void {
    this.time.install();
    const { fetch: real } = globalThis;
    const web = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = new Request(input as RequestInfo, init);
      const { hostname } = new URL(request.url);
      // An origin of the tests' own is reached as it is.
      if (hostname === "127.0.0.1" || hostname === "localhost") return real(request);
      if (isNumbered(hostname)) return new Response("error code: 1003", { status: 403 });
      return (await this.terms.web?.(request)) ?? new Response("", { status: 404 });
    };
    const calling = (input: RequestInfo | URL, init?: RequestInit) => {
      const invocation = current.getStore();
      const around = invocation ? nested(...this.aroundOf(invocation)) : this.busy();
      return around({ service: "web", where: "web.fetch", method: "fetch", given: [] }, () => web(input, init));
    };
    this.time.put(globalThis, { fetch: calling });
    for (const level of ["log", "warn", "error"] as const) {
      const line = console[level].bind(console);
      this.time.put(console, {
        [level]: (...given: unknown[]) => {
          // All lines are written here, of which a deployment writes one in so many.
          this.bill.add("events", level === "log" ? 1 / DEFAULT_LOG_SAMPLE : 1);
          line(...given);
        },
      });
    }
    this.installCache();
  }

  uninstall(): void {
    for (const invocation of this.invocations) invocation.end();
    this.time.uninstall();
  }

  private installCache(): void {
    const { edge } = this;
    const isShared = this.terms.domain === "shared";
    const calling = (method: string, call: () => Promise<unknown>) => {
      const invocation = current.getStore();
      const around = invocation ? nested(...this.aroundOf(invocation)) : this.busy();
      return around({ service: "cache", where: `cache.${method}`, method, given: [] }, call);
    };
    const cache = {
      match: (name: Request) => calling("match", async () => (isShared ? undefined : edge.match(name))),
      put: (name: Request, answer: Response) =>
        calling("put", async () => (isShared ? await answer.body?.cancel() : edge.put(name, answer))),
      delete: (name: Request) => calling("delete", async () => !isShared && edge.delete(name)),
    };
    this.time.put(globalThis, { caches: { default: cache } });
  }

  private enter(trigger: Trigger): Invocation {
    const invocation = new Invocation(trigger, this.time.now);
    this.invocations.add(invocation);
    if (trigger !== "scheduled") this.bill.add("requests");
    if (LOGS_INVOCATIONS) this.bill.add("events");
    return invocation;
  }

  private answerOf(request: Request, trigger: Trigger): { response: Promise<Response>; invocation: Invocation } {
    const invocation = this.enter(trigger);
    const context = Object.assign(invocation.context, { cache: this.cache });
    const bindings = this.bindingsOf(invocation);
    const response = current.run(invocation, async () => this.app.fetch(request, bindings, context));
    return { response, invocation };
  }

  private async consumed(message: Message<unknown>): Promise<"acked" | { again: number }> {
    const invocation = this.enter("queue");
    const batch = createMessageBatch("darkroom", [message as never]);
    const [only] = batch.messages;
    if (!only) throw new Error("The batch is empty");
    let again: number | undefined;
    only.retry = (options) => void (again = options?.delaySeconds ?? 0);
    const context = Object.assign(invocation.context, { cache: this.cache });
    const bindings = this.bindingsOf(invocation);
    await this.living(current.run(invocation, () => this.consume(batch, bindings, context)));
    return again === undefined ? "acked" : { again };
  }

  private bindingsOf(invocation: Invocation): Env {
    return this.bindings(this.aroundOf(invocation));
  }

  private aroundOf(invocation: Invocation): Around[] {
    const { distanceMs = 1, around } = this.terms;
    const msOf = typeof distanceMs === "number" ? () => distanceMs : distanceMs;
    const known = this.bounds.get(invocation) ?? bounded();
    this.bounds.set(invocation, known);
    return [
      mortal(invocation),
      distant(invocation, msOf),
      known,
      ...(around ? [around] : []),
      this.memory.watching(),
      this.busy(),
      this.bill.counting(),
    ];
  }

  private readonly bounds = new WeakMap<Invocation, Around>();

  private bindings(arounds: readonly Around[]): Env {
    const around = nested(...arounds);
    const databases = [...databasesOf(env)].map(([name, db]) => [name, aroundDatabase(db, name, around)] as const);
    return {
      ...env,
      ...Object.fromEntries(databases),
      BUCKET: this.dated(aroundBinding(env.BUCKET, "BUCKET", "bucket", around)),
      METER: this.objectsOf(env.METER, "METER", around),
      COURIER: this.objectsOf(env.COURIER, "COURIER", around),
      BATCH: this.objectsOf(env.BATCH, "BATCH", around),
      QUEUE: aroundBinding(this.queue.producer, "QUEUE", "queue", around),
      METER_BLOCK_SECONDS: String(DEFAULT_METER_BLOCK_SECONDS),
      ...this.terms.variables,
    } as unknown as Env;
  }

  /** Objects are watched from their first call on. */
  private objectsOf<Namespace extends { getByName: (name: string) => object }>(
    namespace: Namespace,
    name: string,
    around: Around,
  ): Namespace {
    const watched: Around = async (call, go) => {
      const id = call.object ?? "";
      await this.objects.watch(name, id, namespace.getByName(id));
      if (LOGS_INVOCATIONS) this.bill.add("events");
      return go();
    };
    return aroundObjects(namespace, name, nested(around, watched));
  }

  /** Objects of a bucket were put when the platform's clock said so. */
  private dated(bucket: R2Bucket): R2Bucket {
    const date = <Found extends R2Object | null>(found: Found): Found => {
      const at = found && this.uploaded.get(found.key);
      if (at) Object.defineProperty(found, "uploaded", { value: new Date(at) });
      return found;
    };
    const names: Partial<Record<keyof R2Bucket, (...given: never[]) => unknown>> = {
      put: async (key: string, ...given: [never, never]) => {
        const put = await bucket.put(key, ...given);
        if (put) this.uploaded.set(key, current.getStore()?.clock ?? this.time.now);
        return date(put);
      },
      get: async (key: string, ...given: []) => date(await bucket.get(key, ...given)),
      head: async (key: string) => date(await bucket.head(key)),
      list: async (options: R2ListOptions) => {
        const page = await bucket.list(options);
        for (const object of page.objects) date(object);
        return page;
      },
    };
    return new Proxy(bucket, { get: (target, member) => Reflect.get(names, member) ?? Reflect.get(target, member) });
  }

  /** Knows whether anything happens in truth. */
  private busy(): Around {
    return async (_, go) => {
      this.underway += 1;
      try {
        return await go();
      } finally {
        this.underway -= 1;
        this.touches += 1;
      }
    };
  }

  /** Resolves when nothing happens any more in truth. */
  private async quiet(): Promise<void> {
    for (let turns = 0, touches = -1; turns < QUIET_TURNS;) {
      turns = this.underway === 0 && touches === this.touches ? turns + 1 : 0;
      ({ touches } = this);
      await realWait(1);
    }
  }

  /** A promise of an invocation: where nothing happens any more, time passes until its next timer. */
  private async living<Result>(promise: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = () => void (isOver = true);
    promise.then(over, over);
    let quietTurns = 0;
    for (let touches = this.touches; !isOver; touches = this.touches) {
      await realWait(1);
      quietTurns = this.underway === 0 && touches === this.touches ? quietTurns + 1 : 0;
      if (isOver || quietTurns < QUIET_TURNS) continue;
      this.time.fireNext();
      quietTurns = 0;
    }
    return promise;
  }
}

const realWait = scheduler.wait.bind(scheduler);

/** Deploys the service for as long as `use` takes. */
export async function onPlatform<Result>(terms: Terms, use: (platform: Platform) => Promise<Result>): Promise<Result> {
  const platform = new Platform(terms);
  platform.install();
  try {
    return await use(platform);
  } finally {
    platform.uninstall();
  }
}
