import type { Effect } from "../../wasm/stream.ts";
import type { Size } from "./geometry.ts";
import type { RowStep } from "./operation.ts";
import type { Rows } from "./rows.ts";

interface EffectStep extends Size {
  /** Whether the result is opaque, given whether the input is; the same by default. */
  readonly opaque?: (input: boolean) => boolean;
  readonly peakBytes: number;
  readonly open: (rows: Rows) => Effect;
}

/** A step that hands the picture's rows through a native effect. */
export function effectStep({ width, height, opaque = same, peakBytes, open }: EffectStep): RowStep {
  return {
    kind: "rows",
    width,
    height,
    opaque,
    peakBytes: Math.ceil(peakBytes),
    apply: (rows) => pump(rows, open(rows), { width, height, opaque: opaque(rows.opaque) }),
  };
}

/** A step of other work on rows that keeps their size. */
export function rowStep(size: Size, peakBytes: number, apply: (rows: Rows) => Rows): RowStep {
  return { kind: "rows", ...size, opaque: same, peakBytes: Math.ceil(peakBytes), apply };
}

function same(input: boolean): boolean {
  return input;
}

/** The rows that an effect makes of other rows. */
export function pump(source: Rows, effect: Effect, { width, height, opaque }: Size & { opaque: boolean }): Rows {
  let left = height;
  return {
    width,
    height,
    opaque,
    read(max) {
      while (left > 0) {
        const result = effect.read(max);
        if (result.length > 0) {
          left -= result.length / (width * 4);
          return result;
        }
        const rows = source.read(effect.room());
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
