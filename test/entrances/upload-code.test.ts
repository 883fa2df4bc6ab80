/** What the upload code of content management systems calls, in its order: files of the same sizes and types as sharp's. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

import { type Info, sharpOver } from "#clients/sharp/sharp";

import { openAccount } from "../support/accounts.ts";
import { asked, encoded } from "../support/colors.ts";
import { type Call, called } from "../support/reader.ts";
import { paint } from "../support/rows.ts";

const { Images } = exports as unknown as {
  readonly Images: (options: { readonly props: object }) => { readonly fetch: typeof fetch };
};
const WIDE = paint(120, 80, (x, y) => [x < 60 ? 220 : 30, y < 40 ? 200 : 40, x + y, 255]);

const opened = async () => sharpOver({ service: Images({ props: { key: (await openAccount()).key } }) });

/** What sharp itself says of the file that it makes. */
async function expectedOf(file: Uint8Array, calls: readonly Call[], options: object = {}) {
  const query = new URLSearchParams({ calls: JSON.stringify(calls), options: JSON.stringify(options) });
  const answer = await asked(`/chain?${query.toString()}`, file);
  return JSON.parse(new TextDecoder().decode(answer)) as { readonly info: Info; readonly file: string };
}

/** A photograph that was taken with the camera turned. */
async function turned(orientation: number): Promise<Uint8Array> {
  const calls: Call[] = [
    ["withMetadata", { orientation }],
    ["jpeg", { quality: 95 }],
  ];
  return Uint8Array.fromBase64((await expectedOf(await encoded(WIDE), calls)).file);
}

const sizeOf = ({ format, width, height }: Info) => ({ format, width, height });

/** Sizes as sites name them, each from a clone of one chain that stands upright. */
const SIZES: readonly (readonly [name: string, ...calls: Call[]])[] = [
  ["a thumbnail", ["resize", { name: "thumbnail", width: 24, height: 18, position: "centre" }]],
  ["a width", ["resize", { name: "card", width: 76, formatOptions: { format: "webp" } }], ["toFormat", "webp", {}]],
  ["within a box", ["resize", { width: 30, height: 30, fit: "inside" }], ["toFormat", "jpeg", { quality: 80 }]],
  ["never larger", ["resize", { width: 500, withoutEnlargement: true }]],
  ["larger, too", ["resize", { width: 200, height: 200, withoutEnlargement: false }]],
  ["without its edges", ["resize", { width: 40 }], ["toFormat", "png"], ["trim", { threshold: 10 }]],
  ["with its metadata", ["resize", { width: 40 }], ["withMetadata"]],
  ["scaled without shortcuts", ["resize", { fastShrinkOnLoad: false, height: 40, width: undefined }]],
  [
    "around a point of focus",
    ["resize", { fastShrinkOnLoad: false, height: 40, width: undefined }],
    ["extract", { height: 40, left: 0, top: 0, width: 20 }],
    ["toFormat", "avif", { quality: 60 }],
  ],
];

it.each([1, 6])("sizes from clones of one chain, orientation %i", async (orientation) => {
  const sharp = await opened();
  const file = await turned(orientation);
  // Every step is on the clone; what the base says is of the original as it is stored.
  const base = sharp(file, {}).rotate();
  expect(await base.metadata()).toMatchObject({ width: 120, height: 80 });
  const made = await Promise.all(
    SIZES.map(async ([name, ...calls]) => {
      const chain = called(base.clone(), calls);
      await chain.metadata();
      const { data, info } = await chain.toBuffer({ resolveWithObject: true });
      expect(info.size, name).toBe(data.length);
      return [name, sizeOf(info)];
    }),
  );
  const expected = SIZES.map(async ([name, ...calls]) => {
    const { info } = await expectedOf(file, [["rotate"], ...calls]);
    return [name, sizeOf(info)];
  });
  expect(made).toEqual(await Promise.all(expected));
});

it("a cut that somebody drew, and its size after it", async () => {
  const sharp = await opened();
  const file = await turned(1);
  const box = { height: 40, left: 12, top: 8, width: 60 };
  const { data } = await sharp(file, {}).extract(box).toBuffer({ resolveWithObject: true });
  const resize = { fit: "cover", height: undefined, position: "center", width: 30 } as const;
  const { info } = await sharp(data).resize(resize).toBuffer({ resolveWithObject: true });
  const expected = await expectedOf(file, [
    ["extract", box],
    ["resize", resize],
  ]);
  expect(sizeOf(info)).toEqual(sizeOf(expected.info));
});

it("an original that is made smaller as it comes, and sizes through pipes", async () => {
  const sharp = await opened();
  const file = await turned(6);
  const said = sharp();
  const saying = said.metadata();
  Readable.from([file]).pipe(said);
  const { format } = await saying;
  expect(format).toBe("jpeg");
  const chain = sharp({ animated: true });
  chain.jpeg({ quality: 80 });
  chain.rotate();
  let told: Info | undefined;
  chain.on("info", (info: Info) => (told = info));
  const smaller = await buffer(Readable.from([file]).pipe(chain));
  const expected = await expectedOf(file, [["jpeg", { quality: 80 }], ["rotate"]], { animated: true });
  expect(told && sizeOf(told)).toEqual(sizeOf(expected.info));
  for (const resize of [
    { width: 24, height: 15, fit: "inside" },
    { width: 50, height: 50, fit: "inside" },
  ] as const) {
    const { info } = await sharp(smaller, { animated: true }).resize(resize).toBuffer({ resolveWithObject: true });
    const { info: own } = await expectedOf(smaller, [["resize", resize]], { animated: true });
    expect(sizeOf(info)).toEqual(sizeOf(own));
  }
  // A check that the file can be decoded at all.
  expect((await sharp(smaller).stats()).isOpaque).toBe(true);
  await expect(sharp(smaller.subarray(0, 300)).stats()).rejects.toThrow();
});
