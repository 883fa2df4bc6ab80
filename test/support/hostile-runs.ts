/**
 * Files with a run of one character as long as they are, where something reads a text by a regular expression: one that tries
 * each place of a run anew takes time squared. Each is one of the families of hostile-framing.ts.
 */
import { deflateSync } from "node:zlib";

import { chunk, joined, png, riff, svg, text, VP8L, VP8X, webpChunk } from "./framed.ts";

/** A packet of XMP, and a text of PNG, are not read beyond these. */
const MOST_XMP = 250_000;
const MOST_TEXT = 500_000;

const drawing = (style: string) => svg("", `<path d="M0 0h9v9z" style="${style}"/>`);

export const RUNS: Readonly<Record<string, (bytes: number) => Uint8Array>> = {
  "PNG, a profile of spaces": (bytes) => {
    const spaces = deflateSync(text(`a 1 ${" ".repeat(Math.min(bytes, MOST_TEXT))}!`));
    return png(chunk("zTXt", joined(text("Raw profile type exif\0\0"), spaces)));
  },
  "WebP, XMP of zeros": (bytes) => {
    const packet = joined(new Uint8Array(Math.min(bytes, MOST_XMP)), text("x"));
    return riff(joined(VP8X(4), VP8L, webpChunk("XMP ", packet)));
  },
  "SVG, a run in an angle": (bytes) => drawing(`transform:rotate(${"1".repeat(bytes)}x)`),
  "SVG, a run in a transform": (bytes) => svg("", `<g transform="${"a".repeat(bytes)}"><path d="M0 0h9v9z"/></g>`),
  "SVG, a run in a rotation": (bytes) => drawing(`rotate:a${" ".repeat(bytes)}b`),
  "SVG, a run in a color": (bytes) => drawing(`fill:rgb(${"1".repeat(bytes)}x,1,1)`),
  "SVG, a run in a hue": (bytes) => drawing(`fill:hsl(${"1".repeat(bytes)}x,1%,1%)`),
  "SVG, a run in a mixture": (bytes) => drawing(`fill:color-mix(in srgb,a${" ".repeat(bytes)}b,red)`),
  "SVG, a run in a function": (bytes) => drawing(`fill:(${"a".repeat(bytes)}`),
  "SVG, a run in a length": (bytes) => drawing(`stroke-dasharray:${"1".repeat(bytes)}`),
  "SVG, a run in a path": (bytes) => drawing(`clip-path:path(${" ".repeat(bytes)}x)`),
  "SVG, a run in a type": (bytes) => svg("", `<style type="${" ".repeat(bytes)}x">a{fill:red}</style><a/>`),
  "SVG, a run in a condition": (bytes) => svg("", `<style>@media (a:${" ".repeat(bytes)}{a{fill:red}}</style><a/>`),
  "SVG, manifests that have no end": (bytes) => svg("", `<!--${":manifest".repeat(bytes / 9)}/><>-->`),
  "SVG, a run in a list of conditions": (bytes) =>
    svg("", `<style media="a${" ".repeat(bytes)}b">a{fill:red}</style><a/>`),
};
