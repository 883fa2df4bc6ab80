/** Hard bindings: hashes by which a manifest holds on to the bytes of a file (C2PA 2.2, 9.2 and 18.5 to 18.7). */
import { isSame } from "../../same.ts";
import type { NamedPart, Range } from "./carrier.ts";
import { TooMuch, bytesIn, type Cbor, type Count, listIn, memberOf, numberIn, textIn } from "./cbor.ts";
import { type FileBox, topBoxes } from "./file-boxes.ts";
import type { Hasher } from "./hashing.ts";
import { MAX_EXCLUSIONS, MAX_VISITS } from "./limits.ts";

/** Bytes that are compared in the time that a look at a box takes. */
const COMPARED_BYTES = 64;

/** The kind of the box that holds a manifest store. */
export const UUID = Uint8Array.fromHex("d8fec3d61b0e483c92975828877ec481");
const NONE = new Uint8Array();

/** The labels of assertions that are hard bindings. */
export const BINDINGS = ["c2pa.hash.data", "c2pa.hash.bmff", "c2pa.hash.boxes", "c2pa.hash.collection.data"] as const;

/** A file that a manifest may be bound to. */
export interface BoundFile {
  readonly bytes: Uint8Array;
  /** Where the manifest store lies in it. */
  readonly ranges: readonly Range[];
  /** Nothing but zeros lies behind the store in them. */
  readonly isPadded: boolean;
  /** Its parts by name, where the format has names for them. */
  readonly parts: (() => readonly NamedPart[]) | undefined;
}

/** What a manifest is bound to, and how. */
export interface Bound {
  readonly file: BoundFile;
  /** Of the manifest, for bindings that name none. */
  readonly algorithm: string;
  readonly hasher: Hasher;
  /** A later manifest updates it: its store has grown since. */
  readonly isUpdated: boolean;
}

/** What a binding comes to: the word of the standard for its failure; undefined where it holds. @throws Unreadable */
export function failureOfBinding(label: string, binding: Cbor, bound: Bound): string | undefined {
  const { isPadded } = bound.file;
  if (label.startsWith("c2pa.hash.data")) {
    // The padding of the assertion itself is signed, whatever it is.
    return isPadded ? failureOfData(binding, bound) : "assertion.dataHash.mismatch";
  }
  if (label.startsWith("c2pa.hash.bmff")) {
    return isPadded ? failureOfBoxes(label, binding, bound) : "assertion.bmffHash.mismatch";
  }
  if (label.startsWith("c2pa.hash.boxes")) return failureOfParts(binding, bound);
  return "assertion.collectionHash.malformed";
}

/** Boxes that every hash of boxes leaves out: what the file is, and what speaks of places in fragments. */
const BOXES_LEFT_OUT: readonly string[] = ["/ftyp", "/mfra"];
/** Those that the first version of the hash left out besides: what speaks of places in the file. */
const PLACES_LEFT_OUT: readonly string[] = [
  "/meta/iloc",
  "/mfra/tfra",
  "/moov/trak/mdia/minf/stbl/stco",
  "/moov/trak/mdia/minf/stbl/co64",
  "/moof/traf/tfhd",
  "/moof/traf/trun",
];

/** The label of the first version of a hash of boxes, of which there may be several. */
const FIRST_VERSION = /^c2pa\.hash\.bmff(?:__\d+)?$/;

/**
 * What a binding leaves out of its hash besides manifest stores, which its signer may and nobody else can: the word of the
 * standard (C2PA 2.4, 15.2.2), which is no failure; undefined where it leaves out nothing else.
 */
export function informationOfBinding(label: string, binding: Cbor, { ranges }: BoundFile): string | undefined {
  const exclusions = listIn(binding, "exclusions").slice(0, MAX_EXCLUSIONS);
  if (label.startsWith("c2pa.hash.data")) {
    const [store] = ranges;
    const isOther = exclusions.some((one) => {
      const [start, length] = [numberIn(one, "start") ?? 0, numberIn(one, "length") ?? 0];
      // An update makes a store longer than it was when it was left out.
      return length > 0 && start !== store?.start && !ranges.some((range) => overlap({ start, length }, range));
    });
    return isOther ? "assertion.dataHash.additionalExclusionsPresent" : undefined;
  }
  if (label.startsWith("c2pa.hash.bmff")) {
    const usual = [...BOXES_LEFT_OUT, ...(FIRST_VERSION.test(label) ? PLACES_LEFT_OUT : [])];
    const isOther = exclusions.some((one) => {
      const path = textIn(one, "xpath") ?? "";
      const isStore =
        path === "/uuid" && listIn(one, "data").some((data) => isSame(bytesIn(data, "value") ?? NONE, UUID));
      return !isStore && !usual.includes(path);
    });
    return isOther ? "assertion.bmffHash.additionalExclusionsPresent" : undefined;
  }
  const boxes = label.startsWith("c2pa.hash.boxes") ? listIn(binding, "boxes") : [];
  const isOther = boxes.some((one) => memberOf(one, "excluded") === true && listIn(one, "names")[0] !== "C2PA");
  return isOther ? "assertion.boxesHash.additionalExclusionsPresent" : undefined;
}

function failureOfData(binding: Cbor, { file, algorithm, hasher, isUpdated }: Bound): string | undefined {
  const hash = bytesIn(binding, "hash");
  const excluded = listIn(binding, "exclusions").map((one) => {
    const [start, length] = [numberIn(one, "start"), numberIn(one, "length")];
    return start === undefined || length === undefined || start < 0 || length < 0 ? undefined : { start, length };
  });
  const stated = excluded.filter((range) => range !== undefined);
  const stores = joinedRanges(file.ranges);
  const ranges = isUpdated ? withUpdate(stated, stores) : stated;
  if (!hash || ranges.length < excluded.length || ranges.length > MAX_EXCLUSIONS) return "assertion.dataHash.malformed";
  const ordered = ranges.toSorted((one, other) => one.start - other.start);
  if (ordered.some(({ start, length }) => start + length > file.bytes.length)) return "assertion.dataHash.mismatch";
  const overlaps = ordered.some(({ start }, index) => {
    const before = ordered[index - 1];
    return before !== undefined && start < before.start + before.length;
  });
  if (overlaps) return "assertion.dataHash.malformed";
  // What is left out together with the store could be anything (C2PA 2.4, 15.12.1).
  if (ordered.some((range) => stores.some((store) => overlap(range, store) && !isWithin(range, store))))
    return "assertion.dataHash.mismatch";
  const found = hasher.hash(textIn(binding, "alg") ?? algorithm, outside(file.bytes, ordered));
  if (!found) return "algorithm.unsupported";
  return isSame(found, hash) ? undefined : "assertion.dataHash.mismatch";
}

function overlap(one: Range, other: Range): boolean {
  return one.length > 0 && one.start < other.start + other.length && other.start < one.start + one.length;
}

function isWithin({ start, length }: Range, whole: Range): boolean {
  return start >= whole.start && start + length <= whole.start + whole.length;
}

/** Ranges in their order, those that touch as one. */
function joinedRanges(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = [];
  for (const { start, length } of ranges) {
    const last = found.at(-1);
    if (last && last.start + last.length === start) found[found.length - 1] = { ...last, length: last.length + length };
    else found.push({ start, length });
  }
  return found;
}

/** What a binding leaves out, after updates have made the manifest store longer. */
function withUpdate(stated: readonly Range[], [store]: readonly Range[]): readonly Range[] {
  const old = store && stated.find(({ start }) => start === store.start);
  if (!store || !old) return stated;
  const growth = store.length - old.length;
  return stated.map((range) => {
    if (range === old) return store;
    return range.start > store.start ? { ...range, start: range.start + growth } : range;
  });
}

/** The pieces of a file that lie outside of ranges in their order. */
export function* outside(bytes: Uint8Array, ranges: readonly Range[]): Iterable<Uint8Array> {
  let at = 0;
  for (const { start, length } of ranges) {
    if (start > at) yield bytes.subarray(at, start);
    at = Math.max(at, start + length);
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

function failureOfBoxes(label: string, binding: Cbor, { file, algorithm, hasher }: Bound): string | undefined {
  const hash = bytesIn(binding, "hash");
  const exclusions = listIn(binding, "exclusions");
  if (exclusions.length === 0 || exclusions.length > MAX_EXCLUSIONS) return "assertion.bmffHash.malformed";
  // Hashes of chunks are about films in pieces, which no picture is.
  if (!hash) return "assertion.bmffHash.malformed";
  const isPlaced = !FIRST_VERSION.test(label);
  const pieces = boxPieces(file.bytes, exclusions, isPlaced);
  const found = hasher.hash(textIn(binding, "alg") ?? algorithm, pieces);
  if (!found) return "algorithm.unsupported";
  return isSame(found, hash) ? undefined : "assertion.bmffHash.mismatch";
}

/**
 * What is hashed of a file of boxes: all that no exclusion names, and before each outermost box of which anything is hashed where
 * it begins, unless the first version says otherwise.
 */
export function* boxPieces(bytes: Uint8Array, exclusions: readonly Cbor[], isPlaced: boolean): Iterable<Uint8Array> {
  const top = topBoxes(bytes);
  const ranges: Range[] = [];
  const whole = new Set<number>();
  const visits = { left: MAX_VISITS };
  for (const exclusion of exclusions) {
    for (const box of matching(bytes, top, exclusion, visits)) {
      const subsets = listIn(exclusion, "subset");
      if (subsets.length === 0) {
        ranges.push({ start: box.at, length: box.end - box.at });
        whole.add(box.at);
      }
      for (const subset of subsets) {
        const [offset, length] = [numberIn(subset, "offset") ?? 0, numberIn(subset, "length") ?? 0];
        const size = box.end - box.at;
        if (offset < 0 || length < 0 || offset > size) continue;
        ranges.push({ start: box.at + offset, length: length === 0 ? size - offset : Math.min(length, size - offset) });
      }
      if (ranges.length > MAX_EXCLUSIONS) throw new TooMuch("too many exclusions");
    }
  }
  const ordered = ranges.toSorted((one, other) => one.start - other.start);
  const places = isPlaced ? top.filter(({ at }) => !whole.has(at)).map(({ at }) => at) : [];
  let from = 0;
  for (const place of [...places, bytes.length]) {
    yield* within(bytes, ordered, from, place);
    if (place < bytes.length) yield placeBytes(place);
    from = place;
  }
}

function* within(bytes: Uint8Array, ranges: readonly Range[], from: number, to: number): Iterable<Uint8Array> {
  let at = from;
  for (const { start, length } of ranges) {
    if (start + length <= at || start >= to) continue;
    if (start > at) yield bytes.subarray(at, start);
    at = Math.max(at, Math.min(to, start + length));
  }
  if (at < to) yield bytes.subarray(at, to);
}

function placeBytes(place: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(place));
  return bytes;
}

/**
 * The boxes that an exclusion names by its path, and that are as it says.
 * @param visits of boxes, and comparisons of what is in them, that there may be
 * @throws Unreadable where there are too many
 */
function matching(bytes: Uint8Array, top: readonly FileBox[], exclusion: Cbor, visits: Count): readonly FileBox[] {
  const path = (textIn(exclusion, "xpath") ?? "").split("/").slice(1);
  const visit = (count: number) => {
    visits.left -= count;
    if (visits.left < 0) throw new TooMuch("too many boxes");
  };
  let found = path.length === 0 ? [] : top;
  visit(found.length);
  for (const [depth, step] of path.entries()) {
    const [, type = "", index] = /^([^[\]]{4})(?:\[(\d+)\])?$/.exec(step) ?? [];
    const named = found.filter((box) => box.type === type);
    const chosen = index === undefined ? named : named.slice(Number(index) - 1, Number(index));
    found = depth === path.length - 1 ? chosen : chosen.flatMap((box) => box.inner());
    visit(found.length);
  }
  const [length, version] = [numberIn(exclusion, "length"), numberIn(exclusion, "version")];
  const flags = bytesIn(exclusion, "flags");
  const isExact = memberOf(exclusion, "exact") !== false;
  return found.filter((box) => {
    if (length !== undefined && box.end - box.at !== length) return false;
    if (version !== undefined && box.isFull && bytes[box.start] !== version) return false;
    if (flags && box.isFull && !hasFlags(bytes.subarray(box.start + 1, box.start + 4), flags, isExact)) return false;
    return listIn(exclusion, "data").every((data) => {
      visit(1 + (bytesIn(data, "value")?.length ?? 0) / COMPARED_BYTES);
      const [offset, value] = [numberIn(data, "offset") ?? 0, bytesIn(data, "value") ?? new Uint8Array()];
      return isSame(bytes.subarray(box.at + offset, box.at + offset + value.length), value);
    });
  });
}

function hasFlags(found: Uint8Array, wanted: Uint8Array, isExact: boolean): boolean {
  return found.every((byte, index) => (isExact ? byte === wanted[index] : (byte & ~wanted[index]!) === 0));
}

function failureOfParts(binding: Cbor, { file, algorithm, hasher }: Bound): string | undefined {
  const { bytes, parts } = file;
  const boxes = listIn(binding, "boxes");
  if (!parts || boxes.length === 0) return "assertion.boxesHash.malformed";
  const found = parts();
  // What PNG begins with need not be named.
  let index = found[0]?.name === "PNGh" && listIn(boxes[0], "names")[0] !== "PNGh" ? 1 : 0;
  for (const box of boxes) {
    const names = listIn(box, "names");
    const first = found[index];
    for (const name of names) if (found[index++]?.name !== name) return "assertion.boxesHash.unknownBox";
    const last = found[index - 1];
    if (!first || !last) return "assertion.boxesHash.malformed";
    if (names[0] === "C2PA" && names.length > 1) return "assertion.boxesHash.malformed";
    if (names[0] === "C2PA" || memberOf(box, "excluded") === true) continue;
    const alg = textIn(box, "alg") ?? textIn(binding, "alg") ?? algorithm;
    const hash = hasher.hash(alg, [bytes.subarray(first.start, last.start + last.length)]);
    if (!hash) return "algorithm.unsupported";
    if (!isSame(hash, bytesIn(box, "hash") ?? new Uint8Array())) return "assertion.boxesHash.mismatch";
  }
  return index === found.length ? undefined : "assertion.boxesHash.unknownBox";
}
