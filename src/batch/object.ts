/**
 * What is done to one object, from its name to its result. Whatever ends it in the midst, it can be begun again: a result
 * carries a mark, and every write names the version that it replaces.
 */
import { ApiError } from "../errors.ts";
import type { Encoded } from "../files.ts";
import type { Original } from "../source/original.ts";
import type { Condition, Told } from "../storage/provider.ts";
import { type Mark, markText, readMark, recipeOf, shortHash } from "./mark.ts";
import { isOfType, resultKey } from "./names.ts";
import { type BatchTarget, type ClaimedObject, IN_PLACE, type ObjectOutcome, troubleOf } from "./rules.ts";

/** What an object is written with. */
export interface ObjectWrite {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly condition: Condition;
  readonly mark: string | undefined;
  /** What stays of the object that is replaced, as its store tells it. */
  readonly kept?: Headers;
}

/** A store as a batch sees it. */
export interface ObjectStore {
  /**
   * Reads an object, if its headers say that it is wanted.
   * @returns the headers alone of one that is not; undefined where there is none
   */
  readonly read: (
    key: string,
    isWanted: (answered: Headers) => Promise<boolean>,
  ) => Promise<{ readonly answered: Headers; readonly original?: Original } | undefined>;
  readonly told: (answered: Headers) => Told;
  readonly kept: (key: string, answered: Headers) => Promise<Headers>;
  /** @returns false where the condition does not hold */
  readonly put: (write: ObjectWrite) => Promise<boolean>;
  readonly remove: (key: string) => Promise<void>;
}

export interface ObjectPorts {
  readonly source: ObjectStore;
  /** That of the originals, in place. */
  readonly target: ObjectStore;
  /** Takes a credit; an outcome, where there is none. */
  readonly reserve: () => Promise<ObjectOutcome | undefined>;
  /**
   * Works on an original, whose memory it gives back, and hands the result over.
   * @throws ApiError below 500 when the picture is at fault, 503 when there is no capacity
   */
  readonly make: (original: Original, take: (encoded: Encoded) => Promise<void>) => Promise<void>;
}

/** Ends the work on an object with an outcome. */
class Ended extends Error {
  readonly outcome: ObjectOutcome;

  constructor(outcome: ObjectOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/** Ended: what is left of it is not begun. @throws what is a fault of ours, or of a store */
export async function workOn(claimed: ClaimedObject, ports: ObjectPorts): Promise<ObjectOutcome> {
  try {
    return await new ObjectWork(claimed, ports, await recipeOf(claimed.batch)).run();
  } catch (error) {
    if (error instanceof Ended) return error.outcome;
    throw error;
  }
}

const SKIPPED: ObjectOutcome = { kind: "skipped" };
const CHANGED: ObjectOutcome = { kind: "changed" };
/** Bodies that stores give out as they lie there, and that a client undoes. */
const ENCODED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Of a name, so that what is added fits into the kilobyte of bytes that names may have. */
const MAX_PROBED_CHARACTERS = 240;

class ObjectWork {
  readonly #claimed: ClaimedObject;
  readonly #ports: ObjectPorts;
  readonly #recipe: string;
  /** Set when the object turns out to be done, or not to be wanted. */
  #outcome: ObjectOutcome | undefined;

  constructor(claimed: ClaimedObject, ports: ObjectPorts, recipe: string) {
    this.#claimed = claimed;
    this.#ports = ports;
    this.#recipe = recipe;
  }

  async run(): Promise<ObjectOutcome> {
    const { source, make } = this.#ports;
    let condition: Condition | undefined;
    const found = await source.read(this.#claimed.key, async (answered) => {
      const mark = await this.#markFor(answered);
      this.#outcome = this.#isOwn(answered) ? { kind: "own" } : undefined;
      if (!this.#outcome && this.#isInPlace) this.#outcome = this.#lookInPlace(answered);
      if (!this.#outcome && !this.#isInPlace) condition = await this.#lookAtTarget(mark);
      this.#outcome ??= await this.#ports.reserve();
      return this.#outcome === undefined;
    });
    // It was deleted since it was listed.
    if (!found) return SKIPPED;
    const { answered, original } = found;
    if (!original) return this.#outcome ?? SKIPPED;
    const before = original.bytes.length;
    const mark = { ...(await this.#markFor(answered)), before };
    let outcome: ObjectOutcome = SKIPPED;
    await make(original, async (encoded) => {
      const isSmaller = encoded.bytes.length <= before * (1 - this.#claimed.batch.rules.onlyIfSmaller / 100);
      if (!isSmaller) return;
      if (this.#claimed.batch.rules.isDryRun) outcome = this.#wouldBe(encoded, answered, before);
      else
        outcome = this.#isInPlace
          ? await this.#replace(encoded, answered, mark)
          : await this.#write(encoded, condition ?? { is: "absent" }, mark);
    });
    return outcome;
  }

  /** What would come of an object in a dry run, which writes nothing. */
  #wouldBe({ bytes, mime }: Encoded, answered: Headers, before: number): ObjectOutcome {
    const isWritten = !this.#isInPlace || isOfType(this.#claimed.key, answered.get("content-type"), mime);
    return isWritten ? { kind: "done", before, after: bytes.length } : SKIPPED;
  }

  get #isInPlace(): boolean {
    return this.#claimed.batch.rules.target === IN_PLACE;
  }

  async #markFor(answered: Headers): Promise<Mark> {
    const { version } = this.#ports.source.told(answered);
    // Without a version the moment of the last change tells versions apart.
    const [key, hash] = await Promise.all([
      shortHash(this.#claimed.key),
      shortHash(version ?? answered.get("last-modified") ?? ""),
    ]);
    return { recipe: this.#recipe, key, version: hash, batch: this.#claimed.batch.id, before: 0 };
  }

  /** Results of other batches in the same place count as own ones: two of them would wake each other for ever. */
  #isOwn(answered: Headers): boolean {
    const { isHeard, batch } = this.#claimed;
    const known = isHeard ? readMark(this.#ports.source.told(answered).mark) : undefined;
    return known !== undefined && (this.#isInPlace || known.batch === batch.id);
  }

  /** What was done to the object already, or why it is not replaced. */
  #lookInPlace(answered: Headers): ObjectOutcome | undefined {
    // The result is not encoded, and would be served as if it were.
    if (ENCODED.test(answered.get("content-encoding") ?? "")) {
      return { kind: "failed", ...troubleOf(422, "An object that is stored with a content encoding is not replaced") };
    }
    const known = readMark(this.#ports.source.told(answered).mark);
    return known?.recipe === this.#recipe ? this.#doneBy(known, answered) : undefined;
  }

  /** What this batch has done, and could not tell of any more, counts; what another one did is left as it is. */
  #doneBy(known: Mark, answered: Headers): ObjectOutcome {
    if (known.batch !== this.#claimed.batch.id) return SKIPPED;
    return { kind: "done", before: known.before, after: Number(answered.get("content-length") ?? 0) };
  }

  /** Under which condition the result may be written; the outcome is set where it is there. */
  async #lookAtTarget(mark: Mark): Promise<Condition | undefined> {
    return this.#conditionAt(this.#nameOf(this.#namedType()), mark);
  }

  async #conditionAt(key: string, mark: Mark): Promise<Condition | undefined> {
    const { target } = this.#ports;
    const found = await target.read(key, async () => false);
    if (!found) return { is: "absent" };
    const { mark: text, version } = target.told(found.answered);
    const known = readMark(text);
    if (!known)
      throw new Ended({ kind: "failed", ...troubleOf(422, "An object of this name is there that no batch has made") });
    if (known.key !== mark.key) {
      throw new Ended({ kind: "failed", ...troubleOf(422, "Another original has a result of this name") });
    }
    if (known.recipe === mark.recipe && known.version === mark.version) {
      this.#outcome = this.#doneBy(known, found.answered);
      return undefined;
    }
    return version === undefined ? { is: "absent" } : { is: "version", version };
  }

  /** The type of the result, where the request says it: else it is that of the original, usually. */
  #namedType(): string | undefined {
    const { format } = this.#claimed.batch.rules.processing.output ?? {};
    return format === undefined ? undefined : `image/${format}`;
  }

  #nameOf(mime: string | undefined): string {
    const { key, batch } = this.#claimed;
    const target = batch.rules.target as BatchTarget;
    return mime === undefined
      ? target.prefix + key.slice(batch.rules.source.prefix.length)
      : resultKey(batch.rules, target, key, mime);
  }

  /** Writes a result to another place. */
  async #write({ bytes, mime }: Encoded, condition: Condition, mark: Mark): Promise<ObjectOutcome> {
    const key = this.#nameOf(mime);
    if (await this.#ports.target.put({ key, bytes, mime, condition, mark: markText(mark) })) {
      return { kind: "done", before: mark.before, after: bytes.length };
    }
    // Somebody was faster: another start of this one, or a name that was not looked at.
    const other = await this.#conditionAt(key, mark);
    return other === undefined ? (this.#outcome ?? SKIPPED) : CHANGED;
  }

  /** Puts a result in the place of the original, if that is still the version that was read. */
  async #replace({ bytes, mime }: Encoded, answered: Headers, mark: Mark): Promise<ObjectOutcome> {
    const { source } = this.#ports;
    const { key, isProven } = this.#claimed;
    const { version } = source.told(answered);
    if (!isOfType(key, answered.get("content-type"), mime)) return SKIPPED;
    if (version === undefined) throw new Ended(incomparable());
    const kept = await source.kept(key, answered);
    if (!isProven) await this.#prove(mime);
    const isPut = await source.put({
      key,
      bytes,
      mime,
      condition: { is: "version", version },
      mark: markText(mark),
      kept,
    });
    return isPut ? { kind: "done", before: mark.before, after: bytes.length } : CHANGED;
  }

  /**
   * Shows that the store looks at conditions, by a write under one that cannot hold. It is of a new name: whatever a store
   * that takes it does, no original is touched.
   */
  async #prove(mime: string): Promise<void> {
    const { source } = this.#ports;
    const key = `${this.#claimed.key.slice(0, MAX_PROBED_CHARACTERS)}.${crypto.randomUUID()}.probe`;
    const condition: Condition = { is: "never" };
    if (!(await source.put({ key, bytes: new Uint8Array(1), mime, condition, mark: undefined }))) return;
    // A key that may not delete leaves one byte there.
    await source.remove(key).catch(() => undefined);
    throw new Ended(incomparable());
  }
}

function incomparable(): ObjectOutcome {
  const message = "The store does not compare versions (If-Match), so originals in it are not replaced";
  return { kind: "halt", ...troubleOf(422, message) };
}

/** What a failure of the pipeline, or of a store, means for the object. */
export function outcomeOf(error: unknown): ObjectOutcome | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 503) return { kind: "crowded" };
  return error.status < 500 ? { kind: "failed", ...troubleOf(error.status, error.message) } : undefined;
}
