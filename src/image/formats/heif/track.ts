/**
 * The tracks of pictures in a HEIF file (ISO/IEC 23008-12, section 7): the first frame of each is as an item is. What
 * they are made of is said in boxes of ISO/IEC 14496-12, section 8.
 */
import { PARTS } from "../../../limits/parts.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { type Box, Boxes, child, childOf, damaged, Fields, fullBox, unsupported } from "./bytes.ts";
import type { Item, Items } from "./item.ts";
import { Readings } from "./readings.ts";
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
  let count = 0;
  const boxes = new Boxes(moov);
  while (boxes.next()) {
    if (!boxes.is("trak")) continue;
    if (++count > PARTS.tracks.most) throw tooManyParts(PARTS.tracks);
    const track = readTrack(boxes.content);
    if (track && !tracks.has(track.id)) tracks.set(track.id, track);
  }
  const all = [...tracks.values()];
  const primary = all.find(({ properties }) => !properties.some(({ type }) => type === "auxC"));
  if (!primary) throw unsupported("it has no still picture");
  const item = (id: number) => tracks.get(id) ?? fail();
  const data = ({ id }: Item) => readSamples(bytes, item(id).stbl, 1).samples[0]?.bytes ?? fail();
  const readings = new Readings(bytes.length);
  return {
    primary,
    item,
    references: all.flatMap(({ id, references }) => references.map(({ type, to }) => ({ type, from: id, to }))),
    preferredTo: () => new Set(),
    length: (track) => data(track).length,
    data,
    countReading: (length) => readings.count(length),
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
  const entry = new Boxes(fullBox(child(stbl, "stsd")).fields.rest().subarray(4));
  if (!entry.next()) throw damaged();
  const { id, orientation } = readHeader(child(trak, "tkhd"));
  const properties = [...propertiesOf(entry.content), ...orientation];
  return { id, type: entry.type, properties, references: referencesOf(trak), trak, stbl };
}

function referencesOf(trak: Uint8Array): Track["references"] {
  const references: { readonly type: string; readonly to: readonly number[] }[] = [];
  const boxes = new Boxes(childOf(trak, "tref") ?? new Uint8Array(0), { parts: PARTS.tracks });
  while (boxes.next()) {
    const { type, content } = boxes;
    const to = new Fields(content);
    if (content.length >> 2 > PARTS.tracks.most) throw tooManyParts(PARTS.tracks);
    references.push({ type, to: Array.from({ length: content.length >> 2 }, () => to.number(4)) });
  }
  return references;
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
  const described: Box[] = [];
  const boxes = new Boxes(entry.subarray(ENTRY_BYTES), { parts: PARTS.descriptions });
  while (boxes.next()) described.push(boxes.is("auxi") ? { ...boxes.box, type: "auxC" } : boxes.box);
  const [wide, narrow, tall, low] = size as unknown as [number, number, number, number];
  const ispe = boxOf("ispe", [0, 0, 0, 0, 0, 0, wide, narrow, 0, 0, tall, low]);
  return [ispe, ...described];
}

function boxOf(type: string, payload: readonly number[]): Box {
  return { type, payload: Uint8Array.from(payload), cut: false };
}
