/** Several results of one original by way of HTTP: `outputs` and `srcset`. */
import { env as worker } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photoFile from "../fixtures/faces/one.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { receiver } from "../support/webhooks.ts";

const api = apiOf(pipeline);
const photo = new Uint8Array(photoFile);

let key = "";
beforeEach(async () => {
  forgetKeys();
  ({ key } = await openAccount());
});

async function upload(data: object, more: { key?: string; headers?: Record<string, string>; env?: object } = {}) {
  const body = new FormData();
  body.set("file", new File([photo.slice()], "photo.jpg"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body, ...more });
}

const creditsUsed = async (of = key) => (await api("GET", "/1.0/account", { key: of })).body.credits.used;
const temporary = async () => (await worker.BUCKET.list({ prefix: "temp/" })).objects.length;

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><foreignObject/><rect width="9" height="9"/></svg>`;

describe("a drawing", () => {
  it("is answered with what of it is not drawn, where it is drawn", async () => {
    const draw = async (data: object) => {
      const body = new FormData();
      body.set("file", new File([DRAWING], "a.svg"));
      body.set("data", JSON.stringify(data));
      return (await api("POST", "/1.0/upload", { key, body })).body;
    };
    const warnings = ["HTML in foreignObject is not drawn"];
    expect((await draw({ output: { format: "png" } })).output.warnings).toEqual(warnings);
    expect((await draw({})).output).not.toHaveProperty("warnings");
    const { outputs } = await draw({ outputs: { drawn: { output: { format: "webp" } } } });
    expect(outputs.drawn.warnings).toEqual(warnings);
  });
});

describe("a shadow", () => {
  it("is answered with what becomes of it, where the format has no shades", async () => {
    const body = new FormData();
    const glow = `<radialGradient id="g"><stop/><stop offset="1" stop-opacity="0"/></radialGradient>`;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">${glow}<circle cx="32" cy="32" r="32" fill="url(#g)"/></svg>`;
    body.set("file", new File([drawing], "a.svg"));
    const formats = { gif: {}, png: {}, flat: { background: { color: "fff" } } };
    const outputs = Object.entries(formats).map(([name, more]) => [
      name,
      { output: { format: name === "png" ? "png" : "gif" }, ...more },
    ]);
    body.set("data", JSON.stringify({ outputs: Object.fromEntries(outputs) }));
    const answer = (await api("POST", "/1.0/upload", { key, body })).body;
    expect(answer.outputs.gif.warnings).toEqual([expect.stringContaining("GIF has no half-transparent pixels")]);
    expect(answer.outputs.png).not.toHaveProperty("warnings");
    expect(answer.outputs.flat).not.toHaveProperty("warnings");
  });
});

describe("outputs", () => {
  it("are all made of the picture after the request's own operations, each with what it says itself", async () => {
    const { status, body } = await upload({
      crop: { x: 0, y: 0, width: 100, height: 80 },
      output: { format: "webp" },
      optimize: { quality: 60 },
      outputs: {
        whole: {},
        small: { resize: { width: 50 }, output: { format: "png" }, analyze: ["thumbhash"] },
        gray: {
          filter: { monochrome: { value: 100, color: "fff" } },
          output: { format: "jpeg", name: "gray picture.jpg" },
        },
      },
    });
    expect(body.message).toBeUndefined();
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("output");
    expect(Object.keys(body.outputs)).toEqual(["whole", "small", "gray"]);
    expect(body.outputs.whole).toMatchObject({ format: "WEBP", width: 100, height: 80, name: "photo-whole.webp" });
    expect(body.outputs.small).toMatchObject({ format: "PNG", width: 50, height: 40, name: "photo-small.png" });
    expect(body.outputs.small.analysis.thumbhash).toMatch(/^[\w+/=]+$/);
    expect(body.outputs.gray).toMatchObject({ format: "JPEG", colorspace: "Gray", name: "gray picture.jpg" });
    for (const { url, bytes } of Object.values<{ url: string; bytes: number }>(body.outputs)) {
      const stored = await api("GET", new URL(url).pathname);
      expect(stored.bytes).toHaveLength(bytes);
    }
    expect(await creditsUsed()).toBe(3);
  });

  it.each([
    [{ outputs: {} }, "outputs must have 1 to 20 members"],
    [{ outputs: [] }, "outputs must not be a list"],
    [{ outputs: "all" }, "outputs must be an object"],
    [
      { outputs: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`o${index}`, {}])) },
      "outputs must have 1 to 20 members",
    ],
    [{ outputs: { Large: {} } }, "outputs.Large must be named by 1 to 32 of a-z, 0-9, _ and -"],
    [{ outputs: { constructor: {} } }, "outputs must not have a member named constructor, prototype, __proto__"],
    [
      { outputs: { a: {}, b: { watermark: { id: "abcDEF1234" } } } },
      "outputs.b.watermark.id must be the id of a saved watermark",
    ],
    [{ outputs: { a: { upscale: { factor: "2" } } } }, "outputs.a.upscale.factor must be a positive integer"],
    [{ outputs: { "a.b": {} } }, "a member of outputs must be named by 1 to 32 of a-z, 0-9, _ and -"],
    [{ outputs: { small: { resize: { width: 0 } } } }, "outputs.small.resize.width must be a positive integer"],
    [{ outputs: { small: { webhook: {} } } }, "outputs.small.webhook is not a known parameter"],
    [
      { outputs: { small: { filter: {}, stylize: {} } } },
      "outputs.small.filter must not be given twice, by its name and an alias",
    ],
    [{ outputs: { a: {} }, srcset: { widths: [1] } }, "outputs cannot be combined with srcset"],
    [
      { outputs: { a: {}, b: { output: { format: "jpeg2000", metadata: "all" } } } },
      "outputs.b.output.metadata must be none in this output.format, which cannot hold any",
    ],
    [{ outputs: { a: {} }, response: { mode: "binary" } }, "response.mode binary cannot be combined with outputs"],
    [{ srcset: {} }, "srcset.widths is required"],
    [{ srcset: { widths: [] } }, "srcset.widths must be a list of 1 to 12 integers"],
    [{ srcset: { widths: [320, 320] } }, "srcset.widths must name every width once"],
    [{ srcset: { widths: [0] } }, "srcset.widths.0 must be an integer between 1 and 16384"],
    [{ srcset: { widths: [1], formats: ["bmp"] } }, "srcset.formats.0 must be one of avif, jxl, webp, jpeg, png"],
    [
      { srcset: { widths: [1] }, output: { format: "webp" } },
      "output.format cannot be combined with srcset, whose formats say it",
    ],
  ])("that break a rule are refused by name: %j", async (data, message) => {
    const answer = await upload(data);
    expect(answer).toMatchObject({ status: 422, body: { message } });
    expect(await creditsUsed()).toBe(0);
  });

  it("say where they looked, in shares of the picture, whichever of them did", async () => {
    const { body } = await upload({
      outputs: { whole: { resize: { width: 9 } }, part: { crop: { width: 40, height: 30, gravity: "auto" } } },
    });
    expect(body.message).toBeUndefined();
    expect(body.input.focus).toEqual({ x: expect.any(Number), y: expect.any(Number) });
  });

  it("leave nothing behind where one of them fails, and cost nothing", async () => {
    const before = await temporary();
    const { status, body } = await upload({
      outputs: { fine: { output: { format: "png" } }, wrong: { crop: { x: 9000, y: 0, width: 5, height: 5 } } },
    });
    expect(status).toBe(422);
    expect(body.message).toMatch(/^outputs\.wrong\.crop/);
    const small = await upload({
      outputs: {
        fine: { resize: { width: 8 } },
        tiny: { resize: { width: 90 }, output: { format: "png" }, optimize: { target_bytes: 40 } },
      },
    });
    expect(small.body.message).toMatch(/^outputs\.tiny\.optimize\.target_bytes is too small/);
    expect(await temporary()).toBe(before);
    expect(await creditsUsed()).toBe(0);
  });

  it("are 402 before any work where credits do not suffice for all of them", async () => {
    const poor = await openAccount(2);
    const outputs = { a: { resize: { width: 9 } }, b: { resize: { width: 8 } }, c: { resize: { width: 7 } } };
    const answer = await upload({ outputs }, { key: poor.key });
    expect(answer).toMatchObject({
      status: 402,
      body: { message: "Not enough credits left in this period: this request takes 3" },
    });
    const { c: _, ...two } = outputs;
    expect((await upload({ outputs: two }, { key: poor.key })).status).toBe(200);
    expect(await creditsUsed(poor.key)).toBe(2);
  });

  it("go to the stores that they name, under names of their own", async () => {
    const store = {
      provider: "s3",
      endpoint: "https://objects.example.com",
      bucket: "pictures",
      ...S3_KEYS,
      path: "sets/",
    };
    const env = { PROVIDER_ENDPOINTS: JSON.stringify(inject("storeEndpoints")), STORE_HOSTS: "objects.example.com" };
    const outputs = { a: { resize: { width: 9 } }, b: { resize: { width: 8 }, store: { ...store, path: "others/" } } };
    const { status, body } = await upload({ store, outputs }, { env });
    expect(body.message).toBeUndefined();
    expect(status).toBe(200);
    expect(body.outputs.a.url).toMatch(/\/sets\/photo-a\.jpg$/);
    expect(body.outputs.b.url).toMatch(/\/others\/photo-b\.jpg$/);
    const folder = await upload({ store: { ...store, path: "one.jpg" }, outputs: { a: {}, b: {} } }, { env });
    expect(folder.body.message).toBe("outputs.b.store.path must end in a slash: several outputs cannot be one object");
  });

  it("are refused by name where a connector says that all of them are one object, and cost nothing", async () => {
    const env = { PROVIDER_ENDPOINTS: JSON.stringify(inject("storeEndpoints")), STORE_HOSTS: "objects.example.com" };
    const saved = {
      name: "one",
      provider: "s3",
      endpoint: "https://objects.example.com",
      bucket: "pictures",
      ...S3_KEYS,
    };
    const made = await api("POST", "/1.0/connectors", { key, json: { ...saved, path: "one.jpg" }, env });
    const store = { id: made.body.connector.id };
    const small = { resize: { width: 9 } };
    const rule =
      "store.path must be given and end in a slash: that of the connector names one object, which several outputs cannot be";
    for (const [data, message] of [
      [{ store, outputs: { a: small, b: small } }, rule],
      [{ outputs: { a: { ...small, store }, b: { ...small, store }, c: small } }, `outputs.a.${rule}`],
      [{ store, srcset: { widths: [9], formats: ["png"] } }, rule],
      [{ store, outputs: { a: small, b: small }, webhook: { url: receiver().url } }, rule],
    ] as const) {
      expect(await upload(data, { env })).toMatchObject({ status: 422, body: { message } });
    }
    expect(await creditsUsed()).toBe(0);
    const one = await upload({ store, outputs: { a: small } }, { env });
    expect(one.body.outputs.a.url).toMatch(/\/one\.jpg$/);
    const folder = await upload({ store: { ...store, path: "all/" }, outputs: { a: small, b: small } }, { env });
    expect(folder.body.outputs.b.url).toMatch(/\/all\/photo-b\.jpg$/);
  });

  it("are answered again under the same Idempotency-Key, at no cost", async () => {
    const data = { outputs: { a: { resize: { width: 9 } }, b: { resize: { width: 8 } } } };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await upload(data, { headers });
    const again = await upload(data, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await creditsUsed()).toBe(2);
  });
});

describe("a srcset", () => {
  it("has the widths that the picture has, in all formats, and what a page needs", async () => {
    const { status, body } = await upload({
      resize: { width: 120 },
      analyze: ["color"],
      srcset: { widths: [4000, 60, 30], formats: ["jpeg", "webp"], sizes: '(min-width: 600px) "50vw", 100vw' },
    });
    expect(body.message).toBeUndefined();
    expect(status).toBe(200);
    expect(Object.keys(body.outputs)).toEqual(["30.webp", "30.jpeg", "60.webp", "60.jpeg"]);
    expect(body.skipped).toEqual([4000]);
    expect(body.analysis.color).toMatch(/^#[\da-f]{6}$/);
    const { "30.webp": narrow, "60.webp": wide, "60.jpeg": last } = body.outputs;
    expect(narrow).toMatchObject({ width: 30, name: "photo-30.webp" });
    expect(Object.keys(body.srcset)).toEqual(["webp", "jpeg"]);
    expect(body.srcset.webp).toBe(`${narrow.url} 30w, ${wide.url} 60w`);
    expect(body.html).toBe(
      [
        "<picture>",
        `  <source type="image/webp" srcset="${body.srcset.webp}" sizes="(min-width: 600px) &quot;50vw&quot;, 100vw">`,
        `  <img src="${last.url}" srcset="${body.srcset.jpeg}" sizes="(min-width: 600px) &quot;50vw&quot;, 100vw" ` +
          `width="60" height="${last.height}" alt="">`,
        "</picture>",
      ].join("\n"),
    );
    expect(await creditsUsed()).toBe(4);
  });

  it("has the picture's own width where it has none of those that are wanted, and gives the other credits back", async () => {
    const poor = await openAccount(6);
    const { body } = await upload({ resize: { width: 40 }, srcset: { widths: [500, 100] } }, { key: poor.key });
    expect(Object.keys(body.outputs)).toEqual(["40.avif", "40.webp", "40.jpeg"]);
    expect(body.skipped).toEqual([100, 500]);
    expect(await creditsUsed(poor.key)).toBe(3);
  });

  it("comes to a webhook as it would be answered", async () => {
    const poor = await openAccount(5);
    const { url, received } = receiver();
    const data = { srcset: { widths: [24, 9000], formats: ["png", "webp"] }, webhook: { url } };
    expect((await upload(data, { key: poor.key })).status).toBe(202);
    const answer = JSON.parse((await received(1))[0]?.body ?? "");
    expect(Object.keys(answer.outputs)).toEqual(["24.webp", "24.png"]);
    expect(answer).toMatchObject({ success: true, code: 200, skipped: [9000] });
    expect(answer.html).toContain("<picture>");
    expect(await creditsUsed(poor.key)).toBe(2);
  });
});
