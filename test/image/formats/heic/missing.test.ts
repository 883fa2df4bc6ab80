/** HEIC files that lack a part of their picture are refused. */
import { describe, expect, it } from "vitest";

import { heic } from "../../../../src/image/formats/heic.ts";
import { hevc } from "../../../../src/image/formats/heic/codec.ts";
import { box } from "../../../../src/image/formats/heif/boxes.ts";
import type { Reference } from "../../../../src/image/formats/heif/item.ts";
import { readItems } from "../../../../src/image/formats/heif/items.ts";
import { pictureOf } from "../../../../src/image/formats/heif/picture.ts";
import { itemPieces, writeHeif, type WrittenItem } from "../../../../src/image/formats/heif/write.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { joined } from "../../../../src/joined.ts";
import { hevcDecodeHeap } from "../../../../wasm/hevc-decode/decoder.ts";
import grid from "../../../fixtures/heic/grid.heic";
import overlay from "../../../fixtures/heic/overlay.heic";
import slices from "../../../fixtures/heic/slices.heic";
import source from "../../../fixtures/heic/source.png";
import tiles from "../../../fixtures/heic/tiles.heic";
import { decodeFile, outcomeOf } from "../../../support/files.ts";
import { psnr } from "../../../support/rows.ts";

const SIZE = { width: 128, height: 96 };
const COMPLETE = [
  ["slices", slices],
  ["tiles", tiles],
] as const;

/** The slices of a file that has one coded picture, each without its length. */
function slicesOf(file: ArrayBuffer) {
  const items = readItems(new Uint8Array(file));
  const { config, payload } = pictureOf(items, items.primary, hevc).color.tile(0);
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const units: Uint8Array[] = [];
  for (let at = 0; at < payload.length; at += 4 + view.getUint32(at)) {
    units.push(payload.slice(at + 4, at + 4 + view.getUint32(at)));
  }
  return { config, units };
}

/** Units, each after its length. */
function framed(units: readonly Uint8Array[]): Uint8Array {
  return joined(units.flatMap((unit) => [Uint8Array.of(0, 0, unit.length >> 8, unit.length & 255), unit]));
}

function fileOf(config: Uint8Array, units: readonly Uint8Array[]): Uint8Array {
  return writeHeif({
    ...SIZE,
    tile: SIZE,
    grid: false,
    itemType: "hvc1",
    configType: "hvcC",
    brands: ["heic", "mif1"],
    color: { config, bits: [8, 8, 8], tiles: [framed(units)] },
    primaries: 1,
    transfer: 13,
    matrix: 6,
    fullRange: true,
  });
}

/** What a file of items holds, to be put together again with something changed. */
interface Assembly {
  /** Their numbers are their places, counted from 1. */
  readonly items: readonly WrittenItem[];
  /** What the primary one is made of. */
  readonly parts: readonly number[];
  readonly others: readonly Reference[];
  readonly primary: number;
}

function assemblyOf(file: ArrayBuffer): Assembly {
  const read = readItems(new Uint8Array(file));
  const { primary, references } = read;
  const ids = [...new Set([primary.id, ...references.flatMap(({ from, to }) => [from, ...to])])];
  const placeOf = (id: number) => ids.indexOf(id) + 1;
  const renumbered = references.map(({ type, from, to }) => ({ type, from: placeOf(from), to: to.map(placeOf) }));
  const written = ids
    .map((id) => read.item(id))
    .map((one) => ({
      type: one.type,
      hidden: one !== primary,
      data: read.data(one),
      properties: one.properties.map(({ type, payload }) => ({ box: box(type, payload), essential: false })),
    }));
  const isOwn = ({ type, from }: Reference) => type === "dimg" && from === placeOf(primary.id);
  const others = renumbered.filter((reference) => !isOwn(reference));
  return { items: written, parts: renumbered.find(isOwn)?.to ?? [], others, primary: placeOf(primary.id) };
}

function assembled({ items, parts, others, primary }: Assembly): Uint8Array {
  const references = [...others, { type: "dimg", from: primary, to: parts }];
  return joined(itemPieces(["heic", "mif1"], { items, references, primary }));
}

/** An item that is not there. */
const NOWHERE = 99;

describe.each(COMPLETE)("a HEIC picture of several %s", (_name, file) => {
  const { config, units } = slicesOf(file);

  it("is read when it is complete", async () => {
    const photograph = await decodeFile(png, new Uint8Array(source));
    const decoded = await decodeFile(heic, new Uint8Array(file));
    const data = new Uint8Array(SIZE.width * SIZE.height * 4);
    for (let y = 0; y < SIZE.height; y++) {
      const from = y * photograph.width * 4;
      data.set(photograph.data.subarray(from, from + SIZE.width * 4), y * SIZE.width * 4);
    }
    expect(units).toHaveLength(4);
    expect(psnr(decoded, { ...SIZE, data })).toBeGreaterThan(30);
    expect(await decodeFile(heic, fileOf(config, units))).toEqual(decoded);
  });

  it.each([[0], [1], [2], [3], [1, 2, 3], [2, 3], [0, 1]])("is refused without some: %j", async (...missing) => {
    const left = units.filter((_, index) => !missing.includes(index));
    expect(await outcomeOf(heic, fileOf(config, left))).toBe(422);
    expect(hevcDecodeHeap().used).toBe(0);
  });

  it("is refused where one is in the place of another", async () => {
    const [first, second, third, fourth] = units;
    if (!first || !second || !third || !fourth) throw new RangeError("there are four");
    expect(await outcomeOf(heic, fileOf(config, [first, second, second, fourth]))).toBe(422);
    expect(await outcomeOf(heic, fileOf(config, [first, third, second, fourth]))).toBe(422);
  });

  it.each([0, 1, 2, 3])("is refused where one is cut short: %i", async (index) => {
    for (const bytes of [1, 2, 5, 20]) {
      const cut = units.map((unit, place) => (place === index ? unit.subarray(0, -bytes) : unit));
      expect(await outcomeOf(heic, fileOf(config, cut))).toBe(422);
    }
  });

  it("is refused where data follows that belongs to no block", async () => {
    const longer = units.map((unit) => joined([unit, Uint8Array.of(0x5a)]));
    expect(await outcomeOf(heic, fileOf(config, longer))).toBe(422);
  });

  it("is read where zeros follow, as encoders may append", async () => {
    const padded = units.map((unit) => joined([unit, Uint8Array.of(0, 0, 3, 0, 0, 3)]));
    expect(await decodeFile(heic, fileOf(config, padded))).toEqual(await decodeFile(heic, new Uint8Array(file)));
  });
});

describe("a HEIC grid", () => {
  const whole = assemblyOf(grid);

  it("is read when it is complete", async () => {
    expect(whole.parts).toHaveLength(4);
    expect(await decodeFile(heic, assembled(whole))).toEqual(await decodeFile(heic, new Uint8Array(grid)));
  });

  it.each(whole.parts)("is refused without tile %i", async (missing) => {
    const parts = whole.parts.filter((part) => part !== missing);
    expect(await outcomeOf(heic, assembled({ ...whole, parts }))).toBe(422);
    const elsewhere = whole.parts.map((part) => (part === missing ? NOWHERE : part));
    expect(await outcomeOf(heic, assembled({ ...whole, parts: elsewhere }))).toBe(422);
    const items = whole.items.map((item, index) =>
      index + 1 === missing ? { ...item, data: item.data.slice(0, 5) } : item,
    );
    expect(await outcomeOf(heic, assembled({ ...whole, items }))).toBe(422);
  });

  it.each(whole.parts)("is refused where tile %i is coded in another size than it says", async (place) => {
    const { config, units } = slicesOf(tiles);
    const data = framed(units);
    const items = whole.items.map((item, index) => {
      if (index + 1 !== place) return item;
      const others = item.properties.filter((property) => typeOf(property.box) !== "hvcC");
      return { ...item, data, properties: [...others, { box: box("hvcC", config), essential: true }] };
    });
    expect(await outcomeOf(heic, assembled({ ...whole, items }))).toBe(422);
  });
});

function typeOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(4, 8));
}

describe("a HEIC overlay", () => {
  const whole = assemblyOf(overlay);

  it("is read when it is complete", async () => {
    expect(await decodeFile(heic, assembled(whole))).toEqual(await decodeFile(heic, new Uint8Array(overlay)));
  });

  it("is refused where it has more places than pictures", async () => {
    for (let count = 0; count < whole.parts.length; count++) {
      const parts = whole.parts.slice(0, count);
      expect(await outcomeOf(heic, assembled({ ...whole, parts }))).toBe(422);
    }
  });

  it.each(whole.parts)("is refused where picture %i is not there", async (missing) => {
    const parts = whole.parts.map((part) => (part === missing ? NOWHERE : part));
    expect(await outcomeOf(heic, assembled({ ...whole, parts }))).toBe(422);
  });
});
