/** Gain maps written into HEIF files (`tmap`, ISO/IEC 23008-12 with ISO 21496-1). */
import { joined } from "../../../joined.ts";
import type { GainMap } from "../../gain-map/gain-map.ts";
import { writeIso } from "../../gain-map/iso.ts";
import { box, fullBox, uint32, uint8 } from "./boxes.ts";
import { brandsOf } from "./brands.ts";
import { copiedItems, neededBy } from "./copy.ts";
import { valuesOf } from "./gain-map.ts";
import type { Item, Items } from "./item.ts";
import { readItems } from "./items.ts";
import { descriptionsOf, metadata } from "./metadata.ts";
import { colorsOf, find, sizeOf, transformOf } from "./properties.ts";
import { colorProperties, itemPieces, type WrittenItem, type WrittenProperty, type WrittenReference } from "./write.ts";

/** Of files with such an item (ISO/IEC 23008-12, 10.2.6). */
const BRAND = "tmap";
const VERSION = 0;
/** ISO/IEC 23091-2: transfers of a picture of high dynamic range and of another one, and primaries that nothing is said of. */
const TRANSFER = { high: 16, standard: 13 } as const;
const UNSPECIFIED = 2;
/** What the items, properties and references of a map take at most, beside its values and the terms. */
const FRAME_BYTES = 300;

/** A file of a still picture with a gain map, which is a file of the same coding. */
export function writeGainMap(bytes: Uint8Array, map: GainMap): Uint8Array {
  const [major = "mif1", ...brands] = brandsOf(bytes);
  const items = readItems(bytes);
  const picture = copiedItems(items, neededBy(items, items.primary));
  const values = valuesOf(map.file);
  const offset = picture.items.length;
  const all: WrittenItem[] = [...picture.items, ...values.items.map((item) => ({ ...item, hidden: true }))];
  const references: WrittenReference[] = [...picture.references, ...values.references.map(numberedFrom(offset))];
  const derived = all.push({
    type: "tmap",
    hidden: false,
    data: joined([uint8(VERSION), writeIso(map.terms)]),
    properties: alternateProperties(items, map),
  });
  references.push({ type: "dimg", from: derived, to: [1, offset + 1] });
  for (const description of descriptionsOf(metadata.read(bytes))) {
    const from = all.push({ ...description, hidden: true, properties: [] });
    references.push({ type: "cdsc", from, to: [1] });
  }
  const groups = [{ type: "altr", members: [derived, 1] }];
  const own = [major, ...brands.filter((brand) => brand !== major && brand !== BRAND), BRAND] as const;
  return joined(itemPieces(own, { items: all, references, groups, primary: 1 }));
}

/** About how much larger a file is with a map. */
export function addedBytes({ file, terms, profile }: GainMap): number {
  return file.length + writeIso(terms).length + (profile?.length ?? 0) + FRAME_BYTES;
}

/** References between items that stand behind others. */
function numberedFrom(offset: number): (reference: WrittenReference) => WrittenReference {
  return ({ type, from, to }) => ({ type, from: from + offset, to: to.map((id) => id + offset) });
}

/** What describes the picture that the map makes of the one in the file. */
function alternateProperties({ primary }: Items, { terms, ...map }: GainMap): WrittenProperty[] {
  const shown = shownSize(primary);
  const pixi = find(primary.properties, "pixi");
  const transfer = terms.alternateHeadroom > terms.baseHeadroom ? TRANSFER.high : TRANSFER.standard;
  const { primaries: base = UNSPECIFIED, samples } = colorsOf(primary.properties);
  const own = terms.inBaseColors ? undefined : map;
  const primaries = own ? (own.primaries ?? UNSPECIFIED) : base;
  // More readers know code points than profiles.
  const profile = own?.primaries === undefined ? own?.profile : undefined;
  const colors = { primaries, transfer, matrix: samples?.matrix ?? UNSPECIFIED, fullRange: true, profile };
  return [
    { box: fullBox("ispe", 0, 0, uint32(shown.width), uint32(shown.height)), essential: false },
    ...(pixi ? [{ box: box("pixi", pixi), essential: false }] : []),
    ...colorProperties(colors),
  ];
}

function shownSize({ properties }: Item) {
  const size = sizeOf(properties);
  if (!size) throw new RangeError("a picture has no size");
  return transformOf(properties, size).crop;
}
