/** The Durable Object around the ledger. */
import { DurableObject } from "cloudflare:workers";

import { DIRECTORY } from "../env.ts";
import {
  ALERT_RETRY_MS,
  CREDIT_LEASE_SECONDS,
  MAX_RECEIPT_BYTES,
  MAX_RECEIPTS,
  METER_WRITE_INTERVAL_MS,
  METER_WRITES,
  RECEIPT_RUN_MS,
  USAGE_WRITE_INTERVAL_MS,
} from "../limits/accounts.ts";
import { MAX_KNOWN_RESULTS } from "../limits/reuse.ts";
import { causesOf, logLine } from "../log.ts";
import {
  accept,
  type Beyond,
  type Charge,
  endWork,
  type Order,
  RecentCharges,
  refund,
  withdraw,
} from "./accepted-jobs.ts";
import { noteAlerts, type Notice, spendCpu, stepsOf, takeFinalBack } from "./budgets.ts";
import { databaseNamed } from "./databases.ts";
import { ExpiringRows } from "./expiring-rows.ts";
import type { KnownResult } from "./known-results.ts";
import {
  emptyLedger,
  grantBlock,
  isFarFromBounds,
  isNews,
  type Ledger,
  lose,
  type More,
  note,
  release,
  type Reserved,
  reserveMore,
  returnBlock,
  settle,
  staleAt,
  take,
  useBlock,
} from "./ledger.ts";
import type {
  Batch,
  EndOfFinal,
  Failure,
  RepeatableAsk,
  Spent,
  TakenWithReceipt,
  Telling,
  Told,
  Unneeded,
} from "./metered.ts";
import { begin, end, type Ending, find, type Receipt, renew } from "./receipts.ts";
import { type ClaimAsk, ResultClaims } from "./result-claims.ts";
import { givenBack, isUsable, mayTry, type TokenUse, tried } from "./token-uses.ts";
import { forgetDaysBefore, saveUsage } from "./usage.ts";

const LEDGER = "ledger";

const SPENT: TakenWithReceipt = { allowed: false, limit: 0, remaining: 0, resetSeconds: 1, used: 0, isSpent: true };

/**
 * Counts the requests and credits of one account, or the requests of one client address. An object runs one call at a
 * time, so counts are exact under any concurrency. It counts in memory and writes the end of each piece of work, a few times
 * a second at most: at once while it is quiet, later while busy. A crash can lose what was counted within that second; an
 * eviction in the midst of work can lose that it had begun, which matters near a bound alone, and there it is written.
 * What an account's keys did by day is copied to the database every ten minutes while there is anything new.
 */
export class Meter extends DurableObject<Env> {
  readonly #ledger: Ledger;
  readonly #receipts: ExpiringRows<Receipt>;
  readonly #uses: ExpiringRows<TokenUse>;
  readonly #results: ExpiringRows<KnownResult>;
  readonly #claims = new ResultClaims();
  readonly #charges = new RecentCharges();
  /** When the ledger was written of late, the newest last. */
  #written: readonly number[] = [];
  #isWaiting = false;
  /** How much of the account's budgets was spent when that was looked at last. */
  #steps: readonly number[] = [];

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    // What an earlier version wrote has fewer members.
    this.#ledger = { ...emptyLedger(), ...state.storage.kv.get<Ledger>(LEDGER) };
    this.#receipts = new ExpiringRows(state.storage.sql, "receipts", {
      rows: MAX_RECEIPTS,
      bytes: MAX_RECEIPT_BYTES,
    });
    this.#uses = new ExpiringRows(state.storage.sql, "token_uses");
    this.#results = new ExpiringRows(state.storage.sql, "results", { rows: MAX_KNOWN_RESULTS });
  }

  /**
   * Counts a request and, when asked, reserves one credit for it, and takes a use of its upload token: not for one that
   * was answered already, or is at work. One that has begun, and a use, are durable before it is answered.
   */
  take({ receipt, use, ...ask }: RepeatableAsk, now = Date.now()): TakenWithReceipt {
    const known = receipt === undefined ? undefined : this.#receipts.get(receipt);
    const found = receipt === undefined ? undefined : find(known, now);
    const isNew = !found || found.state === "free";
    const uses = use && this.#uses.get(use.id);
    if (use && !(isNew ? isUsable : mayTry)(uses, use, now)) return SPENT;
    const { creditsTotal, ...unpaid } = ask;
    const isKnown = this.#ledger.account !== undefined;
    const counted = take(this.#ledger, creditsTotal !== undefined && isNew ? ask : unpaid, now);
    // Work that has begun is written at its end: there and back would be two rows.
    const isBeginning = isKnown && counted.lease !== undefined && receipt === undefined && use === undefined;
    const isForgettable = isBeginning && !counted.isNear && isFarFromBounds(this.#ledger, ask, now);
    if (!isForgettable && (counted.allowed || ask.account !== undefined)) this.#keep(now, counted.isNear);
    if (!counted.allowed) return counted;
    const begins = counted.lease !== undefined;
    if (use) this.#uses.put(use.id, tried(uses, use, begins));
    const taken = { ...counted, ...(use && begins && { use: use.id }) };
    if (receipt === undefined || !found) return taken;
    if (found.state !== "free") return { ...taken, opened: found };
    // What may not begin leaves no trace.
    if (!begins) return taken;
    const token = crypto.randomUUID();
    this.#putReceipt(receipt, begin(known, token, now), now);
    return { ...taken, opened: { ...found, token } };
  }

  /** The work on a request with a receipt goes on. */
  renew(receipt: string, token: string, now = Date.now()): void {
    const renewed = renew(this.#receipts.get(receipt), token, now);
    if (renewed) this.#putReceipt(receipt, renewed, now);
  }

  /** Work that goes on keeps its receipt, however many there are: without one it would be taken for somebody else's. */
  #putReceipt(name: string, receipt: Receipt, now: number): void {
    this.#receipts.put(name, receipt, now + RECEIPT_RUN_MS);
  }

  /**
   * Ends a request with a receipt, and keeps what it was answered with.
   * @returns false when somebody else has begun it again meanwhile, and ends it
   */
  end(ending: Ending, now = Date.now()): boolean {
    const ended = end(this.#receipts.get(ending.name), ending, now);
    if (ended === "forgotten") this.#receipts.remove(ending.name);
    else if (ended) this.#putReceipt(ending.name, ended, now);
    return ended !== undefined;
  }

  /** Reserves further credits for a request that has reserved one and turns out to take several: all of them, or none. */
  reserve(lease: number, more: More, now = Date.now()): Reserved {
    const reserved = reserveMore(this.#ledger, lease, more, now);
    if (reserved.isReserved) this.#keep(now);
    return reserved;
  }

  /**
   * Spends reserved credits, and counts the image they were spent for; of two that did the same work, one pays.
   * @param reserved all that were reserved: those that were not needed are free again
   */
  settle(lease: number, spent?: Spent, ending?: Ending, reserved = 1, now = Date.now()): void {
    // Who waits looks once this call is over.
    if (spent?.claim !== undefined) this.#claims.end(spent.claim);
    if (ending && !this.end(ending, now)) return this.release(lease, undefined, undefined, reserved, now);
    this.#settle(lease, spent, reserved, now);
    this.#keep(now);
  }

  /** Spends the credit of a delivery's final, or gives it back, and counts the processor time that it took. */
  closeFinal(lease: number, { isMade, cpuMs }: EndOfFinal, now = Date.now()): void {
    if (isMade) settle(this.#ledger, lease, now);
    else {
      release(this.#ledger, lease, now);
      takeFinalBack(this.#ledger.spending, (lease - CREDIT_LEASE_SECONDS) * 1_000);
    }
    spendCpu(this.#ledger.spending, cpuMs, 1, now);
    this.#keep(now);
  }

  /** Counts what isolates did by themselves: all of a batch, once; and hands out the block for what one of them does next. */
  tell({ batches, ask }: Telling, now = Date.now()): Told {
    const news = batches.filter(({ id }) => isNews(this.#ledger, id, now));
    for (const batch of news) this.#count(batch, now);
    const granted = ask && grantBlock(this.#ledger, ask, now);
    if (news.length > 0) this.#keep(now);
    return granted ? { granted } : {};
  }

  #count({ key, used, outcomes, unused }: Batch, now: number): void {
    for (const block of used) useBlock(this.#ledger, key, block, now);
    for (const { lease, reserved, spent, unspent } of outcomes) {
      if (unspent) this.#release(lease, unspent, reserved, now);
      else this.#settle(lease, spent, reserved, now);
    }
    for (const block of unused) returnBlock(this.#ledger, key, block, now);
  }

  /**
   * A result that is found again under its name.
   * @param ask absent: nobody waits for somebody else's, or for this one
   */
  async recall(name: string, ask?: ClaimAsk): Promise<KnownResult | undefined> {
    const look = () => {
      const known = this.#results.get(name);
      return known && known.forgottenAt > Date.now() ? known : undefined;
    };
    return ask ? this.#claims.find(name, ask, look, Date.now) : look();
  }

  /** Gives back a use of an upload token that was taken for a request whose work did not begin. */
  giveBack(use: string): void {
    const uses = this.#uses.get(use);
    if (uses) this.#uses.put(use, givenBack(uses));
  }

  /** Gives reserved credits back, and counts the failure of a key and the processor time that it took. */
  release(lease: number, unspent?: Failure | Unneeded, ending?: Ending, reserved = 1, now = Date.now()): void {
    if (ending) this.end(ending, now);
    this.#release(lease, unspent, reserved, now);
    this.#keep(now);
  }

  /**
   * Accepts a job with a webhook and spends its credit, unless the day's bounds are reached.
   * @param id of the job: a call that is repeated, since its answer was lost, accepts it once
   */
  accept(id: string, order: Order, now = Date.now()): Charge | Beyond {
    const known = this.#charges.find(id);
    if (known) return known;
    const { unused } = order;
    for (const block of unused?.blocks ?? []) returnBlock(this.#ledger, unused?.key ?? "", block, now);
    const outcome = accept(this.#ledger, order, now);
    if ("beyond" in outcome) return outcome;
    this.#charges.note(id, outcome, now);
    this.#keep(now);
    return outcome;
  }

  /** Undoes `accept` for a job that could not be kept, if it was accepted: its caller may not know. */
  withdraw(id: string, now = Date.now()): void {
    const charge = this.#charges.take(id);
    if (!charge) return;
    withdraw(this.#ledger, charge, now);
    this.#keep(now);
  }

  /** Counts the image of an accepted job, whose credits were spent when it was accepted: those it did not need come back. */
  finish(spent: Spent, charge?: Charge, now = Date.now()): void {
    const unneeded = (charge?.credits ?? 1) - (spent.credits ?? 1);
    if (charge && unneeded > 0) refund(this.#ledger, charge, now, unneeded);
    if (charge) endWork(this.#ledger, charge);
    this.#noteSpent(spent, now, charge?.credits);
    this.#keep(now);
  }

  /**
   * Gives the credit of an accepted job back that failed, or took no work, and counts the failure and the processor time that
   * it took.
   */
  refund(charge: Charge, failure?: Failure, now = Date.now()): void {
    refund(this.#ledger, charge, now);
    endWork(this.#ledger, charge);
    if (failure) this.#noteFailure(failure, now, charge.credits);
    this.#keep(now);
  }

  /** Counts a failed request that had no credit. */
  fail(key: string, now = Date.now()): void {
    note(this.#ledger, key, { errors: 1 }, now);
    this.#keep(now);
  }

  /** Copies the usage to the database; what is counted meanwhile is left for the next time. */
  async saveUsage(now = Date.now()): Promise<void> {
    const { account, database = DIRECTORY, usage, unsaved } = this.#ledger;
    if (account === undefined) return;
    const saved = new Map([...usage].filter(([name]) => unsaved.has(name)));
    await saveUsage(databaseNamed(this.env, database), account, saved);
    for (const [name, counts] of saved) if (usage.get(name) === counts) unsaved.delete(name);
    if (unsaved.size === 0) forgetDaysBefore(usage, now);
  }

  /**
   * Copies the usage, forgets old receipts and uses, and deletes an object that holds nothing worth keeping, such as that of an
   * address seen once.
   */
  override async alarm(): Promise<void> {
    const { spending } = this.#ledger;
    if (spending.notices.length > 0) {
      await this.#notifyAll();
      this.#write([], Date.now());
    }
    await this.#clean();
    if (spending.notices.length > 0) await this.ctx.storage.setAlarm(Date.now() + ALERT_RETRY_MS);
  }

  async #clean(): Promise<void> {
    delete this.#ledger.copyAt;
    await this.saveUsage().catch((error: unknown) =>
      logLine("error", { event: "usage not saved", causes: causesOf(error) }),
    );
    const now = Date.now();
    const due = [this.#receipts, this.#uses, this.#results].flatMap((rows) => rows.sweep(now) ?? []);
    const forgetting = due.length > 0 ? Math.min(...due) : undefined;
    const isTelling = this.#ledger.spending.notices.length > 0;
    const stale = Math.max(staleAt(this.#ledger, now), forgetting ?? 0);
    if (this.#ledger.unsaved.size > 0) this.#schedule();
    else if (stale > now || forgetting !== undefined || isTelling) {
      await this.ctx.storage.setAlarm(Math.max(now, Math.min(stale, forgetting ?? stale)) + 1000);
    } else {
      await this.ctx.storage.deleteAll();
      for (const rows of [this.#receipts, this.#uses, this.#results]) rows.reset();
      this.#written = [];
      return;
    }
  }

  #settle(lease: number, spent: Spent | undefined, reserved: number, now: number): void {
    settle(this.#ledger, lease, now, { reserved, spent: spent?.credits ?? 1 });
    if (spent) this.#noteSpent(spent, now, reserved);
  }

  #release(lease: number, unspent: Failure | Unneeded | undefined, reserved: number, now: number): void {
    release(this.#ledger, lease, now, reserved);
    if (unspent?.claim !== undefined) this.#claims.end(unspent.claim);
    if (unspent && "key" in unspent) this.#noteFailure(unspent, now, reserved);
  }

  #noteSpent(spent: Spent, now: number, reserved?: number): void {
    const { key, bytesIn, bytesOut, credits = 1, cpuMs = 0, known, knownByBytes } = spent;
    spendCpu(this.#ledger.spending, cpuMs, reserved ?? credits, now);
    note(this.#ledger, key, { pictures: 1, credits, bytesIn, bytesOut }, now);
    for (const one of [known, knownByBytes]) if (one) this.#results.put(one.name, one.result);
  }

  #noteFailure({ key, ms, idleMs = 0 }: Failure, now: number, reserved = 1): void {
    spendCpu(this.#ledger.spending, ms - idleMs, reserved, now);
    lose(this.#ledger, ms, now);
    note(this.#ledger, key, { errors: 1, failedMs: Math.round(ms) }, now);
  }

  /**
   * Writes the ledger: at once a few times a second, as a timer would keep a quiet object awake, which is dearer than a row;
   * then once at the end of the second, however many calls there are.
   */
  #keep(at: number, isNear = false): void {
    const isPressing = this.#noteBudgets(at) || isNear;
    this.#schedule();
    if (this.#isWaiting && !isPressing) return;
    const now = Date.now();
    const lately = this.#written.filter((at) => at > now - METER_WRITE_INTERVAL_MS && at <= now);
    const [first = now] = lately;
    if (isPressing || lately.length < METER_WRITES) return this.#write(lately, now);
    this.#isWaiting = true;
    setTimeout(
      () => {
        this.#isWaiting = false;
        this.#write([], Date.now());
      },
      first + METER_WRITE_INTERVAL_MS - now,
    );
  }

  /** Notes what is to be told of budgets. @returns whether an eviction must not forget what was spent of them since */
  #noteBudgets(now: number): boolean {
    const { spending } = this.#ledger;
    const isFresh = noteAlerts(spending, this.#ledger, now);
    const steps = stepsOf(spending, this.#ledger, now);
    const isFar = steps.every((step, index) => step === (this.#steps[index] ?? 0));
    this.#steps = steps;
    if (isFresh) void this.ctx.storage.setAlarm(Date.now(), { allowUnconfirmed: true });
    return isFresh || !isFar;
  }

  /** Tells the operator of an account what its meter has noted of a budget; absent: nobody is there to be told. */
  protected notify?(notice: Notice): Promise<void>;

  /** What cannot be told now is left. */
  async #notifyAll(): Promise<void> {
    const { spending } = this.#ledger;
    for (const notice of spending.notices) {
      try {
        await this.notify?.(notice);
        spending.notices = spending.notices.filter((other) => other !== notice);
      } catch (error) {
        logLine("error", { event: "budget not told", causes: causesOf(error) });
      }
    }
  }

  #write(lately: readonly number[], now: number): void {
    const isFirst = this.#written.length === 0;
    this.#written = [...lately, now];
    // Nobody waits for the disk to answer: the answer may leave before the count is durable.
    void this.ctx.storage.put(LEDGER, this.#ledger, { allowUnconfirmed: true });
    if (isFirst) this.ctx.waitUntil(this.#scheduleCleaning());
  }

  /** Has the usage copied after a while. The ledger remembers it, as an object that was evicted would put it off again. */
  #schedule(): void {
    const now = Date.now();
    const { unsaved, copyAt } = this.#ledger;
    // Its alarm is set already, and copies the usage besides.
    if (this.#ledger.spending.notices.length > 0) return;
    const isScheduled = copyAt !== undefined && copyAt > now && copyAt <= now + USAGE_WRITE_INTERVAL_MS;
    if (unsaved.size === 0 || isScheduled) return;
    this.#ledger.copyAt = now + USAGE_WRITE_INTERVAL_MS;
    void this.ctx.storage.setAlarm(this.#ledger.copyAt, { allowUnconfirmed: true });
  }

  async #scheduleCleaning(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(staleAt(this.#ledger, Date.now()) + 1000, { allowUnconfirmed: true });
    }
  }
}
