/** Ways to write the frames of an animation: which are worth trying, and what is known of them from renditions before. */
import type { Chosen, KeptFrame } from "../../codec/writer.ts";

/** So many times the bytes of the best way are far from it. */
const FAR = 1.25;
/** A way that was far from the best in so many frames in a row is left out of those that follow, */
const FRAMES_LOST = 3;
/** but for one after so many, */
const MOST_SKIPPED = 5;
/** and where what changes has more or less than so many times the pixels that it had in those. */
const ALIKE = 2;

/** What frames that are kept take at most. */
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

/** The ways of one rendition, and those of renditions before it as far as they were without loss. */
export class FrameWays {
  private readonly prospects = { lossy: new Prospect(), exact: new Prospect(), blend: new Prospect() };
  private readonly chosen: Chosen | undefined;
  /** Of frames that were tried both ways. */
  private readonly bytes = { lossy: 0, exact: 0 };

  constructor(chosen: Chosen | undefined) {
    this.chosen = chosen;
  }

  isPromising(kind: Way["kind"], pixels: number): boolean {
    return this.prospects[kind].isPromising(pixels);
  }

  /** How many times the bytes with loss frames take without; undefined where none was tried both ways. */
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
