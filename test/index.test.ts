/** The Worker as a whole, from a request to the sweep of what has expired. */
import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import worker from "../src/index.ts";
import { openAccount } from "./support/accounts.ts";

/** One pixel, WebP lossless. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const BASE = "https://darkroom.test";

afterEach(() => void vi.useRealTimers());

async function upload(key: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new FormData();
  body.set("file", new File([PIXEL], "pixel.webp"));
  const request = { method: "POST", body, headers: { authorization: `Bearer ${key}`, ...headers } };
  return exports.default.fetch(`${BASE}/1.0/upload`, request);
}

describe("the Worker", () => {
  it("takes an image, and serves the result until it expires", async () => {
    const { key } = await openAccount();
    const answer = await upload(key);
    expect(answer.status).toBe(200);
    const { output } = await answer.json<{ output: { url: string; bytes: number } }>();
    const download = await exports.default.fetch(output.url);
    expect(download.status).toBe(200);
    expect(download.headers.get("content-type")).toBe("image/webp");
    expect(download.headers.get("access-control-allow-origin")).toBe("*");
    expect(download.headers.has("x-ratelimit-limit")).toBe(false);
    expect((await download.bytes()).length).toBe(output.bytes);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    expect((await exports.default.fetch(output.url)).status).toBe(404);
  });

  it("hands the bytes over in binary mode, and serves them at the URL as well", async () => {
    const { key } = await openAccount();
    const answer = await upload(key, { "x-service-binary": "1" });
    const { output } = JSON.parse(answer.headers.get("x-service-metadata") ?? "{}");
    const bytes = await answer.bytes();
    expect(bytes).toHaveLength(output.bytes);
    expect(await (await exports.default.fetch(output.url)).bytes()).toEqual(bytes);
  });

  it("sweeps what has expired", async () => {
    const { key } = await openAccount();
    await upload(key);
    const later = Date.now() + 3_600_000;
    vi.useFakeTimers({ toFake: ["Date"], now: later });
    const context = createExecutionContext();
    await worker.scheduled(createScheduledController({ scheduledTime: new Date(later) }), env, context);
    await waitOnExecutionContext(context);
    expect((await env.BUCKET.list({ prefix: "temp/" })).objects).toHaveLength(0);
  });
});
