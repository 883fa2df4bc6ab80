/** Whatever is asked of whatever picture: a picture within the limits, or a refusal. */
import fc from "fast-check";
import { expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { ApiError } from "../../../src/errors.ts";
import { png } from "../../../src/image/formats/png.ts";
import { MAX_LONG_SIDE_PIXELS, MAX_SIDE_PIXELS } from "../../../src/limits/pictures.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import over from "../../fixtures/effects/over.png";
import { rendered } from "../../support/render.ts";
import { noise, pictureOf } from "../../support/rows.ts";

const PLAIN = { lossless: true, quality: 100, effort: 0, progressive: false };

/** The smallest picture, the thinnest ones, and two that are none of that. */
const SIZES = [
  [1, 1],
  [1, 16_384],
  [16_384, 1],
  [1, 65_500],
  [65_500, 1],
  [3, 2],
  [57, 41],
] as const;
const FILES: Uint8Array[] = [];
for (const [width, height] of SIZES) {
  for (const opaque of [true, false]) {
    FILES.push(await png.write.encode(pictureOf([noise(width, height, opaque)], { opaque }), PLAIN, UNPAUSED));
  }
}

const one = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);
/** All of them, mostly. */
const members = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.record(model) },
    { weight: 1, arbitrary: fc.record(model, { requiredKeys: [] }) },
  );

/** Beside what is allowed, now and then what is not. */
const amount = fc.oneof(
  { weight: 12, arbitrary: one(0, 0.01, 0.2, 0.5, 1, 1.4, 2, 16, 16.1, 99.9, 100) },
  { weight: 1, arbitrary: one(-1, 100.1, Number.NaN, Number.POSITIVE_INFINITY, "10", null) },
);
const side = fc.oneof(
  { weight: 12, arbitrary: one(1, 2, 3, 20, 99, 500, "7") },
  { weight: 2, arbitrary: one(MAX_SIDE_PIXELS, MAX_SIDE_PIXELS + 1, 0, -1, 1.5, 1e300, Number.NaN) },
);
const percent = one(-100, -99, -1, 0, 1, 50, 99, 100, 101);
const angle = one(0, 1, 33.3, 45, 90, -77, -360, 360, 361);
const color = one("000", "#ffffff", "12345600", "ff000080", "fff", "gg0000");
const rgb = one("000", "#ffffff", "80f");
const gravity = one("center", "top-left", "bottom-right", "face", "faces");
const direction = one("center", "top-left", "bottom-right");
const mode = one("auto", "fit", "fill", "exact", "match");
const offset = members({ x: one(0, 0.3, -0.999, 1, 16_384), y: one(0, -1, -16_384, 0.5) });

const FILTER = fc.oneof(
  members({
    blur: members({ mode: one("gaussian", "box", "disc", "motion", "zoom", "median"), value: amount, angle }),
    pixellate: members({ value: amount }),
  }),
  members({
    halftone: members({
      mode: one("dot", "line", "circular", "hatched", "cmyk"),
      value: amount,
      angle,
      sharpness: amount,
    }),
    replace: members({ from: rgb, to: color, value: amount }),
  }),
  members({
    sepia: members({ value: amount }),
    duotone: members({ light: rgb, dark: rgb }),
    monochrome: members({ value: amount, color }),
  }),
);

const ADJUST = members({
  ...Object.fromEntries(["exposure", "temperature", "brightness", "contrast", "gamma"].map((name) => [name, percent])),
  ...Object.fromEntries(["highlights", "shadows", "vibrance", "saturation"].map((name) => [name, percent])),
  hue: one(-180, 0, 360, 361),
  sharpen: amount,
  unsharp: one(0, 1, 100),
  invert: fc.boolean(),
});

const OPERATIONS = {
  trim: fc.oneof(
    members({ threshold: one(0, 10, 100, 101), color, padding: one(0, 1, 500), equal: one("both", "horizontal") }),
    members({ left: one(0, 0.5, 0.999, 1, 30), bottom: one(0, 1, 0.2), width: one(1, 0.1, 500, 0) }),
  ),
  flip: members({ mode: one("horizontal", "vertical", "both") }),
  rotate: members({ angle: one(0, 1, 7, 44, 45, 90, 180, 271, 359, 360), background: color }),
  upscale: members({ factor: one(1, 2, 3, 4, 8, 9, 0) }),
  crop: fc.oneof(
    members({ width: side, height: side, gravity }),
    members({ width: one(0.001, 0.5, 0.999), height: side, gravity: direction, offset }),
    members({ width: side, height: side, x: one(0, 1, 131_072, -1), y: one(0, 1, 16_383) }),
    members({ mode: one("ratio"), ratio: one("1:1", "99999:1", "1:99999", "1.5:1", "0:1"), gravity }),
    members({ mode: one("face"), padding: one(0, 1, 10, 11), faces: one("one", "all") }),
  ),
  resize: fc.oneof(
    members({ width: side, height: side, mode, gravity, linear: fc.boolean() }),
    members({ width: side, height: side, mode, gravity: direction, offset }),
  ),
  scale: members({ size: one(1e-9, 0.001, 0.5, 1.001, 3, 0, 11, Number.NaN), ratio: one(1e-9, 0.5, 1, 10) }),
  auto: members({ enhance: fc.boolean(), redeye: fc.boolean() }),
  adjust: ADJUST,
  filter: FILTER,
  watermark: fc.oneof(
    members({ id: one("a"), gravity: one("center", "top-left"), padding: one(0, 1, 10_000), fit: fc.boolean() }),
    members({
      id: one("a"),
      x: one(-16_384, -3, 0, 16_384),
      y: one(-16_384, 0, 5),
      width: side,
      opacity: one(0.01, 1, 0),
    }),
  ),
  redact: members({
    faces: one("blur", "pixellate", "fill"),
    padding: one(0, 10, 11),
    mode: one("blur", "pixellate", "fill"),
    regions: fc.array(members({ x: one(0, 0.5, 1, 16_384), y: one(0, 0.999), width: side, height: one(1e-9, 3) })),
  }),
  text: fc.oneof(
    members({
      value: one("Aя\nΩ", "W".repeat(500), "a ".repeat(250), "\n".repeat(500), "\u0301", "<&>\"'"),
      size: one(0.001, 0.999, 1, 30, 4_000, 4_001, 0),
      width: one(0.001, 1, 16_384, 0),
      angle,
      background: color,
      gravity: direction,
      padding: one(0, 10_000),
    }),
    members({
      value: one("Words"),
      x: one(-16_384, -3, 0, 16_384),
      y: one(-16_384, 0, 5),
      size: one(1, 200, 4_000),
      font: one("serif", "mono"),
    }),
  ),
  mask: members({ shape: one("ellipse"), background: color }),
  border: members({ size: one(0, 1, 1_000, 1_001), radius: one(0, 1, MAX_SIDE_PIXELS), color }),
  padding: members({ size: one(0, 1, 200, 10_001), left: one(0, 10_000, -1), top: one(0, 7), background: color }),
};

/** One to three operations. */
const body = fc
  .uniqueArray(fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, OPERATIONS[name]]))));

it("makes a picture within the limits or refuses, and does so soon", { timeout: 120_000 }, async () => {
  const overlays = new Map([["a", new Uint8Array(over)]]);
  const check = fc.asyncProperty(
    fc.constantFrom(...FILES),
    body,
    one("jpg", "png", "gif"),
    async (file, asked, format) => {
      try {
        const { output, optimize, ...operations } = parseBody(UploadBody, {
          ...asked,
          output: { format, quality: 50 },
        });
        const made = await rendered(file, { operations, output, optimize, overlays });

        const { width, height } = made.output.facts;
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
        expect(Math.max(width, height)).toBeLessThanOrEqual(MAX_LONG_SIDE_PIXELS);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        expect(error.status).toBe(422);
      }
    },
  );
  await fc.assert(check, { numRuns: 300 });
});
