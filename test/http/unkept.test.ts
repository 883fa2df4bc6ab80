/** Results that are not to be kept are not there any more once they were read, however large they are. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { createApp } from "../../src/http/app.ts";
import { MAX_LENT_BYTES } from "../../src/limits/isolate.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { openAccount } from "../support/accounts.ts";
import { shortPipeline } from "../support/pipeline.ts";

/** Results are in the bucket, and have the bytes of their originals. */
const app = createApp({ ...shortPipeline, portsOf: pipeline.portsOf });

async function unkept(bytes: number) {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File([new Uint8Array(bytes)], "a.png"));
  body.set("data", JSON.stringify({ response: { mode: "binary", keep: false } }));
  const context = createExecutionContext();
  const headers = { authorization: `Bearer ${key}` };
  const request = new Request("https://darkroom.test/1.0/upload", { method: "POST", headers, body });
  return { answer: await app.fetch(request, env, context), settle: () => waitOnExecutionContext(context) };
}

const stored = async () => (await env.BUCKET.list({ prefix: "temp/" })).objects.length;

it.each([
  [1_000, 0],
  [MAX_LENT_BYTES + 1, 1],
])("a result of %d bytes is stored %d times, and then no more", async (bytes, times) => {
  const { answer, settle } = await unkept(bytes);
  expect([answer.status, await stored()]).toEqual([200, times]);
  expect((await answer.arrayBuffer()).byteLength).toBe(bytes);
  await settle();
  expect(await stored()).toBe(0);
});

it("so is one whose reader hangs up", async () => {
  const { answer, settle } = await unkept(MAX_LENT_BYTES + 1);
  await answer.body?.cancel();
  await settle();
  expect(await stored()).toBe(0);
});
