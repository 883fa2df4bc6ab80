/** Chains with sharp's names over the entrance for other Workers: what sharp makes of the same calls. */
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { env, exports, withEnv } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { type Info, sharpOver } from "#clients/sharp/sharp";
import { joins } from "#clients/sharp/steps";
import standIn from "#clients/sharp/worker";

import { OPERATIONS } from "../../src/image/operations.ts";
import avif from "../fixtures/avif/paris_icc_exif_xmp.avif";
import animated from "../fixtures/gif/animated-red-blue.gif";
import gray from "../fixtures/jpeg/gray.jpg";
import progressive from "../fixtures/jpeg/progressive.jpg";
import photo from "../fixtures/jpeg/s420.jpg";
import palette from "../fixtures/png/palette-8-alpha.png";
import sixteen from "../fixtures/png/rgba-16.png";
import tiff from "../fixtures/tiff/quad-tile-jpg.tif";
import animatedWebp from "../fixtures/webp/animated-red-blue.webp";
import webp from "../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import { openAccount } from "../support/accounts.ts";
import { asked, encoded, meanDifference, shown } from "../support/colors.ts";
import { type Call, called } from "../support/reader.ts";
import { paint } from "../support/rows.ts";

const { Images } = exports as unknown as {
  readonly Images: (options: { readonly props: object }) => { readonly fetch: typeof fetch };
};

async function opened() {
  const { account, key } = await openAccount();
  const used = async () =>
    (await env.METER.getByName(`account:${account.id}`).take({ key: "test", limit: 1_000 })).used;
  return { sharp: sharpOver({ service: Images({ props: { key } }) }), used };
}

/** Four corners of their own colors, and a gradient, which tells a cut from a scale. */
const CORNERS = paint(120, 80, (x, y) => [x < 60 ? 220 : 30, y < 40 ? 200 : 40, x + y, 255]);
/** The same, half of it transparent. */
const CLEAR = paint(120, 80, (x, y) => [x < 60 ? 220 : 30, y < 40 ? 200 : 40, x + y, x < 30 ? 0 : 255]);

interface Made {
  readonly info: Info;
  readonly file: string;
}

/** What sharp itself makes of it. */
async function expectedOf(file: Uint8Array, calls: readonly Call[], options: object = {}): Promise<Made> {
  const query = new URLSearchParams({ calls: JSON.stringify(calls), options: JSON.stringify(options) });
  return JSON.parse(new TextDecoder().decode(await asked(`/chain?${query.toString()}`, file))) as Made;
}

/** Pixels as they are seen: what is under full transparency is of no account. */
async function seen(file: Uint8Array): Promise<Uint8Array> {
  const pixels = await shown(file);
  for (let at = 0; at < pixels.length; at += 4) if (pixels[at + 3] === 0) pixels.fill(0, at, at + 4);
  return pixels;
}

const sizeOf = ({ format, width, height, channels }: Info) => ({ format, width, height, channels });

const CHAINS: readonly (readonly [name: string, ...calls: Call[]])[] = [
  ["a width", ["resize", 50]],
  ["a height", ["resize", null, 33]],
  ["both, covered", ["resize", 50, 50]],
  ["covered at an edge", ["resize", { width: 30, height: 60, position: "right" }]],
  ["covered at a corner", ["resize", { width: 30, height: 60, position: "southwest" }]],
  ["larger", ["resize", { width: 200, height: 160 }]],
  ["not larger", ["resize", { width: 200, height: 60, withoutEnlargement: true }]],
  ["not larger on either side", ["resize", { width: 200, height: 160, withoutEnlargement: true }]],
  ["not smaller", ["resize", { width: 60, height: 160, withoutReduction: true }]],
  ["inside", ["resize", { width: 50, height: 50, fit: "inside" }]],
  ["inside, not larger", ["resize", { width: 245, height: 156, fit: "inside", withoutEnlargement: true }]],
  ["outside", ["resize", { width: 50, height: 50, fit: "outside" }]],
  ["stretched", ["resize", { width: 50, height: 50, fit: "fill" }]],
  ["stretched along one side", ["resize", { width: 50, fit: "fill" }]],
  ["contained", ["resize", { width: 50, height: 50, fit: "contain", background: { r: 255, g: 0, b: 0, alpha: 1 } }]],
  ["contained at an edge", ["resize", { width: 50, height: 50, fit: "contain", position: "left top" }]],
  [
    "contained, not smaller",
    ["resize", { width: 60, height: 160, fit: "contain", position: "left top", withoutReduction: true }],
  ],
  ["cut out", ["extract", { left: 10, top: 20, width: 60, height: 40 }]],
  ["cut out, then resized", ["extract", { left: 10, top: 20, width: 60, height: 40 }], ["resize", 30]],
  ["resized, then cut out", ["resize", { width: 60 }], ["extract", { left: 20, top: 10, width: 30, height: 20 }]],
  ["turned, then resized", ["rotate", 90], ["resize", 40]],
  ["resized, then turned", ["resize", 60], ["rotate", 90]],
  [
    "turned and mirrored, then cut out",
    ["rotate", 90],
    ["flip"],
    ["extract", { left: 5, top: 10, width: 40, height: 60 }],
  ],
  ["mirrored", ["flop"], ["resize", 60]],
  ["extended", ["extend", { top: 3, left: 5, background: "#ff0000" }]],
  ["extended after a resize", ["resize", 60], ["extend", 4], ["flatten", { background: "#fff" }]],
];

describe("chains", () => {
  it.each(CHAINS)("make what sharp makes: %s", async (_, ...given) => {
    const calls = given as Call[];
    const { sharp } = await opened();
    const file = await encoded(CORNERS);
    const expected = await expectedOf(file, [...calls, ["png"]]);
    const { data, info } = await called(sharp(Buffer.from(file)), calls)
      .png()
      .toBuffer({ resolveWithObject: true });
    expect(sizeOf(info)).toEqual(sizeOf(expected.info));
    expect(info.size).toBe(data.length);
    expect(meanDifference(await shown(data), await shown(Uint8Array.fromBase64(expected.file)))).toBeLessThan(1.5);
  });

  it.each([
    ["jpeg", ["jpeg", { quality: 80 }]],
    ["flat jpeg", ["flatten", { background: { r: 255, g: 255, b: 255 } }], ["toFormat", "jpeg", { quality: 95 }]],
    ["trimmed", ["trim", { threshold: 10 }]],
    ["webp", ["webp", { lossless: true }]],
    ["tiff", ["tiff", { compression: "deflate" }]],
  ] as (readonly [string, ...Call[]])[])("make of transparency what sharp makes: %s", async (_, ...given) => {
    const calls = given as Call[];
    const { sharp } = await opened();
    const file = await encoded(CLEAR);
    const expected = await expectedOf(file, calls);
    const { data, info } = await called(sharp(file), calls).toBuffer({ resolveWithObject: true });
    // An alpha that is opaque everywhere is left out.
    const { format, width, height } = expected.info;
    expect(info).toMatchObject({ format, width, height });
    expect(meanDifference(await seen(data), await seen(Uint8Array.fromBase64(expected.file)))).toBeLessThan(3);
  });

  it("turn by angles that are not right ones to a pixel", async () => {
    const { sharp } = await opened();
    const file = await encoded(CORNERS);
    const { info } = await sharp(file).rotate(45, { background: "#00ff00" }).toBuffer({ resolveWithObject: true });
    const expected = await expectedOf(file, [["rotate", 45]]);
    expect(Math.abs(info.width - expected.info.width)).toBeLessThanOrEqual(1);
    expect(Math.abs(info.height - expected.info.height)).toBeLessThanOrEqual(1);
  });

  it("keep frames where all are asked for, and take the first where not", async () => {
    const { sharp } = await opened();
    const file = new Uint8Array(animated);
    const calls: Call[] = [
      ["resize", 20],
      ["extract", { left: 0, top: 0, width: 10, height: 10 }],
    ];
    const all = await expectedOf(file, calls, { animated: true });
    const made = await called(sharp(file, { animated: true }), calls).toBuffer({ resolveWithObject: true });
    const { pages, pageHeight } = all.info;
    expect(made.info).toMatchObject({ ...sizeOf({ ...all.info, channels: made.info.channels }), pages, pageHeight });
    const first = await sharp(file).resize(20).toBuffer({ resolveWithObject: true });
    expect(first.info.pages).toBeUndefined();
    expect(first.info.height).toBe((await expectedOf(file, [["resize", 20]])).info.height);
  });

  it("turn as EXIF says only where they are told to", async () => {
    const { sharp } = await opened();
    const corners = await encoded(CORNERS);
    const tagged = await expectedOf(corners, [
      ["withMetadata", { orientation: 6 }],
      ["jpeg", { quality: 95 }],
    ]);
    const file = Uint8Array.fromBase64(tagged.file);
    for (const calls of [
      [["rotate"]],
      [["autoOrient"], ["resize", 30]],
      [["resize", 30]],
      [["rotate", 90]],
    ] as Call[][]) {
      const expected = await expectedOf(file, [...calls, ["png"]]);
      const { data, info } = await called(sharp(file), calls).png().toBuffer({ resolveWithObject: true });
      expect(sizeOf(info)).toEqual(sizeOf(expected.info));
      expect(meanDifference(await shown(data), await shown(Uint8Array.fromBase64(expected.file)))).toBeLessThan(3);
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "are shown as sharp's where metadata is kept, orientation %i",
    async (orientation) => {
      const { sharp } = await opened();
      const tagged = await expectedOf(await encoded(CORNERS), [
        ["withMetadata", { orientation }],
        ["jpeg", { quality: 95 }],
      ]);
      const file = Uint8Array.fromBase64(tagged.file);
      const calls: Call[] = [["extract", { left: 0, top: 0, width: 100, height: 60 }], ["withMetadata"]];
      const expected = await expectedOf(file, calls);
      const made = await called(sharp(file), calls).jpeg({ quality: 95 }).toBuffer();
      expect((await sharp(made).metadata()).orientation ?? 1).toBe(1);
      expect(meanDifference(await shown(made), await shown(Uint8Array.fromBase64(expected.file)))).toBeLessThan(3);
    },
  );

  it("are read and written as streams, and tell of what they made", async () => {
    const { sharp } = await opened();
    const file = new Uint8Array(photo);
    let told: Info | undefined;
    const chain = sharp({ animated: true })
      .resize(20)
      .on("info", (info: Info) => (told = info));
    const pieces: Buffer[] = [];
    await pipeline(Readable.from([file.subarray(0, 100), file.subarray(100)]), chain, async (made) => {
      for await (const piece of made) pieces.push(piece as Buffer);
    });
    expect(told).toMatchObject({ format: "jpeg", width: 20, size: Buffer.concat(pieces).length });
    const piped = sharp();
    const copies = [piped.clone().resize(10), piped.clone().resize(12).webp()].map((copy) =>
      copy.toBuffer({ resolveWithObject: true }),
    );
    const said = piped.metadata();
    Readable.from([file]).pipe(piped);
    expect((await Promise.all(copies)).map(({ info }) => [info.format, info.width])).toEqual([
      ["jpeg", 10],
      ["webp", 12],
    ]);
    expect((await said).format).toBe("jpeg");
    const broken = sharp();
    Readable.from([Buffer.from("no picture")]).pipe(broken);
    await expect(broken.metadata()).rejects.toThrow("Input buffer contains unsupported image format");
    await expect(
      pipeline(Readable.from([Buffer.from("no picture")]), sharp(), async (made) => {
        for await (const _ of made) expect.unreachable();
      }),
    ).rejects.toThrow();
  });

  it("ask once for what is one request, and search where no quality is named", async () => {
    const { sharp, used } = await opened();
    const file = new Uint8Array(photo);
    await sharp(file).rotate().resize({ width: 16, height: 16 }).webp({ quality: 60 }).toBuffer();
    expect(await used()).toBe(1);
    await sharp(file).resize(16).extract({ left: 1, top: 1, width: 8, height: 8 }).jpeg().toBuffer();
    expect(await used()).toBe(3);
    await sharp(file).metadata();
    expect(await used()).toBe(3);
    expect((await sharp(file).stats()).isOpaque).toBe(true);
    await expect(sharp(file.subarray(0, 300)).stats()).rejects.toThrow();
  });

  it.each([
    ["animated.gif", animated],
    ["animated.webp", animatedWebp],
    ["gray.jpg", gray],
    ["photo.jpg", photo],
    ["progressive.jpg", progressive],
    ["palette.png", palette],
    ["sixteen.png", sixteen],
    ["tiles.tif", tiff],
    ["alpha.webp", webp],
    ["profile.avif", avif],
  ])("say of a header what sharp says: %s", async (_, file) => {
    const { sharp } = await opened();
    const bytes = new Uint8Array(file);
    for (const options of [{}, { animated: true }]) {
      const query = new URLSearchParams({ options: JSON.stringify(options) });
      const told = JSON.parse(new TextDecoder().decode(await asked(`/metadata?${query.toString()}`, bytes))) as Record<
        string,
        unknown
      >;
      const said: Record<string, unknown> = { ...(await sharp(bytes, options).metadata()) };
      const members = Object.keys(said);
      expect(Object.fromEntries(members.map((name) => [name, told[name]]))).toEqual(said);
      expect(members).toEqual(expect.arrayContaining(["format", "width", "height", "channels", "space", "hasAlpha"]));
      expect([said["pages"], said["orientation"], said["pageHeight"]]).toEqual([
        told["pages"],
        told["orientation"],
        told["pageHeight"],
      ]);
    }
  });

  it("say by name what they do not do", async () => {
    const { sharp } = await opened();
    const chain = sharp(new Uint8Array(photo));
    const loose = chain as unknown as Record<string, (...given: unknown[]) => unknown>;
    expect(() => loose["composite"]?.([])).toThrow(/^composite is not offered/);
    expect(() => loose["blur"]?.(3)).toThrow(/^blur is not offered/);
    expect(() => sharp({ raw: {} } as never)).toThrow("The option raw is not offered");
    expect(() => chain.toFormat("raw")).toThrow("Expected one of: jpeg");
    expect(() => chain.resize(0)).toThrow(
      "Expected positive integer between 1 and 100000000 for width but received a value of type number",
    );
    expect(() => chain.withMetadata({ orientation: 1 })).toThrow("withMetadata with orientation is not offered");
    await expect(chain.clone().extract({ left: 0, top: 0, width: 9_999, height: 1 }).toBuffer()).rejects.toThrow(
      "extract_area: bad extract area",
    );
    await expect(sharp(new Uint8Array(0)).toBuffer()).rejects.toThrow("Input Buffer is empty");
  });

  it("stand in for the module over the binding of a Worker", async () => {
    const { key } = await openAccount();
    const made = () => standIn(new Uint8Array(photo)).resize(16).png().toBuffer({ resolveWithObject: true });
    const { info } = (await withEnv({ DARKROOM: Images({ props: { key } }) }, made)) as Awaited<
      ReturnType<typeof made>
    >;
    expect(info).toMatchObject({ format: "png", width: 16 });
    const failure = await made().catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({
      cause: { message: expect.stringContaining("service binding DARKROOM") as string },
    });
  });

  it("tell of a key that is missing", async () => {
    const sharp = sharpOver({ service: Images({ props: {} }) });
    await expect(sharp(new Uint8Array(photo)).resize(3).toBuffer()).rejects.toThrow("Invalid API key");
  });
});

it("joins steps in one request as the service works them off", () => {
  const known = Object.keys(OPERATIONS).filter((name) => joins({}, { [name]: {} }));
  expect(known).toEqual(["trim", "flip", "rotate", "crop", "resize", "padding", "background"]);
  for (const [at, first] of known.entries()) {
    for (const [then, second] of known.entries()) expect(joins({ [first]: {} }, { [second]: {} })).toBe(at < then);
  }
});
