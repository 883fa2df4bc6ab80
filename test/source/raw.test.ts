/** Uploads whose body is the image alone. */
import { describe, expect, it } from "vitest";

import { MAX_JSON_BYTES } from "../../src/limits.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { isRaw, readRaw } from "../../src/source/raw.ts";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf } from "../support/api.ts";
import { refusal } from "../support/refusal.ts";

/** One pixel, WebP lossless. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const IMAGE = { "content-type": "image/webp" };

const requestOf = (query: string, headers: Record<string, string> = IMAGE, body: BodyInit | null = PIXEL) =>
  new Request(`https://darkroom.test/1.0/upload${query}`, { method: "POST", headers, body });
const read = async (...given: Parameters<typeof requestOf>) => {
  const { original, data } = await readRaw(requestOf(...given));
  original.memory.release();
  return { bytes: original.bytes, name: original.name, data };
};

describe("a body", () => {
  it("is the image, whatever its bytes are called", () => {
    for (const type of ["image/webp", "image/anything; q=1", "application/octet-stream", "Image/PNG"]) {
      expect(isRaw(new Headers({ "content-type": type }))).toBe(true);
    }
    for (const type of ["", "text/plain", "multipart/form-data; boundary=x", "application/json"]) {
      expect(isRaw(new Headers({ "content-type": type }))).toBe(false);
    }
  });

  it("comes with data and a name in the query, or with a name in its header", async () => {
    expect(await read("")).toEqual({ bytes: PIXEL, name: "", data: {} });
    const query = new URLSearchParams({ data: '{"resize": {"width": 1}}', name: "../häfen/a b.webp" });
    expect(await read(`?${query.toString()}`)).toEqual({
      bytes: PIXEL,
      name: "a b.webp",
      data: { resize: { width: 1 } },
    });
    const disposition = { ...IMAGE, "content-disposition": "attachment; filename*=UTF-8''h%C3%A4fen.webp" };
    expect((await read("", disposition)).name).toBe("häfen.webp");
  });

  it.each([
    ["?data={", 400, "data of the query is not valid JSON"],
    ["?data=[]", 400, "data of the query must be a JSON object"],
    ["?data={}&data={}", 422, "data must be given only once"],
    ["?width=3", 422, "width is not a known parameter"],
    [`?${"x".repeat(40)}=1`, 422, "a parameter of the query is not a known parameter"],
    [`?data=${"x".repeat(MAX_JSON_BYTES + 1)}`, 413, /^data exceeds/],
  ])("with the query %.40s is refused", async (query, status, message) => {
    const told = await refusal(readRaw(requestOf(query)));
    expect(told.status).toBe(status);
    expect(told.message).toMatch(message);
  });

  it("has all the bytes that it announces", async () => {
    const announcing = (bytes: number) => ({ ...IMAGE, "content-length": String(bytes) });
    expect((await read("", announcing(PIXEL.length))).bytes).toEqual(PIXEL);
    for (const body of [PIXEL, new Uint8Array(0)]) {
      const told = await refusal(readRaw(requestOf("", announcing(PIXEL.length + 1), body)));
      expect([told.status, told.message]).toEqual([400, "The request body was cut short"]);
    }
  });

  it("is there, and not too large", async () => {
    expect(await refusal(readRaw(requestOf("", IMAGE, null)))).toMatchObject({ status: 422 });
    expect(await refusal(readRaw(requestOf("", IMAGE, "")))).toMatchObject({ status: 422 });
    const announced = { ...IMAGE, "content-length": "99999999999" };
    expect(await refusal(readRaw(requestOf("", announced)))).toMatchObject({ status: 413 });
    const granted = { grantedBytes: PIXEL.length - 1 };
    expect(await refusal(readRaw(requestOf(""), granted))).toMatchObject({ status: 413 });
    expect(await refusal(readRaw(requestOf("?data={}"), granted))).toMatchObject({ status: 422 });
  });
});

describe("POST /1.0/upload", () => {
  it("takes it like a file in a form, and says when the result ends", async () => {
    const { key } = await openAccount();
    const whole = apiOf(pipeline);
    const answer = await whole("POST", "/1.0/upload?name=pixel.webp", { key, headers: IMAGE, body: PIXEL });
    expect(answer.status).toBe(200);
    expect(answer.body.input).toMatchObject({ name: "pixel.webp", width: 1 });
    const left = new Date(answer.body.output.expires_at).getTime() - Date.now();
    expect(left).toBeGreaterThan(3_500_000);
    expect(left).toBeLessThan(3_700_000);
    const data = encodeURIComponent('{"response": {"mode": "binary", "keep": false}}');
    const bytes = await whole("POST", `/1.0/upload?data=${data}`, { key, headers: IMAGE, body: PIXEL });
    expect(bytes.status).toBe(200);
    expect(bytes.body.output).not.toHaveProperty("expires_at");
    expect(bytes.bytes.length).toBeGreaterThan(0);
  });

  it("takes it with an upload token, which says what is done", async () => {
    const { key } = await openAccount();
    const made = await api("POST", "/1.0/upload-tokens", { key, json: { data: {}, ttl: 60, uses: 2 } });
    const headers = { ...IMAGE, authorization: `Bearer ${made.body.token}` };
    expect((await api("POST", "/1.0/upload", { headers, body: PIXEL })).status).toBe(200);
    const more = await api("POST", "/1.0/upload?data=%7B%7D", { headers, body: PIXEL });
    expect([more.status, more.body.param]).toEqual([422, "data"]);
  });

  it("without a key reads nothing", async () => {
    expect((await api("POST", "/1.0/upload", { headers: IMAGE, body: PIXEL })).status).toBe(401);
  });
});

it("/health and the account say what is deployed", async () => {
  const { key } = await openAccount();
  const said = { version: expect.stringMatching(/^\d+\.\d+\.\d+/), build: expect.stringMatching(/./) };
  expect((await api("GET", "/health")).body).toMatchObject(said);
  expect((await api("GET", "/1.0/account", { key })).body).toMatchObject(said);
});
