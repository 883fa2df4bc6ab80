/** All images, some at a time. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { ApiFailure, type Client, Unreachable } from "./client.ts";
import { earlierResult, exists, expectedName, type Original, place, targetOf } from "./files.ts";
import type { Options } from "./options.ts";

/** What became of one image. */
export type Outcome =
  | {
      readonly kind: "written";
      readonly path: string;
      readonly target: string;
      readonly before: number;
      readonly after: number;
    }
  | { readonly kind: "skipped"; readonly path: string; readonly target: string }
  | { readonly kind: "failed"; readonly path: string; readonly reason: string };

/** The key, the credits or the account: no other image will fare better. */
const HOPELESS = new Set([401, 402, 403]);

function isHopeless(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiFailure && HOPELESS.has(error.status));
}

export type Settled = (outcome: Outcome) => void;

/**
 * Processes every original; one that fails does not stop the others, a refused key does.
 * @param settled told of each image as it is done
 * @returns the outcomes, in the order of the originals; those that were never begun are left out
 */
export async function runAll(
  originals: readonly Original[],
  options: Options,
  client: Client,
  signal: AbortSignal,
  settled: Settled,
): Promise<Outcome[]> {
  const claimed = new Map<string, string>();
  const outcomes: Outcome[] = [];
  const queue = originals.entries();
  let hopeless = false;
  const worker = async (): Promise<void> => {
    for (const [index, original] of queue) {
      if (signal.aborted || hopeless) return;
      const outcome = await one(original, options, client, signal, claimed).catch((error: unknown): Outcome => {
        hopeless ||= isHopeless(error);
        return { kind: "failed", path: original.path, reason: reasonOf(error, signal) };
      });
      outcomes[index] = outcome;
      settled(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, originals.length) }, worker));
  return outcomes.filter(() => true);
}

async function one(
  original: Original,
  { body, out, overwrite, resume }: Options,
  client: Client,
  signal: AbortSignal,
  claimed: Map<string, string>,
): Promise<Outcome> {
  const { path } = original;
  const earlier = resume ? await earlierResult(original, body.output?.format, out) : undefined;
  if (earlier !== undefined) return { kind: "skipped", path, target: earlier };
  const expected = targetOf(original, expectedName(original, body.output?.format), out);
  if (!overwrite && (await exists(expected))) {
    throw new Error(`${basename(expected)} exists, and --overwrite is not given`);
  }
  const bytes = await readFile(path);
  const { bytes: result, facts } = await client.process(basename(path), bytes, body, signal);
  const target = targetOf(original, facts.output.name, out);
  const other = claimed.get(target);
  if (other !== undefined) throw new Error(`${basename(target)} was written already, from ${basename(other)}`);
  claimed.set(target, path);
  await place(target, result, overwrite);
  return { kind: "written", path, target, before: bytes.length, after: result.length };
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "interrupted";
  if (error instanceof ApiFailure) return `${error.status} ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
