/** The frames of a JPEG XL file as rows. */
import { openTransform } from "../../../../wasm/color/color.ts";
import { JxlDecoder, type Output } from "../../../../wasm/jxl-decode/decoder.ts";
import type { NativeError } from "../../../../wasm/load.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { convertedInks, type InkRows } from "../../codec/convert-colors.ts";
import type { Decoded, Demand, Facts } from "../../codec/format.ts";
import { guarded, guardedAsync } from "../../codec/guard.ts";
import { bytesPerPixel, type Rows } from "../../pixels/rows.ts";
import { damaged } from "./container.ts";
import { colorsOf, type Opened, openFile } from "./facts.ts";

/** One frame after the other, each of the size of the canvas; what is not read of one is gone past. */
export async function* openFrames(
  bytes: Uint8Array,
  facts: Facts,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded> {
  const opened = openFile(bytes);
  const { told } = opened;
  const colors = colorsOf(told);
  const inks = colors.output === "inks" && facts.profile;
  // Without a profile that is of use each ink takes its own color from the paper.
  const output = colors.output === "inks" && !(inks && isUsable(inks)) ? "colors-of-inks" : colors.output;
  const sixteenBit = demand.sixteenBit ? true : undefined;
  const frames = guarded(() => new Frames(opened, { output, sixteenBit }, timeSlice), refused);
  try {
    while (await frames.begin()) {
      const rows = frames.rows(demand);
      const delayMs = told.animated ? (frames.duration() * 1_000) / told.ticksPerSecond : 0;
      yield {
        delayMs,
        rows: inks && output === "inks" ? (convertedInks(rows, inks, INKS) ?? rows) : rows,
        box: demand.box,
      };
    }
  } finally {
    frames.close();
  }
}

/** How inks lie that go through their profile. */
const INKS = "cmyk-inverted";

function isUsable(profile: Uint8Array): boolean {
  const transform = openTransform(profile, INKS);
  transform?.close();
  return transform !== null;
}

/** What decoding gives. */
interface Form extends Pick<Rows, "sixteenBit"> {
  readonly output: Output;
}

class Frames {
  private readonly decoder: JxlDecoder;
  private readonly opened: Opened;
  private readonly form: Form;
  private readonly timeSlice: TimeSlice;
  /** All rows of the frame have come. */
  private isComplete = true;
  private begun = 0;

  constructor(opened: Opened, form: Form, timeSlice: TimeSlice) {
    this.opened = opened;
    this.form = form;
    this.timeSlice = timeSlice;
    this.decoder = new JxlDecoder(opened.source, opened.told, form.output, form.sixteenBit);
  }

  /** Goes to the next frame. False at the end. */
  async begin(): Promise<boolean> {
    for (;;) {
      // What is not wanted of the frame before takes no memory.
      while (guarded(() => this.decoder.rows(SKIPPED_ROWS), refused)) continue;
      if (this.isComplete && this.opened.told.frames === this.begun) return false;
      const step = await this.next();
      if (step === "end") return false;
      if (step === "frame") {
        this.begun++;
        return true;
      }
    }
  }

  duration(): number {
    return this.decoder.duration();
  }

  /** The rows of the frame down to the last wanted one. */
  rows({ box }: Demand): InkRows {
    const { width, height, alphaBits } = this.opened.told;
    const { sixteenBit } = this.form;
    const end = Math.max(1, Math.min(height, Math.ceil(box.y + box.height)));
    let y = 0;
    let count = 0;
    return {
      width,
      height: end,
      opaque: alphaBits === 0,
      alpha: alphaBits > 0 && this.form.output === "inks" ? () => this.decoder.alpha(y - count, count) : null,
      sixteenBit,
      read: async (max) => {
        if (y === end) return null;
        const rows = await this.read(Math.min(max, end - y));
        count = rows.length / (width * bytesPerPixel({ sixteenBit }));
        y += count;
        return rows;
      },
      close: () => undefined,
    };
  }

  close(): void {
    this.decoder.close();
  }

  private async read(max: number): Promise<Uint8Array> {
    for (;;) {
      const rows = guarded(() => this.decoder.rows(max), refused);
      if (rows) return rows;
      if (this.isComplete) throw damaged();
      await this.next();
    }
  }

  private async next() {
    const step = await guardedAsync(() => this.decoder.next(this.timeSlice), refused);
    if (step === "frame") this.isComplete = false;
    if (step === "frame end") this.isComplete = true;
    return step;
  }
}

const SKIPPED_ROWS = 1_024;

function refused(reason: NativeError): ApiError {
  if (!/memory/.test(reason.message)) return damaged(reason);
  return new ApiError(422, "The JPEG XL file takes more memory to decode than there is", { cause: reason });
}
