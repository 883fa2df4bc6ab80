/** Bodies are read with a limit to their length and a pace to their senders. */
import { afterEach, expect, it, vi } from "vitest";

import { readerOf } from "../../src/source/body.ts";
import { byteReaderOf } from "../../src/source/byte-reader.ts";
import { refusal } from "../support/refusal.ts";

const chunk = new Uint8Array(1_000);

afterEach(() => void vi.useRealTimers());

/** A body of so many chunks that then says nothing any more, or ends. */
function bodyOf(chunks: number, then: "stalls" | "ends") {
  let canceled = false;
  let left = chunks;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (left > 0) controller.enqueue(chunk);
        else if (then === "ends") controller.close();
        left -= 1;
        return left < 0 && then === "stalls" ? new Promise<void>(() => undefined) : undefined;
      },
      cancel() {
        canceled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, wasCanceled: () => canceled };
}

async function bytesOf(reader: ReturnType<typeof readerOf>): Promise<number> {
  let bytes = 0;
  for (let part = await reader.pull(); part !== undefined; part = await reader.pull()) bytes += part.length;
  return bytes;
}

const PATIENT_MS = 60_000;

it("reads a body to its end and lets go of it", async () => {
  const { body } = bodyOf(5, "ends");
  const reader = readerOf(body, PATIENT_MS);
  expect(await bytesOf(reader)).toBe(5_000);
  reader.release();
  expect(body.locked).toBe(false);
});

it.each([
  ["never begins", 0],
  ["stalls", 3],
] as const)("refuses a body that %s with 408, and cancels it", async (_, chunks) => {
  const { body, wasCanceled } = bodyOf(chunks, "stalls");
  const reader = readerOf(body, 20);
  expect(await refusal(bytesOf(reader))).toMatchObject({
    status: 408,
    message: "The request body arrived too slowly: it must be here within 30 seconds",
  });
  expect(wasCanceled()).toBe(true);
  reader.release();
});

/** A body of ten chunks that come 40 ms after they were asked for. */
function slowBody(): ReadableStream<Uint8Array> {
  let left = 10;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await new Promise((passed) => setTimeout(passed, 40));
        if (left > 0) controller.enqueue(chunk);
        else controller.close();
        left -= 1;
      },
    },
    { highWaterMark: 0 },
  );
}

it("gives a sender that drips no more time than one that is silent", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const reading = refusal(bytesOf(readerOf(slowBody(), 250)));
  await vi.advanceTimersByTimeAsync(11 * 40);
  expect(await reading).toMatchObject({ status: 408 });
});

it("does not count the time in which nothing is asked of the sender", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const reader = readerOf(slowBody(), 500);
  const reading = (async () => {
    let bytes = 0;
    for (let part = await reader.pull(); part !== undefined; part = await reader.pull()) {
      bytes += part.length;
      // There is no room for the next.
      await new Promise((passed) => setTimeout(passed, 100));
    }
    return bytes;
  })();
  await vi.advanceTimersByTimeAsync(11 * 140);
  expect(await reading).toBe(10_000);
});

it("reads bytes into one buffer, which stays small beside what has come", async () => {
  const sent = new Uint8Array(2_000_000).map((_, at) => at % 251);
  const { body } = new Response(sent);
  const reader = byteReaderOf(body as ReadableStream<Uint8Array>);
  let [pieces, length, lying] = [0, 0, 0];
  let last: Uint8Array | undefined;
  for (let piece = await reader.read(); piece; piece = await reader.read()) {
    lying += last?.buffer.byteLength ?? 0;
    expect(piece.every((byte, at) => byte === (length + at) % 251)).toBe(true);
    expect(piece.buffer.byteLength).toBeLessThanOrEqual(Math.max(4_096, length / 2));
    length += piece.length;
    pieces += 1;
    last = piece;
  }
  expect(length).toBe(sent.length);
  expect(pieces).toBeLessThan(100);
  // A buffer is left behind where a larger one takes its place, and nowhere else.
  expect(lying).toBeLessThan(64 * 1024);
});

it("lets go of the body at once where its sender has hung up", async () => {
  let isCanceled = false;
  const silent = new ReadableStream<Uint8Array>({ cancel: () => void (isCanceled = true) }, { highWaterMark: 0 });
  const caller = new AbortController();
  const reader = readerOf(silent, PATIENT_MS, caller.signal);
  const reading = reader.pull();
  caller.abort(new Error("gone"));
  await expect(reading).rejects.toThrow("gone");
  await expect(reader.pull()).rejects.toThrow("gone");
  expect(isCanceled).toBe(true);
});
