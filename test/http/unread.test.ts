/** Bodies of requests that are refused before they are read. */
import { expect, it } from "vitest";

import { discardBody } from "../../src/http/unread.ts";
import { MAX_DISCARDED_BYTES, MAX_SOURCE_BYTES } from "../../src/limits.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";

const CHUNK = new Uint8Array(1024 * 1024);

/** A body of so many megabytes that counts how many were taken. */
function bodyOf(megabytes: number) {
  const seen = { taken: 0, canceled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.taken === megabytes) return controller.close();
        seen.taken += 1;
        return controller.enqueue(CHUNK);
      },
      cancel() {
        seen.canceled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

const requestOf = (body: ReadableStream<Uint8Array>, headers = {}) =>
  new Request("https://darkroom.test/", { method: "POST", body, headers });

it("reads a refused body to its end, so that its sender sees the answer", async () => {
  const { key } = await openAccount();
  for (const [credential, status] of [
    ["dk_unknown", 401],
    [key, 413],
  ] as const) {
    const { body, seen } = bodyOf(40);
    const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": String(40 * 1024 * 1024) };
    const answer = await api("POST", "/1.0/upload", { key: credential, body, headers });
    expect(answer.status).toBe(status);
    expect(seen).toEqual({ taken: 40, canceled: false });
  }
});

it("refuses a body that did not announce its length once it passes the limit", async () => {
  const { key } = await openAccount();
  const part = `--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n`;
  const body = new Blob([part, new Uint8Array(MAX_SOURCE_BYTES + 1), "\r\n--b--\r\n"]).stream();
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  expect((await api("POST", "/1.0/upload", { key, body, headers })).status).toBe(413);
});

it("cancels a body that goes on past the bound, or is announced to", async () => {
  const endless = bodyOf(Number.POSITIVE_INFINITY);
  await discardBody(requestOf(endless.body));
  expect(endless.seen.canceled).toBe(true);
  expect(endless.seen.taken).toBeLessThan(MAX_DISCARDED_BYTES / CHUNK.length + 3);
  const announced = bodyOf(Number.POSITIVE_INFINITY);
  await discardBody(requestOf(announced.body, { "content-length": String(MAX_DISCARDED_BYTES + 1) }));
  expect(announced.seen).toEqual({ taken: 0, canceled: true });
});

it("leaves alone what was read already, and what breaks off", async () => {
  const read = requestOf(bodyOf(1).body);
  await read.arrayBuffer();
  await discardBody(read);
  await discardBody(new Request("https://darkroom.test/"));
  const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("gone")) });
  await expect(discardBody(requestOf(broken))).resolves.toBeUndefined();
});
