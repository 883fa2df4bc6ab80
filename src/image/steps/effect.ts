/** Steps that hand a picture's rows through native code. */
import type { Estimate } from "../../../wasm/estimate.ts";
import type { Effect } from "../../../wasm/stream.ts";
import type { Size } from "../pixels/geometry.ts";
import { bytesPerPixel, type Rows } from "../pixels/rows.ts";
import type { GainSteps, RowStep, Step } from "./operation.ts";

interface EffectStep {
  /** Whether the result is opaque, given whether the input is; the same by default. */
  readonly opaque?: (input: boolean) => boolean;
  readonly estimate: Estimate;
  readonly open: (rows: Rows) => Effect;
  readonly gains?: GainSteps | undefined;
}

/** A step that hands the picture's rows through a native effect. */
export function effectStep(size: Size, { opaque = same, estimate, open, gains }: EffectStep): RowStep {
  const { width, height } = size;
  const apply = (rows: Rows) => pump(rows, open(rows), { width, height, opaque: opaque(rows.opaque) });
  return { ...rowStep(size, estimate, apply, gains), opaque };
}

/** A step of other work on rows that keeps their size. */
export function rowStep(
  { width, height }: Size,
  estimate: Estimate,
  apply: RowStep["apply"],
  gains?: GainSteps,
): RowStep {
  return { kind: "rows", width, height, opaque: same, estimate, apply, ...(gains && { gains }) };
}

/** What a step does to a gain map that it does to its picture, at the scale of the map. */
export function scaledGains(steps: (map: Size & Pick<Rows, "opaque">, scale: number) => readonly Step[]): GainSteps {
  return ({ map, across }) => steps({ ...map, opaque: true }, across);
}

function same(input: boolean): boolean {
  return input;
}

/** The rows that an effect or a resampler makes of other rows. */
export function pump(
  source: Rows,
  effect: Effect,
  { width, height, opaque, sixteenBit }: Pick<Rows, "width" | "height" | "opaque" | "sixteenBit">,
): Rows {
  const stride = width * bytesPerPixel({ sixteenBit });
  let left = height;
  return {
    width,
    height,
    opaque,
    sixteenBit,
    async read(max) {
      while (left > 0) {
        const result = effect.read(max);
        if (result.length > 0) {
          left -= result.length / stride;
          return result;
        }
        const rows = await source.read(effect.room());
        if (!rows) return null;
        effect.write(rows);
      }
      return null;
    },
    close() {
      effect.close();
      source.close();
    },
  };
}
