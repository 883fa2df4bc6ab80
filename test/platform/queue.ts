/** The queue as the platform has it. */
import { type Bill, operationsOf } from "./bill.ts";
import { DOCS, READ, type Rule } from "./rule.ts";

export const QUEUE_RULES: readonly Rule[] = [
  {
    name: "at least once",
    says: "A message comes at least once, and may come again though it was acknowledged.",
    source: `${DOCS}/queues/reference/delivery-guarantees/`,
    read: READ,
  },
  {
    name: "out of order",
    says: "Messages come in any order.",
    source: `${DOCS}/queues/reference/how-queues-works/`,
    read: READ,
  },
  {
    name: "ten tries",
    says: "A message that fails comes again, ten times by our settings; then it is gone.",
    source: `${DOCS}/queues/configuration/batching-retries/`,
    read: READ,
  },
];

/** By wrangler.toml. */
export const MAX_RETRIES = 10;

interface Waiting {
  readonly body: unknown;
  readonly due: number;
  readonly attempts: number;
}

/** Hands one batch to the consumer; resolves to the messages that failed, with their delays in seconds. */
export type Consume = (message: Message<unknown>) => Promise<"acked" | { readonly again: number }>;

export class PlatformQueue {
  private waiting: Waiting[] = [];
  /** Messages that were given up. */
  readonly lost: unknown[] = [];
  private readonly now: () => number;
  private readonly bill: Bill;

  constructor(now: () => number, bill: Bill) {
    this.now = now;
    this.bill = bill;
  }

  get length(): number {
    return this.waiting.length;
  }

  /** What producers are bound to. */
  get producer(): Queue {
    const add = (body: unknown, delaySeconds = 0) =>
      void this.waiting.push({ body: structuredClone(body), due: this.now() + delaySeconds * 1_000, attempts: 1 });
    return {
      send: async (body: unknown, options?: QueueSendOptions) => add(body, options?.delaySeconds),
      sendBatch: async (messages: Iterable<MessageSendRequest>, options?: QueueSendBatchOptions) => {
        for (const { body, delaySeconds = options?.delaySeconds } of messages) add(body, delaySeconds);
      },
      metrics: async () => ({ backlogCount: this.waiting.length, backlogBytes: 0 }),
    } as unknown as Queue;
  }

  /** When the next message is due, milliseconds since 1970; undefined: none waits. */
  get nextDue(): number | undefined {
    return this.waiting.length > 0 ? Math.min(...this.waiting.map(({ due }) => due)) : undefined;
  }

  /**
   * Brings one due message, the youngest first.
   * @param isTwice whether it comes once more although it was acknowledged
   * @returns false: none is due
   */
  async bring(consume: Consume, isTwice = false): Promise<boolean> {
    const index = this.waiting.findLastIndex(({ due }) => due <= this.now());
    const [message] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (!message) return false;
    const { body, attempts } = message;
    this.bill.add("operations", operationsOf(body));
    const given = { id: crypto.randomUUID(), timestamp: new Date(this.now()), attempts, body: structuredClone(body) };
    const outcome = await consume(given as unknown as Message<unknown>);
    if (outcome === "acked") {
      this.bill.add("operations", operationsOf(body));
      if (isTwice) await consume({ ...given, attempts: attempts + 1 } as unknown as Message<unknown>);
    } else if (attempts > MAX_RETRIES) this.lost.push(body);
    else this.waiting.push({ body, due: this.now() + outcome.again * 1_000, attempts: attempts + 1 });
    return true;
  }
}
