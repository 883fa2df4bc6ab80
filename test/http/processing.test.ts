/** Uploads and fetches by way of HTTP: their bodies, options and answers. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ApiError } from "../../src/errors.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { MAX_JSON_BYTES } from "../../src/limits.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import sequence4k from "../fixtures/avif/sequence-4k.avif";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf, type Call } from "../support/api.ts";
import { file, originOf, PREFIX } from "../support/delivery.ts";
import { decodeFile } from "../support/files.ts";
import { expectMarked, MARKS, PHOTO } from "../support/marked.ts";
import { pixel } from "../support/operations.ts";
import { brokenPipeline } from "../support/pipeline.ts";
import { receiver } from "../support/webhooks.ts";

const BINARY = { "x-service-binary": "1" };
const url = "https://images.test/a.png";

let key = "";
beforeEach(async () => {
  ({ key } = await openAccount());
});

function form(data?: unknown, file = new File([new Uint8Array(7)], "a.png")): FormData {
  const parts = new FormData();
  parts.set("file", file);
  if (data !== undefined) parts.set("data", typeof data === "string" ? data : JSON.stringify(data));
  return parts;
}

const fetchImage = (call: Call) => api("POST", "/1.0/fetch", { key, ...call });
const upload = (call: Call) => api("POST", "/1.0/upload", { key, ...call });

describe("an upload", () => {
  it("is answered with metadata and a URL on this host", async () => {
    const { status, body } = await upload({ body: form({ resize: { width: 5 } }) });
    expect(status).toBe(200);
    expect(body.output).toMatchObject({ name: "a.png", bytes: 7 });
    expect(body.output.url).toMatch(/^https:\/\/darkroom\.test\/temp\//);
  });

  it("is answered with URLs on BASE_URL where that is set", async () => {
    const settings = { BASE_URL: "https://images.example.com/" };
    const { body } = await upload({ body: form(), env: settings });
    expect(body.output.url).toMatch(/^https:\/\/images\.example\.com\/temp\//);
  });

  it("needs a multipart body with a file, and options that are valid", async () => {
    expect((await upload({ json: {} })).status).toBe(415);
    expect((await upload({ body: form("{") })).status).toBe(400);
    const unknown = await upload({ body: form({ sharpen: 1 }) });
    expect(unknown).toMatchObject({ status: 422, body: { message: "sharpen is not a known parameter" } });
    const withoutFile = new FormData();
    withoutFile.set("data", "{}");
    expect((await upload({ body: withoutFile })).status).toBe(422);
  });
});

describe("a fetch", () => {
  it("is answered with metadata", async () => {
    const { status, body } = await fetchImage({ json: { url } });
    expect(status).toBe(200);
    expect(body.output.name).toBe("fetched.png");
  });

  it("needs a JSON object that says so, with a URL", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await fetchImage({ body: JSON.stringify({ url }), headers })).status).toBe(415);
    const json = { headers: { "content-type": "application/json" } };
    for (const body of ["", "{", "[]", "null", '"text"', "\u{feff}{}x"]) {
      expect((await fetchImage({ body, ...json })).status).toBe(400);
    }
    expect((await fetchImage({ json: {} })).body.message).toBe("url is required");
    expect((await fetchImage({ json: { url: "ftp://x" } })).status).toBe(422);
  });

  it("is refused when its body is too long, announced or not, or too deep", async () => {
    const long = JSON.stringify({ url, name: "x".repeat(MAX_JSON_BYTES) });
    const headers = { "content-type": "application/json" };
    expect((await fetchImage({ body: long, headers })).status).toBe(413);
    const stream = new Blob([long]).stream();
    expect((await fetchImage({ body: stream, headers })).status).toBe(413);
    expect((await fetchImage({ body: `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`, headers })).status).toBe(422);
  });
});

describe("words, covered faces and wide colors", () => {
  const marked = apiOf(pipeline);
  const photo = () => form(MARKS, new File([PHOTO], "a.jpg"));
  const kept = async (url: string) => (await marked("GET", new URL(url).pathname)).bytes;
  afterEach(() => void vi.restoreAllMocks());

  it("are those of an upload", async () => {
    const { body } = await marked("POST", "/1.0/upload", { key, body: photo() });
    expect(body.input.faces).toHaveLength(1);
    await expectMarked(await kept(body.output.url));
  });

  it("are those of a fetch, as bytes", async () => {
    originOf(file(PHOTO));
    const json = { url: `${PREFIX}a.jpg`, ...MARKS };
    const { bytes, body } = await marked("POST", "/1.0/fetch", { key, headers: BINARY, json });
    expect(body.input.faces).toHaveLength(1);
    await expectMarked(bytes);
  });

  it("are those of work that a webhook tells of", async () => {
    const { url, received } = receiver();
    const body = form({ ...MARKS, webhook: { url } }, new File([PHOTO], "a.jpg"));
    expect((await marked("POST", "/1.0/upload", { key, body })).status).toBe(202);
    const told = JSON.parse((await received(1))[0]?.body ?? "");
    expect(told).toMatchObject({ success: true, code: 200 });
    expect(told.input.faces).toHaveLength(1);
    await expectMarked(await kept(told.output.url));
  });

  it.each([
    [{ text: { value: "" } }, "text.value must be a text of 1 to 500 characters"],
    [{ text: { value: "\u4e2d" } }, "text.value has characters that no font here has: Han"],
    [{ redact: {} }, "redact needs faces, regions, or both"],
    [{ output: { profile: "adobe" } }, "output.profile must be one of srgb, p3, keep"],
  ])("are refused where a rule is broken: %o", async (data, message) => {
    const body = form(data, new File([PHOTO], "a.jpg"));
    expect(await marked("POST", "/1.0/upload", { key, body })).toMatchObject({ status: 422, body: { message } });
  });
});

describe("a film of large frames", () => {
  const processing = apiOf(pipeline);
  const post = (output: object) => {
    const body = form({ output, resize: { width: 480 }, optimize: { quality: 90 } }, new File([sequence4k], "a.avif"));
    return processing("POST", "/1.0/upload", { key, headers: BINARY, body });
  };

  it("gives its first frame where one is wanted, or all that a format holds", async () => {
    for (const output of [{ format: "avif", animation: false }, { format: "jpeg" }]) {
      const { status, bytes } = await post(output);
      expect(status).toBe(200);
      const { format, facts } = identify(bytes);
      expect(facts).toMatchObject({ width: 480, height: 270, frames: 1 });
      const pixels = await decodeFile(format, bytes);
      // Outside of the rectangle, and within it as it lies in the first frame.
      for (const [x, y, color] of [
        [20, 20, [48, 112, 176]],
        [60, 120, [224, 160, 32]],
      ] as const) {
        for (const [channel, level] of color.entries()) {
          expect(Math.abs((pixel(pixels, x, y)[channel] ?? 0) - level)).toBeLessThan(12);
        }
      }
    }
  });

  it("gives all frames where all are wanted", async () => {
    const { status, bytes } = await post({ format: "webp" });
    expect(status).toBe(200);
    const { frames } = identify(new Uint8Array(sequence4k)).facts;
    expect(frames).toBeGreaterThan(1);
    expect(identify(bytes).facts).toMatchObject({ width: 480, height: 270, frames });
  });
});

describe("binary mode", () => {
  it("hands over the bytes, with the metadata under both names", async () => {
    const { status, headers, bytes, body } = await upload({ body: form({ response: { mode: "binary" } }) });
    expect(status).toBe(200);
    expect(bytes).toHaveLength(7);
    expect(headers.get("content-type")).toBe("image/png");
    expect(headers.get("content-length")).toBe("7");
    expect(headers.get("content-disposition")).toBe(`inline; filename="a.png"; filename*=UTF-8''a.png`);
    expect(body).toMatchObject({ success: true, output: { name: "a.png" } });
  });

  it("writes metadata in ASCII, so that it means the same to every client", async () => {
    const file = new File([new Uint8Array(1)], "Hafen-Größe-图.png");
    const { headers, body } = await upload({ body: form(undefined, file), headers: BINARY });
    expect(headers.get("x-service-metadata")).toMatch(/^[\u0020-\u007e]+$/);
    expect(body.output.name).toBe("Hafen-Größe-图.png");
  });

  it.each([
    ["the header alone", { "x-service-binary": "true" }, {}, true],
    ["the member alone", {}, { response: { mode: "binary" } }, true],
    ["both", BINARY, { response: { mode: "binary" } }, true],
    ["a member that says otherwise", BINARY, { response: { mode: "json" } }, false],
    ["a header that says no", { "x-service-binary": "0" }, {}, false],
  ])("is wanted as said by %s", async (_, headers, data, expected) => {
    const answer = await upload({ body: form(data), headers });
    expect(answer.headers.has("x-service-metadata")).toBe(expected);
  });

  it("cannot be combined with what answers without bytes", async () => {
    for (const member of ["webhook", "store"]) {
      const json = { url, response: { mode: "binary" }, [member]: {} };
      const { status, body } = await fetchImage({ json });
      expect(status).toBe(422);
      expect(body.message).toBe(`response.mode binary cannot be combined with ${member}`);
    }
  });

  it("fails with the metadata headers and an empty body, whatever the reason", async () => {
    const failures = [
      await api("POST", "/1.0/fetch", { json: { url }, headers: BINARY }),
      await fetchImage({ json: { url }, headers: BINARY, base: "http://darkroom.test" }),
      await fetchImage({ body: "{", headers: { ...BINARY, "content-type": "application/json" } }),
      await fetchImage({ json: { response: { mode: "binary" } } }),
      await fetchImage({ json: { url }, headers: BINARY, env: { RATE_LIMIT: "1" } }),
      await apiOf(brokenPipeline(new ApiError(503, "Busy")))("POST", "/1.0/fetch", {
        key,
        json: { url },
        headers: BINARY,
      }),
      await apiOf(brokenPipeline(new Error("bug")))("POST", "/1.0/fetch", { key, json: { url }, headers: BINARY }),
    ];
    expect(failures.map(({ status }) => status)).toEqual([401, 403, 400, 422, 429, 503, 500]);
    for (const { headers, bytes, status } of failures) {
      expect(headers.has("x-service-metadata")).toBe(true);
      expect(bytes).toHaveLength(0);
      expect(headers.has("retry-after")).toBe(status === 429 || status === 503);
    }
  });
});

describe("an error of ours", () => {
  it("says nothing of itself to the caller", async () => {
    const broken = apiOf(brokenPipeline(new TypeError("secret is not a function")));
    const { status, body } = await broken("POST", "/1.0/fetch", { key, json: { url } });
    expect(status).toBe(500);
    expect(body.message).toBe("Internal error");
  });
});
