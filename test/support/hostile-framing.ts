/**
 * Files whose framing is made to cost: as many segments, chunks, boxes, entries and names as fit into their bytes, each
 * of which asks for a look at all the others. Their pictures are one pixel, or none.
 */
import { gzipSync } from "node:zlib";

import {
  FULL,
  GIF_FRAME,
  GIF_HEAD,
  PNG_HEAD,
  PNG_TAIL,
  VP8L,
  VP8X,
  avis,
  bomb,
  box,
  chunk,
  film,
  gif,
  heicOf,
  heif,
  itemsOf,
  j2c,
  j2cOfTiles,
  joined,
  jp2,
  jpeg,
  jxl,
  listed,
  numbered,
  png,
  psd,
  repeated,
  riff,
  segment,
  stscEntry,
  svg,
  text,
  tiff,
  together,
  u16,
  u32,
  u32le,
  webpChunk,
} from "./framed.ts";
import { DRAWINGS } from "./hostile-drawings.ts";
import { LINKS } from "./hostile-links.ts";
import { MANIFESTS } from "./hostile-manifests.ts";
import { REFERENCES } from "./hostile-references.ts";
import { RUNS } from "./hostile-runs.ts";
import { STORES } from "./hostile-stores.ts";
import { gridOf, groupedStill, sequenceOf, stillOf } from "./shared-parts.ts";

/** Makes a file of about so many bytes. */
type Family = (bytes: number) => Uint8Array;

const COMMENT_MARK = [0xda, 80, 0, 0, 0, 0];

const FILM_BRANDS = box("ftyp", text("isom"), u32(0), text("isomav01"));

/** Tables of samples that lie in one chunk each. */
const chunkForEach = (bytes: number) => [
  box("stsz", FULL, u32(1), u32(bytes / 20)),
  box("stts", FULL, u32(bytes / 20), repeated([...u32(0), ...u32(1)], (bytes / 20) * 8)),
  box(
    "stsc",
    FULL,
    u32(bytes / 60),
    numbered((bytes / 60) * 12, (index) => stscEntry(index + 1)),
  ),
  box("stco", FULL, u32(bytes / 20), repeated(u32(16), (bytes / 20) * 4)),
];

/** Tables of samples each of which is the whole file. */
const samplesOfAll = (bytes: number) => [
  box("stsz", FULL, u32(bytes), u32(1_400)),
  box("stts", FULL, u32(1), [...u32(1_400), ...u32(1)]),
  box("stsc", FULL, u32(1), stscEntry(1)),
  box("stco", FULL, u32(1_400), new Uint8Array(4 * 1_400)),
  box("free", new Uint8Array(bytes)),
];

/** Each by its name, which begins with that of the format. */
export const FRAMINGS: Readonly<Record<string, Family>> = {
  "JPEG, empty segments": (bytes) => jpeg(repeated(segment(0xef, []), bytes)),
  "JPEG, comments like marks": (bytes) => jpeg(repeated(segment(0xfe, COMMENT_MARK), bytes)),
  "JPEG, profiles in pieces": (bytes) =>
    jpeg(numbered(bytes, (index) => segment(0xe2, joined(text("ICC_PROFILE\0"), [(index % 255) + 1, 255, 0])))),
  "JPEG, EXIF": (bytes) =>
    jpeg(
      repeated(segment(0xe1, joined(text("Exif\0\0MM"), [0, 42, ...u32(8), 255, 255], new Uint8Array(65_000))), bytes),
    ),
  "JPEG, tables": (bytes) => jpeg(repeated(segment(0xdb, [0, ...Array<number>(64).fill(1)]), bytes)),
  "JPEG, fill bytes": (bytes) => jpeg(repeated([0xff], bytes)),
  "JPEG, scans": (bytes) =>
    joined(
      jpeg(new Uint8Array(0)).subarray(0, -2),
      repeated([0xff, 0xda, ...u16(8), 1, 1, 0, 0, 63, 0, 0x3f], bytes),
      [0xff, 0xd9],
    ),
  "PNG, empty chunks": (bytes) => png(repeated(chunk("teXt", []), bytes)),
  "PNG, marks": (bytes) => png(repeated(chunk("drKM", [80]), bytes)),
  "PNG, a compressed text": (bytes) => png(chunk("zTXt", joined(text("a\0\0"), bomb(bytes)))),
  "PNG, compressed profiles": (bytes) => png(repeated(chunk("iCCP", joined(text("a\0\0"), bomb(4_096))), bytes)),
  "PNG, empty data": (bytes) => joined(PNG_HEAD, repeated(chunk("IDAT", []), bytes), PNG_TAIL),
  "PNG, frame headers": (bytes) =>
    joined(
      PNG_HEAD,
      chunk("acTL", [...u32(2), ...u32(0)]),
      repeated(chunk("fcTL", [...u32(0), ...u32(1), ...u32(1), ...u32(0), ...u32(0), 0, 1, 0, 1, 0, 0]), bytes),
      PNG_TAIL,
    ),
  "GIF, empty extensions": (bytes) => gif(repeated([0x21, 0xfe, 0], bytes)),
  "GIF, comments like marks": (bytes) => gif(repeated([0x21, 0xfe, 6, ...COMMENT_MARK, 0], bytes)),
  "GIF, profiles": (bytes) => gif(repeated([0x21, 0xff, 11, ...text("ICCRGBG1012"), 1, 0, 0], bytes)),
  "GIF, a profile in pieces": (bytes) =>
    gif(joined([0x21, 0xff, 11, ...text("ICCRGBG1012")], repeated([1, 7], bytes), [0])),
  "GIF, frames": (bytes) => joined(GIF_HEAD, repeated(GIF_FRAME, bytes), [0x3b]),
  "GIF, an image in pieces": (bytes) =>
    joined(GIF_HEAD, [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2], repeated([1, 0x44], bytes), [0, 0x3b]),
  "WebP, empty chunks": (bytes) => riff(joined(VP8X(0), repeated(webpChunk("ABCD", []), bytes), VP8L)),
  "WebP, marks": (bytes) => riff(joined(VP8X(0), repeated(webpChunk("DRKM", [80]), bytes), VP8L)),
  "WebP, frames": (bytes) =>
    riff(
      joined(
        VP8X(2),
        webpChunk("ANIM", new Uint8Array(6)),
        repeated(webpChunk("ANMF", joined(new Uint8Array(16), VP8L)), bytes),
      ),
    ),
  "WebP, a frame of empty chunks": (bytes) =>
    riff(joined(VP8X(2), webpChunk("ANMF", joined(new Uint8Array(16), repeated(webpChunk("ABCD", []), bytes), VP8L)))),
  "HEIF, empty boxes": (bytes) => heif(repeated(box("free"), bytes)),
  "HEIF, boxes in boxes": (bytes) => {
    const depth = Math.floor(bytes / 8);
    return heif(numbered(depth * 8, (index) => joined(u32((depth - index) * 8), text("meta"))));
  },
  "HEIF, items": (bytes) => heif(itemsOf(Math.min(32_000, Math.floor(bytes / 21)), "hvc1")),
  "HEIF, properties": (bytes) =>
    heif(itemsOf(1, "hvc1"), box("iprp", box("ipco", repeated(box("ispe", FULL, u32(1), u32(1)), bytes)))),
  "HEIF, associations": (bytes) => {
    const one = [...u16(1), 255, ...Array<number>(255).fill(1)];
    const count = Math.floor(bytes / one.length);
    const ipco = box("ipco", box("ispe", FULL, u32(1), u32(1)));
    return heif(
      itemsOf(1, "hvc1"),
      box("iprp", ipco, box("ipma", FULL, u32(count), repeated(one, count * one.length))),
    );
  },
  "HEIF, references": (bytes) =>
    heif(itemsOf(1, "iovl"), box("iref", FULL, repeated(box("auxl", u16(1), u16(1), u16(2)), bytes))),
  "HEIF, a grid of grids": (bytes) => {
    const count = Math.min(30_000, Math.floor(bytes / 48));
    const references = numbered(count * 14, (index) => box("dimg", u16(index + 1), u16(1), u16(index + 2)));
    return heif(itemsOf(count, "grid"), box("iref", FULL, references));
  },
  "HEIF, identities of identities": (bytes) => {
    const count = Math.min(30_000, Math.floor(bytes / 48));
    const references = numbered(count * 14, (index) => box("dimg", u16(index + 1), u16(1), u16(index + 2)));
    return heif(itemsOf(count, "iden"), box("iref", FULL, references));
  },
  "HEIF, items that are all of the file": (bytes) => {
    const count = Math.min(30_000, Math.floor(bytes / 60));
    const whole = (id: number) => [...u16(id), ...u16(0), ...u16(2), ...u32(0), ...u32(bytes), ...u32(0), ...u32(8)];
    const locations = together(Array.from({ length: count }, (_, index) => whole(index + 1)));
    return heif(itemsOf(count, "hvc1"), box("iloc", [...FULL, 0x44, 0, ...u16(count)], locations));
  },
  "HEIF, tracks": (bytes) =>
    joined(box("ftyp", text("heic"), u32(0), text("msf1heic")), box("moov", repeated(box("trak", box("mdia")), bytes))),
  "AVIF, a sequence in one chunk for every sample": (bytes) => avis(...chunkForEach(bytes)),
  "AVIF, samples that are all of the file": (bytes) => avis(...samplesOfAll(bytes)),
  "MP4, a film in one chunk for every sample": (bytes) => film(...chunkForEach(bytes)),
  "MP4, samples that are all of the file": (bytes) => film(...samplesOfAll(bytes)),
  "MP4, tracks": (bytes) => joined(FILM_BRANDS, box("moov", repeated(box("trak", box("mdia")), bytes))),
  "MP4, empty boxes": (bytes) => joined(film(), repeated(box("free"), bytes)),
  "MP4, a size of every sample that is not there": (bytes) =>
    joined(film(box("stsz", FULL, u32(0), u32(0xffff_ffff))), box("free", new Uint8Array(bytes))),
  "HEIF, a list of items again in every track": (bytes) => {
    // Pieces without a place and a length take no bytes of the file, and are all of it.
    const locations = box("iloc", FULL, [0, 0], u16(1), [...u16(1), ...u16(0), ...u16(60_000)]);
    const list = box("meta", FULL, itemsOf(1, "Exif"), locations);
    const tracks = repeated(box("trak", list), bytes);
    const brands = box("ftyp", text("heic"), u32(0), text("msf1heic"));
    return joined(brands, box("moov", tracks));
  },
  "HEIF, an item again and again": (bytes) => {
    const locations = box("iloc", FULL, [0, 0], u16(1), [...u16(1), ...u16(0), ...u16(60_000)]);
    const entries = repeated(itemsOf(1, "Exif").subarray(16), bytes);
    return heif(box("iinf", [1, 0, 0, 0], u32(entries.length / 21), entries), locations);
  },
  "TIFF, entries": (bytes) =>
    tiff(
      Array<number[]>(Math.floor(bytes / 12)).fill([...u16(60_000), ...u16(1), ...u32(1), 0, 0, 0, 0]),
      Uint8Array.of(0, 0, 0, 0, 0),
    ),
  "TIFF, directories": (bytes) =>
    tiff(
      [],
      numbered(bytes, (index) =>
        joined(u16(1), [...u16(254), ...u16(4), ...u32(1), ...u32(1)], u32(8 + 78 + (index + 1) * 18)),
      ),
    ),
  "TIFF, long values": (bytes) =>
    tiff(
      Array.from({ length: 2_000 }, (_, index) => [...u16(50_000 + index), ...u16(1), ...u32(bytes), ...u32(8)]),
      new Uint8Array(bytes),
    ),
  "TIFF, directories of a camera that share a preview": (bytes) => {
    // Each names all that is behind them: a JPEG file of as many segments as fit.
    const [count, size] = [200, 2 + 3 * 12 + 4];
    const from = 8 + 2 + 7 * 12 + 4 + count * size;
    const named = [...u16(513), ...u16(4), ...u32(1), ...u32(from), ...u16(514), ...u16(4), ...u32(1), ...u32(bytes)];
    const mark = [...u16(50_706), ...u16(1), ...u32(4), 1, 4, 0, 0];
    const one = (index: number) => joined(u16(3), named, mark, u32(from - (count - index - 1) * size));
    const chain = together(Array.from({ length: count }, (_, index) => one(index)));
    return tiff([mark], joined(chain, [0xff, 0xd8], repeated(segment(0xef, []), bytes)));
  },
  "TIFF, directories of a camera in a circle": (bytes) =>
    tiff([[...u16(330), ...u16(4), ...u32(1), ...u32(8)]], joined(u16(0), u32(8), new Uint8Array(bytes))),
  "TIFF, beginnings of previews of a camera": (bytes) =>
    joined(text("FUJIFILMCCD-RAW "), repeated([0xff, 0xd8, 0xff, 0xef, 0, 2], bytes)),
  "TIFF, previews of a camera inside of each other": (bytes) =>
    joined(text("FUJIFILMCCD-RAW "), repeated([0xff, 0xd8, ...segment(0xef, [0xff, 0xd8, 0xff, 0xef, 0, 4])], bytes)),
  "TIFF, boxes of a camera": (bytes) =>
    joined(box("ftyp", text("crx "), u32(1), text("crx isom")), repeated(box("CMT1"), bytes)),
  "HEIC, units": (bytes) => heicOf(new Uint8Array(23), new Uint8Array(bytes)),
  "HEIC, units of a configuration": (bytes) => {
    const lists = numbered(bytes, () => joined([32], u16(65_535), new Uint8Array(2 * 65_535))).subarray(0, bytes);
    return heicOf(joined(new Uint8Array(22), [255], lists), new Uint8Array(0));
  },
  "AVIF, units": (bytes) => stillOf({ units: bytes }),
  "AVIF, units of frames that share them": (bytes) => sequenceOf(100, bytes),
  "AVIF, properties": (bytes) => stillOf({ properties: bytes }),
  "AVIF, a grid of one item in two pieces": (bytes) => gridOf(160, bytes),
  "JPEG XL, empty boxes": (bytes) => jxl(repeated(box("free"), bytes)),
  "JPEG XL, a codestream in pieces": (bytes) => jxl(repeated(box("jxlp", u32(0), [0]), bytes)),
  "JPEG 2000, markers": (bytes) => j2c(repeated([0xff, 0x64, 0, 2], bytes)),
  "JPEG 2000, markers of a tile": (bytes) => j2c(new Uint8Array(0), repeated([0xff, 0x64, 0, 2], bytes)),
  "JPEG 2000, parts of tiles": (bytes) => j2cOfTiles(bytes),
  "AVIF, references and groups": (bytes) => groupedStill(bytes),
  "JPEG 2000, empty boxes": (bytes) => jp2(repeated(box("free"), bytes), new Uint8Array(0)),
  "JPEG 2000, color boxes": (bytes) => jp2(new Uint8Array(0), repeated(box("colr", [1, 0, 0, ...u32(99)]), bytes)),
  "JPEG 2000, channels": (bytes) => jp2(new Uint8Array(0), box("cmap", new Uint8Array(bytes))),
  "PSD, resources": (bytes) =>
    psd(repeated([...text("8BIM"), ...u16(1_000), 0, 0, ...u32(0)], bytes), new Uint8Array(0)),
  "PSD, layer blocks": (bytes) =>
    psd(new Uint8Array(0), joined(u32(0), u32(0), repeated([...text("8BIMabcd"), ...u32(0)], bytes))),
  "JPEG, resources of Photoshop": (bytes) =>
    jpeg(
      numbered(bytes, () =>
        segment(0xed, joined(text("Photoshop 3.0\0"), repeated([...text("8BIM"), 0, 1, 0, 0, ...u32(0)], 60_000))),
      ),
    ),
  "BMP, a palette": (bytes) =>
    joined(
      text("BM"),
      u32le(0),
      u32le(0),
      u32le(54),
      u32le(40),
      u32le(1),
      u32le(1),
      [1, 0, 8, 0],
      new Uint8Array(bytes),
    ),
  "ICO, entries": (bytes) =>
    joined([0, 0, 1, 0, 255, 255], repeated([16, 16, 0, 0, 1, 0, 32, 0, ...u32le(4_000_000_000), ...u32le(22)], bytes)),
  ...DRAWINGS,
  "SVG, elements": (bytes) =>
    svg(
      "",
      listed(bytes, () => "<g/>"),
    ),
  "SVG, elements in elements": (bytes) =>
    svg("", `${listed(bytes / 2, () => "<g>")}${listed(bytes / 2, () => "</g>")}`),
  "SVG, attributes": (bytes) =>
    svg(
      listed(bytes, (index) => ` a${index}="1"`),
      "",
    ),
  "SVG, prefixes": (bytes) =>
    svg(
      listed(bytes / 2, (index) => ` xmlns:a${index}="b"`),
      listed(bytes / 2, (index) => `<g xmlns:b${index}="b"/>`),
    ),
  "SVG, entities": (bytes) =>
    text(
      `<!DOCTYPE svg [${listed(bytes / 2, (index) => `<!ENTITY e${index} "x">`)}]><svg xmlns="http://www.w3.org/2000/svg">${listed(bytes / 2, () => "&e1;")}</svg>`,
    ),
  "SVG, entities without an end": (bytes) => text(`<!DOCTYPE svg [${listed(bytes, () => '<!ENTITY a "')}]><svg/>`),
  "SVG, document types": (bytes) => text(listed(bytes, () => "<!DOCTYPE svg>")),
  "SVG, comments": (bytes) =>
    svg(
      "",
      listed(bytes, () => "<!---->"),
    ),
  "SVG, comments without an end": (bytes) =>
    svg(
      "",
      listed(bytes, () => "<!--"),
    ),
  "SVG, styles": (bytes) => svg("", `<style>${listed(Math.min(bytes, 1_900_000), () => "@import@import{")}</style>`),
  "SVG, rules": (bytes) => svg("", `<style>${listed(bytes, (index) => `.a${index}{x:y}`)}</style>`),
  "SVG, declarations": (bytes) => svg(` style="${listed(bytes, () => "a:b;")}"`, ""),
  "SVG, functions in functions": (bytes) => svg(` style="fill:${listed(bytes, () => "url(")}"`, ""),
  "SVG, classes": (bytes) => svg(` class="${listed(bytes, (index) => `a${index} `)}"`, ""),
  "SVG, white space": (bytes) => text(`${" ".repeat(bytes)}<svg/>`),
  "SVG, a size": (bytes) => text(`<svg xmlns="http://www.w3.org/2000/svg" width="${"1".repeat(bytes)}"/>`),
  "SVG, a path": (bytes) => svg("", `<path d="M0 0${listed(bytes, () => "h1")}"/>`),
  "SVG, data": (bytes) => svg("", `<image href="data:image/png;base64,${" ".repeat(bytes)}!"/>`),
  "SVGZ, white space": (bytes) => new Uint8Array(gzipSync(text(`${" ".repeat(bytes * 100)}<svg/>`))),
  "SVGZ, members": (bytes) => repeated(gzipSync(text("<svg/>")), bytes),
  "SVGZ, elements": (bytes) =>
    new Uint8Array(
      gzipSync(
        svg(
          "",
          listed(Math.min(bytes * 100, 4_000_000), () => "<g/>"),
        ),
      ),
    ),
  ...LINKS,
  ...REFERENCES,
  ...MANIFESTS,
  ...STORES,
  ...RUNS,
};
