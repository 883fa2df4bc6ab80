/** Reading animated AVIF files. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { OPERATIONS } from "../../../../src/image/operations.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { MAX_FRAMES } from "../../../../src/limits/pictures.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { av1DecodeHeap } from "../../../../wasm/av1-decode/decoder.ts";
import once from "../../../fixtures/avif/colors-animated-8bpc.avif";
import ten from "../../../fixtures/avif/sequence-10-bits.avif";
import alpha from "../../../fixtures/avif/sequence-alpha.avif";
import ffmpeg from "../../../fixtures/avif/sequence-ffmpeg.avif";
import plain from "../../../fixtures/avif/sequence.avif";
import alphaItems from "../../../fixtures/avif/tracks-alpha.avif";
import { beginnings, mutations } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import { digest, drain, type Pixels } from "../../../support/rows.ts";

interface Shown {
  readonly delayMs: number;
  readonly pixels: Pixels;
}

async function frames(bytes: Uint8Array): Promise<Shown[]> {
  const { facts } = identify(bytes);
  const { width, height } = facts;
  const shown: Shown[] = [];
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { delayMs, rows } of avif.read.open(bytes, facts, demand, UNPAUSED)) {
    shown.push({ delayMs, pixels: await drain(rows) });
  }
  return shown;
}

/** Black under full transparency. */
async function digestOf({ data }: Pixels): Promise<string> {
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 0) data.fill(0, at, at + 3);
  return digest(data);
}

/** Digests of pixels that differ from those of `avifdec --index` 0.11 (by dav1d 1.0) by at most 2 levels. */
const SEQUENCES = [
  [
    "4:2:0",
    plain,
    { alpha: true, subsample: "4:2:0", depth: 32, loops: 0 },
    [100, 40, 40, 250, 250, 250, 250, 250],
    "769f4053385b5512 bd4f9af20a8480b0 32cd30c69bb44dfb 34560cd8177bf241 64bb481780712d9b 78a1572913356691 280abcf91ad33463 38fcbd1d3b6785d3",
  ],
  [
    "10 bits of 4:4:4",
    ten,
    { alpha: false, depth: 30, subsample: "4:4:4" },
    Array<number>(8).fill(120),
    "49194e460c2b4926 8dc3736b5bae6cd1 9af5d2c850d78275 9dd4cdbc2ccf7858 9c0739a37a5a828b 5274fed58af68ef5 54834abf75735d7b aa8f3a54f6cd5e75",
  ],
  [
    "alpha",
    alpha,
    { alpha: true, depth: 32 },
    [50, 50, 200, 200, 200, 200],
    "7ce8674c2e6f4f91 b7260d571248d06d 6770db63fb5e67e3 aad0320cae049b75 538526b72efe7a7b bbd16cabd3965f64",
  ],
  [
    "boxes as ffmpeg writes them",
    ffmpeg,
    { alpha: false, loops: 0 },
    Array<number>(8).fill(100),
    "c43d6c3db2beca6b 833f12cf88bfcd5d 0b343470a58da6f9 bef79afd8d3983c3 0aede5fefb8fe03f 39beb92c48daec30 d40069018b8ae7ed 41fd90edba2ea2a0",
  ],
  [
    "one run",
    once,
    { loops: 1, alpha: false },
    Array<number>(5).fill(100 / 3),
    "8b21cee93115b289 29e47f179adba0ce 44efec111d2dc97b 39295759086136b7 3f30f49073e21aa4",
  ],
] as const;

/** Where the payload of the first box of a type begins. */
function payloadOf(bytes: Uint8Array, type: string): number {
  return new TextDecoder("latin1").decode(bytes).indexOf(type) + 4;
}

/** A copy with numbers of four bytes in the payload of the first box of a type. */
function changed(file: ArrayBufferLike, type: string, numbers: Readonly<Record<number, number>>): Uint8Array {
  const copy = new Uint8Array(file).slice();
  const view = new DataView(copy.buffer);
  for (const [at, number] of Object.entries(numbers)) view.setUint32(payloadOf(copy, type) + Number(at), number);
  return copy;
}

/** The status and the sentence that a file is refused with, by whatever is done first that finds it wrong. */
async function refusalOf(bytes: Uint8Array): Promise<string> {
  try {
    await frames(bytes);
    return "none";
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
}

const DAMAGED = "422 The image is damaged or cut short";

describe("animated AVIF", () => {
  it.each(SEQUENCES)("is read with all its frames: %s", async (_name, file, facts, delays, digests) => {
    const bytes = new Uint8Array(file);
    expect(identify(bytes)).toMatchObject({ name: "avif", facts: { ...facts, frames: delays.length } });
    const shown = await frames(bytes);
    const times = shown.map(({ delayMs }) => delayMs);
    times.forEach((time, index) => expect(time).toBeCloseTo(delays[index] ?? 0));
    expect((await Promise.all(shown.map(({ pixels }) => digestOf(pixels)))).join(" ")).toBe(digests);
  });

  it("begins anew each time it is opened", async () => {
    expect(await frames(new Uint8Array(alpha))).toEqual(await frames(new Uint8Array(alpha)));
  });

  it("gives a region of every frame as it is in the whole", async () => {
    const bytes = new Uint8Array(alpha);
    const { facts } = identify(bytes);
    const whole = await frames(bytes);
    const box = { x: 13, y: 7, width: 30, height: 20 };
    let index = 0;
    for await (const { rows, box: at } of avif.read.open(bytes, facts, { box, width: 30, height: 20 }, UNPAUSED)) {
      const { data } = await drain(rows);
      for (let y = 0; y < box.height; y++) {
        const from = ((at.y + y) * rows.width + at.x) * 4;
        const start = ((box.y + y) * facts.width + box.x) * 4;
        const expected = whole[index]?.pixels.data.subarray(start, start + box.width * 4);
        expect(data.subarray(from, from + box.width * 4)).toEqual(expected);
      }
      index++;
    }
    expect(index).toBe(facts.frames);
  });

  it.each([
    ["for ever without edits", new Uint8Array(plain), 0],
    ["for ever where the track has no end", new Uint8Array(alphaItems), 0],
    ["once where edits are not repeated", new Uint8Array(once), 1],
    ["as often as the edit fits into the track", changed(once, "elst", { 0: 0x01000001, 12: 2 }), 3],
  ])("plays %s", (_name, bytes, loops) => {
    expect(identify(bytes).facts.loops).toBe(loops);
  });

  it("is refused with more frames than an animation may have", async () => {
    const count = 1_000_000;
    const first = new DataView(ten).getUint32(payloadOf(new Uint8Array(ten), "stsz") + 12);
    const many = changed(changed(ten, "stsz", { 4: first, 8: count }).buffer, "stsc", { 12: count });
    const padding = new Uint8Array(first * (MAX_FRAMES + 1));
    expect(await refusalOf(Uint8Array.from([...many, ...padding]))).toBe(
      `422 The animation must have at most ${MAX_FRAMES} frames`,
    );
  });

  it.each([
    ["more frames than there are sizes", "stsz", { 8: 1_000_000 }],
    ["a sample that is larger than the file", "stsz", { 12: 0x7fffffff }],
    ["a sample without bytes", "stsz", { 16: 0 }],
    ["a sample that is cut short", "stsz", { 24: 3 }],
    ["chunks that nobody knows of", "stsc", { 8: 2 }],
    ["chunks without samples", "stsc", { 12: 0 }],
    ["a chunk beyond the end", "stco", { 8: 0x7fffffff }],
    ["fewer chunks than samples need", "stsc", { 12: 1 }],
    ["a table of times that is cut short", "stts", { 4: 50, 8: 0 }],
    ["no such size", "stsd", { 40: 0x00420030 }],
    ["an edit without a length", "elst", { 0: 0x01000001, 8: 0, 12: 0 }],
  ] as const)("is refused with %s", async (_name, type, numbers) => {
    expect(await refusalOf(changed(once, type, numbers))).toBe(DAMAGED);
  });

  it("is refused where its alpha has fewer frames than its colors", async () => {
    const bytes = new Uint8Array(alpha).slice();
    const sizes = new TextDecoder("latin1").decode(bytes).lastIndexOf("stsz") + 4;
    new DataView(bytes.buffer).setUint32(sizes + 8, 5);
    expect(await refusalOf(bytes)).toBe(DAMAGED);
  });

  it("is refused or read whatever its bytes are, and leaves no memory behind", async () => {
    await frames(new Uint8Array(plain));
    const before = av1DecodeHeap().used;
    for (const file of [plain, alpha, ten, ffmpeg]) {
      const bytes = new Uint8Array(file);
      const moov = payloadOf(bytes, "moov");
      for (const part of beginnings(bytes, 20)) expect(await refusalOf(part)).not.toBe("none");
      for (const from of [moov, payloadOf(bytes, "mdat")]) {
        for (const mutated of mutations(bytes.subarray(from), 100)) {
          const whole = bytes.slice();
          whole.set(mutated, from);
          const refusal = await refusalOf(whole);
          if (refusal !== "none") expect(refusal).toMatch(/^422 /);
        }
      }
    }
    expect(av1DecodeHeap().used).toBe(before);
  });

  it("holds no more memory than it declares", async () => {
    for (const [, file] of SEQUENCES) {
      const bytes = new Uint8Array(file);
      const { used } = av1DecodeHeap(true);
      await frames(bytes);
      expect(av1DecodeHeap().peak - used).toBeLessThanOrEqual(identify(bytes).facts.decodeBytes ?? 0);
    }
  });

  it("takes what one picture does where only the first frame is wanted, and is the same", async () => {
    for (const [, file] of SEQUENCES) {
      const bytes = new Uint8Array(file);
      const { facts } = identify(bytes);
      const { width, height } = facts;
      const demand = { box: { x: 0, y: 0, width, height }, width, height, firstOnly: true };
      const estimate = avif.read.estimate(facts, demand);
      expect(estimate.ms).toBeLessThan(avif.read.estimate(facts, { ...demand, firstOnly: false }).ms);
      expect(estimate.bytes).toBeLessThan(facts.decodeBytes ?? 0);
      const { used } = av1DecodeHeap(true);
      const shown: Shown[] = [];
      for await (const { delayMs, rows } of avif.read.open(bytes, facts, demand, UNPAUSED)) {
        shown.push({ delayMs, pixels: await drain(rows) });
      }
      expect(av1DecodeHeap().peak - used).toBeLessThanOrEqual(estimate.bytes);
      expect(shown).toEqual((await frames(bytes)).slice(0, 1));
    }
  });

  it("stays a sequence where no format is named, and becomes a still where one frame is wanted", async () => {
    const { output } = await rendered(new Uint8Array(alpha));
    expect([output.format.label, output.facts.frames]).toEqual(["AVIF", 6]);
    const { output: still } = await rendered(new Uint8Array(alpha), { output: { format: "avif", animation: false } });
    expect([still.format.label, still.facts.frames]).toEqual(["AVIF", 1]);
  });

  it("goes through operations frame by frame, and becomes an animation of another format", async () => {
    const operations = { resize: v.parse(OPERATIONS.resize.params, { width: 32 }) };
    for (const format of ["webp", "gif", "png", "jxl", "avif"] as const) {
      const { output } = await rendered(new Uint8Array(alpha), { operations, output: { format } });
      expect(output.facts).toMatchObject({ width: 32, height: 24, frames: 6, loops: 0 });
    }
    const { output } = await rendered(new Uint8Array(alpha), { output: { format: "webp", animation: false } });
    expect(output.facts).toMatchObject({ width: 64, frames: 1 });
  });
});
