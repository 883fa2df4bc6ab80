/**
 * Which pictures of an account look alike: the hashes (`phash`) of what it had processed, found by how few of their 64
 * bits differ.
 *
 * After M. Norouzi, A. Punjani, D. J. Fleet, "Fast Search in Hamming Space with Multi-Index Hashing", 2012: a hash is kept
 * under each of its four bands of 16 bits. Of two hashes that differ in up to 4r + 3 bits, one band differs in up to r, so
 * that a look under all bands within r bits finds every hash that is so near.
 */
import { ALIKE_KEPT_DAYS, MAX_ALIKE_ROWS, MAX_LOOK_NAME_CHARACTERS, SWEPT_LOOKS } from "../limits/reuse.ts";
import { sweepFrom } from "../swept-rows.ts";

const BANDS = 4;
const BAND_BITS = 16;
const BAND_DIGITS = BAND_BITS / 4;
const ALL_BANDS = BANDS << BAND_BITS;
const DAY_MS = 86_400_000;

/** A result as it is found again. */
export interface Look {
  /** 16 hexadecimal digits. */
  readonly phash: string;
  /** The id of the answer. */
  readonly id: string;
  /** The name of the original. */
  readonly name: string;
}

/** A result whose hash is near another one. */
interface AlikeLook extends Look {
  /** How many of the 64 bits differ. */
  readonly distance: number;
  /** Milliseconds since 1970. */
  readonly keptAt: number;
}

/** How many bits of two hashes differ. */
export function bitsBetween(one: string, other: string): number {
  let bits = 0;
  for (let left = BigInt(`0x${one}`) ^ BigInt(`0x${other}`); left > 0n; left &= left - 1n) bits += 1;
  return bits;
}

/**
 * Whether a hash tells a picture from others. That of one color has no bit beside the first, which says that it is not
 * black: all such pictures would be alike.
 */
export function isTelling(phash: string): boolean {
  return BigInt.asUintN(63, BigInt(`0x${phash}`)) > 0n;
}

/** The bands of a hash, each a number of its own among all bands. */
export function bandsOf(phash: string): number[] {
  return Array.from({ length: BANDS }, (_, band) => {
    const digits = phash.slice(band * BAND_DIGITS, (band + 1) * BAND_DIGITS);
    return (band << BAND_BITS) | Number.parseInt(digits, 16);
  });
}

/** The bands of all hashes that differ in up to `distance` bits from this one, the nearest first. */
function bandsWithin(phash: string, distance: number): number[] {
  const radius = Math.floor(distance / BANDS);
  const bits = Array.from({ length: BAND_BITS }, (_, bit) => 1 << bit);
  const pairs = bits.flatMap((one, index) => bits.slice(index + 1).map((other) => one | other));
  const masks = [[0], bits, pairs].slice(0, radius + 1).flat();
  return masks.flatMap((mask) => bandsOf(phash).map((band) => band ^ mask));
}

// The same picture of the same name is one entry, that of the last answer.
const KEEP_SQL = `INSERT INTO alike_looks (band, account_id, phash, name, id, kept_at)
  SELECT value, ?2, ?3, ?4, ?5, ?6 FROM json_each(?1) WHERE true
  ON CONFLICT (band, account_id, phash, name) DO UPDATE SET id = excluded.id, kept_at = excluded.kept_at`;

/** Keeps results, so that they are found; what does not tell a picture from others is left out. */
export async function keepLooks(db: D1Database, accountId: string, looks: readonly Look[], now: number): Promise<void> {
  const told = looks.filter(({ phash }) => isTelling(phash));
  if (told.length === 0) return;
  const keep = db.prepare(KEEP_SQL);
  await db.batch(
    told.map(({ phash, id, name }) =>
      keep.bind(JSON.stringify(bandsOf(phash)), accountId, phash, name.slice(0, MAX_LOOK_NAME_CHARACTERS), id, now),
    ),
  );
}

// The bands are gone through in their order: CROSS JOIN has SQLite begin with them.
const FIND_SQL = `SELECT phash, name, looks.id, kept_at AS keptAt
  FROM json_each(?1) AS bands CROSS JOIN alike_looks AS looks
  WHERE band = bands.value AND account_id = ?2
  LIMIT ?3`;

/** What is near a hash. */
export interface Alike {
  /** The nearest first, then the newest. */
  readonly looks: readonly AlikeLook[];
  /** False: so many results share a part of the hash that some were not looked at. */
  readonly isComplete: boolean;
}

/**
 * The results of an account whose hashes differ in up to `distance` bits, which is at most MAX_ALIKE_BITS. Looks at
 * MAX_ALIKE_ROWS rows at most, at those first that share a whole band.
 */
export async function findAlike(
  db: D1Database,
  accountId: string,
  { phash, distance, limit }: { readonly phash: string; readonly distance: number; readonly limit: number },
  now: number,
): Promise<Alike> {
  if (!isTelling(phash)) return { looks: [], isComplete: true };
  const bands = JSON.stringify(bandsWithin(phash, distance));
  const { results } = await db
    .prepare(FIND_SQL)
    .bind(bands, accountId, MAX_ALIKE_ROWS)
    .all<Look & { readonly keptAt: number }>();
  const found = new Map<string, AlikeLook>();
  for (const look of results) {
    const bits = bitsBetween(phash, look.phash);
    // What the sweep has not come to is over all the same.
    if (bits > distance || look.keptAt < oldest(now)) continue;
    found.set(`${look.phash} ${look.name}`, { ...look, distance: bits });
  }
  const looks = [...found.values()].toSorted((a, b) => a.distance - b.distance || b.keptAt - a.keptAt);
  return { looks: looks.slice(0, limit), isComplete: results.length < MAX_ALIKE_ROWS && looks.length <= limit };
}

function oldest(now: number): number {
  return now - ALIKE_KEPT_DAYS * DAY_MS;
}

const SWEPT = {
  table: "alike_looks",
  key: ["band", "account_id", "phash", "name"],
  madeAt: "kept_at",
  rows: SWEPT_LOOKS,
} as const;

/** Deletes results that are over. @param from the band from which on rows are looked at */
export function sweepLooks(db: D1Database, now: number, from = anyBand()): Promise<void> {
  return sweepFrom(db, SWEPT, oldest(now), from);
}

function anyBand(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number % ALL_BANDS;
}
