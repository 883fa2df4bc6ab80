/** Parts of a picture with nothing but a few colors in them, other parts in other frames. */
import { parallel, maximum } from "../../../../wasm/estimate.ts";
import type { Rgba } from "../../color/rgba.ts";
import { type Box, outerBox, type Size } from "../../pixels/geometry.ts";
import { type Rows, rowsOver } from "../../pixels/rows.ts";
import { rowStep } from "../../steps/effect.ts";
import type { GainStage, GainSteps, Kernel, RowStep } from "../../steps/operation.ts";
import { lay, layEstimate } from "../../steps/overlay.ts";
import { resample, resampleEstimate } from "../../steps/resample.ts";

export interface Colors extends Size {
  /** RGBA8, without alpha below 255: what is under them must not show. */
  readonly pixels: Uint8Array;
}

export interface Cover {
  /** In whole pixels, inside the picture. */
  readonly box: Box;
  readonly colors: Colors;
  /** Between the colors. */
  readonly kernel: Kernel;
}

/** What is covered from a frame on. */
interface Covers {
  /** The number of the frame. */
  readonly from: number;
  readonly covers: readonly Cover[];
}

export function oneColor(color: Rgba): Colors {
  return { width: 1, height: 1, pixels: Uint8Array.from(color) };
}

/** @param spans in the order of their frames, the first one from frame 0 on */
export function coverStep(picture: Size, spans: readonly Covers[]): RowStep {
  const estimates = spans.map(({ covers }) => parallel(...covers.map((cover) => coverEstimate(picture, cover))));
  const apply: RowStep["apply"] = (rows, _, frame = 0) => {
    const span = spans.findLast(({ from }) => from <= frame);
    return (span?.covers ?? []).reduce(covered, rows);
  };
  const gains: GainSteps = (stage) => [
    coverStep(
      stage.map,
      spans.map(({ from, covers }) => ({ from, covers: covers.map(({ box }) => onMap(box, stage)) })),
    ),
  ];
  return rowStep(picture, maximum(...estimates), apply, gains);
}

/** What is covered has no gain, or the map would show what was there. */
function onMap({ x, y, width, height }: Box, { map, across, down, none }: GainStage): Cover {
  const box = outerBox({ x: x * across, y: y * down, width: width * across, height: height * down }, map);
  return { box, colors: oneColor(none), kernel: "nearest" };
}

function covered(rows: Rows, { box, colors, kernel }: Cover): Rows {
  const { pixels, width, height } = colors;
  const few = { x: 0, y: 0, width, height };
  const size = { width: box.width, height: box.height };
  const open = async () => resample(rowsOver(pixels, { width, height, opaque: true }), { box: few, ...size, kernel });
  return lay(rows, { ...size, open }, box, 1);
}

function coverEstimate(picture: Size, { box, colors }: Cover) {
  return parallel(resampleEstimate(colors, box), layEstimate(picture, box));
}
