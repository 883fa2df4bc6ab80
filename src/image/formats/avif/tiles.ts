/**
 * Stills that were coded on their own as the tiles of one (AV1 bitstream specification, section 5.11.1): a tile of a picture
 * that refers to no other depends on nothing beyond its edges, and is coded as a picture of its size is. Filters run over the
 * edges, so that headers have to agree on them.
 */
import { joined } from "../../../joined.ts";
import type { Size } from "../../pixels/geometry.ts";
import { Bits, bitText, WrittenBits } from "../heif/bits.ts";
import { skipFilters } from "./filter-header.ts";
import { levelOf } from "./level.ts";
import { readStillHeader } from "./still-header.ts";
import { writeTileInfo } from "./tile-info.ts";
import { readSequence, UNIT, unitHeader, Units } from "./units.ts";

/** What a still is made of. */
interface Still {
  readonly headers: Headers;
  readonly tile: Uint8Array;
}

/** What all tiles of a picture have to say alike, as text of bits. */
interface Headers {
  /** The sequence header of the whole picture. */
  readonly sequence: string;
  /** The frame header before and after what says where tiles are. */
  readonly before: string;
  readonly after: string;
}

/**
 * The units of a picture.
 * @param stills row by row, each of the size `tile`, but for those at the right and the bottom, which end where the picture does
 * @throws Error when stills have not been coded alike
 */
export function pictureOfTiles(stills: readonly Uint8Array[], picture: Size, tile: Size): Uint8Array {
  const parts = stills.map((still) => partsOf(still, picture, tile));
  const [first] = parts;
  if (!first) throw new RangeError("nothing was encoded");
  const { headers } = first;
  if (!parts.every((part) => isAlike(part.headers, headers))) {
    throw new Error("the tiles of a picture have different headers");
  }
  const tiles = parts.map((part) => part.tile);
  const sizeBytes = bytesOf(Math.max(...tiles.slice(0, -1).map(({ length }) => length - 1)));
  const header = new WrittenBits();
  header.add(headers.before);
  writeTileInfo(header, picture, tile, sizeBytes);
  header.add(headers.after);
  // There is one group of tiles, of all of them: its header is a bit, and the rest of its byte.
  const pieces = [header.bytes(), Uint8Array.of(0)];
  tiles.forEach((bytes, index) => {
    if (index < tiles.length - 1) pieces.push(littleEndian(bytes.length - 1, sizeBytes));
    pieces.push(bytes);
  });
  const sequence = new WrittenBits();
  sequence.add(headers.sequence);
  return joined([...unitOf(UNIT.sequence, [sequence.bytes()]), ...unitOf(UNIT.frame, pieces)]);
}

function unitOf(type: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  return [
    unitHeader(
      type,
      pieces.reduce((sum, { length }) => sum + length, 0),
    ),
    ...pieces,
  ];
}

function partsOf(still: Uint8Array, picture: Size, tile: Size): Still {
  const [sequenceBytes, frame] = [onlyUnit(still, UNIT.sequence), onlyUnit(still, UNIT.frame)];
  const sequence = readSequence(sequenceBytes);
  const header = readStillHeader(frame, sequence);
  if (!header || header.scaled || header.copiesBlocks || sequence.largeBlocks || !sequence.reduced || sequence.grain) {
    throw new Error("a still is no tile");
  }
  const { from, end } = header.tileInfo;
  const bits = new Bits(frame);
  bits.skip(end);
  skipFilters(bits, sequence);
  return {
    headers: {
      sequence: resized(sequenceBytes, picture, tile),
      before: bitText(frame, 0, from),
      after: bitText(frame, end, bits.position),
    },
    tile: frame.subarray(Math.ceil(bits.position / 8)),
  };
}

/** The content of the unit of a type, of which a still that was just encoded has one. */
function onlyUnit(still: Uint8Array, type: number): Uint8Array {
  let found: Uint8Array | undefined;
  const units = new Units(still);
  while (units.next()) {
    if (units.type !== type) continue;
    if (found) throw new Error("a still has more units than were expected");
    found = units.content;
  }
  if (!found) throw new Error("a still has fewer units than were expected");
  return found;
}

/** Bits of a sequence header before those of the level, those of it, and those that say in how many bits a side is said. */
const HEADER_BITS = { before: 5, level: 5, sideBits: 4 } as const;

/** A sequence header of a still that says another size. */
function resized(header: Uint8Array, picture: Size, tile: Size): string {
  const { widthBits, heightBits } = readSequence(header);
  const { before, level, sideBits } = HEADER_BITS;
  const [width, height] = [bitsOf(picture.width - 1), bitsOf(picture.height - 1)];
  const said = [
    [levelOf(picture, tile), level],
    [width - 1, sideBits],
    [height - 1, sideBits],
    [picture.width - 1, width],
    [picture.height - 1, height],
  ] as const;
  const from = before + level + 2 * sideBits + widthBits + heightBits;
  const numbers = said.map(([value, bits]) => value.toString(2).padStart(bits, "0"));
  return [bitText(header, 0, before), ...numbers, bitText(header, from, lastBit(header) + 1)].join("");
}

/** The place of the last bit that is set, which ends a unit. */
function lastBit(bytes: Uint8Array): number {
  const at = bytes.findLastIndex((byte) => byte !== 0);
  const byte = bytes[at] ?? 1;
  return at * 8 + 7 - Math.log2(byte & -byte);
}

function isAlike(one: Headers, other: Headers): boolean {
  return one.sequence === other.sequence && one.before === other.before && one.after === other.after;
}

function bitsOf(value: number): number {
  return Math.max(1, Math.ceil(Math.log2(value + 1)));
}

function bytesOf(value: number): number {
  return Math.ceil(bitsOf(value) / 8);
}

function littleEndian(value: number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) & 255);
}
