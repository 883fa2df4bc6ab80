/**
 * A batch in a world that goes wrong: its keeper and those who work for it are killed between any two steps, messages are lost
 * and come twice, objects are replaced and deleted meanwhile, and the store is overburdened, or does its work and loses the
 * answer. The clock is simulated; state, moves and steps are the real ones.
 */
import { attend, type AttendPorts } from "../../src/batch/attend.ts";
import { Machine } from "../../src/batch/machine.ts";
import { markText, recipeOf } from "../../src/batch/mark.ts";
import { type ObjectPorts, type ObjectStore, workOn } from "../../src/batch/object.ts";
import type { Sql } from "../../src/batch/objects.ts";
import type { Batch, ObjectOutcome } from "../../src/batch/rules.ts";
import { BATCH_CONCURRENCY } from "../../src/limits/batch.ts";
import { StoreError } from "../../src/storage/session.ts";

export const BATCH: Batch = {
  id: "0f8fad5b-d9cb-469f-a165-70867728950e",
  accountId: "a",
  database: "DB",
  keyId: "k",
  createdAt: 0,
  rules: {
    source: { connector: "c", prefix: "p/" },
    processing: {},
    target: "in-place",
    onlyIfSmaller: 5,
    isDryRun: false,
  },
};

class Killed extends Error {}

export interface Trouble {
  /**
   * Chances, each of a step: that it is the last of its process, that the store asks for time, that an object is replaced, that
   * the owner pauses the batch.
   */
  readonly kill: number;
  readonly busy: number;
  readonly change: number;
  readonly pause: number;
}

export class BatchWorld {
  now = 0;
  kills = 0;
  changes = 0;
  /** Most objects that were known at a time, and most that were worked on at once. */
  mostKnown = 0;
  mostAtOnce = 0;
  readonly writes: Uint8Array;
  /** What is wrong: originals that were written over, versions that were done twice. */
  readonly wrong: string[] = [];
  readonly versions: Uint16Array;
  /** Which version the result is of that lies there; 0: the original lies there. */
  readonly results: Uint16Array;
  readonly gone: Uint8Array;
  #machine: Machine;
  #queue: number[] = [];
  #working = 0;
  #etags: Uint32Array;
  #isBusy = false;
  #isWatched = false;
  #recipe = "";
  readonly #sql: Sql;
  readonly #random: () => number;
  readonly #trouble: Trouble;
  readonly #count: number;

  constructor(sql: Sql, count: number, trouble: Trouble, random: () => number) {
    this.#random = random;
    this.#trouble = trouble;
    this.#count = count;
    this.versions = new Uint16Array(count).fill(1);
    this.results = new Uint16Array(count);
    this.gone = new Uint8Array(count);
    this.writes = new Uint8Array(count);
    this.#etags = new Uint32Array(count).fill(1);
    const dying: Sql = {
      exec: (statement, ...values) => {
        this.#step();
        return sql.exec(statement, ...values);
      },
      transaction: sql.transaction,
    };
    this.#sql = dying;
    this.#machine = new Machine(sql, random);
    this.#machine.begin(BATCH);
  }

  get progress() {
    return this.#machine.progress;
  }

  /**
   * Until the batch stands still.
   * @param pause lets others have a turn, now and then
   */
  async run(pause?: () => Promise<void>): Promise<void> {
    this.#recipe = await recipeOf(BATCH);
    for (let rounds = 0; this.#watched(() => this.#machine.isAtWork || this.#machine.inFlight > 0); rounds += 1) {
      // oxlint-disable-next-line no-await-in-loop -- others have a turn here
      if (rounds % 1_000 === 999) await pause?.();
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await this.#survive(() => attend(this.#machine, this.#ports()));
      this.#watched(() => this.#compare());
      const messages = this.#queue.splice(0, 12);
      if (messages.length === 0) this.now += 30_000;
      // oxlint-disable-next-line no-await-in-loop -- the next look is after it
      await Promise.all(messages.map((object) => this.#work(object)));
      this.now += 50;
      this.#isBusy = this.#isBusy ? this.#random() > 0.05 : this.#random() < this.#trouble.busy;
      // Its owner lets it go on, whatever made it stop.
      if (this.#machine.progress?.state === "paused") this.#watched(() => this.#machine.resume(this.now));
    }
  }

  #compare(): void {
    const [row] = this.#sql.exec("SELECT COUNT(*) AS n, COUNT(until) AS flying FROM objects");
    this.mostKnown = Math.max(this.mostKnown, Number(row?.["n"]));
    const [flying, known] = [Number(row?.["flying"]), this.#machine.inFlight];
    if (flying !== known) this.wrong.push(`${flying} objects are in somebody's hands, and ${known} are said to be`);
  }

  /** What the test looks at, and does, kills nobody. */
  #watched<Result>(look: () => Result): Result {
    this.#isWatched = true;
    try {
      return look();
    } finally {
      this.#isWatched = false;
    }
  }

  #step(): void {
    if (!this.#isWatched && this.#random() < this.#trouble.kill) throw new Killed();
  }

  /** A keeper that was killed begins anew with what its database has. */
  async #survive<Result>(move: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await move();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.kills += 1;
      for (;;) {
        try {
          this.#machine = new Machine(this.#sql, this.#random);
          return undefined;
        } catch (again) {
          if (!(again instanceof Killed)) throw again;
        }
      }
    }
  }

  #ports(): AttendPorts {
    return {
      now: () => this.now,
      list: async ({ cursor, limit }) => {
        this.#step();
        if (this.#isBusy) throw new StoreError("store: x answered 503");
        const first = cursor === undefined ? 0 : numberOf(cursor) + 1;
        const last = Math.min(this.#count, first + limit);
        const objects = Array.from({ length: last - first }, (_, at) => ({ key: nameOf(first + at), bytes: 100 }));
        return { objects, ...(last < this.#count && { cursor: nameOf(last - 1) }) };
      },
      cursorAfter: async () => undefined,
      whyEnded: async () => undefined,
      report: async () => {
        this.#step();
        return BATCH_CONCURRENCY;
      },
      tell: async (objects) => {
        this.#step();
        for (const object of objects) {
          const chance = this.#random();
          if (chance > this.#trouble.kill) this.#queue.push(object);
          if (chance > 1 - this.#trouble.kill * 10) this.#queue.push(object);
        }
      },
      fault: () => undefined,
    };
  }

  async #work(object: number): Promise<void> {
    const token = String(this.#random());
    const claimed = await this.#survive(() => this.#machine.claim(object, token, this.now));
    if (!claimed) return;
    this.#working += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#working);
    try {
      const outcome = await workOn(claimed, this.#objectPorts()).catch((error: unknown): ObjectOutcome => {
        if (error instanceof StoreError) return { kind: "wait", why: "store" };
        throw error;
      });
      this.#step();
      await this.#survive(() => this.#machine.finish(object, token, outcome, this.now));
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.kills += 1;
      // What a queue has not heard of comes again, now or when the lease is over.
      if (this.#random() < 0.5) this.#queue.push(object);
    } finally {
      this.#working -= 1;
    }
  }

  /** The world goes on between two steps of whoever works. */
  async #meanwhile(n: number): Promise<void> {
    this.#step();
    for (let turns = Math.floor(this.#random() * 3); turns > 0; turns -= 1) {
      // oxlint-disable-next-line no-await-in-loop -- others take their turn
      await Promise.resolve();
    }
    if (this.#random() < this.#trouble.pause) this.#watched(() => this.#machine.pause(this.now));
    if (this.#random() >= this.#trouble.change) return;
    this.changes += 1;
    if (this.#random() < 0.1) this.gone[n] = 1;
    this.versions[n] = (this.versions[n] ?? 0) + 1;
    this.results[n] = 0;
    this.writes[n] = 0;
    this.#etags[n] = (this.#etags[n] ?? 0) + 1;
  }

  #objectPorts(): ObjectPorts {
    const store = this.#store();
    return {
      source: store,
      target: store,
      reserve: async () => undefined,
      make: async (original, take) => {
        this.#step();
        await take({ bytes: original.bytes.subarray(0, 50), mime: "image/jpeg", name: "a.jpg" });
      },
    };
  }

  #store(): ObjectStore {
    return {
      told: (answered) => ({ mark: answered.get("mark") ?? undefined, version: answered.get("etag") ?? undefined }),
      kept: async () => new Headers(),
      remove: async () => undefined,
      read: async (key, isWanted) => {
        const n = numberOf(key);
        await this.#meanwhile(n);
        if (this.#isBusy) throw new StoreError("store: x answered 503");
        if (this.gone[n] === 1) return undefined;
        const mark = { recipe: this.#recipe, key: "k", version: "v", batch: BATCH.id, before: 100 };
        const answered = new Headers({ etag: String(this.#etags[n]), "content-length": "50" });
        if (this.results[n] !== 0) answered.set("mark", markText(mark));
        const bytes = new Uint8Array(100);
        new DataView(bytes.buffer).setUint32(0, this.versions[n] ?? 0);
        if (!(await isWanted(answered))) return { answered };
        const memory = { grow: async () => undefined, shrink: () => undefined, release: () => undefined } as never;
        return { answered, original: { bytes, name: "a.jpg", memory } };
      },
      put: async ({ key, bytes, condition, mark }) => {
        // A store that compares versions takes no write under a condition that cannot hold.
        if (condition.is === "never") return false;
        const n = numberOf(key);
        await this.#meanwhile(n);
        const isBusy = this.#isBusy;
        const isMet = condition.is === "version" && condition.version === String(this.#etags[n]) && this.gone[n] === 0;
        // Some do their work, and lose the answer.
        if (isBusy && this.#random() < 0.7) throw new StoreError("store: x answered 503");
        if (isMet) this.#put(n, new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), mark);
        if (isBusy) throw new StoreError("store: x did not answer in time");
        await this.#meanwhile(n);
        return isMet;
      },
    };
  }

  #put(n: number, version: number, mark: string | undefined): void {
    if (version !== this.versions[n])
      this.wrong.push(`${n}: version ${this.versions[n]} was written over by ${version}`);
    if (mark === undefined) this.wrong.push(`${n}: an original was written without a mark`);
    this.writes[n] = (this.writes[n] ?? 0) + 1;
    if ((this.writes[n] ?? 0) > 1) this.wrong.push(`${n}: version ${version} was done twice`);
    this.results[n] = version;
    this.#etags[n] = (this.#etags[n] ?? 0) + 1;
  }
}

function nameOf(n: number): string {
  return `p/${String(n).padStart(9, "0")}.jpg`;
}

function numberOf(key: string): number {
  return Number(key.slice(2, -4));
}
