/** Other Workers' image binding by RPC: as a service binding with a key in its props, through the runtime's own stubs. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { imagesOver } from "#clients/binding";

import { changeAccount } from "../../src/account/accounts.ts";
import { createKey, forgetKeys } from "../../src/account/keys.ts";
import { Transformer } from "../../src/entrances/images.ts";
import { identify } from "../../src/image/plan/detect.ts";
import turned from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";

const PHOTO = new Uint8Array(turned);
/** One pixel, WebP lossless. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");

/** What the stubs of a service binding look like: everything that comes back is waited for. */
interface Bound {
  input(stream: ReadableStream, options?: object): Chain;
  info(stream: ReadableStream, options?: object): Promise<object>;
}
interface Chain {
  transform(options: object): Chain;
  draw(image: ReadableStream | Chain, options?: object): Chain;
  output(options: object): Promise<{
    contentType(): Promise<string>;
    image(options?: object): Promise<ReadableStream>;
    response(options?: object): Promise<Response>;
  }>;
}

const { Images } = exports as unknown as { readonly Images: (options: { readonly props: object }) => Bound };

async function bound(creditsTotal?: number) {
  const { account, key } = await openAccount(creditsTotal);
  const used = async () =>
    (await env.METER.getByName(`account:${account.id}`).take({ key: "test", limit: 1_000 })).used;
  return { images: Images({ props: { key } }), used };
}

/** Stubs of chains look like promises, and are stubs of one thing when they were waited for. */
const resolved = (chain: Chain): Promise<Chain> => Promise.resolve(chain);
const streamOf = (bytes: Uint8Array) => new Response(bytes as Uint8Array<ArrayBuffer>).body as ReadableStream;
const bytesOf = async (stream: ReadableStream) => new Uint8Array(await new Response(stream).arrayBuffer());
const failed = async (work: Promise<unknown>) =>
  work.then(
    () => "nothing",
    (error: Error) => error.message,
  );

describe("the entrance of images", () => {
  it("answers with bytes, a type, or a response, whichever is asked for", async () => {
    const { images, used } = await bound();
    const made = () =>
      images.input(streamOf(PHOTO)).transform({ width: 20 }).output({ format: "image/webp", quality: 60 });
    const bytes = await bytesOf(await (await made()).image());
    expect(identify(bytes)).toMatchObject({ format: { label: "WEBP" }, facts: { width: 20 } });
    expect(await (await made()).contentType()).toBe("image/webp");
    const response = await (await made()).response({ headers: { "cache-control": "max-age=60" } });
    expect([response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
      "image/webp",
      "max-age=60",
    ]);
    expect(await bytesOf(response.body as ReadableStream)).toEqual(bytes);
    const letters = await new Response(await (await made()).image({ encoding: "base64" })).text();
    expect(Uint8Array.fromBase64(letters)).toEqual(bytes);
    expect(await used()).toBe(4);
  });

  it("takes base64, and searches where no quality is given", async () => {
    const { images } = await bound();
    const letters = streamOf(new TextEncoder().encode(PHOTO.toBase64().replace(/(.{76})/g, "$1\n")));
    const given = images.input(letters, { encoding: "base64" }).output({ format: "image/jpeg" });
    const bytes = await bytesOf(await (await given).image());
    expect(identify(bytes).facts.width).toBe(identify(PHOTO).facts.width);
    expect(bytes.length).toBeLessThanOrEqual(PHOTO.length);
  });

  it("works off steps in their order, in one request where that is the engine's", async () => {
    const { images, used } = await bound();
    const { width, height } = identify(PHOTO).facts;
    const sizeOf = async (chain: Chain) => {
      const { facts } = identify(await bytesOf(await (await chain.output({ format: "image/png" })).image()));
      return [facts.width, facts.height];
    };
    const turnedSize = await sizeOf(images.input(streamOf(PHOTO)).transform({ rotate: 90 }).transform({ width: 12 }));
    expect(turnedSize).toEqual([12, Math.round((width / height) * 12)]);
    expect(await used()).toBe(1);
    const late = await sizeOf(images.input(streamOf(PHOTO)).transform({ width: 12 }).transform({ rotate: 90 }));
    expect(late).toEqual([Math.round((height / width) * 12), 12]);
    expect(await used()).toBe(3);
    expect(await sizeOf(images.input(streamOf(PHOTO)).transform({ width: 10, border: { width: 3 } }))).toEqual([
      16,
      Math.round((height / width) * 10) + 6,
    ]);
  });

  it("draws pictures, and what other chains give", async () => {
    const { images } = await bound();
    const base = () => images.input(streamOf(PHOTO)).transform({ width: 16, height: 16, fit: "squeeze" });
    const plain = await bytesOf(await (await base().output({ format: "image/png" })).image());
    const small = () => images.input(streamOf(PHOTO)).transform({ width: 4, height: 4, fit: "squeeze" });
    const drawn = base()
      .draw(streamOf(PIXEL), { top: 0, left: 0 })
      .draw(await resolved(small()), { bottom: 0, right: 0 });
    const bytes = await bytesOf(await (await drawn.output({ format: "image/png" })).image());
    expect(identify(bytes).facts).toMatchObject({ width: 16, height: 16 });
    expect(bytes).not.toEqual(plain);
  });

  it("says what a picture is, for nothing", async () => {
    const { images, used } = await bound();
    const { width, height } = identify(PHOTO).facts;
    expect(await images.info(streamOf(PHOTO))).toEqual({ format: "image/jpeg", fileSize: PHOTO.length, width, height });
    const drawing = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>');
    expect(await images.info(streamOf(drawing))).toEqual({ format: "image/svg+xml" });
    expect(await used()).toBe(0);
    expect(await failed(images.info(streamOf(new TextEncoder().encode("<html>"))))).toMatch(
      /^IMAGES_INFO_ERROR 9412: /,
    );
  });
});

describe("a refusal of the entrance", () => {
  it.each([
    [{ width: 0 }, /9401: width must be/],
    [{ wdith: 3 }, /9401: wdith is not a known option/],
    [{ segment: "foreground" }, /9401: segment is not a known option/],
    [{ rotate: 45 }, /9401: rotate must be/],
    [{ border: { color: "no color" } }, /9401: border.color must be/],
  ])("%j", async (transform, message) => {
    const { images } = await bound();
    const chain = images.input(streamOf(PHOTO)).transform(transform).output({ format: "image/png" });
    expect(await failed(chain)).toMatch(message);
  });

  it("names formats, options of draw, and what is no image", async () => {
    const { images } = await bound();
    const chain = () => images.input(streamOf(PHOTO));
    expect(await failed(chain().output({ format: "rgb" }))).toMatch(
      /^IMAGES_TRANSFORM_ERROR 9401: format must be one of/,
    );
    expect(await failed(chain().output({ format: "image/png", background: "x" }))).toMatch(/background must be/);
    expect(await failed(chain().output({ format: "image/jpeg", quality: 101 }))).toMatch(/9401: optimize.quality must/);
    const drawn = (options: object) => failed(chain().draw(streamOf(PIXEL), options).output({ format: "image/png" }));
    expect(await drawn({ repeat: true })).toMatch(/9401: repeat is not offered/);
    expect(await drawn({ composite: "xor" })).toMatch(/9401: composite is not offered/);
    const page = streamOf(new TextEncoder().encode("<html>"));
    expect(await failed(images.input(page).output({ format: "image/png" }))).toMatch(/9412: The file is not an image/);
  });

  it("of who has no key, a wrong one, or no credits", async () => {
    const asks = (props: object) => failed(Images({ props }).input(streamOf(PHOTO)).output({ format: "image/png" }));
    expect(await asks({})).toMatch(/9401: The binding has no key/);
    expect(await asks({ key: "nobody" })).toMatch(/9401: Invalid API key/);
    expect(await failed(Images({ props: { key: "nobody" } }).info(streamOf(PHOTO)))).toMatch(/9401: Invalid API key/);
    const { images } = await bound(0);
    expect(await failed(images.input(streamOf(PHOTO)).output({ format: "image/png" }))).toMatch(/9422: No credits/);
  });

  it("of a key for agents, and of an account that is suspended, for facts as for results", async () => {
    const { account } = await openAccount();
    const { key } = await createKey(env.DB, account.id, "", new Date(), 10);
    const both = async () => {
      const images = Images({ props: { key } });
      return [
        await failed(images.info(streamOf(PHOTO))),
        await failed(images.input(streamOf(PHOTO)).output({ format: "image/png" })),
      ];
    };
    const agents = expect.stringMatching(/ 9401: This key is for agents/) as unknown;
    expect(await both()).toEqual([agents, agents]);
    await changeAccount(env.DB, account.id, { status: "suspended" });
    forgetKeys();
    const suspended = expect.stringMatching(/ 9401: Account suspended/) as unknown;
    expect(await both()).toEqual([suspended, suspended]);
  });

  it("of a chain without an end, of which nothing is kept once it is too long", async () => {
    const held: string[] = [];
    const picture = { output: () => Promise.reject(new Error("asked")), dup: () => (held.push("picture"), picture) };
    const enter = () => Promise.reject(new Error("entered"));
    const chain = new Transformer(
      { env, props: { key: "any" }, enter, hold: () => undefined },
      streamOf(PHOTO),
      undefined,
    );
    for (let step = 0; step < 1_000; step++) chain.draw(picture as never).transform({ width: 20 });
    expect(held).toHaveLength(8);
    expect(await failed(chain.output({ format: "image/png" }))).toMatch(
      /9401: transform must be given at most 8 times/,
    );
  });

  it("of a result that was taken already", async () => {
    const { images } = await bound();
    using chain = images.input(streamOf(PHOTO)) as Chain & Disposable;
    const kept = await resolved(chain);
    await kept.output({ format: "image/png" });
    expect(await failed(kept.output({ format: "image/png" }))).toMatch(/9525: ImageTransformer consumed/);
  });
});

describe("the client's binding", () => {
  it("answers at once, as the platform's does", async () => {
    const { images } = await bound();
    const over = imagesOver(images as never);
    const drawn = over.input(streamOf(PIXEL)).transform({ width: 1 });
    const made = await over
      .input(streamOf(PHOTO))
      .transform({ width: 20, fit: "scale-down" })
      .draw(drawn, { top: 0, left: 0 })
      .output({ format: "image/webp", quality: 60 });
    expect(made.contentType()).toBe("image/webp");
    const response = made.response();
    expect(response.headers.get("content-type")).toBe("image/webp");
    expect(identify(await bytesOf(response.body as ReadableStream))).toMatchObject({ facts: { width: 20 } });
    const { width, height } = identify(PHOTO).facts;
    expect(await over.info(streamOf(PHOTO))).toMatchObject({ format: "image/jpeg", width, height });
  });

  it("throws with the code, and once only", async () => {
    const { images } = await bound();
    const over = imagesOver(images as never);
    const chain = over.input(streamOf(PHOTO)).transform({ width: 0 });
    const asked = chain.output({ format: "image/png" });
    await expect(asked).rejects.toMatchObject({ name: "ImagesError", code: 9401 });
    await expect(chain.output({ format: "image/png" })).rejects.toMatchObject({ code: 9525 });
    const page = streamOf(new TextEncoder().encode("<html>"));
    await expect(over.info(page)).rejects.toMatchObject({ code: 9412 });
  });
});
