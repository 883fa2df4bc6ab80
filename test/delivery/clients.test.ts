/** What the clients write is what addresses are read as, and their signatures are those that are checked. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { imageURL } from "#clients/image-url";
import { signatureOf, signURL } from "#clients/sign";
import { signedSrcset, srcset } from "#clients/srcset";

import { canonicalOf } from "../../src/delivery/canonical.ts";
import { DIALECTS } from "../../src/delivery/dialects.ts";
import { admit } from "../../src/delivery/policy.ts";
import { signatureOf as signatureOfService } from "../../src/delivery/signature.ts";
import { identityOf, locate } from "../../src/delivery/sources.ts";
import signing from "../../src/docs/signing.md?raw";
import { openedDelivery } from "../support/opened-delivery.ts";
import { refusal } from "../support/refusal.ts";
import { VECTOR_PAIR, vectorsOf } from "../support/signing-vectors.ts";

const PREFIX = "https://www.example.com/uploads/";
const PAIR = { key: "00ff10".repeat(8), salt: "a1b2c3d4".repeat(8) };
const NOW = 1_700_000_000_000;
const BASE = "https://darkroom.example.com/i/dl_0123456789abcdef";
const PLACE = { baseURL: BASE };

const DELIVERY = openedDelivery(PAIR, {
  sources: [
    { kind: "web", prefix: PREFIX },
    { kind: "bucket", name: "art" },
  ],
  presets: {},
  unsigned: { widths: [320, 640], query: true },
  originals: "/",
});

/** What the service makes of an address, as a browser sends it. */
async function read(address: string, delivery = DELIVERY) {
  const [, name = "", path = ""] = /^https:\/\/[^/]+\/([^/]+)\/[^/]+(\/.*)$/.exec(new URL(address).href) ?? [];
  const dialect = DIALECTS[name as keyof typeof DIALECTS];
  const spelled = dialect.split(path);
  if (!spelled) throw new Error("no address");
  const { asked, located } = await admit(delivery, dialect, spelled, NOW);
  return { ...canonicalOf(delivery, asked, "image/webp"), source: identityOf(located) };
}

describe("an address", () => {
  it("stays readable where nothing has to be encoded", () => {
    const address = imageURL(PLACE, "/harbor.jpg", { width: 640, fit: "cover" });
    expect(address).toBe(`${BASE}/width=640,fit=cover/harbor.jpg`);
    expect(imageURL({ baseURL: `${BASE}/` }, new URL("a.jpg", PREFIX))).toBe(`${BASE}/-/${PREFIX}a.jpg`);
  });

  it.each([
    ["a.jpg", "a.jpg"],
    ["/a.jpg", "a.jpg"],
    ["x/a b.jpg", "x/a%20b.jpg"],
    ["a b.jpg", "a%20b.jpg"],
    ["a%20b.jpg", "a%20b.jpg"],
    ["x/100%25.jpg", "x/100%25.jpg"],
    ["what%3F.jpg", "what%3F.jpg"],
    ["x/what%3F.jpg", "x/what%3F.jpg"],
    ["a.jpg?v=1,2&w=3", "a.jpg?v=1,2&w=3"],
    ["x/a.jpg?v=a%2Fb", "x/a.jpg?v=a%2Fb"],
    ["a.jpg,", "a.jpg,"],
    ["håfen.jpg", "h%C3%A5fen.jpg"],
    ["x%2Fa.jpg", "x%2Fa.jpg"],
    ["w=1/a.jpg", "w=1/a.jpg"],
  ])("means %s exactly", async (source, below) => {
    const url = PREFIX + below;
    expect((await read(imageURL(PLACE, source, { width: 320 }))).source).toBe(url);
    expect((await read(imageURL(PLACE, PREFIX + source.replace(/^\//, "")))).source).toBe(url);
    const origin = "https://www.example.com";
    expect((await read(imageURL({ baseURL: BASE, origin }, `/uploads/${source}`.replace("//", "/")))).source).toBe(url);
  });

  it("means whatever a link to it would mean", async () => {
    const part = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(part, part, async (folder, query) => {
        // What the service refuses in a path is refused in any spelling.
        const name = folder.replace(/[./\\#?%;]|\s/g, "_");
        const url = new URL(`${PREFIX}f/${name}%25.jpg?${query.replaceAll("#", "")}`);
        const linked = locate(DELIVERY, url.href);
        expect((await read(imageURL(PLACE, url))).source).toBe(linked && identityOf(linked));
      }),
    );
  });

  it("names objects of a bucket", async () => {
    for (const source of ["art/x/a b.jpg", "/art/x/a%20b.jpg"]) {
      expect((await read(imageURL(PLACE, source))).source).toBe("bucket:art/x/a b.jpg");
    }
  });

  it("is below the origin when a path has one, and else below the only web source", () => {
    const place = { ...PLACE, origin: "https://www.example.com/" };
    expect(imageURL(place, "/a.jpg")).toBe(`${BASE}/-/https://www.example.com/a.jpg`);
    expect(imageURL(place, "//cdn.example.com/a.jpg")).toBe(`${BASE}/-/https://cdn.example.com/a.jpg`);
    expect(imageURL(place, "art/a.jpg")).toBe(`${BASE}/-/art/a.jpg`);
  });

  it("is none of what is in the page already", () => {
    const data = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
    expect(imageURL(PLACE, data, { width: 320 })).toBe(data);
  });

  it("needs a base", () => {
    const place = { baseURL: undefined as unknown as string };
    expect(() => imageURL(place, "a.jpg")).toThrow("baseURL must be the address of a delivery");
  });

  it("carries options of any kind", async () => {
    const json = { filter: { duotone: { dark: "#000044", light: "#ffeedd" } }, output: { name: "Häfen, alt" } };
    const options = { width: 333, background: "rgb(1, 2, 3)", gravity: undefined, json } as const;
    const { processing } = await read(await signURL(PAIR, imageURL(PLACE, "a.jpg", options)));
    expect(processing).toMatchObject({ resize: { width: 333 }, background: { color: "010203" } });
    expect(processing.filter).toEqual(json.filter);
  });
});

describe("a signature", () => {
  it("is the service's own", async () => {
    for (const text of ["", "/w=1/a.jpg", "\u0000å🖼", "x".repeat(5_000)]) {
      expect(await signatureOf(PAIR, text)).toBe(await signatureOfService(PAIR, text));
    }
  });

  it("of the documentation is one of the service", async () => {
    const vectors = vectorsOf(signing);
    expect(vectors.length).toBeGreaterThan(8);
    const delivery = { ...DELIVERY, unsigned: false as const, signing: { current: VECTOR_PAIR } };
    for (const { address, signed } of vectors) {
      expect((await read(signed, delivery)).source).toMatch(/^https:\/\/www\.example\.com\/uploads\//);
      expect(await refusal(read(address, delivery))).toMatchObject({ status: 403 });
    }
  });

  it("opens every form of an address", async () => {
    for (const address of [
      imageURL(PLACE, "a b.jpg", { width: 99, height: 99, fit: "cover" }),
      imageURL(PLACE, `${PREFIX}a.jpg?v=1`),
      `${BASE}/cdn-cgi/image/w=99,blur=3/a.jpg`,
      `${BASE}/w=99/${PREFIX}ä "x".jpg`,
      `${BASE.replace("/i/", "/imgproxy/")}/unsafe/rs:fill:99:99/plain/${PREFIX}a.jpg`,
    ]) {
      const signed = await signURL(PAIR, address);
      expect((await read(signed)).source, signed).toMatch(PREFIX);
      expect(await refusal(read(signed.replace(/\.jpg/, ".png")))).toMatchObject({ status: 403 });
    }
  });

  it("is made of hex and for addresses of deliveries", async () => {
    const address = imageURL(PLACE, "a.jpg");
    await expect(signURL({ ...PAIR, key: "key" }, address)).rejects.toThrow("The key must be in hex");
    await expect(signURL({ ...PAIR, salt: "abc" }, address)).rejects.toThrow("The salt must be in hex");
    for (const other of ["https://www.example.com/a.jpg", `${BASE}/a.jpg`, `${BASE}/-/`]) {
      await expect(signURL(PAIR, other)).rejects.toThrow("The address must be");
    }
  });
});

describe("a srcset", () => {
  it("has widths, in the shape that is asked for", () => {
    expect(srcset(PLACE, "a.jpg", { widths: [320, 640], quality: 75 })).toBe(
      `${BASE}/width=320,quality=75/a.jpg 320w, ${BASE}/width=640,quality=75/a.jpg 640w`,
    );
    expect(srcset(PLACE, "a.jpg", { widths: [100, 200], width: 300, height: 100, fit: "cover" })).toBe(
      `${BASE}/width=100,height=33,fit=cover/a.jpg 100w, ${BASE}/width=200,height=67,fit=cover/a.jpg 200w`,
    );
  });

  it("has densities", () => {
    expect(srcset(PLACE, "a.jpg", { width: 101, densities: [1, 1.5] })).toBe(
      `${BASE}/width=101/a.jpg 1x, ${BASE}/width=152/a.jpg 1.5x`,
    );
  });

  it("is signed where a server has key and salt", async () => {
    const text = await signedSrcset({ ...PLACE, signing: PAIR }, "a, b.jpg", { widths: [111, 222] });
    const candidates = text.split(", ").map((candidate) => candidate.split(" "));
    expect(candidates.map(([, descriptor]) => descriptor)).toEqual(["111w", "222w"]);
    for (const [address = ""] of candidates) expect((await read(address)).source).toBe(`${PREFIX}a,%20b.jpg`);
  });
});
