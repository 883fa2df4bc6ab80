/** An original replaced by its result: the same name and format, and never without need. */
import { createHash } from "node:crypto";
import { chmod, readFile, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";

import type { UploadBody } from "../../clients/api-types.d.ts";
import { type Client, looksOf } from "./client.ts";
import { exists, type Original, place } from "./files.ts";
import type { InPlace } from "./options.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Processes an original and puts the result in its place, where that saves enough.
 * @throws Error when the file changed in between, or its copy cannot be kept; it is then as it was
 */
export async function replaced(
  { path }: Original,
  { minSaving, originals }: InPlace,
  body: UploadBody,
  client: Client,
  signal: AbortSignal,
): Promise<Outcome> {
  const startedAt = performance.now();
  // A link stays one: what it points to is replaced.
  const target = await realpath(path);
  const bytes = await readFile(target);
  const { bytes: result, facts } = await client.process(basename(target), bytes, body, signal);
  const sizes = { before: bytes.length, after: result.length };
  const saves = result.length <= bytes.length * (1 - minSaving / 100);
  if (!saves || basename(facts.output.name) !== basename(target)) return { kind: "kept", path, ...sizes };
  if (originals !== undefined) await keep(originals, basename(target), bytes);
  const { mode } = await stat(target);
  if (!bytes.equals(await readFile(target))) throw new Error("it changed while it was worked on");
  await place(target, result, true);
  await chmod(target, mode);
  const ms = Math.round(performance.now() - startedAt);
  return { kind: "written", path, target: path, ...sizes, ms, picture: looksOf(facts.output) };
}

/** A copy by content, so that none lies over another. */
async function keep(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const copy = join(folder, `${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}-${name}`);
  if (!(await exists(copy))) await place(copy, bytes, false);
}
