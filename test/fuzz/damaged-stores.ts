/** Manifest stores that are damaged at random: bytes of them, or boxes and values of CBOR as wholes. */
import { type Cbor, decodeCbor, encodeCbor, Tagged } from "../../src/image/provenance/cbor.ts";
import { jumbfBox, KIND, readJumbf, type Superbox, writeSuperbox } from "../../src/image/provenance/jumbf.ts";

/** A whole number from 0 up to what is given, without it. */
type Random = (below: number) => number;

/** Heads of CBOR and DER that announce much, and numbers that are large. */
const HEADS = [0x9f, 0xbf, 0x9b, 0x5b, 0x84, 0xff, 0x00, 0xd8];

/** Changes one to six places of the ranges of a file, up to four bytes at each. */
export function damageBytes(
  bytes: Uint8Array,
  ranges: readonly { readonly start: number; readonly length: number }[],
  random: Random,
): void {
  for (let left = 1 + random(6); left > 0; left--) {
    const range = ranges[random(ranges.length)];
    if (!range) continue;
    const at = range.start + random(range.length);
    bytes.fill(HEADS[random(16)] ?? random(256), at, Math.min(at + 1 + random(4), range.start + range.length));
  }
}

/**
 * A store of which boxes were left out, repeated, exchanged, put into one another or given other names, and values of CBOR
 * replaced by others. Its lengths are right, so that all of it is read.
 * @throws Unreadable where the store itself cannot be read
 */
export function withDamagedBoxes(store: Uint8Array, random: Random): Uint8Array {
  const whole = readJumbf(store);
  const all = [whole, ...within(whole)];
  const some = () => all[random(all.length)] ?? whole;
  const share = 2 + random(12);
  const write = (box: Superbox): readonly Uint8Array[] => {
    const changes = random(share) === 0 ? 1 + random(7) : 0;
    if (changes === 1) return [];
    if (changes === 2) return [some().whole];
    const boxes = box.boxes.flatMap(write);
    const data = box.data.map(({ type, bytes }) => jumbfBox(type, type === KIND.cbor ? cbor(bytes) : bytes));
    const label = changes === 3 ? some().label : box.label;
    const kind = changes === 4 ? some().kind : box.kind;
    const contents = changes === 5 ? [...boxes, ...data, some().whole] : [...data, ...boxes];
    const written = writeSuperbox(kind, label, ...contents);
    return changes === 6 ? Array.from({ length: 1 + random(40) }, () => written) : [written];
  };
  const cbor = (bytes: Uint8Array): Uint8Array => {
    if (random(share) > 1) return bytes;
    return encodeCbor(changed(decodeCbor(bytes), random));
  };
  return write(whole)[0] ?? whole.whole.subarray(0, random(whole.whole.length));
}

function within(box: Superbox): readonly Superbox[] {
  return box.boxes.flatMap((one) => [one, ...within(one)]);
}

function changed(value: Cbor, random: Random): Cbor {
  if (random(6) === 0) return another(value, random);
  if (Array.isArray(value)) return value.map((one) => changed(one, random));
  if (value instanceof Map) {
    return new Map(
      [...value].map(([key, one]) => [random(24) === 0 ? another(key, random) : key, changed(one, random)]),
    );
  }
  if (value instanceof Tagged) return new Tagged(value.tag, changed(value.value, random));
  return value;
}

/** A value in place of another: one that is none of its kind, or many of it. */
function another(value: Cbor, random: Random): Cbor {
  const others: readonly (() => Cbor)[] = [
    () => null,
    () => -1,
    () => 2 ** 31,
    () => Number.MAX_SAFE_INTEGER,
    () => "",
    () => "self#jumbf=/c2pa/",
    () => "x".repeat(random(4_000)),
    () => new Uint8Array(random(4_000)),
    () => [],
    () => new Map(),
    () => Array.from({ length: random(400) }, () => value),
    () => Array.from({ length: random(20) }).reduce<Cbor>((inner) => [inner], value),
    () => new Map(Array.from({ length: random(400) }, (_, index) => [String(index), value])),
  ];
  return others[random(others.length)]?.() ?? value;
}
