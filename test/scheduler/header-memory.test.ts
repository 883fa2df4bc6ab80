/** What is unpacked of files while they wait for their turn has a bound, however many wait. */
import { expect, it } from "vitest";

import { readHeaders } from "../../src/image/plan/detect.ts";
import { MAX_HEADERS_BYTES, MAX_UNPACKED_PROFILE_BYTES } from "../../src/limits/isolate.ts";
import { Caller } from "../../src/scheduler/caller.ts";
import { HeaderMemory, isolateHeaders } from "../../src/scheduler/header-memory.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { bomb, chunk, joined, png, text } from "../support/framed.ts";

/** A file of some KB whose profile unpacks to as many bytes as a profile may have, and no more. */
const FILE = png(chunk("iCCP", joined(text("a\0\0"), bomb(MAX_UNPACKED_PROFILE_BYTES / 900))));

it("64 small files whose profiles unpack to megabytes hold two of them at a time, and are all read", async () => {
  const sources = Array.from({ length: 64 }, () => SharedBytes.of(FILE.slice()));
  let most = 0;
  const read = sources.map(async (source) => {
    const { facts } = await readHeaders(source, new JobLimits({ caller: new Caller({ maxWaitMs: 60_000 }) }));
    expect(facts.profile?.length).toBeGreaterThan(MAX_UNPACKED_PROFILE_BYTES * 0.99);
    most = Math.max(most, isolateHeaders.sum);
    await new Promise((resolve) => setTimeout(resolve, 5));
    source.release();
  });
  await Promise.all(read);
  expect(most).toBeGreaterThan(MAX_UNPACKED_PROFILE_BYTES * 0.99);
  expect(most).toBeLessThanOrEqual(MAX_HEADERS_BYTES);
  expect(isolateHeaders.sum).toBe(0);
});

it("files that are refused, and bytes that nobody holds, leave nothing behind", async () => {
  await expect(readHeaders(SharedBytes.of(Uint8Array.of(1, 2, 3)))).rejects.toThrow("not an image");
  await readHeaders(FILE);
  expect(isolateHeaders.sum).toBe(0);
});

it("who waits for longer than they may is refused, and leaves the others their turn", async () => {
  const memory = new HeaderMemory({ bytes: 10, most: 10, maxWaitMs: 20 });
  const first = await memory.take();
  await expect(memory.take()).rejects.toMatchObject({ status: 503 });
  const second = memory.take(new Caller({ maxWaitMs: 10_000 }));
  first.shrink(4);
  first.release();
  expect(memory.sum).toBe(0);
  (await second).release();
});
