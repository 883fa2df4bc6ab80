/** The fifth entrance: a batch. The Durable Object around the state of one, which tells the queue of its objects. */
import { DurableObject } from "cloudflare:workers";

import { databaseNamed } from "../account/databases.ts";
import { attend, type AttendPorts, handOut } from "../batch/attend.ts";
import { whyEnded, whyUnseen } from "../batch/authority.ts";
import { unlisten } from "../batch/events.ts";
import { Hearing } from "../batch/hearing.ts";
import type { Alike } from "../batch/looks.ts";
import { Machine } from "../batch/machine.ts";
import type { Sql, SqlRow } from "../batch/objects.ts";
import { endText } from "../batch/record.ts";
import { deleteBatch, reportBatch } from "../batch/rows.ts";
import type { Batch, ClaimedObject, FailedObject, ObjectOutcome, Progress } from "../batch/rules.ts";
import type { ObjectMessage } from "../batch/run.ts";
import { openConnector } from "../batch/stores.ts";
import { settingsOf } from "../env.ts";
import { BATCH_KEPT_DAYS, BATCH_LOOK_MS } from "../limits/batch.ts";
import { causesOf, logLine } from "../log.ts";
import { recordPortsOf, wakeCourier } from "../pipeline/notices.ts";
import { endAwaited } from "../webhook/awaited.ts";
import { placed } from "./placed.ts";

const DAY_MS = 86_400_000;

/**
 * Wakes while its batch is at work, every few seconds and when somebody has something for it, and deletes itself some time
 * after the end. Alarms are durable, so that nothing that happens to it ends the batch.
 */
export class BatchKeeper extends DurableObject<Env> {
  readonly #machine: Machine;
  readonly #hearing: Hearing;
  /** How often somebody had something for it. */
  #wakes = 0;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const sql = sqlOf(state.storage);
    this.#machine = new Machine(sql);
    this.#hearing = new Hearing(sql);
  }

  /** Begins the batch, once, and tells of it. */
  async show(batch: Batch): Promise<Progress> {
    const isNew = this.#machine.batch === undefined;
    this.#machine.begin(batch);
    if (isNew) await this.#look();
    return this.#progress;
  }

  async failures(offset: number, limit: number): Promise<FailedObject[]> {
    return this.#machine.failures(offset, limit);
  }

  async alike(offset: number, limit: number): Promise<{ alike: Alike[]; isComplete: boolean }> {
    return this.#machine.alike(offset, limit);
  }

  /** What its owner says; a batch that it does not fit stays as it is. */
  async control(batch: Batch, order: "pause" | "resume" | "cancel", keyId: string): Promise<Progress> {
    this.#machine.begin(batch);
    if (order === "resume") {
      this.#machine.resume(Date.now(), keyId);
      this.#hearing.forget();
    } else this.#machine[order](Date.now());
    await this.#look();
    return this.#progress;
  }

  /**
   * Notes new objects of the bucket.
   * @returns false: it is over; undefined: it is to be told again later
   */
  async hear(objects: readonly { readonly key: string; readonly bytes: number }[]): Promise<boolean | undefined> {
    if (this.#machine.isMeant(objects)) {
      const mayHear = await this.#mayHear();
      if (!mayHear) return mayHear === undefined ? undefined : true;
    }
    const isHeard = this.#machine.hear(objects, Date.now());
    if (isHeard && this.#machine.isAtWork && !this.#machine.isWaiting) await this.#look();
    return isHeard;
  }

  /**
   * Whether names of its bucket are still for this batch: its key opens its account, and its store lists them to it.
   * Undefined: neither can be said now.
   */
  async #mayHear(): Promise<boolean | undefined> {
    const known = this.#hearing.isAllowed(Date.now());
    const { batch } = this.#machine;
    if (known !== undefined || !batch) return known ?? false;
    try {
      const ended = await whyEnded(placed(this.env).DB, batch, Date.now());
      const trouble = ended ?? (await whyUnseen(() => this.#open(batch), batch.rules.source.prefix));
      this.#hearing.note(!trouble, Date.now());
      if (trouble) this.#machine.pause(Date.now(), trouble);
      if (trouble) await this.#look();
      return !trouble;
    } catch (error) {
      logLine("error", { id: batch.id, event: "batch", causes: causesOf(error) });
      return undefined;
    }
  }

  #open(batch: Batch) {
    const env = placed(this.env);
    return openConnector(env, settingsOf(env), batch, batch.rules.source.connector);
  }

  async claim(object: number, token: string): Promise<ClaimedObject | undefined> {
    return this.#machine.claim(object, token, Date.now());
  }

  /** @returns false when the object is in other hands */
  async finish(object: number, token: string, outcome: ObjectOutcome): Promise<boolean> {
    const isTold = this.#machine.finish(object, token, outcome, Date.now());
    if (!this.#machine.isAtWork || this.#machine.wantsList) await this.#look();
    else await handOut(this.#machine, this.#ports());
    return isTold;
  }

  override async alarm(): Promise<void> {
    const { progress, batch, isAtWork } = this.#machine;
    if (!progress || !batch) return;
    const endsAt = progress.updatedAt + BATCH_KEPT_DAYS * DAY_MS;
    // The platform gives an alarm up that has failed often, and ends one that takes too long: the next one is set before.
    await this.ctx.storage.setAlarm(Date.now() + BATCH_LOOK_MS);
    if (!isAtWork && this.#machine.inFlight === 0 && endsAt <= Date.now()) return this.#forget(batch);
    const wakes = this.#wakes;
    const isMore = await attend(this.#machine, this.#ports()).catch((error: unknown) => {
      logLine("error", { id: batch.id, event: "batch", causes: causesOf(error) });
      return false;
    });
    await this.#notify();
    // Who has called meanwhile has something to be told, or done.
    await this.ctx.storage.setAlarm(this.#nextLook(isMore || wakes !== this.#wakes));
  }

  async #forget(batch: Batch): Promise<void> {
    try {
      await deleteBatch(databaseNamed(this.env, batch.database), batch.id);
      if (batch.bucket !== undefined) await unlisten(this.env.DB, batch.bucket, batch.id);
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    } catch (error) {
      logLine("error", { id: batch.id, event: "batch", causes: causesOf(error) });
    }
  }

  /** Has somebody told of the end who waits for it; a fault is made good by the next look. */
  async #notify(): Promise<void> {
    const { batch, progress, owesNotice } = this.#machine;
    if (!owesNotice || !batch || !progress) return;
    try {
      const { id, database } = batch;
      const env = placed(this.env);
      const dueAt = await endAwaited(batch, endText(batch, progress), recordPortsOf(env, database));
      if (dueAt !== undefined) await wakeCourier(env, id, dueAt, database);
      this.#machine.noteNotified();
    } catch (error) {
      logLine("error", { id: batch.id, event: "batch", causes: causesOf(error) });
    }
  }

  #nextLook(isMore: boolean): number {
    const now = Date.now();
    const { isAtWork, isWaiting, inFlight, holdUntil, progress, isTold, owesNotice } = this.#machine;
    if (isMore) return now;
    if (isWaiting && isTold) return now + BATCH_KEPT_DAYS * DAY_MS;
    if (!isAtWork && inFlight === 0 && isTold && !owesNotice)
      return (progress?.updatedAt ?? now) + BATCH_KEPT_DAYS * DAY_MS;
    return holdUntil > now ? Math.min(holdUntil, now + BATCH_LOOK_MS) : now + BATCH_LOOK_MS;
  }

  get #progress(): Progress {
    const { progress } = this.#machine;
    if (!progress) throw new Error("A batch was asked for that has not begun");
    return progress;
  }

  /** At once, by the clock: whoever calls does not wait for lists and databases. */
  async #look(): Promise<void> {
    this.#wakes += 1;
    await this.ctx.storage.setAlarm(Date.now());
  }

  #ports(): AttendPorts {
    const { batch } = this.#machine;
    if (!batch) throw new Error("A batch looks at itself before it has begun");
    const env = placed(this.env);
    let opened: ReturnType<typeof openConnector> | undefined;
    const open = () => (opened ??= this.#open(batch));
    return {
      now: () => Date.now(),
      whyEnded: () => whyEnded(env.DB, batch, Date.now()),
      list: async (ask) => (await open()).list(ask),
      cursorAfter: async (key) => (await open()).row.cursorAfter?.(key),
      report: (told) => reportBatch(databaseNamed(env, batch.database), batch, told),
      tell: async (objects) => {
        const messages = objects.map((object): ObjectMessage => ({ kind: "object", id: batch.id, object }));
        await env.QUEUE.sendBatch(messages.map((body) => ({ body })));
      },
      fault: (error) => logLine("error", { id: batch.id, event: "batch", causes: causesOf(error) }),
    };
  }
}

function sqlOf(storage: DurableObjectStorage): Sql {
  return {
    exec: (statement, ...values) =>
      storage.sql.exec<Record<keyof SqlRow, string | number | null>>(statement, ...values).toArray(),
    transaction: (moves) => storage.transactionSync(moves),
  };
}
