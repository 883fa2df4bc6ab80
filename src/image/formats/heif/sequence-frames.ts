/** The frames of an image sequence as rows: each is decoded when it is asked for, for later ones need those before. */
import type { NativeCanvas, NativeSequence, SampleMeaning } from "../../../../wasm/canvas.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Decoded, Demand } from "../../codec/format.ts";
import { guarded, guardedAsync } from "../../codec/guard.ts";
import type { Box } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { damaged } from "./bytes.ts";
import type { SequenceCodec } from "./codec.ts";
import { openPicture, wantedRegion } from "./open.ts";
import type { HeifPicture, Layer } from "./picture.ts";
import { BAND_ROWS } from "./rows.ts";
import { type ImageSequence, sequenceEstimate } from "./sequence.ts";

/** A decoded picture in the native module. */
type Samples = number;

/**
 * The wanted region of one frame after the other.
 * @throws ApiError 422, at once or while frames are asked for, when the file is damaged
 */
export async function* openSequence(
  sequence: ImageSequence,
  codec: SequenceCodec,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded> {
  const { picture, frames } = sequence;
  const [first] = frames;
  // Nothing is predicted from it: it takes a decoder of stills, which holds no other pictures.
  if (demand.firstOnly && first) {
    for await (const still of openPicture(picture, codec, demand, timeSlice))
      yield { ...still, delayMs: first.delayMs };
    return;
  }
  const { region, box } = wantedRegion(picture.crop, demand);
  const stills = codec.openStills(sequenceEstimate(sequence, codec));
  const open: { close(): void }[] = [];
  const opened = <Part extends { close(): void }>(make: () => Part) => {
    const part = guarded(make, damaged);
    open.push(part);
    return part;
  };
  const track = (layer: Layer, meaning: SampleMeaning | undefined, canvas: NativeCanvas) => {
    const decoder = opened(() => codec.openSequence(stills, layer.headers));
    return new Track({ layer, codec, decoder, canvas, meaning, timeSlice });
  };
  try {
    const canvas = opened(() => stills.openCanvas(region.width, BAND_ROWS));
    const colors = track(picture.color, picture.colors.samples, canvas);
    const alphas = picture.alpha && track(picture.alpha, undefined, canvas);
    for (const { delayMs, color, alpha } of frames) {
      const layers = { color: await colors.next(color), alpha: alpha && (await alphas?.next(alpha)) };
      yield { delayMs, rows: frameRows(picture, canvas, region, layers), box };
    }
  } finally {
    for (const part of open) part.close();
    stills.close();
  }
}

interface TrackParts {
  readonly layer: Layer;
  readonly codec: SequenceCodec;
  readonly decoder: NativeSequence;
  readonly canvas: NativeCanvas;
  readonly meaning: SampleMeaning | undefined;
  readonly timeSlice: TimeSlice;
}

/** The pictures of one track, the last of which is there to be drawn. */
class Track {
  private readonly parts: TrackParts;
  private samples: Samples | undefined;

  constructor(parts: TrackParts) {
    this.parts = parts;
  }

  async next(payload: Uint8Array): Promise<Samples> {
    const { layer, codec, decoder, canvas, meaning, timeSlice } = this.parts;
    const config = this.samples === undefined ? layer.tile(0).config : undefined;
    if (this.samples !== undefined) canvas.free(this.samples);
    const sample = codec.sample(payload, config, layer.headers);
    this.samples = await guardedAsync(() => decoder.next(canvas, sample, meaning, timeSlice), damaged);
    return this.samples;
  }
}

/** Drawn from pictures that stay until the next frame is asked for. */
function frameRows(
  { alpha, premultiplied }: HeifPicture,
  canvas: NativeCanvas,
  { x, y: top, width, height }: Box,
  samples: { readonly color: Samples; readonly alpha: Samples | undefined },
): Rows {
  let y = top;
  const draw = (max: number) => {
    const rows = Math.min(max, BAND_ROWS, top + height - y);
    if (rows === 0) return null;
    const part = { x, y, width, rows, toX: 0 };
    canvas.draw(samples.color, part);
    if (samples.alpha !== undefined) canvas.drawAlpha(samples.alpha, part);
    if (premultiplied) canvas.unpremultiply(rows);
    y += rows;
    return canvas.band(rows);
  };
  return {
    width,
    height,
    opaque: !alpha,
    read: async (max) => guarded(() => draw(max), damaged),
    close: () => undefined,
  };
}
