/** Photoshop files that were saved without a merged picture: their layers, laid on each other. */
import { describe, expect, it } from "vitest";

import { psd } from "../../../../src/image/formats/psd.ts";
import noPicture from "../../../fixtures/psd/no-picture.psd";
import { decodeFile, mutations, outcomeOf } from "../../../support/files.ts";
import { refusal } from "../../../support/refusal.ts";
import { rendered } from "../../../support/render.ts";

const u16 = (value: number) => [(value >> 8) & 255, value & 255];
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value)];
const text = (letters: string) => [...letters].map((letter) => letter.charCodeAt(0));

interface Made {
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
  readonly color?: readonly [number, number, number];
  /** A level for every pixel; absent: the layer has no alpha channel. */
  readonly alpha?: readonly number[];
  readonly blend?: string;
  readonly opacity?: number;
  readonly isClipped?: boolean;
  readonly isHidden?: boolean;
  /** A level for every pixel of the layer, and what is outside of it. */
  readonly mask?: { readonly levels: readonly number[]; readonly flags?: number };
  /** Blocks behind the name: a key and its data. */
  readonly blocks?: readonly (readonly [key: string, data: readonly number[]])[];
  readonly isPacked?: boolean;
}

const area = ({ box: [left, top, right, bottom] }: Made) => (right - left) * (bottom - top);

/** The channels of a layer as they are stored: a number, and its samples behind their compression. */
function channelsOf(made: Made): (readonly [channel: number, data: readonly number[]])[] {
  const [left, , right] = made.box;
  const stored = (levels: readonly number[]) => {
    if (!made.isPacked) return [...u16(0), ...levels];
    const width = right - left;
    const rows = Array.from({ length: levels.length / width }, (_, y) => levels.slice(y * width, (y + 1) * width));
    return [...u16(1), ...rows.flatMap(() => u16(width + 1)), ...rows.flatMap((row) => [width - 1, ...row])];
  };
  const flat = (level: number) => stored(Array.from({ length: area(made) }, () => level));
  const colors = (made.color ?? [0, 0, 0]).map((level, channel) => [channel, flat(level)] as const);
  return [
    ...(made.alpha ? [[-1, stored(made.alpha)] as const] : []),
    ...colors,
    ...(made.mask ? [[-2, stored(made.mask.levels)] as const] : []),
  ];
}

function recordOf(made: Made): number[] {
  const [left, top, right, bottom] = made.box;
  const box = [top, left, bottom, right].flatMap(u32);
  const channels = channelsOf(made);
  const mask = made.mask ? [...u32(20), ...box, 0, made.mask.flags ?? 0, 0, 0] : u32(0);
  const blocks = (made.blocks ?? []).flatMap(([key, data]) => [
    ...text("8BIM"),
    ...text(key),
    ...u32(data.length),
    ...data,
  ]);
  const extra = [...mask, ...u32(0), 0, 0, 0, 0, ...blocks];
  return [
    ...box,
    ...u16(channels.length),
    ...channels.flatMap(([channel, data]) => [...u16(channel), ...u32(data.length)]),
    ...text("8BIM"),
    ...text(made.blend ?? "norm"),
    made.opacity ?? 255,
    made.isClipped ? 1 : 0,
    made.isHidden ? 2 : 0,
    0,
    ...u32(extra.length),
    ...extra,
  ];
}

/** A file of 3 x 2 pixels in RGB, whose version says that it has no merged picture. */
function fileOf(layers: readonly Made[], { depth = 8 } = {}): Uint8Array {
  const info = [
    ...u16(layers.length),
    ...layers.flatMap(recordOf),
    ...layers.flatMap((layer) => channelsOf(layer).flatMap(([, data]) => data)),
  ];
  const section = [...u32(info.length), ...info, ...u32(0)];
  const version = [...text("8BIM"), ...u16(0x0421), 0, 0, ...u32(6), ...u32(1), 0, 0];
  return Uint8Array.from([
    ...text("8BPS"),
    ...u16(1),
    ...Array.from({ length: 6 }, () => 0),
    ...u16(3),
    ...u32(2),
    ...u32(3),
    ...u16(depth),
    ...u16(3),
    ...u32(0),
    ...u32(version.length),
    ...version,
    ...u32(section.length),
    ...section,
    ...u16(0),
  ]);
}

const WHOLE = [0, 0, 3, 2] as const;
const RED: Made = { box: WHOLE, color: [200, 0, 0] };
const group = (kind: number, more: Partial<Made> = {}): Made => ({
  box: [0, 0, 0, 0],
  blocks: [["lsct", u32(kind)]],
  ...more,
});

async function pixelsOf(layers: readonly Made[]): Promise<number[][]> {
  const { data } = await decodeFile(psd, fileOf(layers));
  return Array.from({ length: 6 }, (_, index) => [...data.subarray(index * 4, index * 4 + 4)]);
}

const same = (pixel: readonly number[]) => Array.from({ length: 6 }, () => [...pixel]);

describe("layers without a merged picture", () => {
  it.each([
    ["one that covers all", [RED], same([200, 0, 0, 255])],
    ["one over another, compressed", [RED, { ...RED, color: [0, 0, 100], isPacked: true }], same([0, 0, 100, 255])],
    ["a translucent one", [RED, { ...RED, color: [0, 100, 0], opacity: 51 }], same([160, 20, 0, 255])],
    ["less filled", [RED, { ...RED, color: [0, 100, 0], blocks: [["iOpa", [51, 0, 0, 0]]] }], same([160, 20, 0, 255])],
    ["a hidden one", [RED, { ...RED, color: [0, 0, 100], isHidden: true }], same([200, 0, 0, 255])],
    ["a hidden one that could not be drawn", [RED, { ...RED, blend: "mul ", isHidden: true }], same([200, 0, 0, 255])],
    [
      "one alone with alpha",
      [{ ...RED, alpha: [0, 128, 255, 0, 128, 255] }],
      [
        [0, 0, 0, 0],
        [200, 0, 0, 128],
        [200, 0, 0, 255],
        [0, 0, 0, 0],
        [200, 0, 0, 128],
        [200, 0, 0, 255],
      ],
    ],
    [
      "one that reaches beyond the picture",
      [RED, { box: [-1, 1, 1, 4], color: [9, 9, 9] }],
      [...Array.from({ length: 3 }, () => [200, 0, 0, 255]), [9, 9, 9, 255], [200, 0, 0, 255], [200, 0, 0, 255]],
    ],
    [
      "one with a mask",
      [RED, { ...RED, color: [0, 0, 100], mask: { levels: [255, 0, 0, 0, 0, 255] } }],
      [[0, 0, 100, 255], ...Array.from({ length: 4 }, () => [200, 0, 0, 255]), [0, 0, 100, 255]],
    ],
    [
      "one whose mask is switched off",
      [RED, { ...RED, color: [0, 0, 100], mask: { levels: [0, 0, 0, 0, 0, 0], flags: 2 } }],
      same([0, 0, 100, 255]),
    ],
    ["a group", [RED, group(3), { ...RED, color: [0, 0, 100] }, group(1, { blend: "pass" })], same([0, 0, 100, 255])],
    [
      "a hidden group, of which one could not be drawn",
      [RED, group(3), { ...RED, blend: "mul " }, group(2, { isHidden: true })],
      same([200, 0, 0, 255]),
    ],
  ] as [string, readonly Made[], number[][]][])("are laid on each other: %s", async (_name, layers, expected) => {
    expect(await pixelsOf(layers)).toEqual(expected);
    expect(psd.read.factsOf(fileOf(layers)).alpha).toBe(expected.some(([, , , alpha]) => alpha !== 255));
  });

  it.each([
    ["a blend mode other than normal", [RED, { ...RED, blend: "mul " }], {}],
    ["a layer that is clipped by another", [RED, { ...RED, isClipped: true }], {}],
    ["effects", [RED, { ...RED, blocks: [["lfx2", [0, 0, 0, 0]]] }], {}],
    ["adjustments, fills or shapes", [RED, { ...RED, blocks: [["levl", [0, 0]]] }], {}],
    ["a group that is translucent or has a mask", [RED, group(3), RED, group(1, { opacity: 99 })], {}],
    ["they are not of 8 bits in RGB or gray", [RED], { depth: 16 }],
    ["there are none", [], {}],
  ] as [string, readonly Made[], { depth?: number }][])("are refused by the reason: %s", async (why, layers, more) => {
    expect(await refusal(rendered(fileOf(layers, more)))).toEqual({
      status: 422,
      message: `The PSD file was saved without a merged picture, and its layers cannot be laid on each other: ${why}`,
    });
  });

  it("are refused or read whatever their bytes are", async () => {
    const file = fileOf([
      RED,
      { ...RED, alpha: [0, 128, 255, 0, 128, 255], isPacked: true, mask: { levels: [255, 0, 0, 0, 0, 255] } },
    ]);
    for (const bytes of [file, new Uint8Array(noPicture)]) {
      for (const mutated of mutations(bytes, 400)) await outcomeOf(psd, mutated);
    }
    for (let end = 30; end < file.length - 2; end++) expect(await outcomeOf(psd, file.subarray(0, end))).toBe(422);
  });
});
