/**
 * Manifest stores of nothing but their smallest part, in each place where a format has them, and those places in their
 * smallest pieces. Each is one of the families of hostile-framing.ts.
 */
import { encodeCbor } from "../../src/image/provenance/cbor.ts";
import { jumbfBox, KIND, writeSuperbox } from "../../src/image/provenance/jumbf.ts";
import {
  box,
  chunk,
  FULL,
  gif,
  joined,
  jpeg,
  jxl,
  listed,
  numbered,
  png,
  repeated,
  riff,
  segment,
  svg,
  text,
  tiff,
  together,
  u16,
  u32,
  VP8L,
  VP8X,
  webpChunk,
} from "./framed.ts";
import { stillOf } from "./shared-parts.ts";

type Family = (bytes: number) => Uint8Array;

const NONE = new Uint8Array(0);
/** What a file has beside its store. */
const AROUND_BYTES = 4_096;
/** More is not read of a store. */
const MOST_STORE_BYTES = (4 << 20) - AROUND_BYTES;
const C2PA_TAG = 0xcd41;
const UNDEFINED = 7;

/** A black pixel, as our encoder writes it without loss. */
const JXL_PIXEL = Uint8Array.of(0xff, 0x0a, 0, 0x10, 0x10, 9, 8, 4, 1, 0, 0x18, 0, 0x89, 0x84, 0xb1, 0x58, 0x21, 0);

const sized = (bytes: number) => Math.min(bytes, MOST_STORE_BYTES);
const storeOf = (...parts: readonly Uint8Array[]) => writeSuperbox(KIND.store, "c2pa", ...parts);

/** The type of a box with a store. */
const STORE_TYPE = [0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81];
/** What begins an extension with a store. */
const STORE_HEAD = joined([0x21, 0xff, 11], text("C2PA_GIF"), [1, 0, 0]);
const GIF_PIECE_BYTES = 255;
const JPEG_PIECE_BYTES = 65_000;
const BOX_BYTES = 8;

/** In pieces of so many bytes, each of which becomes something. */
function inPieces(bytes: Uint8Array, size: number, one: (piece: Uint8Array, index: number) => Uint8Array): Uint8Array {
  const count = Math.ceil(bytes.length / size);
  return together(
    Array.from({ length: count }, (_, index) => one(bytes.subarray(index * size, (index + 1) * size), index)),
  );
}

/** A piece of a store: its number, then the header of the store, which each repeats. */
const storePiece = (header: Uint8Array | readonly number[], index: number, content: Uint8Array | readonly number[]) =>
  segment(0xeb, joined(text("JP"), u16(1), u32(index + 1), header, content));

/** A picture with a store, in each format that has a place for one. */
const CARRIERS: Readonly<Record<string, (store: Uint8Array) => Uint8Array>> = {
  JPEG: (store) => {
    const header = store.subarray(0, BOX_BYTES);
    return jpeg(
      inPieces(store.subarray(BOX_BYTES), JPEG_PIECE_BYTES, (content, index) => storePiece(header, index, content)),
    );
  },
  PNG: (store) => png(chunk("caBX", store)),
  GIF: (store) => {
    const blocks = inPieces(store, GIF_PIECE_BYTES, (content) => joined([content.length], content));
    return gif(joined(STORE_HEAD, blocks, [0]));
  },
  WebP: (store) => riff(joined(VP8X(0), VP8L, webpChunk("C2PA", store))),
  AVIF: (store) => joined(stillOf({}), box("uuid", STORE_TYPE, FULL, text("manifest\0"), new Uint8Array(8), store)),
  "JPEG XL": (store) =>
    joined(
      box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]),
      box("ftyp", text("jxl "), u32(0), text("jxl ")),
      store,
      box("jxlc", JXL_PIXEL),
    ),
  TIFF: (store) => {
    const entry = (at: number) => [...u16(C2PA_TAG), ...u16(UNDEFINED), ...u32(store.length), ...u32(at)];
    return tiff([entry(tiff([entry(0)], NONE).length)], store);
  },
  SVG: (store) =>
    svg("", `<metadata><c2pa:manifest>${Buffer.from(store).toString("base64")}</c2pa:manifest></metadata>`),
};

/** A signature or a claim that is these bytes of CBOR, in a store of one manifest. */
function ofCbor(bytes: number, kind: string, label: string, cbor: Uint8Array): Uint8Array {
  const most = Math.min(bytes, 500_000);
  const piece = jumbfBox("cbor", cbor.subarray(0, most));
  const whole = writeSuperbox(kind, label, piece);
  const claim =
    kind === KIND.claim ? whole : writeSuperbox(KIND.claim, "c2pa.claim.v2", jumbfBox("cbor", encodeCbor(new Map())));
  const signature = kind === KIND.signature ? whole : NONE;
  const rest = jumbfBox("free", new Uint8Array(Math.max(0, sized(bytes) - most)));
  return storeOf(
    writeSuperbox(KIND.manifest, "m", writeSuperbox(KIND.assertions, "c2pa.assertions"), claim, signature, rest),
  );
}

const EMPTY_BOX = jumbfBox("free");
const SMALLEST = writeSuperbox(KIND.cbor, "");
const HEADER = joined(u32(0xffffff), text("jumb"));

const BOXES: Readonly<Record<string, Family>> = Object.fromEntries(
  Object.entries(CARRIERS).flatMap(([name, carry]) => [
    [`${name}, a manifest store of empty boxes`, (bytes: number) => carry(storeOf(repeated(EMPTY_BOX, sized(bytes))))],
    [`${name}, a manifest store of superboxes`, (bytes: number) => carry(storeOf(repeated(SMALLEST, sized(bytes))))],
    [
      `${name}, a manifest store of one box`,
      (bytes: number) => carry(storeOf(jumbfBox("free", new Uint8Array(sized(bytes))))),
    ],
  ]),
);

const inPng = (kind: string, label: string, part: readonly number[], before: readonly number[] = []): Family => {
  return (bytes) => png(chunk("caBX", ofCbor(bytes, kind, label, joined(before, repeated(part, bytes)))));
};
const CLAIM = [KIND.claim, "c2pa.claim.v2"] as const;
const SIGNATURE = [KIND.signature, "c2pa.signature"] as const;

export const STORES: Readonly<Record<string, Family>> = {
  ...BOXES,
  "JPEG, a manifest store in pieces of a byte": (bytes) => {
    const described = [...u32(0xffffff), ...text("jumdc2pa")];
    return jpeg(numbered(bytes, (index) => storePiece(HEADER, index, index === 0 ? [...described, 0] : [0])));
  },
  "JPEG, pieces of manifest stores that never begin": (bytes) =>
    jpeg(numbered(bytes, (index) => storePiece(HEADER, index, [0]))),
  "PNG, empty manifest stores": (bytes) => png(repeated(chunk("caBX", []), bytes)),
  "GIF, a manifest store in pieces of a byte": (bytes) => gif(joined(STORE_HEAD, repeated([1, 0], bytes), [0])),
  "GIF, empty manifest stores": (bytes) => gif(repeated(joined(STORE_HEAD, [0]), bytes)),
  "WebP, empty manifest stores": (bytes) => riff(joined(VP8X(0), repeated(webpChunk("C2PA", []), bytes), VP8L)),
  "AVIF, boxes of manifest stores without one": (bytes) =>
    joined(stillOf({}), repeated(box("uuid", STORE_TYPE), bytes)),
  "JPEG XL, boxes of manifest stores without one": (bytes) => jxl(repeated(box("jumb"), bytes)),
  "SVG, colons": (bytes) => svg("", `<metadata>${":".repeat(bytes)}</metadata>`),
  "SVG, manifest stores without an end": (bytes) =>
    svg(
      "",
      listed(bytes, () => ":manifest"),
    ),
  "SVG, a manifest store of white space": (bytes) =>
    svg("", `<metadata><c2pa:manifest>${" ".repeat(bytes)}</c2pa:manifest></metadata>`),
  "TIFF, a manifest store that directories share": (bytes) => {
    const entry = [...u16(300), ...u16(UNDEFINED), ...u32(bytes), ...u32(8)];
    return tiff(Array<number[]>(500).fill(entry), joined(u16(1), entry, u32(8), new Uint8Array(bytes)));
  },
  "PNG, a claim of lists in lists": inPng(...CLAIM, [0x81]),
  "PNG, a claim of tags of tags": inPng(...CLAIM, [0xc1]),
  "PNG, a claim of zeros": inPng(...CLAIM, [0x00], [0x9f]),
  "PNG, a claim of empty texts": inPng(...CLAIM, [0x60], [0x9f]),
  "PNG, a claim of a text in empty pieces": inPng(...CLAIM, [0x60], [0x7f]),
  "PNG, a claim of bytes in empty pieces": inPng(...CLAIM, [0x40], [0xa1, 0x61, 0x61, 0x5f]),
  "PNG, a signature of empty certificates": inPng(...SIGNATURE, [0x40], [0x84, 0x40, 0xa1, 0x18, 0x21, 0x9f]),
  "PNG, a signature of time stamps": inPng(
    ...SIGNATURE,
    [0xa0],
    [0x84, 0x40, 0xa1, 0x67, ...text("sigTst2"), 0xa1, 0x69, ...text("tstTokens"), 0x9f],
  ),
};
