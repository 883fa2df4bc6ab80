/** All images, some at a time. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { isNamedAfter, resultName } from "./answered.ts";
import { ApiFailure, type Client, looksOf, Unreachable } from "./client.ts";
import { alreadyThere, earlierResult, exists, expectedName, type Original, place, targetOf } from "./files.ts";
import type { Options } from "./options.ts";
import { type Claims, type Outcome, ownerOf } from "./outcome.ts";
import { replaced } from "./replace.ts";
import { writeSet } from "./sets.ts";

/** Images that are there, or a way to those that come until the signal ends it. */
export type Originals = readonly Original[] | ((stop: AbortSignal) => AsyncIterable<Original>);

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
  originals: Originals,
  options: Options,
  client: Client,
  signal: AbortSignal,
  settled: Settled,
): Promise<Outcome[]> {
  const claims: Claims = { byTarget: new Map(), byPath: new Map() };
  const outcomes: Outcome[] = [];
  const running = new Map<string, Promise<unknown>>();
  const hopeless = new AbortController();
  const stop = AbortSignal.any([signal, hopeless.signal]);
  const queue = numbered(typeof originals === "function" ? originals(stop) : originals);
  const worker = async (): Promise<void> => {
    while (!stop.aborted) {
      const { value, done } = await queue.next();
      if (done || stop.aborted) return;
      const [index, original] = value;
      // An original that was changed again waits for its earlier self, so that the last result is the newest.
      const earlier = running.get(original.path) ?? Promise.resolve();
      const work = earlier.then(() => one(original, options, client, signal, claims));
      const ended = work.catch((error: unknown): Outcome => {
        if (isHopeless(error)) hopeless.abort();
        return failed(original.path, error, signal);
      });
      running.set(original.path, ended);
      const outcome = await ended;
      if (running.get(original.path) === ended) running.delete(original.path);
      outcomes[index] = outcome;
      settled(outcome);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return outcomes.filter(() => true);
}

async function* numbered(originals: Iterable<Original> | AsyncIterable<Original>) {
  let index = 0;
  for await (const original of originals) yield [index++, original] as const;
}

async function one(
  original: Original,
  options: Options,
  client: Client,
  signal: AbortSignal,
  claims: Claims,
): Promise<Outcome> {
  const { path } = original;
  const { byTarget, byPath } = claims;
  const { body, out, overwrite, resume } = options;
  if (body.srcset) return writeSet(original, options, client, signal, claims);
  if (options.inPlace) return replaced(original, options.inPlace, body, client, signal);
  const isFirst = !byPath.has(path);
  const earlier = resume && isFirst ? await earlierResult(original, body.output?.format, out) : undefined;
  if (earlier !== undefined) {
    byPath.set(path, earlier);
    byTarget.set(earlier, path);
    return { kind: "skipped", path, target: earlier };
  }
  const mayReplace = (target: string): boolean => overwrite || byTarget.get(target) === path;
  const expected = targetOf(original, expectedName(original, body.output?.format), out);
  if (!mayReplace(expected) && (await exists(expected))) {
    throw alreadyThere(expected);
  }
  const startedAt = performance.now();
  const bytes = await readFile(path);
  const { bytes: result, facts } = await client.process(basename(path), bytes, body, signal);
  const name = resultName(facts.output.name);
  const target = targetOf(original, name, out);
  const owner = ownerOf(claims, target, path);
  byTarget.set(target, path);
  await place(target, result, (overwrite && isNamedAfter(name, path)) || owner === path).catch((cause: unknown) => {
    if (owner === undefined) byTarget.delete(target); // what lies there is somebody else's
    throw cause;
  });
  byPath.set(path, target);
  const ms = Math.round(performance.now() - startedAt);
  return {
    kind: "written",
    path,
    target,
    before: bytes.length,
    after: result.length,
    ms,
    picture: looksOf(facts.output),
  };
}

function failed(path: string, error: unknown, signal: AbortSignal): Outcome {
  const message = signal.aborted ? "interrupted" : error instanceof Error ? error.message : String(error);
  const status = !signal.aborted && error instanceof ApiFailure ? error.status : null;
  return {
    kind: "failed",
    path,
    reason: status === null ? message : `${status} ${message}`,
    error: { status, message },
  };
}
