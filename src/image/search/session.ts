/** One picture on its way into one format: what is found out about it once and used by several attempts. */
import { parallel, held, type Estimate } from "../../../wasm/estimate.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Chosen, EncodeSettings } from "../codec/writer.ts";
import type { Stripped } from "../containers/stripped.ts";
import { collectFirst } from "../pixels/buffered.ts";
import { type Picture, stillPicture } from "../pixels/picture.ts";
import { asWhole, pictureOf } from "../plan/planned-picture.ts";
import { ENDLESS, type EndsInTime, type Predicted } from "./overrun.ts";
import type { Found, Encoder, PictureEncoder } from "./probe.ts";
import type { Findings, Rendition } from "./rendition.ts";
import { asStored, sixteenBitTask, type Task, taskOf, type WritableFormat } from "./task.ts";

const READ_ROWS = 32;

export class Session {
  task: Task;
  /** What is to be encoded. */
  picture: Picture;
  private readonly source: SharedBytes;
  private holdsSource = true;
  private bufferedBytes = 0;
  private wasDecoded = false;
  /** The picture with all bits of its samples, for the file that stays. */
  private sixteenBit: Picture | undefined;
  /** When the search that is under way ends. */
  deadline: EndsInTime = ENDLESS;
  /** What a search that made no file knew of the settings that are wanted: the first of them, and others should those not do. */
  predictions: readonly Predicted[] = [];
  /** A search took too long, and made nothing that is good enough. */
  wasCutOff = false;
  /** The best file so far. */
  best: Rendition | null = null;
  /** A file without loss may be the best: what the sample takes in a lossy one; 0: there is no need to try it. */
  exactBesideBytes = 0;

  /** @param source the original's bytes; the session lets go of them when it will not read them again */
  constructor(task: Task, source: SharedBytes) {
    this.task = task;
    this.source = source;
    this.picture = task.picture;
    this.sixteenBit = sixteenBitTask(task)?.picture;
  }

  /** From now on the original is nothing but pixels: its coefficients cannot be read. */
  leaveCoefficients(): void {
    const { unchanged } = this.task;
    // A file that is shown although it is damaged is no result.
    const stays = this.showsDamage ? null : unchanged?.turn === 1 ? unchanged : undefined;
    this.task = taskOf({ ...this.task, leavesCoefficients: true }, stays);
    this.picture = this.task.picture;
    this.sixteenBit = sixteenBitTask(this.task)?.picture;
  }

  /** The original was read to its end: it can be handed out without any work. */
  get wasRead(): boolean {
    return this.wasDecoded && !this.showsDamage;
  }

  private get showsDamage(): boolean {
    return this.task.stored.facts.showsDamage === true;
  }

  /**
   * Computes the picture's pixels and keeps them: from now on they are read from memory. Where nothing else will read
   * the original, its memory goes.
   */
  async keepPixels(timeSlice: TimeSlice): Promise<void> {
    if (this.bufferedBytes > 0) return;
    const { size, bytes, open } = await collectFirst(this.task.picture, timeSlice);
    const { detail, texture, enlarged, space } = this.task.picture;
    this.picture = stillPicture({ ...size, detail, texture, enlarged, space }, open);
    this.bufferedBytes = bytes.length;
    if (this.task.isLast && !this.task.unchanged && !this.sixteenBit) this.releaseSource();
  }

  /** Gives up what was kept of the picture, unless the original is gone and nothing else is left of it. */
  dropPixels(): void {
    if (!this.holdsSource) return;
    this.picture = this.task.picture;
    this.bufferedBytes = 0;
  }

  /** The picture of a task on the same original, or what is kept of it where the original is gone. */
  pictureFor({ picture }: Pick<Task, "picture">): Picture {
    return this.holdsSource ? picture : this.picture;
  }

  /** An estimate beside what is kept of the picture. */
  beside(estimate: Estimate): Estimate {
    return parallel(estimate, held(this.bufferedBytes));
  }

  /** The way through the encoder of the format: what it finishes with has all bits of samples, where it may. */
  encoder(format: WritableFormat, timeSlice: TimeSlice, mayBeSixteenBit = false): PictureEncoder {
    const encoder = encoderOf(format, this.picture, timeSlice);
    const { opaque } = this.picture;
    const last =
      mayBeSixteenBit && this.sixteenBit ? encoderOf(format, { ...this.sixteenBit, opaque }, timeSlice) : encoder;
    return {
      ...encoder,
      finish: last.encode,
      onSample: async ({ picture }) => encoderOf(format, picture, timeSlice),
      variants: format.write.variants,
    };
  }

  /** A file that was made, or found, as a result. */
  rendition(found: Findings & Pick<Found, "bytes">): Rendition {
    this.wasDecoded = true;
    const { bytes, ...rest } = found;
    const limits = [...this.task.limits];
    return {
      ...rest,
      ...(limits.length > 0 && { limits }),
      file: this.holdsSource ? this.source.derived(bytes) : SharedBytes.of(bytes),
    };
  }

  /**
   * The original, which shows all that is asked for.
   * @throws ApiError 422 when it is damaged: it is decoded, unless it has been, and nothing was shown that is damaged
   */
  async original(stripped: Stripped, timeSlice: TimeSlice): Promise<Rendition> {
    if (!this.wasRead) await this.readThrough(timeSlice);
    return this.rendition({ bytes: stripped.file(), score: 100 });
  }

  /** Lets go of everything. May be called twice. */
  close(): void {
    this.dropPixels();
    this.releaseSource();
    this.picture = this.task.picture;
  }

  private async readThrough(timeSlice: TimeSlice): Promise<void> {
    const { plan } = this.task;
    const stored = asWhole(this.task.stored);
    for await (const { rows } of pictureOf(stored, asStored(plan, stored)).open(timeSlice)) {
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
function encoderOf({ write }: WritableFormat, picture: Picture, timeSlice: TimeSlice): Encoder {
  const study = write.study?.(picture);
  const { nearly } = write;
  if (!study) {
    const chosen: Chosen = {};
    return {
      encode: (settings: EncodeSettings) => write.encode(picture, { ...settings, chosen }, timeSlice),
      nearly: nearly && ((level) => nearly(picture, level)),
    };
  }
  return {
    encode: (settings) => study.encode(settings, timeSlice),
    preview: (settings) => study.preview(settings, timeSlice),
  };
}
