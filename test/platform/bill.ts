/** What a deployment is billed for, counted call by call. */
import type { Around, Call } from "../support/around.ts";
import { DOCS, READ, type Rule } from "./rule.ts";

const pricing = `${DOCS}/workers/platform/pricing/`;
const objects = `${DOCS}/durable-objects/platform/pricing/`;

export const BILL_RULES: readonly Rule[] = [
  {
    name: "requests",
    says: "A request from outside is billed, and an invocation of a consumer; subrequests are not.",
    source: pricing,
    read: READ,
  },
  {
    name: "operations of R2",
    says: "`put` and `list` are of class A, `get` and `head` of class B; `delete` is free.",
    source: `${DOCS}/r2/pricing/`,
    read: READ,
  },
  {
    name: "rows of D1",
    says: "`meta` says how many rows a statement wrote and read, those of indexes included.",
    source: `${DOCS}/d1/platform/pricing/`,
    read: READ,
  },
  {
    name: "calls of objects",
    says: "Each method call and each alarm of an object is a request.",
    source: objects,
    read: READ,
  },
  {
    name: "rows of objects",
    says: "`put` and each deleted key, `setAlarm`, and each row of SQL, are rows written.",
    source: objects,
    read: READ,
  },
  {
    name: "duration of objects",
    says: "An object is billed 128 MB while it works, and while a timer keeps it from hibernating; idle otherwise it is free.",
    source: `${DOCS}/durable-objects/concepts/durable-object-lifecycle/`,
    read: READ,
  },
  {
    name: "operations of queues",
    says: "Each 64 KB of a message written, read or deleted is an operation; a retry is a further read.",
    source: `${DOCS}/queues/platform/pricing/`,
    read: READ,
  },
  {
    name: "events of logs",
    says: "Each line is an event, and so is each invocation where `invocation_logs` is not off: a request, a method call, an alarm, a batch, a cron.",
    source: `${DOCS}/workers/observability/logs/workers-logs/`,
    read: READ,
  },
];

/** What was used. Processor time is not counted here: it is measured by `npm run bench`. */
export interface Usage {
  /** Requests from outside, and invocations of consumers. */
  readonly requests: number;
  /** Operations of R2 of class A and of class B. */
  readonly writes: number;
  readonly reads: number;
  /** Rows written in D1, indexes included. */
  readonly rows: number;
  /** Calls and alarms of Durable Objects, and the rows that they write. */
  readonly calls: number;
  readonly objectRows: number;
  /** Seconds for which objects are kept awake by a timer. */
  readonly awakeSeconds: number;
  /** Operations of Queues. */
  readonly operations: number;
  /** Events of the logs. */
  readonly events: number;
}

export const NO_USAGE: Usage = {
  requests: 0,
  writes: 0,
  reads: 0,
  rows: 0,
  calls: 0,
  objectRows: 0,
  awakeSeconds: 0,
  operations: 0,
  events: 0,
};

/** The methods of a bucket by what they cost. */
const CLASSES: Readonly<Record<string, keyof Usage>> = { put: "writes", list: "writes", get: "reads", head: "reads" };
const OPERATION_BYTES = 64_000;

export class Bill {
  private used: Record<keyof Usage, number> = { ...NO_USAGE };
  /** The calls, in their order: what a failing test shows. */
  readonly calls: string[] = [];

  add(piece: keyof Usage, amount = 1): void {
    this.used[piece] += amount;
  }

  /** What was used since the last time, rounded to thousandths. */
  take(): Usage {
    const used = Object.fromEntries(
      Object.entries(this.used).map(([piece, amount]) => [piece, Math.round(amount * 1_000) / 1_000]),
    );
    this.used = { ...NO_USAGE };
    this.calls.length = 0;
    return used as unknown as Usage;
  }

  /** Counts calls of bindings. */
  counting(): Around {
    return async (call, go) => {
      this.calls.push(call.where);
      this.count(call);
      const result = await go();
      if (call.service === "database") this.add("rows", rowsOf(result as D1Result | readonly D1Result[]));
      return result;
    };
  }

  private count({ service, method, given: [first] }: Call): void {
    const piece = CLASSES[method];
    if (service === "bucket" && piece) this.add(piece);
    if (service === "object") this.add("calls");
    if (service === "queue" && method === "send") this.add("operations", operationsOf(first));
    if (service === "queue" && method === "sendBatch") {
      for (const { body } of first as Iterable<MessageSendRequest>) this.add("operations", operationsOf(body));
    }
  }
}

function rowsOf(result: D1Result | readonly D1Result[]): number {
  const results = Array.isArray(result) ? (result as readonly D1Result[]) : [result as D1Result];
  return results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
}

/** Operations for writing, reading or deleting a message. */
export function operationsOf(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / OPERATION_BYTES);
}
