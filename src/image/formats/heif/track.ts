/**
 * The first frame of a HEIF file whose only pictures are those of a track (ISO/IEC 23008-12, section 7), as if it were
 * an item. Where its samples lie is said in boxes of ISO/IEC 14496-12, section 8.
 */
import { type Box, boxesOf, damaged, Fields, fullBox, unsupported } from "./bytes.ts";
import type { Item, Items } from "./item.ts";

/** The first sample of a track. */
interface Sample extends Item {
  readonly payload: Uint8Array;
  /** What the track says of others: `auxl` of an alpha channel, `prem` of colors that it was multiplied into. */
  readonly references: readonly { readonly type: string; readonly to: readonly number[] }[];
}

/**
 * Handlers of tracks: pictures, pictures that are shown with others, and what some writers say instead of the first.
 */
const HANDLERS = new Set(["pict", "auxv", "vide"]);
/** Bytes of a visual sample entry before its boxes, those of its size among them. */
const ENTRY_BYTES = 78;
const WIDTH_AT = 24;

/**
 * The first frame and its alpha as items. The first track that is not for another is the primary one.
 * @throws ApiError 422 when there is no such track, or it is damaged
 */
export function readTracks(bytes: Uint8Array, moov: Uint8Array): Items {
  const samples = new Map<number, Sample>();
  for (const { type, payload } of boxesOf(moov)) {
    const sample = type === "trak" && readTrack(bytes, payload);
    if (sample && !samples.has(sample.id)) samples.set(sample.id, sample);
  }
  const all = [...samples.values()];
  const primary = all.find(({ properties }) => !properties.some(({ type }) => type === "auxC"));
  if (!primary) throw unsupported("it has no still picture");
  const item = (id: number) => samples.get(id) ?? fail();
  return {
    primary,
    item,
    references: all.flatMap(({ id, references }) => references.map(({ type, to }) => ({ type, from: id, to }))),
    data: ({ id }) => item(id).payload,
  };
}

function fail(): never {
  throw damaged();
}

function readTrack(bytes: Uint8Array, trak: Uint8Array): Sample | undefined {
  const mdia = child(trak, "mdia");
  const stbl = child(child(mdia, "minf"), "stbl");
  const { fields: handler } = fullBox(child(mdia, "hdlr"));
  handler.number(4);
  if (!HANDLERS.has(handler.type())) return undefined;
  const [entry] = boxesOf(fullBox(child(stbl, "stsd")).fields.rest().subarray(4));
  if (!entry) throw damaged();
  const { id, orientation } = readHeader(child(trak, "tkhd"));
  const references = [...boxesOf(childOf(trak, "tref") ?? new Uint8Array(0))].map(({ type, payload }) => {
    const to = new Fields(payload);
    return { type, to: Array.from({ length: payload.length >> 2 }, () => to.number(4)) };
  });
  const properties = [...propertiesOf(entry.payload), ...orientation];
  return { id, type: entry.type, properties, references, payload: firstSample(bytes, stbl) };
}

function childOf(bytes: Uint8Array, type: string): Uint8Array | undefined {
  for (const box of boxesOf(bytes)) if (box.type === type) return box.payload;
  return undefined;
}

function child(bytes: Uint8Array, type: string): Uint8Array {
  return childOf(bytes, type) ?? fail();
}

/** The number of a track, and how its matrix turns it, as a property of an item would. */
function readHeader(tkhd: Uint8Array): { readonly id: number; readonly orientation: readonly Box[] } {
  const { version, fields } = fullBox(tkhd);
  fields.piece(version === 1 ? 16 : 8);
  const id = fields.number(4);
  fields.piece(version === 1 ? 28 : 24);
  const [a, b] = [Math.sign(fields.signed()), Math.sign(fields.signed())];
  // Clockwise, where the property counts the other way.
  const quarters = a === 0 ? (b > 0 ? 3 : 1) : a > 0 ? 0 : 2;
  return { id, orientation: quarters === 0 ? [] : [boxOf("irot", [quarters])] };
}

/** What the sample entry says, in the words of items: `ispe` for its size, `auxC` for `auxi`. */
function propertiesOf(entry: Uint8Array): Box[] {
  if (entry.length < ENTRY_BYTES) throw damaged();
  const size = entry.subarray(WIDTH_AT, WIDTH_AT + 4);
  const boxes = [...boxesOf(entry.subarray(ENTRY_BYTES))];
  const [wide, narrow, tall, low] = size as unknown as [number, number, number, number];
  const ispe = boxOf("ispe", [0, 0, 0, 0, 0, 0, wide, narrow, 0, 0, tall, low]);
  return [ispe, ...boxes.map((box) => (box.type === "auxi" ? { ...box, type: "auxC" } : box))];
}

function boxOf(type: string, payload: readonly number[]): Box {
  return { type, payload: Uint8Array.from(payload), cut: false };
}

function firstSample(bytes: Uint8Array, stbl: Uint8Array): Uint8Array {
  const compact = childOf(stbl, "stz2");
  const size = compact ? firstOfCompact(compact) : firstSize(child(stbl, "stsz"));
  const wide = childOf(stbl, "co64");
  const { fields: offsets } = fullBox(wide ?? child(stbl, "stco"));
  if (offsets.number(4) === 0) throw damaged();
  const from = offsets.number(wide ? 8 : 4);
  if (size === 0 || from + size > bytes.length) throw damaged();
  return bytes.subarray(from, from + size);
}

/** One size for all samples, or 0 and a list. */
function firstSize(stsz: Uint8Array): number {
  const { fields } = fullBox(stsz);
  const shared = fields.number(4);
  return fields.number(4) === 0 ? fail() : shared || fields.number(4);
}

/** Sizes of 4, 8 or 16 bits. */
function firstOfCompact(stz2: Uint8Array): number {
  const { fields } = fullBox(stz2);
  const bits = fields.number(4);
  if (fields.number(4) === 0) throw damaged();
  return bits === 4 ? fields.number(1) >> 4 : fields.number(bits >> 3);
}
