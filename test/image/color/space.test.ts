/** Results in other colors than those of sRGB: what is in their files, and how readers that are not ours show it. */
import { beforeAll, describe, expect, it } from "vitest";

import { profileOfCodePoints } from "../../../src/image/color/code-points.ts";
import { colorIn, displayP3, P3_CODE_POINTS, type Space } from "../../../src/image/color/space.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { openFile } from "../../../src/image/formats/jxl/facts.ts";
import { png } from "../../../src/image/formats/png.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { render } from "../../../src/image/render/render.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { relationOf, SRGB } from "../../../wasm/color/color.ts";
import cmykFile from "../../fixtures/jpeg/whole-cmyk.jpg";
import adobeRgbFile from "../../fixtures/profiles/adobe-rgb.icc";
import displayP3File from "../../fixtures/profiles/display-p3.icc";
import {
  asked,
  encoded,
  EXACT,
  largestDifference,
  meanDifference,
  PATCHES,
  profileIn,
  result,
  shown,
  values,
} from "../../support/colors.ts";
import { refusal } from "../../support/refusal.ts";
import { rendered } from "../../support/render.ts";
import { noisy, paint, pictureOf, type Pixels, scene } from "../../support/rows.ts";
import { scoreRows } from "../../support/scores.ts";

const APPLE_P3 = new Uint8Array(displayP3File);
const ADOBE_RGB = new Uint8Array(adobeRgbFile);
/** Levels of sRGB that one of P3 is where a channel is next to nothing. */
const ROUNDING = 5;
const LOSSLESS = { compression: "lossless", lossless: true } as const;

let missing = "";
let wide: Uint8Array;
let adobe: Uint8Array;
let plain: Uint8Array;
beforeAll(async () => {
  missing = new TextDecoder().decode(await asked("/exiftool", new Uint8Array()));
  [wide, adobe, plain] = await Promise.all([encoded(PATCHES, APPLE_P3), encoded(PATCHES, ADOBE_RGB), encoded(PATCHES)]);
});

describe("the profile of Display P3", () => {
  it("is small, and the same to Little CMS as the one that its makers publish", () => {
    const { profile } = displayP3();
    expect(profile.length).toBeLessThan(550);
    expect(relationOf(APPLE_P3, profile)).toBe("same");
    expect(relationOf(SRGB, profile)).toBe("different");
    expect(relationOf(profile.subarray(0, 200), SRGB)).toBe("unusable");
  });

  it("has colors of sRGB where screens show them", () => {
    // CSS Color 4: color(display-p3 0.91749 0.20029 0.13856) is red.
    expect(colorIn(displayP3(), [255, 0, 0, 128])).toEqual([234, 51, 35, 128]);
    expect(colorIn(undefined, [255, 0, 0, 128])).toEqual([255, 0, 0, 128]);
  });

  it("is told apart from profiles of other code points by its name", () => {
    const name = (profile: unknown) => new TextDecoder("utf-16be").decode(profile as Uint8Array);
    expect(name(displayP3().profile)).toContain("Display P3");
    expect(name(profileOfCodePoints(9, 14, false))).not.toContain("Display P3");
  });
});

describe("output.profile", () => {
  it("is sRGB by default, to the byte", async () => {
    for (const file of [wide, adobe, plain]) {
      const byDefault = await result(file, { format: "webp" });
      expect(await result(file, { format: "webp", profile: "srgb" })).toEqual(byDefault);
      expect(profileIn(byDefault)).toBeUndefined();
    }
  });

  it.each(["png", "webp", "jpeg2000"] as const)("p3 and keep leave values of P3 as they are: %s", async (format) => {
    for (const profile of ["p3", "keep"] as const) {
      const file = await result(
        wide,
        { format, profile },
        { optimize: LOSSLESS, operations: { flip: { horizontal: true, vertical: false } } },
      );
      const back = await result(
        file,
        { format: "png", profile },
        { optimize: LOSSLESS, operations: { flip: { horizontal: true, vertical: false } } },
      );
      expect(largestDifference(await values(back), PATCHES.data)).toBe(0);
      expect(profileIn(file)).toEqual(APPLE_P3);
    }
  });

  it("keep leaves values of any profile of RGB as they are", async () => {
    const file = await result(adobe, { format: "webp", profile: "keep" }, { optimize: LOSSLESS });
    expect(profileIn(file)).toEqual(ADOBE_RGB);
    expect(largestDifference(await values(file), PATCHES.data)).toBe(0);
    expect(largestDifference(await shown(file), await shown(adobe))).toBe(0);
  });

  it("p3 brings other colors there, as readers show it", async () => {
    for (const file of [plain, adobe]) {
      const made = await result(file, { format: "png", profile: "p3" }, { optimize: LOSSLESS });
      expect(profileIn(made)).toEqual(displayP3().profile);
      expect(meanDifference(await shown(made), await shown(file))).toBeLessThan(1);
      if (file === plain) expect(largestDifference(await shown(made), await shown(file))).toBeLessThanOrEqual(ROUNDING);
    }
    const adobeToP3 = await values(await result(adobe, { format: "png", profile: "p3" }, { optimize: LOSSLESS }));
    const adobeToSrgb = await values(await result(adobe, { format: "png" }, { optimize: LOSSLESS }));
    expect(largestDifference(adobeToP3, adobeToSrgb)).toBeGreaterThan(20);
  });

  it.each(["jpeg", "png", "webp", "avif", "heic", "jpeg2000"] as const)(
    "p3 is said in files of %s, and looks as the original does",
    async (format) => {
      const file = await result(
        wide,
        { format, profile: "p3" },
        { optimize: { lossless: format === "png", quality: 97 } },
      );
      const profile = profileIn(file);
      expect(profile && relationOf(profile, APPLE_P3)).toBe("same");
      const inP3 = await result(file, { format: "png", profile: "keep" }, { optimize: LOSSLESS });
      expect(meanDifference(await values(inP3), PATCHES.data)).toBeLessThan(4);
      // Not the same format: a file that loses nothing in its own keeps its profile.
      const other = format === "webp" ? "png" : "webp";
      const inSrgb = await result(file, { format: other }, { optimize: LOSSLESS });
      expect(meanDifference(await values(inSrgb), await shown(wide))).toBeLessThan(4);
      if (missing !== "") return;
      const tags = JSON.parse(new TextDecoder().decode(await asked("/tags", file))) as Record<string, unknown>;
      if (format === "avif" || format === "heic")
        expect(Object.entries(tags)).toContainEqual([expect.stringMatching(/ColorPrimaries$/), 12]);
      else expect(Object.values(tags)).toContain("Display P3");
    },
  );

  it.each(["jpeg", "png", "webp", "avif", "heic", "jpeg2000"] as const)(
    "a profile has its part in the estimate of files of %s",
    (format) => {
      const extent = { width: 64, height: 64, opaque: true, frames: 1 };
      const space: Space = { profile: new Uint8Array(1 << 20), isP3: false };
      const { estimate } = FORMATS[format].write;
      const [without, beside] = [estimate(extent, EXACT), estimate({ ...extent, space }, EXACT)];
      expect(beside.bytes - without.bytes).toBeGreaterThanOrEqual(2 * space.profile.length);
      if (format === "png") expect(beside.ms - without.ms).toBeGreaterThan(50);
    },
  );

  it.each(["jpeg", "png", "webp", "avif"] as const)(
    "is kept of a WebP file that is made smaller, as %s",
    async (format) => {
      const file = await result(await encoded(scene(320, 240), ADOBE_RGB), { format: "webp", profile: "keep" });
      const operations = { resize: { width: 160, mode: "auto" } };
      const made = await result(file, { format, profile: "keep" }, { operations });
      expect(profileIn(made)).toEqual(ADOBE_RGB);
    },
  );

  it("p3 is what JPEG XL says of its pixels, which a codec with colors of its own makes of it", async () => {
    const output = { format: "jxl", profile: "p3" } as const;
    const exact = await result(wide, output, { optimize: LOSSLESS });
    expect(profileIn(exact)).toEqual(displayP3().profile);
    expect(largestDifference(await values(exact), PATCHES.data)).toBe(0);
    const lossy = await result(wide, output, { optimize: { lossless: false, quality: 97 } });
    expect(openFile(lossy).told.primaries).toBe(P3_CODE_POINTS.primaries);
    expect(meanDifference(await values(lossy), await shown(wide))).toBeLessThan(4);
    const found = await rendered(await encoded(scene(320, 240), APPLE_P3), { output });
    expect(found.output.score).toBeGreaterThan(74);
    expect(await refusal(rendered(adobe, { output: { format: "jxl", profile: "keep" } }))).toEqual({
      status: 422,
      message: "output.profile must be srgb or p3 in this output format, which cannot hold another",
    });
  });

  it.each(["jpeg", "webp"] as const)(
    "what a search finds in P3 has the score that screens of sRGB show: %s",
    async (format) => {
      // Without grain the scene is smallest without loss, where nothing is searched.
      const file = await encoded(noisy(scene(320, 240), 12), APPLE_P3);
      const { output } = await rendered(file, { output: { format, profile: "keep" } });
      expect(output.metric).toBeDefined();
      const reference = await decoded(png, file, UNPAUSED);
      const score = await scoreRows(reference, await decoded(FORMATS[format], output.bytes, UNPAUSED), UNPAUSED);
      expect(score).toBeCloseTo(output.metric ?? 0, 1);
    },
  );

  it("keeps a JPEG file of which nothing changes, and its coefficients", async () => {
    const space: Space = { profile: APPLE_P3, isP3: true };
    const settings = { ...EXACT, lossless: false };
    const file = await jpeg.write.encode({ ...pictureOf([scene(160, 120)]), space }, settings, UNPAUSED);
    const byDefault = await result(file, {}, { optimize: LOSSLESS });
    expect(await result(file, { profile: "keep" }, { optimize: LOSSLESS })).toEqual(byDefault);
    expect(await result(file, { profile: "p3" }, { optimize: LOSSLESS })).toEqual(byDefault);
    for (const profile of ["keep", "p3"] as const) {
      const smaller = await result(file, { profile });
      expect(profileIn(smaller)).toEqual(APPLE_P3);
      expect(smaller.length).toBeLessThan(file.length);
    }
    // The planes of a file in sRGB are not those of a result in P3.
    const srgb = await jpeg.write.encode(pictureOf([PATCHES]), settings, UNPAUSED);
    const made = await result(srgb, { profile: "p3" }, { optimize: { lossless: false, quality: 95 } });
    expect(profileIn(made)).toEqual(displayP3().profile);
    expect(meanDifference(await shown(made), await shown(srgb))).toBeLessThan(4);
  });

  it("gives gray files a profile for gray, where gray means something else", async () => {
    const grays = paint(64, 32, (x) => [x * 4, x * 4, x * 4, 255]);
    const dark = await encoded(grays, ADOBE_RGB);
    for (const format of ["png", "jpeg"] as const) {
      const file = await result(
        dark,
        { format, profile: "keep" },
        { optimize: { lossless: format === "png", quality: 98 } },
      );
      expect(identify(file).facts.colorspace).toBe("Gray");
      expect(
        largestDifference(await shown(file), await shown(await encoded(offGray(grays), ADOBE_RGB))),
      ).toBeLessThanOrEqual(3);
      const inP3 = await result(
        await encoded(grays, APPLE_P3),
        { format, profile: "p3" },
        { optimize: { lossless: true } },
      );
      expect(profileIn(inP3)).toBeUndefined();
    }
  });

  it("is sRGB where there is nothing that could be kept, and P3 where that is asked for", async () => {
    const damaged = await encoded(PATCHES, APPLE_P3.subarray(0, 300));
    const inks = new Uint8Array(cmykFile);
    for (const file of [plain, damaged, inks]) {
      const byDefault = await result(file, { format: "webp" });
      expect(await result(file, { format: "webp", profile: "keep" })).toEqual(byDefault);
      expect(profileIn(await result(file, { format: "webp", profile: "p3" }))).toEqual(displayP3().profile);
    }
  });

  it("is refused by name in formats that cannot hold it", async () => {
    const message = "output.profile must be srgb in this output format, which cannot hold another";
    for (const profile of ["p3", "keep"] as const) {
      expect(await refusal(rendered(plain, { output: { format: "gif", profile } }))).toEqual({ status: 422, message });
    }
  });

  it("leaves out formats that cannot hold it where the smallest is wanted", async () => {
    const { output } = await rendered(adobe, {
      output: { format: "auto", profile: "keep" },
      accept: "image/gif,image/jxl,image/png",
    });
    expect(output.format.label).toBe("PNG");
    expect(profileIn(output.bytes)).toEqual(ADOBE_RGB);
  });
});

describe("what operations bring along", () => {
  const exact = { optimize: LOSSLESS };

  it("is brought into the space of the picture", async () => {
    const red = await encoded(paint(8, 8, () => [255, 0, 0, 255]));
    const operations = {
      watermark: { id: "a", padding: 0, opacity: 1, scale: 1, fit: false, gravity: "center" },
      padding: { size: 10, background: "00ff00" },
    };
    const output = { format: "png", profile: "p3" } as const;
    const file = await result(wide, output, { ...exact, operations, overlays: new Map([["a", red]]) });
    const srgb = await result(plain, { format: "png" }, { ...exact, operations, overlays: new Map([["a", red]]) });
    const at = (data: Uint8Array, x: number, y: number) => [...data.subarray((y * 116 + x) * 4, (y * 116 + x) * 4 + 3)];
    const pixels = await values(file);
    expect(at(pixels, 2, 2)).toEqual([117, 251, 76]);
    expect(at(pixels, 58, 42)).toEqual([234, 51, 35]);
    const [ours, plainly] = [await shown(file), await values(srgb)];
    expect(largestDifference(Uint8Array.from(at(ours, 2, 2)), Uint8Array.from(at(plainly, 2, 2)))).toBeLessThanOrEqual(
      ROUNDING,
    );
  });

  it("is no reason for other pixels of results in sRGB", async () => {
    const operations = { border: { size: 4, color: "ff0000", radius: 0 } };
    const made = await result(wide, { format: "png" }, { ...exact, operations });
    expect([...(await values(made)).subarray(0, 3)]).toEqual([255, 0, 0]);
  });
});

describe("a set", () => {
  it("has each result in its own colors, with the operations of all", async () => {
    const entries = (["srgb", "p3", "keep"] as const).flatMap((profile) =>
      [90, 60].map((width) => ({
        name: `${profile}-${width}`,
        operations: { resize: { width, mode: "auto", upscale: false, linear: false } },
        output: { format: "png", profile } as const,
        optimize: LOSSLESS,
        analyze: undefined,
      })),
    );
    const made = new Map<string, Uint8Array>();
    const operations = { border: { size: 8, color: "ff0000", radius: 0 } };
    const order = { operations, overlays: new Map(), accept: undefined, analyze: undefined };
    const refusalOf = (_entry: unknown, error: unknown) => error;
    await render(
      SharedBytes.of(adobe.slice()),
      { ...order, entries: () => entries, refusalOf },
      ({ name }, { output }) => {
        made.set(name, output.file.bytes.slice());
      },
    );
    const expected = { srgb: [255, 0, 0], p3: [234, 51, 35], keep: [219, 0, 0] } as const;
    for (const { name, output, operations: own } of entries) {
      const file = made.get(name) ?? new Uint8Array();
      expect([...(await values(file)).subarray(0, 3)]).toEqual(expected[output.profile]);
      expect(profileIn(file)?.length).toBe(
        { srgb: undefined, p3: displayP3().profile.length, keep: ADOBE_RGB.length }[output.profile],
      );
      const plainly = made.get(`srgb-${own.resize.width}`) ?? new Uint8Array();
      expect(meanDifference(await shown(file), await shown(plainly))).toBeLessThan(2);
    }
  });
});

/** Pixels of which one is no gray, so that a file of colors is made of them. */
function offGray({ width, height, data }: Pixels): Pixels {
  const copy = data.slice();
  copy[0] = 1;
  return { width, height, data: copy };
}
