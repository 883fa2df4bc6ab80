/**
 * JPEG files with an orientation tag, of all sizes beside their blocks: what comes out is upright and says nothing of an
 * orientation; only without loss, and where edges forbid the turn, the tag stays. The answer has the size that is shown.
 */
import { describe, expect, it } from "vitest";

import gray from "../fixtures/jpeg/gray.jpg";
import s420 from "../fixtures/jpeg/s420.jpg";
import s422 from "../fixtures/jpeg/s422.jpg";
import s444 from "../fixtures/jpeg/s444.jpg";
import type { Pixels } from "../support/rows.ts";
import { shared } from "../support/share.ts";
import { pixelsOf, read, walk } from "../support/walk.ts";

/** Files of 133 x 101 pixels, and the size of their MCUs. */
const FILES = {
  "4:2:0": { file: s420, across: 16, down: 16 },
  "4:2:2": { file: s422, across: 16, down: 8 },
  "4:4:4": { file: s444, across: 8, down: 8 },
  gray: { file: gray, across: 8, down: 8 },
} as const;
const WIDTH = 133;
const HEIGHT = 101;

const ORIENTATIONS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
type Orientation = (typeof ORIENTATIONS)[number];

/** The sides that must be whole numbers of MCUs for a turn of coefficients: those whose end becomes a beginning. */
const MIRRORED: Record<Orientation, readonly ("width" | "height")[]> = {
  1: [],
  2: ["width"],
  3: ["width", "height"],
  4: ["height"],
  5: [],
  6: ["height"],
  7: ["width", "height"],
  8: ["width"],
};

interface Case {
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
}

/** Levels by which pixels differ on average from what was sent; the wrong way round they differ by more than 20. */
const MEAN_LEVELS = 8;
/** The most by which decoders round differently when blocks are turned: a step of each component, more in smoothed chroma. */
const ROUNDING = 8;

/** Sizes of the same number of MCUs, with every remainder of either side, alone and together. */
function sizesOf(across: number, down: number): { width: number; height: number }[] {
  const width = Math.ceil(WIDTH / across) * across;
  const height = Math.ceil(HEIGHT / down) * down;
  const steps = Array.from(
    { length: Math.max(across, down) },
    (_, step) => [step % across, (step * 5) % down] as const,
  );
  return [...steps, [0, 3] as const, [5, 0] as const].map(([x, y]) => ({ width: width - x, height: height - y }));
}

/** The file with another size, within the blocks it has, and an orientation tag. */
function tagged(file: ArrayBuffer, { width, height, orientation }: Case): Uint8Array {
  const bytes = new Uint8Array(file.slice(0));
  const view = new DataView(bytes.buffer);
  let at = 2;
  while ((view.getUint16(at) & 0xfffc) !== 0xffc0) at += 2 + view.getUint16(at + 2);
  view.setUint16(at + 5, height);
  view.setUint16(at + 7, width);
  const letters = new TextEncoder().encode("Exif\0\0MM");
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  const exif = [...letters, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0];
  const segment = [0xff, 0xe1, 0, exif.length + 2, ...exif];
  return Uint8Array.from([...bytes.subarray(0, 2), ...segment, ...bytes.subarray(2)]);
}

function shownSize({ width, height, orientation }: Case): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

function differences(one: Pixels, other: Pixels): { mean: number; most: number } {
  let [sum, most] = [0, 0];
  for (const [at, level] of one.data.entries()) {
    const difference = Math.abs(level - (other.data[at] ?? 0));
    sum += difference;
    most = Math.max(most, difference);
  }
  return { mean: (sum * 4) / (one.data.length * 3), most };
}

interface Expected {
  /** The tag that stays. */
  readonly tag: number;
  readonly mean: number;
  readonly most: number;
}

/** What is wrong with what becomes of a file; empty where nothing is. */
async function wrongWith(file: Uint8Array, of: Case, optimize: object, expected: Expected): Promise<string[]> {
  const { output, stored } = await walk(file, { optimize });
  const said = await read(stored);
  if (!said) return [`cannot be decoded (${stored.length} bytes)`];
  const shown = shownSize(of);
  const wrong = (is: boolean, what: string) => (is ? [] : [what]);
  const found = [
    ...wrong(said.orientation === expected.tag, `tag ${said.orientation}, not ${expected.tag}`),
    ...wrong(output.width === shown.width && output.height === shown.height, "the answer has another size"),
    ...wrong(output.bytes === stored.length, "the answer has another length"),
  ];
  const lies = said.orientation >= 5 ? [said.height, said.width] : [said.width, said.height];
  if (lies[0] !== shown.width || lies[1] !== shown.height) return [...found, `shown as ${lies.join(" x ")}`];
  const { mean, most } = differences(await pixelsOf(stored, shown), await pixelsOf(file, shown));
  return [
    ...found,
    ...wrong(mean <= expected.mean && most <= expected.most, `differs by ${mean.toFixed(1)}, at most ${most}`),
  ];
}

async function failures(cases: readonly Case[], file: ArrayBuffer, optimize: object, expect: (of: Case) => Expected) {
  const found: string[] = [];
  for (const of of cases) {
    const wrong = await wrongWith(tagged(file, of), of, optimize, expect(of));
    const { width, height, orientation } = of;
    if (wrong.length > 0) found.push(`${width} x ${height}, ${orientation}: ${wrong.join(", ")}`);
  }
  return found;
}

describe.each(Object.entries(FILES))("a JPEG file of %s with an orientation tag", (_name, { file, across, down }) => {
  const sizes = sizesOf(across, down);
  const all = sizes.flatMap((size) => ORIENTATIONS.map((orientation) => ({ ...size, orientation })));
  // Every size and every orientation, not each with each.
  const some = sizes.flatMap((size, at) =>
    ORIENTATIONS.slice(at % 8, (at % 8) + 1).map((orientation) => ({ ...size, orientation })),
  );
  const upright = () => ({ tag: 1, mean: MEAN_LEVELS, most: 255 });
  // One test each: a hundred files take long where the machine is busy.
  const each = ORIENTATIONS.map((tag) => [tag, shared(all.filter(({ orientation }) => orientation === tag))] as const);

  it.each<readonly [how: string, optimize: object, cases: readonly Case[]]>([
    ...each.map(([tag, cases]) => [`by default, tagged ${tag}`, {}, cases] as const),
    ...each.map(([tag, cases]) => [`by quality, tagged ${tag}`, { quality: 60 }, cases] as const),
    ["by low", { compression: "low" }, some],
    ["by medium", { compression: "medium" }, some],
    ["by high", { compression: "high" }, some],
    ["by ultra", { compression: "ultra" }, some],
    ["to a size", { target_bytes: 2_000 }, some],
    ["to a size that it has", { target_bytes: 20_000 }, some],
  ])("comes out upright, %s", async (_how, optimize, cases) => {
    expect(await failures(cases, file, optimize, upright)).toEqual([]);
  });

  it.each(each)("is turned without loss, or keeps its tag where its edges forbid that: %i", async (_tag, cases) => {
    const whole = { width: across, height: down };
    const expected = (of: Case) => {
      const turns = MIRRORED[of.orientation].every((side) => of[side] % whole[side] === 0);
      return turns ? { tag: 1, mean: 1, most: ROUNDING } : { tag: of.orientation, mean: 0, most: 0 };
    };
    expect(await failures(cases, file, { lossless: true }, expected)).toEqual([]);
  });
});

describe.each(ORIENTATIONS)("a JPEG file with the tag %i that is taken as it is stored", (orientation) => {
  it.each([
    ["by default", {}, {}],
    ["without loss", { optimize: { compression: "lossless" } }, {}],
    ["with all its metadata", { output: { metadata: "all" } }, {}],
    ["turned", {}, { angle: 90 }],
  ])("%s", async (_how, body, turn) => {
    const of = { width: 136, height: 104, orientation };
    const { output, stored } = await walk(tagged(s444, of), { ...body, rotate: { angle: 0, upright: false, ...turn } });
    const size = "angle" in turn ? { width: 104, height: 136 } : { width: 136, height: 104 };
    expect(output).toMatchObject(size);
    expect((await read(stored))?.orientation).toBe(1);
    const plain = await walk(tagged(s444, { ...of, orientation: 1 }), { ...body, rotate: { angle: 0, ...turn } });
    expect(differences(await pixelsOf(stored, size), await pixelsOf(plain.stored, size)).mean).toBeLessThan(1);
  });
});
