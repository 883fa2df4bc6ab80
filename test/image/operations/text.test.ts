/** Texts: their letters, lines, place and looks. */
import { describe, expect, it } from "vitest";

import { checked } from "../../../src/contract/message.ts";
import { UploadBody } from "../../../src/contract/request.ts";
import { FAMILIES } from "../../../src/image/formats/svg/fonts.ts";
import { linesOf, plainText } from "../../../src/image/text/lines.ts";
import { metricsOf } from "../../../src/image/text/metrics.ts";
import { applied, flat, pixel } from "../../support/operations.ts";
import type { Pixels } from "../../support/rows.ts";

const BLACK: Pixels = flat(400, 300, [0, 0, 0, 255]);

async function written(value: string, params: object = {}, pixels: Pixels = BLACK): Promise<Pixels> {
  return applied("text", { value, size: 30, ...params }, pixels);
}

/** The columns that anything is written in. */
function inkedColumns(result: Pixels): boolean[] {
  const { width, height } = result;
  return Array.from({ length: width }, (_, x) => {
    for (let y = 0; y < height; y++) if (pixel(result, x, y)[1] > 96) return true;
    return false;
  });
}

/** Where anything is written: left, top, right, bottom. */
function inkedBox(result: Pixels): [left: number, top: number, right: number, bottom: number] {
  let [left, top, right, bottom] = [result.width, result.height, 0, 0];
  for (let y = 0; y < result.height; y++) {
    for (let x = 0; x < result.width; x++) {
      if (pixel(result, x, y)[1] <= 96) continue;
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
    }
  }
  return [left, top, right, bottom];
}

describe("letters", () => {
  it.each(
    (["sans", "serif", "mono"] as const).flatMap((font) =>
      ([400, 700] as const).map((weight) => [font, weight] as const),
    ),
  )("are measured as the renderer draws them: %s %i", async (font, weight) => {
    const { widthOf } = metricsOf(FAMILIES[font].files[weight]);
    for (const middle of ["AVAToWa. Ty", "office fjord", "Größe Łódź", "Привет ГАД", "Ελλάδα ΑΥΤΟ", "Tiếng Việt"]) {
      const size = 100;
      const wide = flat(1_400, 160, [0, 0, 0, 255]);
      const drawn = inkedColumns(await written(`|${middle}|`, { font, weight, size, gravity: "top-left" }, wide));
      const advance = drawn.lastIndexOf(true) - drawn.indexOf(true);
      const bar = inkedColumns(await written("|", { font, weight, size, gravity: "top-left" }, wide));
      const thickness = bar.lastIndexOf(true) - bar.indexOf(true);
      expect(Math.abs(advance - thickness - widthOf(`|${middle}`) * size), middle).toBeLessThan(3);
    }
  });

  it.each([
    ["שלום", "Hebrew"],
    ["سلام", "Arabic"],
    ["日本", "Han"],
    ["नमस्ते", "Devanagari"],
    ["ok 👍", "emoji"],
    ["ἀρχή", "rare letters of Greek"],
    ["a\u202Eb", "rare symbols"],
  ])("that no font has are refused by name: %s", async (value, name) => {
    await expect(written(value)).rejects.toMatchObject({
      status: 422,
      message: `text.value has characters that no font here has: ${name}`,
    });
  });

  it("are never markup", async () => {
    const drawn = await written('<rect width="400" height="300" fill="#f0f"/>&#65;', { color: "0f0" });
    for (let at = 0; at < drawn.data.length; at += 4) expect(drawn.data[at]).toBe(0);
    const [left, , right] = inkedBox(drawn);
    expect(right - left).toBeGreaterThan(300);
  });

  it("are the same whether they were sent composed or not", async () => {
    expect((await written("e\u0301o\u0308")).data).toEqual((await written("\u00E9\u00F6")).data);
  });
});

describe("lines", () => {
  const metrics = metricsOf(FAMILIES.mono.files[400]);
  const broken = async (value: string, letters: number) => {
    const lines = await linesOf(plainText(value), metrics, metrics.widthOf("x".repeat(letters)) + 1e-6);
    return lines.map(({ text }) => text);
  };

  it.each([
    ["one two three", 7, ["one two", "three"]],
    ["one two three", 6, ["one", "two", "three"]],
    ["one\ntwo\r\n\nthree", 20, ["one", "two", "", "three"]],
    ["well-known", 6, ["well-", "known"]],
    ["10\u00A0km away", 5, ["10\u00A0km", "away"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["a\tb", 9, ["a b"]],
    ["  in two", 5, ["  in", "two"]],
    ["hand\u00ADbook", 6, ["hand-", "book"]],
    ["hand\u00ADbook", 9, ["handbook"]],
    ["https://example.com/a", 12, ["https://", "example.com/", "a"]],
    ["(one) “two”, three!", 6, ["(one)", "“two”,", "three!"]],
    ["x", 0, ["x"]],
  ])("%j within %i letters", async (value, letters, expected) => {
    expect(await broken(value, letters)).toEqual(expected);
  });

  it("stay within the width, background included", async () => {
    const value = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich";
    for (const angle of [0, 180]) {
      const [left, , right] = inkedBox(await written(value, { width: 200, background: "fff", angle, color: "000" }));
      expect(right - left).toBeLessThanOrEqual(200);
      expect(right - left).toBeGreaterThan(150);
    }
  });

  it("are as wide as the picture where nothing is said", async () => {
    const [left, , right] = inkedBox(await written("word ".repeat(60), { size: 20, padding: 50, gravity: "top" }));
    expect(left).toBeGreaterThanOrEqual(49);
    expect(right).toBeLessThanOrEqual(351);
    expect(right - left).toBeGreaterThan(250);
  });
});

describe("place", () => {
  it.each([
    ["top-left", [10, 10]],
    ["top", [150, 10]],
    ["right", [290, 130]],
    ["bottom-right", [290, 250]],
    ["bottom", [150, 250]],
    ["center", [150, 130]],
  ])("%s", async (gravity, [x = 0, y = 0]) => {
    const params = { width: 100, background: "fff", padding: 10, size: 20, font: "mono" };
    // Seven letters of 12 pixels, and a line of 27 pixels, with 6 pixels around them.
    const box = inkedBox(await written("xxxxxxx", { ...params, gravity, color: "fff" }));
    const [left, top, right, bottom] = box;
    expect(right - left).toBeGreaterThanOrEqual(95);
    expect(bottom - top).toBeGreaterThanOrEqual(39);
    expect(Math.abs(left - x - (gravity.includes("left") ? 0 : gravity.includes("right") ? 4 : 2))).toBeLessThanOrEqual(
      2,
    );
    expect(Math.abs(top - y)).toBeLessThanOrEqual(2);
  });

  it("is x and y, and what lies outside is cut off", async () => {
    const [left, top] = inkedBox(await written("x", { x: 30, y: 40, background: "fff" }));
    expect([left, top]).toEqual([30, 40]);
    const [outerLeft, outerTop] = inkedBox(await written("xxxxx", { x: -20, y: -10, background: "fff" }));
    expect([outerLeft, outerTop]).toEqual([0, 0]);
    expect((await written("x", { x: 1_000, y: 0 })).data).toEqual(BLACK.data);
  });

  it("turns about the middle", async () => {
    const [left, top, right, bottom] = inkedBox(await written("turned", { background: "fff" }));
    const turned = inkedBox(await written("turned", { background: "fff", angle: 90 }));
    expect(Math.abs(turned[2] - turned[0] - (bottom - top))).toBeLessThanOrEqual(2);
    expect(Math.abs(turned[3] - turned[1] - (right - left))).toBeLessThanOrEqual(2);
  });

  it("takes sizes as parts of the height", async () => {
    expect((await written("part", { size: 0.1 })).data).toEqual((await written("part", { size: 30 })).data);
  });
});

describe("looks", () => {
  it("weakens text and background together", async () => {
    const whole = { background: "ffffff", color: "ffffff", size: 60 };
    const [, , , bottom] = inkedBox(await written("M", whole));
    const weak = await written("M", { ...whole, opacity: 0.5 });
    const [red] = pixel(weak, 200, 150);
    expect(Math.abs(red - 128)).toBeLessThanOrEqual(2);
    expect(bottom).toBeGreaterThan(150);
  });

  it("is the same however many rows are read at a time", async () => {
    const params = { value: "Reihen", angle: 12, background: "0000ff88", size: 50 };
    const expected = await applied("text", params, BLACK);
    for (const ask of [1, 7, 300]) expect((await applied("text", params, BLACK, { ask })).data).toEqual(expected.data);
  });
});

it.each([
  [{}, "text.value is required"],
  [{ value: "" }, "text.value must be a text of 1 to 500 characters"],
  [{ value: "a".repeat(501) }, "text.value must be a text of 1 to 500 characters"],
  [{ value: "a\u0007" }, "text.value must not contain control characters"],
  [{ value: "a", font: "comic" }, "text.font must be one of sans, serif, mono"],
  [{ value: "a", weight: 500 }, "text.weight must be one of 400, 700"],
  [{ value: "a", x: 1, gravity: "top" }, "text must have either gravity or x and y, not both"],
])("refuses %o", (text, message) => {
  expect(() => checked(UploadBody, { text })).toThrow(message);
});
