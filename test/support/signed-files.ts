/** Files that the reference implementation has signed, and what is done to their stores. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { detect } from "../../src/image/plan/detect.ts";
import { readPem } from "../../src/image/provenance/certificate.ts";
import { jumbfBox, readJumbf, type Superbox, writeSuperbox } from "../../src/image/provenance/jumbf.ts";
import { type VerifiedStore, verifyFile } from "../../src/image/provenance/verify.ts";
import { joined } from "../../src/joined.ts";
import gif from "../fixtures/provenance/signed-ed25519.gif";
import avif from "../fixtures/provenance/signed-es256.avif";
import heic from "../fixtures/provenance/signed-es256.heic";
import jpeg from "../fixtures/provenance/signed-es256.jpg";
import jxl from "../fixtures/provenance/signed-es256.jxl";
import svg from "../fixtures/provenance/signed-es256.svg";
import tiff from "../fixtures/provenance/signed-es256.tif";
import png from "../fixtures/provenance/signed-es384.png";
import webp from "../fixtures/provenance/signed-ps256.webp";
import { AUTHORITY } from "./test-signers.ts";

/** By the names of their formats. */
export const SIGNED_FILES: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  Object.entries({ jpeg, png, webp, gif, avif, heic, jxl, tiff, svg }).map(([name, file]) => [
    name,
    new Uint8Array(file),
  ]),
);
export const ANCHORS = readPem(AUTHORITY);
/** When they are judged: certificates are valid then. */
export const NOW = Date.parse("2026-12-01T00:00:00Z");

export function fileOf(name: string): Uint8Array {
  const file = SIGNED_FILES[name];
  if (!file) throw new Error("no such file");
  return file;
}

export function formatOf(file: Uint8Array): FormatDefinition {
  const name = detect(file);
  if (!name) throw new Error("no format");
  return FORMATS[name as keyof typeof FORMATS];
}

export function verified(file: Uint8Array, anchors = ANCHORS, now = NOW): Promise<VerifiedStore | undefined> {
  const format = formatOf(file);
  if (!format.manifest) throw new Error("no manifests in this format");
  return verifyFile(file, format.manifest, { anchors: async () => anchors, now });
}

/** The store of the PNG file, with what becomes of each of its boxes. */
export function storeWith(change: (box: Superbox) => Uint8Array | undefined): Uint8Array {
  const png = FORMATS.png.manifest;
  const found = png.find(fileOf("png"))?.store;
  if (!found) throw new Error("no store");
  return written(readJumbf(found), change);
}

/** A box with what becomes of those in it; as it is where nothing does, since descriptions may have salt. */
export function written(box: Superbox, change: (box: Superbox) => Uint8Array | undefined): Uint8Array {
  const changed = change(box);
  if (changed) return changed;
  const boxes = box.boxes.map((one) => written(one, change));
  if (boxes.every((one, index) => one === box.boxes[index]?.whole)) return box.whole;
  return writeSuperbox(box.kind, box.label, ...box.data.map(({ type, bytes }) => jumbfBox(type, bytes)), ...boxes);
}

/** The PNG file with another store. */
export function pngWith(store: Uint8Array): Uint8Array {
  const file = fileOf("png");
  const [range] = FORMATS.png.manifest.find(file)?.ranges ?? [];
  if (!range) throw new Error("no store");
  const without = joined([file.subarray(0, range.start), file.subarray(range.start + range.length)]);
  return FORMATS.png.manifest.write?.(without, store) ?? without;
}
