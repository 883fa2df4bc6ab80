/**
 * A local server that reads pictures with libvips and the decoders behind it, none of which are ours: what the service
 * stores is held against what they say of it.
 */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Sharp, SharpOptions } from "sharp";
import type { TestProject } from "vitest/node";

import { endReading, exiftoolMissing, tagged, tagsOf } from "./exiftool.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Base URL of the reader, without a slash at the end. */
    reader: string;
  }
}

/** What the reader says of a file. */
export interface Reading {
  /** As libvips calls it: `jpeg`, `png`, `webp`, `gif`, `heif`, `svg`. */
  readonly format: string;
  /** Of one frame, as stored. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Pixels have an alpha. */
  readonly alpha: boolean;
  /** One of them, of any frame that libvips reads, is not opaque. */
  readonly translucent: boolean;
  /** One of them shows through in part. */
  readonly blended: boolean;
  /** 1 where the file has no orientation tag. */
  readonly orientation: number;
  readonly progressive: boolean;
  /** Mean red, green and blue of the cells of a grid over the first frame, upright and on white. */
  readonly grid: readonly number[];
}

/** A region of a picture, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Cells in a row and in a column of the grid. */
const GRID_SIDE = 4;
/** Where the first chunk of a PNG file begins, behind its signature. */
const FIRST_CHUNK = 8;
/** Length, type and checksum of a PNG chunk. */
const CHUNK_FRAME = 12;

/**
 * `POST /reading` answers with a `Reading`, `POST /pixels` with upright RGBA, `POST /trimmed?threshold=<levels>` with what
 * libvips leaves of the first frame when it trims it, `POST /tags` with the metadata that ExifTool finds, `POST /tagged`
 * with the file and metadata that ExifTool writes, `POST /chain?calls=<names with arguments>` with what sharp makes of the
 * file by these calls, `POST /metadata` with what it says of the header, both with its `options`, `POST /exiftool` with the reason why there is none, if there is none;
 * 415 for what cannot be decoded whole.
 */
export default async function startReader(project: TestProject): Promise<() => void> {
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(415).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  project.provide("reader", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return () => stop(server);
}

function stop(server: Server): void {
  endReading();
  server.closeAllConnections();
  server.close();
}

async function answer(request: IncomingMessage): Promise<string | Buffer> {
  const file = Buffer.concat(await request.toArray());
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://reader");
  if (pathname === "/exiftool") return (await exiftoolMissing()) ?? "";
  if (pathname === "/tags") return tagsOf(file);
  if (pathname === "/tagged") return tagged(file, searchParams.has("iptc"));
  // Loaded when it is needed: most test files never ask.
  const { default: sharp } = await import("sharp");
  const open = (animated: boolean) => sharp(file, { failOn: "warning", animated });
  if (request.url === "/pixels") return open(false).autoOrient().toColourspace("srgb").ensureAlpha().raw().toBuffer();
  if (pathname === "/trimmed") return JSON.stringify(await trimmedOf(open(false), searchParams));
  if (pathname === "/chain" || pathname === "/metadata") {
    const options = JSON.parse(searchParams.get("options") ?? "{}") as SharpOptions;
    const calls = JSON.parse(searchParams.get("calls") ?? "[]") as Call[];
    const chain = called(sharp(file, options), calls);
    if (pathname === "/metadata") return JSON.stringify(await chain.metadata());
    const { data, info } = await chain.toBuffer({ resolveWithObject: true });
    return JSON.stringify({ info, file: data.toString("base64") });
  }
  return JSON.stringify(await readingOf(file, open));
}

/** The name of a method, and what it is called with. */
export type Call = readonly [name: string, ...given: unknown[]];

/** A chain after calls, each of which gives the next one. */
export function called<Chain>(chain: Chain, calls: readonly Call[]): Chain {
  return calls.reduce((before, [name, ...given]) => {
    const methods = before as unknown as Record<string, (...given: readonly unknown[]) => Chain>;
    const method = methods[name];
    if (!method) throw new TypeError(`there is no ${name}`);
    return method.apply(before, given);
  }, chain);
}

/** The box that is left when edges are removed, in the upright picture; a parameter `line` keeps thin lines. */
async function trimmedOf(image: Sharp, parameters: URLSearchParams): Promise<Box> {
  const threshold = Number(parameters.get("threshold"));
  const background = parameters.get("color");
  const upright = await image.autoOrient().toColourspace("srgb").png({ compressionLevel: 0 }).toBuffer();
  const { default: sharp } = await import("sharp");
  const options = { threshold, lineArt: parameters.has("line"), ...(background !== null && { background }) };
  const { info } = await sharp(upright).trim(options).toBuffer({ resolveWithObject: true });
  const { width, height, trimOffsetLeft = 0, trimOffsetTop = 0 } = info;
  return { x: -trimOffsetLeft, y: -trimOffsetTop, width, height };
}

async function readingOf(file: Buffer, open: (animated: boolean) => Sharp): Promise<Reading> {
  const metadata = await open(true).metadata();
  const { format, width, height, pageHeight = height, pages = 1, hasAlpha, orientation = 1, isProgressive } = metadata;
  // Every pixel of every frame is decoded, so that a damaged one is noticed.
  const all = await open(true).toColourspace("srgb").ensureAlpha().raw().toBuffer();
  const upright = open(false).autoOrient().toColourspace("srgb").ensureAlpha().raw();
  const first = await upright.toBuffer({ resolveWithObject: true });
  return {
    format,
    width,
    height: pageHeight,
    frames: format === "png" ? pngFrames(file) : pages,
    alpha: hasAlpha,
    translucent: all.some((level, at) => at % 4 === 3 && level < 255),
    blended: all.some((level, at) => at % 4 === 3 && level > 0 && level < 255),
    orientation,
    progressive: isProgressive,
    grid: gridOf(first.data, first.info.width, first.info.height),
  };
}

function gridOf(pixels: Buffer, width: number, height: number): number[] {
  const sums = new Float64Array(GRID_SIDE * GRID_SIDE * 3);
  const counts = new Float64Array(GRID_SIDE * GRID_SIDE);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const column = Math.floor(((pixel % width) * GRID_SIDE) / width);
    const cell = Math.floor((Math.floor(pixel / width) * GRID_SIDE) / height) * GRID_SIDE + column;
    const alpha = (pixels[pixel * 4 + 3] ?? 0) / 255;
    counts[cell] = (counts[cell] ?? 0) + 1;
    for (let channel = 0; channel < 3; channel++) {
      const level = (pixels[pixel * 4 + channel] ?? 0) * alpha + 255 * (1 - alpha);
      sums[cell * 3 + channel] = (sums[cell * 3 + channel] ?? 0) + level;
    }
  }
  return Array.from(sums, (sum, at) => sum / Math.max(1, counts[Math.floor(at / 3)] ?? 0));
}

/** Frames of a PNG file, of which libvips reads the first only: what the chunk `acTL` says. */
function pngFrames(file: Buffer): number {
  for (let at = FIRST_CHUNK; at + CHUNK_FRAME <= file.length; at += CHUNK_FRAME + file.readUInt32BE(at)) {
    if (file.toString("latin1", at + 4, at + 8) === "acTL") return file.readUInt32BE(at + 8);
  }
  return 1;
}
