/** One picture on its way into one format: what is found out about it once and used by several attempts. */
import type { Breath } from "../breath.ts";
import { collectPixels, rowsOfPixels } from "../kept.ts";
import { firstFrame, type Picture, stillPicture } from "../picture.ts";
import { pictureOf } from "../pipeline.ts";
import { SharedBytes } from "../shared-bytes.ts";
import type { Stripped } from "../stripped.ts";
import type { Chosen, EncodeSettings } from "../writer.ts";
import type { Way } from "./candidates.ts";
import { isOpaque } from "./opaque.ts";
import type { Rendition } from "./rendition.ts";
import { asStored, deepTask, type Task, type WritableFormat } from "./task.ts";
import type { Found, Maker } from "./trial.ts";

const READ_ROWS = 32;

export class Session {
  readonly task: Task;
  private readonly source: SharedBytes;
  private holdsSource = true;
  private shown: Picture;
  private wasDecoded = false;
  /** The picture with all bits of its samples, for the file that stays. */
  private readonly deep: Picture | undefined;

  /** @param source the original's bytes; the session lets go of them when it will not read them again */
  constructor(task: Task, source: SharedBytes) {
    this.task = task;
    this.source = source;
    this.shown = task.picture;
    this.deep = deepTask(task)?.picture;
  }

  /** What is to be encoded. */
  get picture(): Picture {
    return this.shown;
  }

  /**
   * Computes the picture's pixels and keeps them: from now on they are read from memory. Where nothing else will read the
   * original, its memory goes.
   */
  async keepPixels(breath: Breath): Promise<void> {
    const pixels = await collectPixels(await firstFrame(this.task.picture, breath), breath);
    const opaque = pixels.opaque || (await isOpaque(rowsOfPixels(pixels)));
    const { detail, texture, space } = this.task.picture;
    this.shown = stillPicture({ ...pixels, opaque, detail, texture, space }, () => ({
      ...rowsOfPixels(pixels),
      opaque,
    }));
    if (this.task.isLast && !this.task.unchanged && !this.deep) this.releaseSource();
  }

  /** Gives up what was kept of the picture. */
  dropPixels(): void {
    this.shown = this.task.picture;
  }

  /** The way through the encoder of the format: what it finishes with has all bits of samples, where it may. */
  way(format: WritableFormat, breath: Breath, mayBeDeep = false): Way {
    const maker = makerOf(format, this.shown, breath);
    const { opaque } = this.shown;
    const last = mayBeDeep && this.deep ? makerOf(format, { ...this.deep, opaque }, breath) : maker;
    return {
      ...maker,
      finish: last.encode,
      onSample: async ({ picture }) => makerOf(format, picture, breath),
      variants: format.write.variants,
    };
  }

  /** A file that was made, or found, as a result. */
  rendition(found: { readonly bytes: Uint8Array } & Partial<Found>): Rendition {
    this.wasDecoded = true;
    const { bytes, ...rest } = found;
    return { ...rest, file: this.holdsSource ? this.source.derived(bytes) : SharedBytes.of(bytes) };
  }

  /**
   * The original, which shows all that is asked for.
   * @throws ApiError 422 when it is damaged: it is decoded, unless it has been
   */
  async original(stripped: Stripped, breath: Breath): Promise<Rendition> {
    if (!this.wasDecoded) await this.readThrough(breath);
    return this.rendition({ bytes: stripped.file(), score: 100 });
  }

  /** Lets go of everything. May be called twice. */
  close(): void {
    this.dropPixels();
    this.releaseSource();
  }

  private async readThrough(breath: Breath): Promise<void> {
    const { stored, plan } = this.task;
    for await (const { rows } of pictureOf(stored, asStored(plan, stored)).open(breath)) {
      while (await rows.read(READ_ROWS));
    }
  }

  private releaseSource(): void {
    if (!this.holdsSource) return;
    this.holdsSource = false;
    this.source.release();
  }
}

/** How renditions of a picture are made: by a study of it, where the format knows how to study one. */
function makerOf({ write }: WritableFormat, picture: Picture, breath: Breath): Maker {
  const study = write.study?.(picture);
  const { nearly } = write;
  if (!study) {
    const chosen: Chosen = {};
    return {
      encode: (settings: EncodeSettings) => write.encode(picture, { ...settings, chosen }, breath),
      nearly: nearly && ((level) => nearly(picture, level)),
    };
  }
  return {
    encode: (settings) => study.encode(settings, breath),
    preview: (settings) => study.preview(settings, breath),
  };
}
