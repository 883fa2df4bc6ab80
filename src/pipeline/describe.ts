/** What answers and counts say of files, and of how they were made. */
import { PROVENANCE } from "../contract/members.ts";
import type { AnalysisAnswers, InputMetadata, OutputMetadata } from "../contract/response.ts";
import type { Facts, FormatDefinition } from "../image/codec/format.ts";
import { turnSize } from "../image/pixels/geometry.ts";
import type { Part, Stopwatch } from "../image/pixels/stopwatch.ts";
import { chainOf, summaryOf } from "../image/provenance/report.ts";
import type { Original as RenderedInput, ResultFile } from "../image/render/order.ts";
import { looksAt } from "../image/search/second-opinion.ts";
import { count } from "../metrics.ts";

/** What was found out about an original besides what its file is. */
export function foundIn({
  faces,
  focus,
  provenance,
}: RenderedInput): Pick<InputMetadata, "faces" | "focus" | "provenance"> {
  return {
    ...(faces && { faces: [...faces] }),
    ...(focus && { focus }),
    ...(provenance && { provenance: summaryOf(provenance) }),
  };
}

/** Where an original is from, where that is asked for. */
export function chainIn(
  names: readonly string[] | undefined,
  { provenance }: RenderedInput,
): Pick<AnalysisAnswers, "provenance"> {
  return names?.includes(PROVENANCE) ? { provenance: provenance ? chainOf(provenance) : null } : {};
}

/**
 * What an answer says of an original that is not drawn as it says, and of what the format of a result cannot hold; a
 * drawing that is handed on as such is not drawn.
 */
export function warningsOf(
  { format, facts: { undrawn = [] } }: RenderedInput,
  { format: written, limits = [] }: Pick<ResultFile, "format" | "limits">,
): Pick<OutputMetadata, "warnings"> {
  const warnings = [...(format === written ? [] : undrawn), ...limits];
  return warnings.length > 0 ? { warnings } : {};
}

/** What an answer says of how a result looks, by both opinions. */
export function looksOf({
  score,
  metric = score,
  searched,
}: ResultFile): Pick<OutputMetadata, "score" | "looks" | "searched"> {
  return {
    ...(score !== undefined &&
      metric !== undefined && { score: Math.round(metric * 100) / 100, looks: looksAt(score) }),
    ...(searched === false && { searched }),
  };
}

/** What a format is called where the work came to nothing. */
export const NONE = "none";

export function countTime({ spent }: Stopwatch, from: string, to: string): void {
  const formats = { decode: from, operations: from, encode: to } as const;
  for (const [stage, format] of Object.entries(formats) as [Part, string][]) {
    count("processing_seconds_total", { stage, format }, Math.max(0, spent[stage]) / 1000);
  }
}

export function countPicture(from: InputMetadata, to: InputMetadata): void {
  count("pictures_total", { from: from.format, to: to.format });
  count("picture_bytes_total", { way: "in", format: from.format }, from.bytes);
  count("picture_bytes_total", { way: "out", format: to.format }, to.bytes);
}

/** The name of a result: that of the original with the extension of the format. */
export function rename(name: string, format: FormatDefinition): string {
  const base = name.replace(/\.[^.]*$/, "");
  const [usual] = format.extensions;
  const extension = format.extensions.find((known) => name.toLowerCase().endsWith(`.${known}`)) ?? usual;
  return `${base || "image"}.${extension}`;
}

export type Measured = Pick<InputMetadata, "bytes" | "sha1">;

/** What answers say of the bytes of a file. */
export async function measured(bytes: Uint8Array): Promise<Measured> {
  const digest = await crypto.subtle.digest("SHA-1", bytes as Uint8Array<ArrayBuffer>);
  return { bytes: bytes.length, sha1: new Uint8Array(digest).toHex() };
}

/**
 * What a file is, as answers say it: its size is that of the picture as it is shown, whatever its orientation tag says.
 */
export function metadata(
  { format, facts }: { format: FormatDefinition; facts: Facts },
  name: string,
  { bytes, sha1 }: Measured,
): InputMetadata {
  const { width, height } = turnSize(facts, facts.orientation);
  return {
    name,
    format: format.label,
    width,
    height,
    colorspace: facts.colorspace,
    interlaced: facts.interlaced,
    subsample: facts.subsample,
    sampling: facts.subsample,
    depth: facts.depth,
    quality: facts.quality,
    bytes,
    frames: facts.frames,
    alpha: facts.alpha,
    sha1,
    ...(facts.isPreview && { preview: true }),
  };
}
