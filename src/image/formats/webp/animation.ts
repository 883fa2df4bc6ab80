/** Animations into WebP files: of every frame the rectangle in which it differs from the one before it. */
import { Canvas, canvasWork, type Rectangle } from "../../../../wasm/webp/canvas.ts";
import { BAND_ROWS, type EncoderSettings, openEncoder, START_MS } from "../../../../wasm/webp/encoder.ts";
import { acquireAlone, release, type WebpInstance } from "../../../../wasm/webp/instance.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import type { Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import { FrameWays } from "./frame-ways.ts";
import { type EncodedFrame, muxAnimation } from "./mux.ts";
import { encoderSettings, exactSettings } from "./settings.ts";

interface Job {
  readonly opaque: boolean;
  readonly detail: number | undefined;
  readonly settings: EncodeSettings;
  readonly ways: FrameWays;
  readonly timeSlice: TimeSlice;
}

/** The canvases and the encoders of an animation share an instance that no other job has. */
export async function encodeAnimation(
  picture: Picture,
  settings: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height, opaque, detail } = picture;
  const instance = acquireAlone();
  try {
    const { chosen } = settings;
    const ways = new FrameWays(chosen);
    const frames = await encodeFrames(picture, instance, { opaque, detail, settings, ways, timeSlice });
    if (chosen) chosen.exactTimes = ways.exactTimes;
    return muxAnimation({ width, height, alpha: !opaque, loops: picture.loops }, frames);
  } finally {
    release(instance);
  }
}

async function encodeFrames(picture: Picture, instance: WebpInstance, job: Job): Promise<EncodedFrame[]> {
  const canvases: Canvas[] = [];
  try {
    for (let i = 0; i < 2; i++) canvases.push(new Canvas(picture.width, picture.height, instance));
    return await encodeOn(canvases as [Canvas, Canvas], picture, job);
  } finally {
    for (const canvas of canvases) canvas.close();
  }
}

async function encodeOn([one, other]: [Canvas, Canvas], picture: Picture, job: Job): Promise<EncodedFrame[]> {
  const encoded: EncodedFrame[] = [];
  let [current, previous] = [one, other];
  for await (const { delayMs, rows } of picture.open(job.timeSlice)) {
    await copyRows(rows, current, job.timeSlice);
    const last = encoded.at(-1);
    const whole = { x: 0, y: 0, width: current.width, height: current.height };
    const box = last ? current.difference(previous) : whole;
    if (last && !box) {
      encoded[encoded.length - 1] = { ...last, delayMs: last.delayMs + delayMs };
      continue;
    }
    const before = last ? previous : undefined;
    const change = { box: box ?? whole, at: encoded.length };
    encoded.push({ ...(await encodeRectangle(current, before, change, job)), delayMs });
    [current, previous] = [previous, current];
  }
  return encoded;
}

async function copyRows(rows: Rows, canvas: Canvas, timeSlice: TimeSlice): Promise<void> {
  try {
    let y = 0;
    for (let read = await rows.read(BAND_ROWS); read; read = await rows.read(BAND_ROWS)) {
      const count = read.length / (4 * canvas.width);
      canvas.rows(y, count).set(read);
      y += count;
      // Its comparison with the canvas before it included.
      await timeSlice.spend(canvasWork(2 * count * canvas.width).ms);
    }
  } finally {
    rows.close();
  }
}

/**
 * The smallest of the ways to say what changed: lossy if that is allowed, without loss, and without loss only the
 * pixels that differ, drawn over the others. (Holes would cost a lossy coder an alpha channel.) What was far from the smallest in
 * the frames before is left out.
 */
async function encodeRectangle(
  canvas: Canvas,
  before: Canvas | undefined,
  { box, at }: { readonly box: Rectangle; readonly at: number },
  { opaque, detail, settings, ways, timeSlice }: Job,
): Promise<Omit<EncodedFrame, "delayMs">> {
  const shape = { width: box.width, height: box.height, opaque, detail };
  const pixels = box.width * box.height;
  const exact = exactSettings(shape, settings);
  const make = (how: EncoderSettings, over?: Canvas) => () => encodeBox(canvas, over, box, how, timeSlice);
  const over = before && canvas.blendable(before, box) && ways.isPromising("blend", pixels) ? before : undefined;
  const isExactTried = ways.isPromising("exact", pixels) || (settings.lossless && !over);
  const isLossyTried = !settings.lossless && (ways.isPromising("lossy", pixels) || !(over || isExactTried));
  return {
    box,
    ...(await ways.shortest(at, pixels, [
      ...(isLossyTried ? [{ kind: "lossy", make: make(encoderSettings(shape, settings)) } as const] : []),
      ...(isExactTried ? [{ kind: "exact", make: make(exact) } as const] : []),
      ...(over ? [{ kind: "blend", make: make({ ...exact, opaque: false }, over) } as const] : []),
    ])),
  };
}

async function encodeBox(
  canvas: Canvas,
  before: Canvas | undefined,
  box: Rectangle,
  settings: EncoderSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const encoder = openEncoder(settings, canvas.instance);
  try {
    await timeSlice.spend(START_MS[settings.lossless ? "lossless" : "lossy"]);
    for (let y = 0; y < box.height; y += BAND_ROWS) {
      const height = Math.min(BAND_ROWS, box.height - y);
      canvas.copy({ ...box, y: box.y + y, height }, encoder.bandAddress, before);
      encoder.push(height);
      await timeSlice.spend(height * encoder.rowMs);
    }
    return await encoder.finish(timeSlice);
  } finally {
    encoder.close();
  }
}
