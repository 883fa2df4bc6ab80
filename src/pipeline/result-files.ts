/** The files of results on their way out: what lies in volatile storage goes there at once, the rest at the end. */
import { ApiError } from "../errors.ts";
import type { Encoded } from "../files.ts";
import type { Made } from "../image/render/order.ts";
import { MAX_WAITING_RESULT_BYTES } from "../limits.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { Reservation } from "../scheduler/held-bytes.ts";
import type { Original } from "../source/original.ts";
import { type Measured, measured, rename } from "./describe.ts";
import { type Entry, refusalOf } from "./entries.ts";
import type { Place, Ports } from "./job.ts";

type Keep = (encoded: Encoded) => Promise<Place>;

/** A result that is stored, or will be. */
export interface KeptFile {
  readonly entry: Entry;
  readonly made: Made;
  readonly encoded: Encoded;
  readonly described: Promise<Measured>;
  readonly place: () => Promise<Place>;
}

export class ResultFiles {
  readonly files: KeptFile[] = [];
  private readonly ports: Ports;
  /** The ways into the caller's own stores, by entry. */
  private readonly stores: (entry: Entry) => Keep | undefined;
  private readonly original: Original;
  /** There is one result, whose bytes outlive their way into a store. */
  readonly isAlone: boolean;
  private readonly memory: Reservation = isolateBudget.keep(0);
  private readonly stored: Promise<Place>[] = [];
  private waitingBytes = 0;

  constructor(ports: Ports, stores: (entry: Entry) => Keep | undefined, original: Original, isAlone: boolean) {
    this.ports = ports;
    this.stores = stores;
    this.original = original;
    this.isAlone = isAlone;
  }

  /** Takes a result over. @throws ApiError 422 when too many wait to be stored */
  take(entry: Entry, made: Made): void {
    const { file, format } = made.output;
    const { bytes } = file;
    // An answer of success with nothing behind it is worse than a failure.
    if (bytes.length === 0) throw new Error("The result has no bytes");
    // What is stored now is stored again by whoever does the work instead.
    this.ports.jobLimits?.signal?.throwIfAborted();
    const { original } = this;
    // The result takes room until it is stored, however slow a store is: what is a view of the original has it already.
    const ownBytes = bytes.buffer === original.bytes.buffer ? 0 : bytes.length;
    this.hold(ownBytes);
    const name = entry.fileName ?? suffixed(entry.output?.name ?? rename(original.name, format), entry.suffix);
    const encoded: Encoded = { bytes, mime: format.mime, name };
    const described = measured(bytes);
    const put = async (keep: Keep) => {
      const place = await keep(encoded);
      await described;
      if (this.isAlone) return place;
      this.hold(-ownBytes);
      file.release();
      return place;
    };
    const store = this.stores(entry);
    const now = store ? undefined : put(this.ports.keepTemporarily);
    if (now) this.stored.push(now);
    // Both are awaited once all results are there: until then a failure is not unhandled.
    for (const promise of [described, now]) promise?.catch(() => undefined);
    const place = () => now ?? (store ? put(store) : raise());
    this.files.push({ entry, made, encoded, described, place });
  }

  /** Stores what is not stored yet; by now everything could be made. */
  async finish(): Promise<readonly Place[]> {
    await Promise.all(this.stored);
    const places: Place[] = [];
    for (const { entry, place } of this.files) {
      places.push(
        await place().catch((error: unknown) => {
          throw refusalOf(entry, error);
        }),
      );
    }
    return places;
  }

  /** Takes back what lies in volatile storage. */
  async remove(): Promise<void> {
    for (const outcome of await Promise.allSettled(this.stored)) {
      // What cannot be taken back ends by itself.
      if (outcome.status === "fulfilled") await this.ports.removeTemporary(outcome.value.url).catch(() => undefined);
    }
  }

  close(): void {
    this.memory.release();
  }

  private hold(bytes: number): void {
    this.waitingBytes += bytes;
    if (!this.isAlone && this.waitingBytes > MAX_WAITING_RESULT_BYTES) {
      throw new ApiError(422, "The outputs together take more bytes than can wait to be stored: ask for fewer at once");
    }
    if (bytes > 0) void this.memory.grow(this.waitingBytes);
    else this.memory.shrink(this.waitingBytes);
  }
}

function raise(): never {
  throw new Error("a result is kept nowhere");
}

/** `photo.webp` as `photo-small.webp`. */
function suffixed(name: string, suffix: string | undefined): string {
  if (suffix === undefined) return name;
  return name.replace(/(\.[^.]*)?$/, (extension) => `-${suffix}${extension}`);
}
