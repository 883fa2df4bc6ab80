/** A look over a picture for the smallest representation that holds it. */
import { type Estimate, estimated } from "../estimate.ts";
import { OutOfMemory } from "../load.ts";
import { Handle } from "./instance.ts";

/** Looking over a pixel of a drawing, of which everything is looked at. */
const SURVEY_NANOSECONDS = 3;

/** What a picture needs of a representation. */
export interface PngSurvey {
  /** Some pixel is not gray. */
  readonly colored: boolean;
  /** Some pixel has an alpha below 255. */
  readonly translucent: boolean;
  /** Bits that hold every gray level exactly; meaningless when `colored`. */
  readonly grayDepth: number;
  /** The distinct pixels, four bytes each, if there are at most 256 of them. */
  readonly palette: Uint8Array | null;
}

export interface PngSurveyor {
  /** Takes at most `PNG_WINDOW_ROWS` whole rows; false when nothing more can be learned. */
  add(rows: Uint8Array): boolean;
  result(): PngSurvey;
  /**
   * A color that no opaque pixel has: gray if so asked, and the color of all transparent pixels if `exact`. Null if
   * there is none, or some pixel is half transparent.
   */
  key(gray: boolean, exact: boolean): readonly [red: number, green: number, blue: number] | null;
  close(): void;
}

/**
 * Looks over a picture. `opaque`: it is known that no pixel is translucent. `keyed`: a color is wanted that can stand
 * for transparent pixels.
 */
export function openPngSurveyor(width: number, opaque: boolean, keyed: boolean): PngSurveyor {
  const handle = new Handle(
    (exports) => exports.survey_open(width, opaque ? 1 : 0, keyed ? 1 : 0),
    (exports, pointer) => exports.survey_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.survey_window(pointer));
  return {
    add(rows) {
      handle.bytes(window, rows.length).set(rows);
      const count = rows.length / (width * 4);
      const left = handle.call((exports, pointer) => exports.survey_commit(pointer, count));
      if (left < 0) throw new OutOfMemory();
      return left === 1;
    },
    result: () =>
      handle.call((exports, pointer) => {
        const colors = exports.survey_colors(pointer);
        return {
          colored: exports.survey_colored(pointer) === 1,
          translucent: exports.survey_translucent(pointer) === 1,
          grayDepth: exports.survey_gray_depth(pointer),
          palette: colors > 256 ? null : handle.bytes(exports.survey_palette(pointer), colors * 4).slice(),
        };
      }),
    key(gray, exact) {
      const color = handle.call((exports, pointer) => exports.survey_key(pointer, gray ? 1 : 0, exact ? 1 : 0));
      return color < 0 ? null : [color & 255, (color >> 8) & 255, color >> 16];
    },
    close: () => handle.close(),
  };
}

/** The estimate of looking over so many pixels; the memory of a surveyor is what a writer of the same width has. */
export function surveyEstimate(pixels: number): Estimate {
  return estimated(0, pixels, SURVEY_NANOSECONDS);
}
