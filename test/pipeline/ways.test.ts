/**
 * No refusal while a way remains: whatever part of the work fails, or takes far longer than its estimate, the job ends
 * with a file. The pipeline runs once for each part of its work, with that part broken.
 */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../src/errors.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import { LOOKS } from "../../src/image/search/second-opinion.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import { type TimeSlice, UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { OutOfMemory } from "../../wasm/load.ts";
import { isForToday } from "../support/exhaustive.ts";
import { beyondRange, jpegFile } from "../support/jpeg-files.ts";
import { paint, pictureOf, type Pixels, scene } from "../support/rows.ts";
import { strippedFile } from "../support/stripped.ts";
import { walk, type Walked } from "../support/walk.ts";

/** What becomes of the parts of a job's work, in the order in which they begin. */
type Fate = (part: number) => "works" | "refused" | "without memory" | "in its midst";

const OWN_FAILURE = "This way does not lead anywhere";

/** Runs a job whose parts have this fate, and counts them. */
async function fated(
  fate: Fate,
  job: () => Promise<Walked>,
): Promise<{ readonly walked: Walked | Error; readonly parts: number }> {
  const runIn = isolateBudget.runIn.bind(isolateBudget);
  let parts = 0;
  isolateBudget.runIn = <Result>(
    tiers: Parameters<typeof isolateBudget.runIn>[0],
    piece: (timeSlice: TimeSlice, tier: number) => Result | Promise<Result>,
    jobLimits?: JobLimits,
  ) => {
    const ends = fate(parts++);
    const broken = async (timeSlice: TimeSlice, tier: number): Promise<Result> => {
      if (ends === "refused") throw new ApiError(422, OWN_FAILURE);
      if (ends === "without memory") throw new OutOfMemory();
      if (ends === "works") return piece(timeSlice, tier);
      let spent = 0;
      const spend = (ms: number) =>
        spent++ >= 2 ? Promise.reject(new ApiError(422, OWN_FAILURE)) : timeSlice.spend(ms);
      return piece({ spend, worked: () => timeSlice.worked() }, tier);
    };
    return runIn(tiers, broken, jobLimits);
  };
  try {
    return { walked: await job().catch((error: unknown) => error as Error), parts };
  } finally {
    isolateBudget.runIn = runIn;
  }
}

/** Limits that leave searches so many milliseconds, though the job may take any estimate. */
class Hurried extends JobLimits {
  private readonly ms: number;

  constructor(ms: number) {
    super({ maxMs: 1_000_000 });
    this.ms = ms;
  }

  override get leftMs(): number {
    return this.ms;
  }
}

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

function written(format: FormatName, frames: readonly [Pixels, ...Pixels[]], settings = EXACT): Promise<Uint8Array> {
  const { write } = FORMATS[format] as typeof FORMATS.png;
  return write.encode(pictureOf(frames, { delayMs: 100 }), settings, UNPAUSED);
}

const drawing = (shift: number) =>
  paint(160, 120, (x, y) => {
    const isInk = (x - 60 - shift) ** 2 + (y - 60) ** 2 < 900 || (y > 90 && (x + shift) % 24 < 12);
    return isInk ? [200, 30, 40, 255] : [245, 245, 250, 255];
  });

const ORIGINALS: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  "a photograph as JPEG": () => written("jpeg", [scene(200, 150)], { ...EXACT, lossless: false, quality: 92 }),
  "a progressive JPEG": async () => jpegFile("progressive"),
  "a drawing as PNG": () => written("png", [drawing(0)]),
  "an animation as GIF": () => written("gif", [drawing(0), drawing(10), drawing(20)]),
  "a WebP without loss": () => written("webp", [drawing(5)]),
};

const OPTIONS: Readonly<Record<string, object>> = {
  "by default": {},
  "without loss": { optimize: { lossless: true } },
  "as AVIF": { output: { format: "avif" } },
  "as WebP": { output: { format: "webp" } },
  "as PNG": { output: { format: "png" } },
  "in any format": { output: { format: "auto" } },
  "of a quality": { optimize: { quality: 70 } },
};

const PAIRS = Object.entries(ORIGINALS).flatMap(([name, file], row) =>
  Object.entries(OPTIONS).map(([options, body], column) => ({ name, file, options, body, turn: row + column })),
);

const TODAY = PAIRS.filter(({ turn }) => isForToday(turn, 3));

function isLarger({ input, output }: Walked): boolean {
  return output.format === input.format && output.bytes > input.bytes;
}

describe.each(TODAY)("$name, $options", ({ file, body }) => {
  it("comes to a file though any one part of the work fails, in each way", async () => {
    const bytes = await file();
    const whole = await fated(
      () => "works",
      () => walk(bytes, body),
    );
    if (whole.walked instanceof Error) throw whole.walked;
    const isOriginal = whole.walked.output.sha1 === whole.walked.input.sha1;
    for (const failure of ["refused", "without memory", "in its midst"] as const) {
      for (let broken = 0; broken < whole.parts; broken++) {
        const { walked, parts } = await fated(
          (part) => (part === broken ? failure : "works"),
          () => walk(bytes, body),
        );
        // Without the only part there is no way, nor without the one that hands back an original that nothing makes
        // smaller.
        const isOnly = parts === 1 || (isOriginal && broken === whole.parts - 1);
        if (walked instanceof Error && !isOnly) expect([failure, broken, walked.message]).toEqual([]);
      }
    }
  });

  it("comes to a file as long as the last of its ways works", async () => {
    const bytes = await file();
    for (let broken = 1; ; broken++) {
      const { walked, parts } = await fated(
        (part) => (part < broken ? "refused" : "works"),
        () => walk(bytes, body),
      );
      if (parts <= broken) break;
      expect(walked).not.toBeInstanceOf(Error);
    }
  });

  it.each([0, 2, 10, 50, 250])("comes to a file when its searches end after %i ms", async (ms) => {
    const bytes = await file();
    const walked = await walk(bytes, body, undefined, new Hurried(ms));
    expect(isLarger(walked)).toBe(false);
  });
});

describe("a search that takes far more than its estimate", () => {
  it("says that a quality was predicted, where no file was good enough by then", async () => {
    const bytes = await written("png", [scene(300, 200)]);
    const { output } = await walk(bytes, { output: { format: "webp" } }, undefined, new Hurried(0));
    expect(output.searched).toBe(false);
    expect(output.score).toBeGreaterThan(60);
    expect(LOOKS).toContain(output.looks);
  });

  it("says nothing of that where it ended by itself", async () => {
    const bytes = await written("png", [scene(300, 200)]);
    const { output } = await walk(bytes, { output: { format: "webp" } });
    expect(output).not.toHaveProperty("searched");
    expect(output.score).toBeGreaterThanOrEqual(75);
    expect(output.looks).toBe("same");
  });

  it("hands out the best file so far", async () => {
    const bytes = await written("gif", [drawing(0), drawing(10), drawing(20)]);
    const scores: (number | undefined)[] = [];
    for (let ms = 4; ms < 2_000; ms *= 2) {
      const { output } = await walk(bytes, { output: { format: "avif" } }, undefined, new Hurried(ms));
      scores.push(output.score);
    }
    expect(scores.filter((score) => score !== undefined && score >= 75).length).toBeGreaterThan(1);
  });
});

describe("a JPEG file that decoders show, and whose coefficients cannot be written again", () => {
  const jpeg = jpegFile("s420");
  const scan = jpeg.subarray(0, -2);
  const wide = beyondRange(20, 12);
  const withEnd = (marker: number) => Uint8Array.from([...scan, 0xff, marker]);
  const KINDS = {
    "values beyond their range": wide,
    "the beginning of another image in place of the end": withEnd(0xd8),
    "a frame in place of the end": withEnd(0xc0),
    "a table in place of the end": withEnd(0xc4),
    "an unknown marker in place of the end": withEnd(0xf0),
    "a second image before the end": Uint8Array.from([...scan, ...jpeg]),
  };

  it.each(Object.entries(KINDS))("becomes a file: %s", async (_name, bytes) => {
    for (const body of [
      {},
      { optimize: { compression: "low" } },
      { output: { encoding: "baseline" } },
      { output: { format: "auto" } },
    ]) {
      const { output } = await walk(bytes, body);
      expect(output.bytes).toBeLessThanOrEqual(bytes.length);
    }
    // What stands where the picture has ended may be anything, the place of a camera too: it is cut off.
    const { stored } = await walk(bytes, { optimize: { lossless: true } });
    expect(stored).toEqual(bytes === wide ? wide : jpeg);
  });

  it.each(Object.entries(KINDS))("has the pixels that decoders show: %s", async (_name, bytes) => {
    const exact = { optimize: { lossless: true }, output: { format: "png" } };
    const { output, stored } = await walk(bytes, exact);
    const again = await walk(bytes, { ...exact, resize: { width: output.width } });
    expect(again.stored).toEqual(stored);
  });
});

describe("a file that decoders show, with something else where its picture has ended", () => {
  const lossless = { optimize: { lossless: true } };
  const text = (value: string) => [...new TextEncoder().encode(value)];

  it.each(["s420", "gray", "restart", "arithmetic", "twelve-bits", "cmyk"])(
    "is a picture, and its end: %s",
    async (name) => {
      const whole = jpegFile(name);
      const { stored } = await walk(Uint8Array.from([...whole.subarray(0, -2), 0xff, 0xf0, ...text("Exif")]), lossless);
      expect(stored).toEqual(strippedFile(FORMATS.jpeg.strip(whole)));
    },
  );

  it("is written in another way where there is no end, and no coefficients that could be kept", async () => {
    const { input, output } = await walk(jpegFile("twelve-bits").subarray(0, -2), lossless);
    expect([output.format, output.width, output.height]).toEqual(["JPEG", input.width, input.height]);
  });

  it.each([
    ["gif", () => written("gif", [drawing(0)]), 1, [0x21, 0xfe, 20, 65]],
    ["webp", () => written("webp", [drawing(5)]), 0, [...text("XMP "), 0, 1, 0, 0, 60]],
  ] as const)("becomes none that is larger: %s", async (_format, file, left, tail) => {
    const whole = await file();
    const bytes = Uint8Array.from([...whole.subarray(0, whole.length - left), ...tail]);
    for (const optimize of [{}, { lossless: true }, { quality: 100 }, { target_bytes: bytes.length }]) {
      const { output } = await walk(bytes, { optimize });
      expect(output.bytes).toBeLessThanOrEqual(whole.length);
    }
  });
});
