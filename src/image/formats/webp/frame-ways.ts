/** Ways to write the frames of an animation: which are worth trying, and what is known of them from renditions before. */
import type { Chosen, KeptFrame } from "../../codec/writer.ts";

/** A way is far from the best one that takes so many times its bytes. */
const FAR = 1.25;
/** A way that was far from the best in so many frames in a row is left out of those that follow. */
const FRAMES_LOST = 3;
/** It is tried again after it was left out of so many. */
const MOST_SKIPPED = 5;
/** It is tried again where more or less changes than in the frames that it was far in, by this factor of pixels. */
const ALIKE = 2;

/** Bytes of files of frames that are kept from one quality to the next, at most. */
export const KEPT_FRAMES_BYTES = 2 << 20;

/** Whether a way to write frames is worth trying, by the frames before. */
export class Prospect {
  /** Pixels of the last frames in a row in which this way was far from the best. */
  private lost: readonly number[] = [];
  private skipped = 0;

  /** To be asked once of each frame, of which so many pixels change. */
  isPromising(pixels: number): boolean {
    const { lost } = this;
    const isAlike = pixels * ALIKE >= Math.min(...lost) && pixels <= ALIKE * Math.max(...lost);
    const isLeftOut = lost.length === FRAMES_LOST && isAlike && this.skipped < MOST_SKIPPED;
    this.skipped = isLeftOut ? this.skipped + 1 : 0;
    return !isLeftOut;
  }

  /** @param times the bytes of the best way it took */
  told(pixels: number, times: number): void {
    this.lost = times < FAR ? [] : [...this.lost, pixels].slice(-FRAMES_LOST);
  }
}

/** A way to write a frame. */
interface Way {
  readonly kind: "lossy" | "exact" | "blend";
  readonly make: () => Promise<Uint8Array>;
}

/** Ways to write the frames of one rendition, and what is known of those without loss from the renditions before it. */
export class FrameWays {
  private readonly prospects = { lossy: new Prospect(), exact: new Prospect(), blend: new Prospect() };
  private readonly chosen: Chosen | undefined;
  /** Bytes of the frames that were tried both ways. */
  private readonly bytes = { lossy: 0, exact: 0 };

  constructor(chosen: Chosen | undefined) {
    this.chosen = chosen;
  }

  isPromising(kind: Way["kind"], pixels: number): boolean {
    return this.prospects[kind].isPromising(pixels);
  }

  /** Bytes of frames without loss as a multiple of those with it; undefined where none was tried both ways. */
  get exactTimes(): number | undefined {
    const { lossy, exact } = this.bytes;
    return lossy === 0 ? undefined : exact / lossy;
  }

  /** The file of the shortest way, the first of several, to write the frame of this number, of which so many pixels change. */
  async shortest(at: number, pixels: number, ways: readonly Way[]): Promise<{ file: Uint8Array; blend: boolean }> {
    const tried: (Way & KeptFrame)[] = [];
    for (const way of ways) tried.push({ ...way, ...(await this.known(at, way)) });
    const best = leastOf(tried);
    for (const { kind, length } of tried) this.prospects[kind].told(pixels, length / best.length);
    const [lossy, exact] = [true, false].map((is) => tried.filter(({ kind }) => (kind === "lossy") === is));
    if (lossy?.length && exact?.length) {
      this.bytes.lossy += leastOf(lossy).length;
      this.bytes.exact += leastOf(exact).length;
    }
    const file = best.file ?? (await best.make());
    if (best.kind !== "lossy") this.keep(nameOf(at, best), file);
    return { file, blend: best.kind === "blend" };
  }

  /** How long a frame is in a way, and the frame where it is at hand. */
  private async known(at: number, way: Way): Promise<KeptFrame> {
    const known = way.kind === "lossy" ? undefined : this.chosen?.frames?.get(nameOf(at, way));
    if (known) return known;
    const file = await way.make();
    if (way.kind !== "lossy" && this.chosen)
      (this.chosen.frames ??= new Map()).set(nameOf(at, way), { length: file.length });
    return { length: file.length, file };
  }

  private keep(name: string, file: Uint8Array): void {
    const { chosen } = this;
    const bytes = (chosen?.frameBytes ?? 0) + file.length;
    if (!chosen?.frames || chosen.frames.get(name)?.file || bytes > KEPT_FRAMES_BYTES) return;
    chosen.frameBytes = bytes;
    chosen.frames.set(name, { length: file.length, file });
  }
}

function nameOf(at: number, { kind }: Way): string {
  return `${at} ${kind}`;
}

function leastOf<One extends { readonly length: number }>(some: readonly One[]): One {
  return some.reduce((least, one) => (one.length < least.length ? one : least));
}
