/** Callers who hang up: their work ends within a stretch, costs nothing, and leaves room for others. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { createApp } from "../../src/http/app.ts";
import { UNPAUSED } from "../../src/image/breath.ts";
import { isolateBudget } from "../../src/image/budget.ts";
import { png } from "../../src/image/formats/png.ts";
import { street } from "../../src/street/edges.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { noise, pictureOf } from "../support/rows.ts";

const app = createApp(street);
const api = apiOf(street);

beforeEach(() => forgetKeys());

/** A picture that takes seconds as AVIF. */
async function hardPicture(): Promise<Uint8Array> {
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  return png.write.encode(pictureOf([noise(700, 700)]), settings, UNPAUSED);
}

function uploadOf(key: string, file: Uint8Array, signal: AbortSignal): Request {
  const body = new FormData();
  body.set("file", new File([file.slice()], "hard.png"));
  body.set("data", JSON.stringify({ output: { format: "avif" } }));
  const headers = { authorization: `Bearer ${key}` };
  return new Request("https://darkroom.test/1.0/upload", { method: "POST", headers, body, signal });
}

it("stop their work, which costs no credit and stores nothing", async () => {
  const { key } = await openAccount(1);
  const file = await hardPicture();
  const caller = new AbortController();
  const context = createExecutionContext();
  const before = (await env.BUCKET.list()).objects.length;
  let stretches = 0;
  const counting = setInterval(() => {
    if (++stretches === 3) caller.abort();
  }, 1);
  const answer = await app.fetch(uploadOf(key, file, caller.signal), env, context);
  clearInterval(counting);
  await answer.body?.cancel();
  await waitOnExecutionContext(context);
  expect(answer.status).toBe(499);
  expect((await env.BUCKET.list()).objects).toHaveLength(before);
  expect((await api("GET", "/1.0/account", { key })).body.credits).toEqual({ total: 1, used: 0, remaining: 1 });
  // All memory is free again: work that needs all of it starts at once.
  expect(await isolateBudget.run({ bytes: 100 << 20 }, () => "free")).toBe("free");
});
