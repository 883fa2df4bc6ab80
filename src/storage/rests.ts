/**
 * When the clock looks into a part of the bucket again. Listing costs as much as writing an object, and a deployment that
 * nobody uses would list every minute for nothing.
 */

/** A rest that is longer was noted by a clock that was wrong. */
const MAX_REST_MS = 31 * 86_400_000;

/**
 * Whether a part is to be looked at.
 * @param now milliseconds since 1970
 */
export async function isDue(db: D1Database, part: string, now: number): Promise<boolean> {
  const due = await db.prepare("SELECT due_at FROM sweeps WHERE part = ?").bind(part).first<number>("due_at");
  return due === null || due <= now || due > now + MAX_REST_MS;
}

/** Leaves a part alone until a moment, milliseconds since 1970. */
export async function rest(db: D1Database, part: string, until: number): Promise<void> {
  await db
    .prepare(
      "INSERT INTO sweeps (part, due_at) VALUES (?1, ?2) ON CONFLICT (part) DO UPDATE SET due_at = excluded.due_at",
    )
    .bind(part, until)
    .run();
}
