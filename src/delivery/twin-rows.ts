/** Which results are of the same bytes: rows that name one result for each request for the bytes of an original. */
import { SWEPT_TWINS } from "../limits/delivery.ts";
import { sweepFrom } from "../swept-rows.ts";

/** The hash of an original's bytes, the request, and the delivery: names begin evenly. */
export interface TwinName {
  readonly hash: string;
  readonly request: string;
  readonly delivery: string;
}

function textOf({ hash, request, delivery }: TwinName): string {
  return `${hash}/${request}/${delivery}`;
}

const NOTE_SQL = `INSERT INTO delivery_twins (name, key, made_at) VALUES (?1, ?2, ?3)
  ON CONFLICT (name) DO UPDATE SET key = excluded.key, made_at = excluded.made_at`;

/** @param key the name of the result's object */
export async function noteTwin(db: D1Database, name: TwinName, key: string, now: number): Promise<void> {
  await db.prepare(NOTE_SQL).bind(textOf(name), key, now).run();
}

/** The name of a result's object, which may be gone, or another one by now. */
export async function twinOf(db: D1Database, name: TwinName): Promise<string | undefined> {
  const key = await db.prepare("SELECT key FROM delivery_twins WHERE name = ?").bind(textOf(name)).first<string>("key");
  return key ?? undefined;
}

/** Sixteen hexadecimal digits anywhere between the least and the greatest name. */
function anywhere(): string {
  return crypto.getRandomValues(new Uint8Array(8)).toHex();
}

const SWEPT = { table: "delivery_twins", key: ["name"], madeAt: "made_at", rows: SWEPT_TWINS } as const;

/** Deletes rows that are older than any result that nobody asks for. @param from the name from which on rows are looked at */
export function sweepTwins(db: D1Database, before: number, from = anywhere()): Promise<void> {
  return sweepFrom(db, SWEPT, before, from);
}
