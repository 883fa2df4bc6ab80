/** Requests before which more is declared than they may wait: refused, but for those whose answer goes to a webhook. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { busy } from "../../src/scheduler/busy.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { receiver } from "../support/webhooks.ts";

const api = apiOf(shortPipeline);
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");

beforeEach(() => {
  forgetKeys();
  vi.spyOn(isolateBudget, "expect").mockImplementation(() => {
    throw busy(30_000);
  });
});
afterEach(() => void vi.restoreAllMocks());

/** The status of a fetch, an upload of the image alone, and one with an upload token, all of which ask for the same. */
async function statuses(data: object): Promise<number[]> {
  const { key } = await openAccount();
  const token = await api("POST", "/1.0/upload-tokens", { key, json: { data } });
  const raw = { headers: { "content-type": "image/webp" }, body: PIXEL };
  const answers = [
    await api("POST", "/1.0/fetch", { key, json: { url: "https://images.test/a.png", ...data } }),
    await api("POST", `/1.0/upload?data=${encodeURIComponent(JSON.stringify(data))}`, { key, ...raw }),
    await api("POST", "/1.0/upload", { key: token.body.token, ...raw }),
  ];
  return answers.map(({ status }) => status);
}

it("are 503 before their picture is read", async () => {
  expect(await statuses({})).toEqual([503, 503, 503]);
});

it("are accepted where a webhook is told of what comes of them", async () => {
  expect(await statuses({ webhook: { url: receiver().url } })).toEqual([202, 202, 202]);
});
