/** `response.keep: false`: the bytes of the answer are all there is. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";

const api = apiOf(pipeline);
const SMALL = { resize: { width: 24 } };

async function uploaded(data: object, headers: Record<string, string> = {}) {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File([photo], "a.jpg"));
  body.set("data", JSON.stringify({ ...SMALL, ...data }));
  return api("POST", "/1.0/upload", { key, body, headers });
}

it("answers with the bytes alone, and stores nothing", async () => {
  const before = (await env.BUCKET.list()).objects.length;
  const answer = await uploaded({ response: { mode: "binary", keep: false } });
  expect([answer.status, answer.body.output.width]).toEqual([200, 24]);
  expect(answer.body.output).not.toHaveProperty("url");
  expect(answer.bytes).toHaveLength(answer.body.output.bytes as number);
  expect((await env.BUCKET.list()).objects).toHaveLength(before);
});

it("keeps what is asked for without it, and with keep: true", async () => {
  for (const response of [{ mode: "binary" }, { mode: "binary", keep: true }]) {
    expect((await uploaded({ response })).body.output.url).toMatch(/^https:\/\/darkroom\.test\/temp\//);
  }
});

it.each([
  [{ response: { keep: false } }, {}, "response.keep false needs response.mode binary"],
  [{ response: { mode: "binary", keep: false }, reuse: true }, {}, "response.keep false cannot be combined with reuse"],
  [
    { response: { mode: "binary", keep: false } },
    { "idempotency-key": "one" },
    "response.keep false cannot be combined with Idempotency-Key",
  ],
  [{ response: { mode: "binary", keep: "never" } }, {}, "response.keep must be true or false"],
])("is refused where something would look for the result: %j %j", async (data, headers, message) => {
  const answer = await uploaded(data, headers);
  expect([answer.status, answer.body.message]).toEqual([422, message]);
});
