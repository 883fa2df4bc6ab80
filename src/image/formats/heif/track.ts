/**
 * The tracks of pictures in a HEIF file (ISO/IEC 23008-12, section 7): the first frame of each is as an item is. What
 * they are made of is said in boxes of ISO/IEC 14496-12, section 8.
 */
import { type Box, boxesOf, damaged, Fields, fullBox, unsupported } from "./bytes.ts";
import type { Item, Items } from "./item.ts";
import { readSamples } from "./samples.ts";

export interface Track extends Item {
  /** What the track says of others: `auxl` of an alpha channel, `prem` of colors that it was multiplied into. */
  readonly references: readonly { readonly type: string; readonly to: readonly number[] }[];
  /** The payloads of `trak` and of the `stbl` in it. */
  readonly trak: Uint8Array;
  readonly stbl: Uint8Array;
}

/** The first frames of tracks as items. */
export interface TrackItems extends Items {
  readonly primary: Track;
  item(id: number): Track;
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
export function readTracks(bytes: Uint8Array, moov: Uint8Array): TrackItems {
  const tracks = new Map<number, Track>();
  for (const { type, payload } of boxesOf(moov)) {
    const track = type === "trak" && readTrack(payload);
    if (track && !tracks.has(track.id)) tracks.set(track.id, track);
  }
  const all = [...tracks.values()];
  const primary = all.find(({ properties }) => !properties.some(({ type }) => type === "auxC"));
  if (!primary) throw unsupported("it has no still picture");
  const item = (id: number) => tracks.get(id) ?? fail();
  return {
    primary,
    item,
    references: all.flatMap(({ id, references }) => references.map(({ type, to }) => ({ type, from: id, to }))),
    groups: () => [],
    data: ({ id }) => readSamples(bytes, item(id).stbl, 1).samples[0]?.bytes ?? fail(),
  };
}

function fail(): never {
  throw damaged();
}

function readTrack(trak: Uint8Array): Track | undefined {
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
  return { id, type: entry.type, properties, references, trak, stbl };
}

export function childOf(bytes: Uint8Array, type: string): Uint8Array | undefined {
  for (const box of boxesOf(bytes)) if (box.type === type) return box.payload;
  return undefined;
}

export function child(bytes: Uint8Array, type: string): Uint8Array {
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
