/**
 * The state of one batch and every move of it, in a database of its own. A move is one transaction, so that a batch that is
 * killed between two statements, or two moves, goes on where it was. Nothing in here grows with the number of objects: of a
 * bucket of millions at most MAX_WAITING_OBJECTS are known at a time.
 */
import { FEW_WAITING_OBJECTS, MAX_HEARD_OBJECTS, MAX_KEPT_FAILURES, MAX_LIST_PARTS } from "../limits/batch.ts";
import { withDone, withoutOne } from "./counts.ts";
import { NO_SAMPLE, picked, withOutcome } from "./estimate.ts";
import { type Alike, Looks } from "./looks.ts";
import { isAbout } from "./names.ts";
import { type Begun, Objects, type Sql } from "./objects.ts";
import { FULL_PACE, isTooSlow, type Pace, quickened, slowed } from "./pace.ts";
import type {
  Batch,
  BatchState,
  ClaimedObject,
  Counts,
  FailedObject,
  ObjectOutcome,
  Progress,
  Sample,
  Trouble,
} from "./rules.ts";
import { NO_COUNTS, troubleOf } from "./rules.ts";
import { failureOf, INTERNAL, type Refused, refusedAgain, withoutRefused } from "./tries.ts";

/** A part of the list as the batch takes it. */
export interface Part {
  readonly objects: readonly { readonly key: string; readonly bytes: number }[];
  /** Objects that the rules are not about. */
  readonly others: number;
  /** Where the list goes on; undefined: it is at its end. */
  readonly cursor: string | undefined;
}

/** Everything but objects and failures: one row. */
interface Standing extends Pace {
  readonly batch: Batch;
  state: BatchState;
  trouble?: Trouble | undefined;
  counts: Counts;
  cursor?: string | undefined;
  isListed: boolean;
  /** Parts of the list that were read. */
  parts: number;
  /** The store of originals has shown that it compares versions. */
  isProven: boolean;
  /** Of a dry run: objects that it is to work on, and what those showed that it has. */
  picks?: readonly { readonly key: string; readonly bytes: number }[];
  sample?: Sample;
  /** Objects that the account lets this batch work on at once. */
  slots: number;
  /** Objects for which the store has asked for time. */
  refused?: Refused;
  /** When it has heard of a new object last. */
  heardAt?: number;
  /** The notification of the end is due. */
  isNotified?: boolean;
  updatedAt: number;
}

const SCHEMA = "CREATE TABLE IF NOT EXISTS standing (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL) STRICT";

const OVER: ReadonlySet<ObjectOutcome["kind"]> = new Set(["done", "skipped", "own"]);
const FINAL: ReadonlySet<BatchState> = new Set(["done", "canceled"]);

export class Machine {
  readonly #sql: Sql;
  readonly #objects: Objects;
  readonly #looks: Looks;
  readonly #random: () => number;
  #standing: Standing | undefined;
  #told: string | undefined;

  constructor(sql: Sql, random: () => number = Math.random) {
    this.#sql = sql;
    this.#random = random;
    sql.exec(SCHEMA);
    this.#objects = new Objects(sql);
    this.#looks = new Looks(sql);
    const [row] = sql.exec("SELECT json FROM standing");
    this.#standing = row && (JSON.parse(String(row["json"])) as Standing);
  }

  /** The batch; undefined before its beginning. */
  get batch(): Batch | undefined {
    return this.#standing?.batch;
  }

  /** Begins a batch, once. */
  begin(batch: Batch): void {
    if (this.#standing) return;
    const rest = { slots: 0, ...FULL_PACE, updatedAt: batch.createdAt };
    const isListed = batch.rules.events === "only";
    const state = isListed ? "running" : "listing";
    this.#keep({ batch, state, counts: NO_COUNTS, isListed, parts: 0, isProven: false, ...rest });
  }

  get progress(): Progress | undefined {
    if (!this.#standing) return undefined;
    const { state, counts, trouble, cursor, isListed, parts, sample, heardAt, updatedAt } = this.#standing;
    const maybe = { ...(trouble && { trouble }), ...(cursor !== undefined && { cursor }), ...(sample && { sample }) };
    return { state, counts, isListed, parts, updatedAt, ...maybe, ...(heardAt !== undefined && { heardAt }) };
  }

  /** All that there is to tell the account, as a text that changes with it. */
  get news(): string {
    return JSON.stringify([this.progress, this.inFlight]);
  }

  noteTold(news: string): void {
    this.#told = news;
  }

  /** Whether the account has heard how the batch stands; false where that is not known. */
  get isTold(): boolean {
    return this.#told === this.news;
  }

  /** Whether somebody waits to be notified of the end, which has come. */
  get owesNotice(): boolean {
    const standing = this.#standing;
    if (!standing?.batch.hasWebhook || standing.isNotified) return false;
    return FINAL.has(standing.state) || standing.state === "failed";
  }

  noteNotified(): void {
    if (this.#standing) this.#keep({ ...this.#standing, isNotified: true });
  }

  /** Whether the batch goes on by itself. */
  get isAtWork(): boolean {
    const state = this.#standing?.state;
    return state === "listing" || state === "running";
  }

  /** Whether it has objects to work on, or may have some soon; a dry run has none before its list is read. */
  get wantsSlots(): boolean {
    const standing = this.#standing;
    if (!standing || !this.isAtWork || this.isWaiting) return false;
    return !standing.batch.rules.isDryRun || standing.isListed;
  }

  /** Whether all is done that it has heard of, and nothing but the next notification is waited for. */
  get isWaiting(): boolean {
    const standing = this.#standing;
    if (!standing?.batch.rules.events || !standing.isListed) return false;
    return this.isAtWork && this.#objects.left === 0;
  }

  /**
   * Notes objects that a notification has told of.
   * @returns false: the batch is over; undefined: it has no room for more, and is to be told again
   */
  hear(objects: Part["objects"], now: number): boolean | undefined {
    const known = this.#standing;
    if (!known?.batch.rules.events || FINAL.has(known.state)) return false;
    const heard = objects.filter(({ key }) => isAbout(known.batch.rules, key));
    if (heard.length === 0) return true;
    if (this.#objects.left + heard.length > MAX_HEARD_OBJECTS) return undefined;
    this.#move(now, (standing) => {
      const { counts } = standing;
      const foundBytes = heard.reduce((sum, { bytes }) => sum + bytes, counts.foundBytes);
      standing.counts = { ...counts, found: counts.found + heard.length, foundBytes };
      standing.heardAt = now;
      this.#objects.addHeard(heard);
    });
    return true;
  }

  /** Whether what a notification tells of is for this batch, which is not over. */
  isMeant(objects: Part["objects"]): boolean {
    const standing = this.#standing;
    if (!standing?.batch.rules.events || FINAL.has(standing.state)) return false;
    return objects.some(({ key }) => isAbout(standing.batch.rules, key));
  }

  /** Whether it waits for its account to let it work. */
  get lacksSlots(): boolean {
    return this.wantsSlots && this.#standing?.slots === 0;
  }

  /** The failures that are kept, the latest first. */
  failures(offset: number, limit: number): FailedObject[] {
    return this.#objects.failures(offset, limit);
  }

  /** Objects that look like others, and whether all were compared. */
  alike(offset: number, limit: number): { readonly alike: Alike[]; readonly isComplete: boolean } {
    return { alike: this.#looks.alike(offset, limit), isComplete: this.#looks.isComplete };
  }

  /** Stops for a while: what is worked on is brought to its end. */
  pause(now: number, trouble?: Trouble): void {
    this.#move(now, (standing) => {
      if (this.isAtWork) Object.assign(standing, { state: "paused", trouble });
    });
  }

  /** The list cannot be read: the batch stands where it is. */
  fail(now: number, trouble: Trouble): void {
    this.#move(now, (standing) => {
      if (this.isAtWork) Object.assign(standing, { state: "failed", trouble });
    });
  }

  /**
   * Goes on after a pause or a failure.
   * @param keyId of the key in whose name it does, from now on
   */
  resume(now: number, keyId?: string): void {
    this.#move(now, (standing) => {
      if (standing.state !== "paused" && standing.state !== "failed") return;
      if (keyId !== undefined) Object.assign(standing, { batch: { ...standing.batch, keyId } });
      const state = standing.isListed || standing.counts.found > 0 ? "running" : "listing";
      Object.assign(standing, { state, trouble: undefined, holdUntil: 0, pauses: 0 });
      // The last of its objects may have come to an end during the pause.
      this.#endIfDone(standing);
    });
  }

  /** Ends the batch: what was not begun is left as it is. */
  cancel(now: number): void {
    this.#move(now, (standing) => {
      if (FINAL.has(standing.state)) return;
      Object.assign(standing, { state: "canceled", trouble: undefined });
      this.#objects.removeWaiting();
    });
  }

  /** Whether the next part of the list is to be read. */
  get wantsList(): boolean {
    const standing = this.#standing;
    if (!standing || !this.isAtWork || standing.isListed) return false;
    return standing.batch.rules.isDryRun || this.#objects.left <= FEW_WAITING_OBJECTS;
  }

  /** Where the list goes on, and a stamp that says that nobody has taken a part of it meanwhile. */
  get listFrom(): string | undefined {
    return this.#standing?.cursor;
  }

  /** Takes a part of the list, unless it was taken before. */
  takePart(from: string | undefined, { objects, others, cursor }: Part, now: number): void {
    this.#move(now, (standing) => {
      if (standing.isListed || standing.cursor !== from || !this.isAtWork) return;
      const { counts, batch } = standing;
      const foundBytes = objects.reduce((sum, { bytes }) => sum + bytes, counts.foundBytes);
      standing.counts = {
        ...counts,
        found: counts.found + objects.length,
        foundBytes,
        others: counts.others + others,
      };
      standing.cursor = cursor ?? standing.cursor;
      standing.isListed = cursor === undefined;
      Object.assign(standing, { pauses: 0, parts: standing.parts + 1 });
      if (!standing.isListed && standing.parts >= MAX_LIST_PARTS) {
        const trouble = troubleOf(
          422,
          `The store has a list of more than ${MAX_LIST_PARTS} parts, which may have no end`,
        );
        Object.assign(standing, { state: "failed", trouble, parts: 0 });
      }
      if (batch.rules.isDryRun) this.#pick(standing, objects, counts.found);
      else this.#objects.add(objects);
      const isBegun = standing.counts.found > 0 && (standing.isListed || !batch.rules.isDryRun);
      if (isBegun && standing.state !== "failed") standing.state = "running";
      this.#endIfDone(standing);
    });
  }

  /** A dry run works on some of the objects, once it has seen all. */
  #pick(standing: Standing, objects: Part["objects"], before: number): void {
    const picks = picked(standing.picks ?? [], objects, { before, random: this.#random });
    standing.picks = standing.isListed ? [] : picks;
    if (standing.isListed) this.#objects.add(picks);
  }

  /** Objects that somebody was told of, or works on. */
  get inFlight(): number {
    return this.#objects.inFlight;
  }

  /** How many objects the account lets this batch work on at once. */
  grant(slots: number): void {
    const standing = this.#standing;
    if (standing && standing.slots !== slots) this.#keep({ ...standing, slots });
  }

  /** Gives what the dead had in their hands back, and takes as many objects as may be worked on now: each is to be told of. */
  handOut(now: number): number[] {
    return this.#whole(() => {
      const standing = this.#standing;
      // A batch that stands still has its dead, too: until they are counted out it would hold what others may work on.
      const isOver = standing?.state === "canceled";
      if (isOver) this.#objects.removeDead(now);
      else this.#objects.returnDead(now);
      if (!standing || !this.isAtWork || standing.holdUntil > now) return [];
      const free = Math.min(standing.slots, standing.pace) - this.inFlight;
      return free <= 0 ? [] : this.#objects.handOut(free, now, Object.keys(standing.refused ?? {}));
    });
  }

  /** Nobody was told of these after all. */
  takeBack(numbers: readonly number[]): void {
    this.#objects.takeBack(numbers);
  }

  /** Takes an object, unless it is over, somebody is at it, or the batch stands still: then it waits. */
  claim(n: number, token: string, now: number): ClaimedObject | undefined {
    const standing = this.#standing;
    if (!standing) return undefined;
    if (!this.isAtWork) {
      this.takeBack([n]);
      return undefined;
    }
    const claimed = this.#objects.claim(n, token, now);
    if (claimed) return { ...claimed, token, batch: standing.batch, isProven: standing.isProven };
    this.#giveUpDead(n, now);
    return undefined;
  }

  /** An object whose every start ended without a word is what ends its isolate. */
  #giveUpDead(n: number, now: number): void {
    this.#move(now, (standing) => {
      const dead = this.#objects.removeWornOut(n, now);
      if (dead === undefined) return;
      this.#fail(standing, dead, INTERNAL, now);
      this.#endIfDone(standing);
    });
  }

  /**
   * What came of an object that was claimed under this token.
   * @returns false when it is in other hands: what was done is theirs to tell
   */
  finish(n: number, token: string, outcome: ObjectOutcome, now: number): boolean {
    return this.#move(now, (standing) => {
      const held = this.#objects.heldBy(n, token);
      if (!held) return false;
      const isDryRun = standing.batch.rules.isDryRun;
      const tried = isDryRun && outcome.kind === "halt" ? ({ ...outcome, kind: "failed" } as const) : outcome;
      const refusal = tried.kind === "wait" && tried.why === "store" ? this.#refuse(standing, n) : undefined;
      const failure = tried.kind === "failed" ? tried : (refusal ?? failureOf(tried, held.starts, held.changes));
      if (isDryRun) this.#learnBySample(standing, held, failure ? { kind: "failed", ...failure } : tried, now);
      else if (failure) this.#fail(standing, held.key, failure, now);
      else if (outcome.kind === "done") standing.counts = withDone(standing.counts, outcome);
      else if (outcome.kind === "skipped")
        standing.counts = { ...standing.counts, skipped: standing.counts.skipped + 1 };
      else if (outcome.kind === "own") standing.counts = withoutOne(standing.counts, held.bytes);
      const isOver = failure !== undefined || OVER.has(outcome.kind);
      if ("phash" in outcome && outcome.phash !== undefined) this.#looks.add(held.key, outcome.phash);
      if (isOver && standing.refused) standing.refused = withoutRefused(standing.refused, n);
      if (isOver || standing.state === "canceled") this.#objects.remove(n);
      else this.#objects.putBack(n, tried);
      // Of an object that the store gives to nobody it asks for time in vain.
      if (refusal) Object.assign(standing, { pauses: 0 });
      else this.#learn(standing, tried, now);
      this.#endIfDone(standing);
      return true;
    });
  }

  #refuse(standing: Standing, n: number): Trouble | undefined {
    const { counts, sample = NO_SAMPLE } = standing;
    const given = counts.done + counts.skipped + sample.objects - sample.failed;
    const { refused, trouble } = refusedAgain(standing.refused ?? {}, n, given);
    standing.refused = refused;
    return trouble;
  }

  #learnBySample(standing: Standing, { key, bytes }: Begun, outcome: ObjectOutcome, at: number): void {
    standing.sample = withOutcome(standing.sample ?? NO_SAMPLE, bytes, outcome);
    if (outcome.kind === "failed")
      this.#objects.keepFailure({ key, error: outcome.error, message: outcome.message, at });
  }

  /** A store that asks for time gets it, and half as much work; one that does not gets more, little by little. */
  #learn(standing: Standing, outcome: ObjectOutcome, now: number): void {
    if (outcome.kind === "halt") {
      if (this.isAtWork) Object.assign(standing, { state: "paused", trouble: plain(outcome) });
    } else if (outcome.kind === "wait" && outcome.why === "store") this.#slowDown(standing, outcome.seconds, now);
    else if (outcome.kind === "wait") {
      const holdUntil = Math.max(standing.holdUntil, now + (outcome.seconds ?? 1) * 1_000);
      Object.assign(standing, { holdUntil });
    } else if (outcome.kind === "done" || outcome.kind === "skipped") {
      standing.isProven ||= outcome.kind === "done";
      Object.assign(standing, quickened(standing));
    }
  }

  /** The store asked for time while its list was read. */
  slowDown(seconds: number | undefined, now: number): void {
    this.#move(now, (standing) => this.#slowDown(standing, seconds, now));
  }

  #slowDown(standing: Standing, seconds: number | undefined, now: number): void {
    // Several that were at work when it began to say so have heard one and the same thing.
    if (standing.holdUntil > now) return;
    Object.assign(standing, slowed(standing, seconds, { now, random: this.#random }));
    if (!isTooSlow(standing) || !this.isAtWork) return;
    const trouble = troubleOf(422, "The store has asked for time again and again, or does not answer");
    Object.assign(standing, { state: "paused", trouble });
  }

  /** Until when nothing is handed out. */
  get holdUntil(): number {
    return this.#standing?.holdUntil ?? 0;
  }

  #fail(standing: Standing, key: string, { error, message }: Trouble, at: number): void {
    const { failed } = standing.counts;
    standing.counts = { ...standing.counts, failed: failed + 1 };
    if (failed < MAX_KEPT_FAILURES) this.#objects.keepFailure({ key, error, message, at });
  }

  #endIfDone(standing: Standing): void {
    if (standing.state === "running" || standing.state === "listing") {
      if (standing.isListed && this.#objects.left === 0 && !standing.batch.rules.events) standing.state = "done";
    }
  }

  /** One move: all of it, or none. */
  #move<Result>(now: number, change: (standing: Standing) => Result): Result | false {
    const known = this.#standing;
    if (!known) return false;
    return this.#whole(() => {
      const standing = { ...known };
      this.#standing = standing;
      const result = change(standing);
      standing.updatedAt = now;
      this.#keep(standing);
      return result;
    });
  }

  /** Of moves that are undone nothing is remembered, either. */
  #whole<Result>(moves: () => Result): Result {
    const known = this.#standing;
    try {
      return this.#sql.transaction(moves);
    } catch (error) {
      this.#standing = known;
      this.#objects.forget();
      throw error;
    }
  }

  #keep(standing: Standing): void {
    this.#sql.exec("INSERT OR REPLACE INTO standing (id, json) VALUES (1, ?)", JSON.stringify(standing));
    this.#standing = standing;
  }
}

function plain({ error, message }: Trouble): Trouble {
  return { error, message };
}
