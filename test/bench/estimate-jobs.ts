/** All that estimates are declared for, as jobs: the matrix of the bench of estimates. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import { encodeSettings } from "../../src/image/search/presets.ts";
import { pictureOf, type Pixels } from "../support/rows.ts";
import { bitmapFile, photoshopFile } from "./estimate-files.ts";
import { operating, reading, recompressing, request, requantizing, scoring, writing } from "./estimate-parts.ts";
import { fileOf, fixture, moving, part } from "./estimate-pictures.ts";
import { sequences } from "./estimate-sequences.ts";
import type { Job } from "./estimate-watch.ts";
import { LINES, MARK } from "./operations.ts";

/** What the matrix is made of. */
export interface Material {
  readonly photo: Pixels;
  /** The same as large photographs are. */
  readonly soft: Pixels;
  readonly page: Pixels;
  readonly glass: Pixels;
}

const SMALL = { width: 640, height: 480 };
const MEDIUM = { width: 1_216, height: 832 };
const LARGE = { width: 2_000, height: 1_500 };
const HUGE = { width: 4_000, height: 3_000 };
const FRAME = { width: 320, height: 240 };
const FRAMES = 12;

const WRITABLE = (Object.entries(FORMATS) as [FormatName, FormatDefinition][]).filter(
  ([, { write, can }]) => write && !can.movesAlone,
);
const WRITTEN_BY_NUMBER = WRITABLE.filter(([, { can }]) => can.quality);
const WRITTEN_EXACTLY = WRITABLE.filter(([, { can }]) => can.lossless);
const MOVING = ["gif", "webp", "png"] as const;

const RESIZE = { gravity: "center", upscale: true, background: "ffffff", linear: false };
const EXACT = { lossless: true, quality: 100 } as const;

const SECTIONS: Readonly<Record<string, (material: Material) => AsyncGenerator<Job, void>>> = {
  read: decoding,
  write: encoding,
  rewrite: rewriting,
  animation: animations,
  sequence: sequences,
  search: searches,
  operation: operations,
  resize: resizes,
  score: comparisons,
};

/** All jobs whose names contain all of the words; a section that a word with a colon does not name is not prepared. */
export async function* jobsWith(words: readonly string[], material: Material): AsyncGenerator<Job, void> {
  const named = words.filter((word) => word.endsWith(":"));
  for (const [section, open] of Object.entries(SECTIONS)) {
    if (named.some((word) => word !== `${section}:`)) continue;
    for await (const job of open(material)) {
      if (words.every((word) => job.name.includes(word))) yield job;
    }
  }
}

async function* decoding({ photo, page, glass }: Material): AsyncGenerator<Job, void> {
  const still = pictureOf([part(photo, MEDIUM)]);
  const text = pictureOf([part(page, MEDIUM)]);
  for (const [name, { can }] of WRITABLE) {
    const file = await fileOf(name, still);
    yield reading(`read: ${name}, a photograph`, file);
    yield reading(`read: ${name}, a photograph, a fourth of it`, file, 4);
    yield reading(`read: ${name}, a page`, await fileOf(name, text));
    if (can.quality && can.lossless)
      yield reading(`read: ${name} exact, a photograph`, await fileOf(name, still, EXACT));
    if (can.alpha) yield reading(`read: ${name}, a glass`, await fileOf(name, translucent(glass)));
  }
  yield reading("read: jpeg progressive, a photograph", await fileOf("jpeg", still, { progressive: true }));
  yield reading("read: png interlaced, a photograph", await fileOf("png", still, { ...EXACT, progressive: true }));
  yield reading("read: bmp, a photograph", bitmapFile(part(photo, MEDIUM)));
  for (const kind of [
    { mode: "rgb", depth: 8 },
    { mode: "rgb", depth: 16 },
    { mode: "lab", depth: 8 },
    { mode: "lab", depth: 16 },
  ] as const) {
    const { mode, depth } = kind;
    yield reading(`read: psd ${mode} of ${depth} bits, a photograph`, photoshopFile(part(photo, MEDIUM), kind));
  }
  yield reading("read: tiff, tiles of jpeg", await fixture("tiff/video-001-tile-64x64.tif"));
  yield reading("read: tiff, 16 bits", await fixture("tiff/video-001-16bit.tif"));
  yield reading("read: ico", await fixture("ico/favicon.ico"));
  for (const name of ["Android_robot.svg", "logo-with-text.svg"])
    yield reading(`read: svg, ${name}`, await fixture(`svg/${name}`));
}

function translucent(glass: Pixels): Picture {
  return pictureOf([part(glass, SMALL)], { opaque: false });
}

async function* encoding({ photo, soft, page, glass }: Material): AsyncGenerator<Job, void> {
  const stills = {
    "a photograph": await fileOf("png", pictureOf([part(photo, MEDIUM)]), EXACT),
    "a page": await fileOf("png", pictureOf([part(page, MEDIUM)]), EXACT),
    "a glass": await fileOf("png", translucent(glass), EXACT),
  };
  for (const [what, file] of Object.entries(stills)) {
    for (const [to] of WRITTEN_BY_NUMBER) {
      for (const quality of [80, 40]) {
        yield request(`write: ${to} quality ${quality}, ${what}`, file, { to, optimize: { lossless: false, quality } });
      }
    }
    for (const [to] of WRITTEN_EXACTLY) {
      yield request(`write: ${to} exactly, ${what}`, file, { to, optimize: { lossless: true } });
    }
  }
  const large = pictureOf([part(soft, HUGE)]);
  const baseline = encodeSettings({ kind: "quality", quality: 80 }, FORMATS.jpeg, false);
  yield writing("write: jpeg quality 80 baseline, a photograph of 12 MP", "jpeg", large, baseline);
}

async function* rewriting({ photo, page }: Material): AsyncGenerator<Job, void> {
  const still = pictureOf([part(photo, MEDIUM)]);
  const baseline = await fileOf("jpeg", still, { quality: 92 });
  const progressive = await fileOf("jpeg", still, { quality: 92, progressive: true });
  for (const [kind, file] of Object.entries({ baseline, progressive })) {
    yield recompressing(`rewrite: jpeg ${kind}, recompressed`, file, { progressive: true });
    yield recompressing(`rewrite: jpeg ${kind}, recompressed in one scan`, file, { progressive: false });
    yield requantizing(`rewrite: jpeg ${kind}, requantized`, file, { progressive: true, quality: 70 });
    yield requantizing(`rewrite: jpeg ${kind}, turned`, file, { progressive: true, turn: 6 });
  }
  const others = [
    ["png, a photograph", await fileOf("png", still, EXACT)],
    ["png, a page", await fileOf("png", pictureOf([part(page, MEDIUM)]), EXACT)],
    ["gif, a photograph", await fileOf("gif", still)],
    ["gif, a page", await fileOf("gif", pictureOf([part(page, MEDIUM)]))],
  ] as const;
  for (const [what, file] of others)
    yield recompressing(`rewrite: ${what}, recompressed`, file, { progressive: false });
}

async function* animations({ photo, page }: Material): AsyncGenerator<Job, void> {
  const pictures = {
    "a film": moving(photo, FRAME, FRAMES, true),
    "a spot on a photograph": moving(photo, FRAME, FRAMES, false),
    "a spot on a page": moving(page, FRAME, FRAMES, false),
  };
  for (const name of MOVING) {
    const { can, recompress }: FormatDefinition = FORMATS[name];
    const settings = encodeSettings({ kind: "quality", quality: 80 }, FORMATS[name], true);
    yield writing(`animation: ${name} written, a film`, name, pictures["a film"], settings);
    if (can.lossless) {
      const exact = encodeSettings({ kind: "lossless" }, FORMATS[name], true);
      yield writing(`animation: ${name} written exactly, a film`, name, pictures["a film"], exact);
    }
    for (const [what, picture] of Object.entries(pictures)) {
      const file = await fileOf(name, picture);
      yield reading(`animation: ${name} read, ${what}`, file);
      if (recompress) yield recompressing(`animation: ${name} recompressed, ${what}`, file, { progressive: false });
      yield request(`animation: ${name} by search, ${what}`, file, { to: name });
      const resize = { ...RESIZE, width: 200, mode: "auto" };
      yield request(`animation: ${name} resized, ${what}`, file, { to: name, operations: { resize } });
    }
  }
}

async function* searches({ photo, soft, page, glass }: Material): AsyncGenerator<Job, void> {
  const files = {
    "a photograph": await fileOf("png", pictureOf([part(photo, MEDIUM)]), EXACT),
    "a page": await fileOf("png", pictureOf([part(page, MEDIUM)]), EXACT),
  };
  for (const [name] of WRITABLE) {
    for (const [what, file] of Object.entries(files)) yield request(`search: ${name}, ${what}`, file, { to: name });
    const target = Math.ceil(MEDIUM.width * MEDIUM.height * (name === "png" || name === "gif" ? 0.6 : 0.12));
    yield request(`search: ${name} of a size, a photograph`, files["a photograph"], {
      to: name,
      optimize: { lossless: false, target_bytes: target },
    });
  }
  const large = bitmapFile(part(soft, LARGE));
  for (const name of ["jpeg", "webp", "png", "gif"] as const) {
    yield request(`search: ${name}, a photograph of 3 MP`, large, { to: name });
  }
  const see = await fileOf("png", translucent(glass), EXACT);
  for (const name of ["webp", "png", "avif"] as const) yield request(`search: ${name}, a glass`, see, { to: name });
  for (const [what, progressive] of [
    ["baseline", false],
    ["progressive", true],
  ] as const) {
    for (const size of [MEDIUM, LARGE, HUGE]) {
      const file = await fileOf("jpeg", pictureOf([part(size === MEDIUM ? photo : soft, size)]), {
        quality: 92,
        progressive,
      });
      const megapixels = ((size.width * size.height) / 1e6).toFixed(0);
      yield request(`search: jpeg of a ${what} jpeg, ${megapixels} MP`, file, { to: "jpeg" });
    }
  }
}

async function* operations({ soft, glass }: Material): AsyncGenerator<Job, void> {
  const overlay = new Uint8Array(MARK).buffer;
  const opaque = part(soft, LARGE);
  const seen = part(glass, MEDIUM);
  for (const [operation, params] of LINES) {
    yield await operating(operation, params, opaque, { overlay });
    yield await operating(operation, params, seen, { opaque: false, overlay });
  }
  for (const factor of [2, 3, 4]) {
    yield await operating("upscale", { factor }, part(soft, MEDIUM));
    yield await operating("upscale", { factor }, seen, { opaque: false });
  }
  const file = await fileOf("jpeg", pictureOf([opaque]));
  for (const [what, operation, params] of LOOKING) {
    const job = {
      to: "jpeg",
      operations: { [operation]: params },
      optimize: { lossless: false, quality: 80 },
    } as const;
    yield request(`operation: ${operation} ${what}, from file to file`, file, job);
  }
}

/** Operations that look at the picture before anything is done. */
const LOOKING = [
  ["enhance", "auto", { enhance: true, redeye: false }],
  ["redeye", "auto", { enhance: false, redeye: true }],
  ["to a face", "crop", { mode: "face", padding: 1, faces: "one" }],
] as const;

async function* resizes({ photo, soft }: Material): AsyncGenerator<Job, void> {
  const modes = {
    auto: { width: 800 },
    fit: { width: 500, height: 500 },
    fill: { width: 500, height: 500 },
    exact: { width: 700, height: 300 },
  };
  for (const size of [MEDIUM, HUGE]) {
    const megapixels = ((size.width * size.height) / 1e6).toFixed(0);
    const pixels = part(size === HUGE ? soft : photo, size);
    const file = await fileOf("jpeg", pictureOf([pixels]));
    for (const [mode, sides] of Object.entries(modes)) {
      const resize = { ...RESIZE, ...sides, mode };
      yield await operating("resize", { ...sides, mode }, pixels);
      for (const to of ["jpeg", "webp"] as const) {
        const order = { to, operations: { resize }, optimize: { lossless: false, quality: 80 } };
        yield request(`resize: ${mode} of a jpeg of ${megapixels} MP to ${to}`, file, order);
      }
    }
    yield await operating("resize", { width: 800, linear: true }, pixels);
  }
  yield await operating("resize", { width: 1_600 }, part(photo, MEDIUM));
}

async function* comparisons({ photo, soft, page, glass }: Material): AsyncGenerator<Job, void> {
  for (const [what, pixels] of [
    ["a photograph", part(photo, MEDIUM)],
    ["a page", part(page, MEDIUM)],
  ] as const) {
    yield* scoring(what, pixels, part(photo, MEDIUM, 1));
  }
  yield* scoring("a glass", part(glass, SMALL), part(glass, SMALL, 1), false);
  yield* scoring("a photograph of 12 MP", part(soft, HUGE), part(soft, HUGE, 1)).slice(0, 1);
}
