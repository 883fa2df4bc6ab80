/** Results and facts that other Workers ask for: memory that callers keep is lent, and whatever they ask is counted. */
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { infoOf, Transformer } from "../../src/entrances/images.ts";
import { type HeldForReader, holdForReader, lentBytes } from "../../src/http/lending.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { MAX_LENT_BYTES } from "../../src/limits/isolate.ts";
import turned from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { doorOf } from "../support/doors.ts";
import { eventually } from "../support/eventually.ts";

const PHOTO = new Uint8Array(turned);

interface Held extends Disposable {
  contentType(): Promise<string>;
  image(options?: object): Promise<ReadableStream>;
  response(options?: object): Promise<Response>;
}
interface Bound {
  input(stream: ReadableStream): { output(options: object): Promise<Held> };
}
const { Images } = exports as unknown as { readonly Images: (options: { readonly props: object }) => Bound };

const streamOf = (bytes: Uint8Array) => new Response(bytes as Uint8Array<ArrayBuffer>).body as ReadableStream;
const bytesOf = async (stream: ReadableStream) => new Uint8Array(await new Response(stream).arrayBuffer());
const kept = async () => (await env.BUCKET.list({ prefix: "temp/" })).objects.length;

async function made(): Promise<Held> {
  const { key } = await openAccount();
  return Images({ props: { key } }).input(streamOf(PHOTO)).output({ format: "image/png" });
}

describe("a result that its caller keeps", () => {
  let others: HeldForReader | undefined;
  afterEach(() => others?.leave());

  it("is lent its memory until the caller lets go of it", async () => {
    const result = await made();
    const bytes = await bytesOf(await result.image());
    await eventually(async () => expect(lentBytes()).toBe(bytes.length));
    expect(await bytesOf(await result.image())).toEqual(bytes);
    result[Symbol.dispose]();
    await eventually(async () => expect(lentBytes()).toBe(0));
  });

  it("lies in the bucket where all memory is lent, and is deleted when the caller lets go of it", async () => {
    others = holdForReader(MAX_LENT_BYTES);
    const result = await made();
    expect(lentBytes()).toBe(MAX_LENT_BYTES);
    expect(await kept()).toBeGreaterThan(0);
    const bytes = await bytesOf(await result.image());
    expect(identify(bytes).format.label).toBe("PNG");
    expect(await result.contentType()).toBe("image/png");
    expect(await bytesOf((await result.response()).body as ReadableStream)).toEqual(bytes);
    const letters = await new Response(await result.image({ encoding: "base64" })).text();
    expect(Uint8Array.fromBase64(letters)).toEqual(bytes);
    const before = await kept();
    result[Symbol.dispose]();
    await eventually(async () => expect(await kept()).toBe(before - 1));
  });
});

describe("a result for which there is no memory, and which the bucket does not take", () => {
  const put = () => Promise.reject(new Error("network connection lost"));
  const failing = new Proxy(env.BUCKET, {
    get: (bucket, name) => (name === "put" ? put : Reflect.get(bucket, name).bind(bucket)),
  });

  it("costs nothing, and holds nothing", async () => {
    forgetKeys();
    const { key } = await openAccount();
    const others = holdForReader(MAX_LENT_BYTES);
    const chain = new Transformer(doorOf(key, { BUCKET: failing }), streamOf(PHOTO), undefined);
    await expect(chain.output({ format: "image/png" })).rejects.toThrow("IMAGES_TRANSFORM_ERROR 9523: Internal error");
    others?.leave();
    expect(lentBytes()).toBe(0);
    const { body } = await api("GET", "/1.0/account", { key });
    expect(body.credits.used).toBe(0);
  });
});

describe("facts", () => {
  const asked = (key: string, bytes: Uint8Array, settings: object = {}) =>
    infoOf(doorOf(key, settings), streamOf(bytes), undefined).then(
      ({ format }) => format,
      (error: Error) => error.message,
    );

  it("are counted as requests of the key, and refused beyond its window", async () => {
    forgetKeys();
    const { key } = await openAccount();
    const settings = { RATE_LIMIT: "2" };
    expect([await asked(key, PHOTO, settings), await asked(key, PHOTO, settings)]).toEqual([
      "image/jpeg",
      "image/jpeg",
    ]);
    expect(await asked(key, PHOTO, settings)).toMatch(/^IMAGES_INFO_ERROR 9422: Rate limit exceeded/);
  });

  it("are told to nobody by HTTP", async () => {
    const { key } = await openAccount();
    const headers = { "content-type": "application/octet-stream" };
    expect((await api("POST", "/binding/info", { key, headers, body: PHOTO })).status).toBe(404);
  });
});
