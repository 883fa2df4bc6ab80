/** The Durable Object around the ledger. */
import { DurableObject } from "cloudflare:workers";

import { METER_WRITE_INTERVAL_MS } from "../limits.ts";
import { type Ask, type Ledger, type Taken, emptyLedger, release, settle, staleAt, take } from "./ledger.ts";

const LEDGER = "ledger";

/**
 * Counts the requests and credits of one account, or the requests of one client address. An object runs one call at a
 * time, so counts are exact under any concurrency. It counts in memory and writes at most about once a second: at
 * once after a quiet time, later while busy. A crash can lose what was counted within that second, an eviction nothing.
 */
export class Meter extends DurableObject<Env> {
  readonly #ledger: Ledger;
  #writtenAt = -Infinity;
  #pending = false;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#ledger = state.storage.kv.get<Ledger>(LEDGER) ?? emptyLedger();
  }

  /** Counts a request and, when asked, reserves one credit for it. */
  take(ask: Ask, now = Date.now()): Taken {
    const taken = take(this.#ledger, ask, now);
    if (taken.allowed) this.#keep();
    return taken;
  }

  /** Spends a reserved credit. */
  settle(lease: number, now = Date.now()): void {
    settle(this.#ledger, lease, now);
    this.#keep();
  }

  /** Gives a reserved credit back. */
  release(lease: number, now = Date.now()): void {
    release(this.#ledger, lease, now);
    this.#keep();
  }

  /** Deletes an object that holds nothing worth keeping, such as that of an address seen once. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    const stale = staleAt(this.#ledger, now);
    if (stale > now) {
      await this.ctx.storage.setAlarm(stale + 1000);
      return;
    }
    await this.ctx.storage.deleteAll();
    this.#writtenAt = -Infinity;
  }

  #keep(): void {
    if (this.#pending) return;
    const wait = this.#writtenAt + METER_WRITE_INTERVAL_MS - Date.now();
    if (wait <= 0) {
      this.#write();
      return;
    }
    this.#pending = true;
    setTimeout(() => {
      this.#pending = false;
      this.#write();
    }, wait);
  }

  #write(): void {
    const first = this.#writtenAt === -Infinity;
    this.#writtenAt = Date.now();
    // Nobody waits for the disk to answer: the answer may leave before the count is durable.
    void this.ctx.storage.put(LEDGER, this.#ledger, { allowUnconfirmed: true });
    if (first) this.ctx.waitUntil(this.#scheduleCleaning());
  }

  async #scheduleCleaning(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(staleAt(this.#ledger, Date.now()) + 1000, { allowUnconfirmed: true });
    }
  }
}
