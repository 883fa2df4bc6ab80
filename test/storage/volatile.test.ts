/** Results that are kept for a while and served from this host. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

import { expiryIn, uuidWith } from "../../src/storage/expiring-uuid.ts";
import { keepTemporarily, serveTemporary, sweepTemporary } from "../../src/storage/volatile.ts";
import { refusal } from "../support/refusal.ts";

const bucket = env.BUCKET;
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0, 500);
const BASE = "https://api.example";
const CONTENT = "0123456789";

const keep = (name = "cat.jpg", now = NOW, ttlSeconds = 3_600, mime = "image/jpeg") =>
  keepTemporarily(bucket, { baseUrl: BASE, ttlSeconds }, { bytes: new TextEncoder().encode(CONTENT), mime, name }, now);

const serve = (url: string, headers: Record<string, string> = {}, method = "GET", now = NOW) =>
  serveTemporary(new Request(url, { method, headers }), bucket, now);

const keys = async () => (await bucket.list()).objects.map(({ key }) => key);

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe("a kept result", () => {
  it("is served under its URL as it was stored", async () => {
    const { url } = await keep();
    expect(url).toMatch(
      /^https:\/\/api\.example\/temp\/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\/cat\.jpg$/,
    );
    const response = await serve(url);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(CONTENT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=3599, immutable",
      "content-disposition": "inline; filename=\"cat.jpg\"; filename*=UTF-8''cat.jpg",
      "content-length": "10",
      "content-type": "image/jpeg",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.get("etag")).toMatch(/^"[\da-f]+"$/);
  });

  it("cannot run script when it is an SVG", async () => {
    const { url } = await keep("a.svg", NOW, 60, "image/svg+xml");
    const policy = (await serve(url)).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/(^|; )sandbox($|;)/);
    expect(policy).not.toContain("script");
  });

  it.each([
    ["Käse brot.png", "K%C3%A4se%20brot.png", "K_se brot.png", "K%C3%A4se%20brot.png"],
    ["日本.webp", "%E6%97%A5%E6%9C%AC.webp", "__.webp", "%E6%97%A5%E6%9C%AC.webp"],
    ["a?b#c%d&e+f.png", "a%3Fb%23c%25d%26e%2Bf.png", "a?b#c_d&e+f.png", "a%3Fb%23c%25d%26e%2Bf.png"],
    [`x"y'(1)*.png`, "x%22y'(1)*.png", "x_y'(1)*.png", "x%22y%27%281%29%2A.png"],
    ["../../etc/passwd", "passwd", "passwd", "passwd"],
    ["..", "image", "image", "image"],
    ["", "image", "image", "image"],
    ["<script>.svg", "%3Cscript%3E.svg", "<script>.svg", "%3Cscript%3E.svg"],
  ])("may be called %j", async (name, segment, ascii, extended) => {
    const { url } = await keep(name);
    expect(url.split("/").at(-1)).toBe(segment);
    const response = await serve(url);
    expect(await response.text()).toBe(CONTENT);
    expect(response.headers.get("content-disposition")).toBe(
      `inline; filename="${ascii}"; filename*=UTF-8''${extended}`,
    );
  });

  it("may be called anything", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (name) => {
        const { url } = await keep(name);
        expect(URL.parse(url)?.href).toBe(url);
        expect(await (await serve(url)).text()).toBe(CONTENT);
      }),
      { numRuns: 50 },
    );
  });

  it("is gone the moment it expires, whether swept or not", async () => {
    const { url } = await keep("a.png", NOW, 10);
    const expiry = (Math.floor(NOW / 1_000) + 10) * 1_000;
    const last = await serve(url, {}, "GET", expiry - 1);
    expect(last.headers.get("cache-control")).toBe("public, max-age=0, immutable");
    await last.body?.cancel();
    for (const now of [expiry, expiry + 1, expiry + 86_400_000]) {
      expect(await refusal(serve(url, {}, "GET", now))).toEqual({ status: 404, message: "Resource not found" });
    }
    expect(await keys()).toHaveLength(1);
  });

  it("is served by a machine whose clock is behind", async () => {
    const { url } = await keep("a.png", NOW, 86_400);
    expect((await serve(url, {}, "HEAD", NOW - 30_000)).status).toBe(200);
  });

  it("is found under its own name only", async () => {
    const { url } = await keep("Käse.png");
    const stem = url.slice(0, url.lastIndexOf("/"));
    expect((await serve(`${url}/`)).status).toBe(200);
    expect((await serve(url.replace(/[\da-f-]{36}/, (uuid) => uuid.toUpperCase()))).status).toBe(200);
    for (const path of [
      stem,
      `${stem}/`,
      `${stem}/other.png`,
      `${stem}/K%E4se.png`,
      `${stem}/a/K%C3%A4se.png`,
      `${url}%2F`,
      `${stem}/..%2FK%C3%A4se.png`,
      `${url}//`,
    ]) {
      expect((await refusal(serve(path))).status).toBe(404);
    }
  });

  it("costs no look into the bucket when its URL was guessed", async () => {
    const looked = vi.spyOn(bucket, "get");
    for (const uuid of ["00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-bfff-000000000000"]) {
      expect((await refusal(serve(`${BASE}/temp/${uuid}/a.png`))).status).toBe(404);
    }
    expect((await refusal(serve(`${BASE}/temp/not-a-uuid/a.png`))).status).toBe(404);
    expect(looked).not.toHaveBeenCalled();
    const unknown = uuidWith(Math.floor(NOW / 1_000) + 60);
    expect((await refusal(serve(`${BASE}/temp/${unknown}/a.png`))).status).toBe(404);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("refuses %s with 405", async (method) => {
    const { url } = await keep();
    await expect(serve(url, {}, method)).rejects.toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  it("answers HEAD with the headers of GET, without content", async () => {
    const { url } = await keep();
    const [head, get] = [await serve(url, { Range: "bytes=0-1" }, "HEAD"), await serve(url)];
    expect(head.status).toBe(200);
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers));
    expect(await head.text()).toBe("");
    await get.body?.cancel();
    expect((await refusal(serve(url.replace("cat", "dog"), {}, "HEAD"))).status).toBe(404);
  });

  it("answers 304 to who has it already", async () => {
    const { url } = await keep();
    const { headers } = await serve(url, {}, "HEAD");
    const etag = headers.get("etag") ?? "";
    const modified = headers.get("last-modified") ?? "";
    const future = new Date(Date.parse(modified) + 5_000).toUTCString();
    const past = new Date(Date.parse(modified) - 1_000).toUTCString();
    const unchanged = [
      { "If-None-Match": etag },
      { "If-None-Match": `"other", W/${etag}` },
      { "If-None-Match": "*" },
      { "If-Modified-Since": modified },
      { "If-Modified-Since": future },
      { "If-None-Match": etag, "If-Modified-Since": past, Range: "bytes=0-1" },
    ];
    for (const condition of unchanged) {
      const response = await serve(url, condition as unknown as Record<string, string>);
      expect(response.status).toBe(304);
      expect(response.headers.get("etag")).toBe(etag);
      expect(response.headers.has("content-length")).toBe(false);
    }
    const changed = [
      { "If-None-Match": '"other"' },
      { "If-None-Match": '"other"', "If-Modified-Since": future },
      { "If-Modified-Since": past },
      { "If-Modified-Since": "yesterday" },
    ];
    for (const condition of changed) {
      expect(await (await serve(url, condition as unknown as Record<string, string>)).text()).toBe(CONTENT);
    }
  });

  it.each([
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["Bytes= 2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=7-100", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-100", CONTENT, "bytes 0-9/10"],
  ])("answers the range %s", async (range, content, contentRange) => {
    const response = await serve((await keep()).url, { Range: range });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe(content);
    expect(response.headers.get("content-range")).toBe(contentRange);
    expect(response.headers.get("content-length")).toBe(String(content.length));
  });

  it.each(["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=999999999999-"])(
    "refuses the range %s with 416",
    async (range) => {
      const response = await serve((await keep()).url, { Range: range });
      expect(response.status).toBe(416);
      expect(response.headers.get("content-range")).toBe("bytes */10");
    },
  );

  it.each(["bytes=0-1,3-4", "bytes=4-2", "bytes=-", "bytes=a-b", "lines=0-1", "bytes"])(
    "ignores the range %s",
    async (range) => {
      const response = await serve((await keep()).url, { Range: range });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(CONTENT);
    },
  );

  it("answers a range only of the object that If-Range names", async () => {
    const { url } = await keep();
    const { headers } = await serve(url, {}, "HEAD");
    const etag = headers.get("etag") ?? "";
    const status = async (condition: string) => {
      const response = await serve(url, { Range: "bytes=0-1", "If-Range": condition });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status(etag)).toBe(206);
    expect(await status(headers.get("last-modified") ?? "")).toBe(206);
    expect(await status(`W/${etag}`)).toBe(200);
    expect(await status('"other"')).toBe(200);
    expect(await status("Thu, 01 Jan 1970 00:00:00 GMT")).toBe(200);
  });
});

describe("the time in a UUID", () => {
  it("comes back, and leaves no trace", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (seconds) => {
        const uuid = uuidWith(seconds);
        expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        expect(expiryIn(uuid)).toBe(seconds);
      }),
    );
    const starts = new Set(Array.from({ length: 100 }, () => uuidWith(1_800_000_000).slice(0, 8)));
    expect(starts.size).toBeGreaterThan(95);
  });
});

describe("sweepTemporary", () => {
  it("deletes what is due and nothing else", async () => {
    await bucket.put("jobs/1", "kept");
    await keep("old.png", NOW - 7_200_000);
    await keep("older.png", NOW - 9_000_000);
    const { url } = await keep("young.png");
    expect(await sweepTemporary(bucket, NOW, 100)).toEqual({ deleted: 2, more: false });
    expect(await keys()).toEqual(["jobs/1", expect.stringMatching(/^temp\/.*young\.png$/)]);
    expect((await serve(url)).status).toBe(200);
    expect(await sweepTemporary(bucket, NOW, 100)).toEqual({ deleted: 0, more: false });
  });

  it("deletes at the second of the expiry", async () => {
    await keep("a.png", NOW, 10);
    const expiry = (Math.floor(NOW / 1_000) + 10) * 1_000;
    expect((await sweepTemporary(bucket, expiry - 1, 100)).deleted).toBe(0);
    expect((await sweepTemporary(bucket, expiry, 100)).deleted).toBe(1);
  });

  it("stays within its budget, oldest first, and goes on the next time", async () => {
    for (const age of [3, 1, 2]) await keep(`${age}.png`, NOW - age * 10_000_000);
    expect(await sweepTemporary(bucket, NOW, 2)).toEqual({ deleted: 2, more: true });
    expect(await keys()).toEqual([expect.stringMatching(/\/1\.png$/)]);
    expect(await sweepTemporary(bucket, NOW, 2)).toEqual({ deleted: 1, more: false });
  });

  it("deletes more than one list holds, in batches", async () => {
    for (let index = 0; index < 5; index++) await keep(`${index}.png`, NOW - 10_000_000);
    await keep();
    const list = bucket.list.bind(bucket);
    vi.spyOn(bucket, "list").mockImplementation((options) => list({ ...options, limit: 2 }));
    const deletes = vi.spyOn(bucket, "delete");
    expect(await sweepTemporary(bucket, NOW, 100)).toEqual({ deleted: 5, more: false });
    expect(deletes.mock.calls.map(([batch]) => batch.length)).toEqual([2, 2, 1]);
    vi.restoreAllMocks();
    expect(await keys()).toHaveLength(1);
  });

  it("does no harm when it is interrupted or runs twice at once", async () => {
    for (let index = 0; index < 5; index++) await keep(`${index}.png`, NOW - 10_000_000);
    vi.spyOn(bucket, "delete").mockRejectedValueOnce(new Error("interrupted"));
    await expect(sweepTemporary(bucket, NOW, 100)).rejects.toThrow("interrupted");
    await Promise.all([sweepTemporary(bucket, NOW, 100), sweepTemporary(bucket, NOW, 100)]);
    expect(await keys()).toEqual([]);
  });

  it("deletes what has no place under its prefix", async () => {
    await bucket.put("temp/stray", "x");
    expect((await sweepTemporary(bucket, NOW, 100)).deleted).toBe(1);
  });
});
