/** What the isolate that answers has counted, for a monitor. */
import { uncollectedNativeBytes } from "../../../wasm/dropped.ts";
import { nativeMemoryBytes, nativeStatistics } from "../../../wasm/load.ts";
import { type Sample, told } from "../../metrics.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import { isolateThread } from "../../scheduler/time-slice.ts";
import type { AppContext } from "../context.ts";

/** Tells the counts of isolates apart: made at the first question, since nothing is random before the first request. */
let name: string | undefined;

/** GET /metrics: counts since the isolate began; every isolate has its own, and says by a label which it is. */
export function showMetrics(c: AppContext): Response {
  name ??= crypto.randomUUID().slice(0, 8);
  const text = told(samples(), { isolate: name });
  return c.body(text, 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
}

function samples(): Sample[] {
  const { work, originals } = isolateBudget.held;
  const memory = { work, originals, native: nativeMemoryBytes(), dropped: uncollectedNativeBytes() };
  const { waiting: memoryWaiting, waitingAtDoor, longestWaitMs, queuedMs, places } = isolateBudget;
  const waiting = { originals: waitingAtDoor, memory: memoryWaiting, thread: isolateThread.waiting };
  return [
    ...Object.entries(places).map(([of, value]) => ({ name: "places" as const, labels: { of }, value })),
    { name: "longest_wait_seconds", value: longestWaitMs / 1_000 },
    { name: "queued_seconds", value: queuedMs / 1_000 },
    ...Object.entries(memory).map(([of, value]) => ({ name: "memory_bytes" as const, labels: { of }, value })),
    ...Object.entries(waiting).map(([what, value]) => ({ name: "waiting" as const, labels: { for: what }, value })),
    ...nativeStatistics().flatMap(({ name: module, memoryBytes, idleBytes }) =>
      Object.entries({ "in use": memoryBytes - idleBytes, idle: idleBytes }).map(([state, value]) => ({
        name: "native_memory_bytes" as const,
        labels: { module, state },
        value,
      })),
    ),
    ...nativeStatistics().map(({ name: module, replaced }) => ({
      name: "native_replacements_total" as const,
      labels: { module },
      value: replaced,
    })),
  ];
}
