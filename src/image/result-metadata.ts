/** The metadata of a result: what its request keeps of the original's, and how that gets into its file. */
import { ApiError } from "../errors.ts";
import type { FormatDefinition } from "./format.ts";
import { FORMATS } from "./formats.ts";
import { keptMetadata, type Metadata, metadataBytes } from "./metadata.ts";
import type { MetadataWish } from "./metadata/wish.ts";
import type { Rendition } from "./optimize/rendition.ts";
import { type Aim, type Output, outputFormat } from "./output.ts";
import type { Stored } from "./pipeline.ts";
import { SharedBytes } from "./shared-bytes.ts";

/**
 * What is kept of the original's metadata, which outlives its bytes.
 * @param known what was read for other results of the original
 * @throws ApiError 422 when the format that is named cannot hold any
 */
export function keptOf(
  { bytes, format }: Stored,
  output: Output | undefined,
  known = new Map<MetadataWish, Metadata>(),
): Metadata {
  const { metadata: wish = "none", format: word } = output ?? {};
  if (wish === "none") return {};
  const named = word === undefined || word === "auto" ? undefined : (FORMATS[outputFormat(word)] as FormatDefinition);
  if (named && !named.metadata?.write) {
    throw new ApiError(422, "output.metadata must be none in this output.format, which cannot hold any");
  }
  const kept = known.get(wish) ?? keptMetadata(format.metadata?.read(bytes) ?? {}, wish);
  known.set(wish, kept);
  return kept;
}

/** A size that is asked for is that of the file with its metadata. */
export function besideMetadata(aim: Aim, bytes: number): Aim {
  return aim.kind === "size" ? { ...aim, bytes: Math.max(1, aim.bytes - bytes) } : aim;
}

/** A result with what is kept; the file without it is released. */
export function withMetadata<Made extends Rendition & { readonly format: FormatDefinition }>(
  made: Made,
  kept: Metadata,
): Made {
  const { write } = made.format.metadata ?? {};
  if (!write || made.hasMetadata || metadataBytes(kept) === 0) return made;
  const file = SharedBytes.of(write(made.file.bytes, kept));
  made.file.release();
  return { ...made, file };
}
