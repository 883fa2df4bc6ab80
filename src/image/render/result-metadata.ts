/** The metadata of a result: what its request keeps of the original's, and how that gets into its file. */
import { ApiError } from "../../errors.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { keptMetadata, type Metadata, metadataBytes } from "../metadata/blocks.ts";
import { sourceTypeIn } from "../metadata/source-type.ts";
import { withSourceType } from "../metadata/xmp.ts";
import { namedFormat, type Objective, type Output } from "../plan/output.ts";
import type { Stored } from "../plan/planned-picture.ts";
import { type FormattedRendition, withBytes } from "../search/rendition.ts";

/** What was read of an original for its results, by what is asked for. */
export type KnownMetadata = Map<string, Metadata>;

/**
 * What is kept of the original's metadata, which outlives its bytes.
 * @param known what was read for other results of the original
 * @param sourceType that manifests of the original state, which results are without
 * @throws ApiError 422 when the format that is named cannot hold any
 */
export function keptOf(
  { bytes, format }: Pick<Stored, "bytes" | "format">,
  output: Output | undefined,
  known: KnownMetadata = new Map(),
  sourceType?: string,
): Metadata {
  const { metadata: option = "none", provenance } = output ?? {};
  const named = namedFormat(output);
  if (option !== "none" && named && !named.metadata?.write) {
    throw new ApiError(422, "output.metadata must be none in this output.format, which cannot hold any");
  }
  const dropsMark = provenance === "drop";
  const key = `${option} ${dropsMark}`;
  const kept = known.get(key) ?? keptMetadata(foundIn(format, bytes, sourceType), option, dropsMark);
  known.set(key, kept);
  return kept;
}

/** The metadata of a file. What manifests state and XMP does not is taken as if it did. */
function foundIn({ metadata }: FormatDefinition, bytes: Uint8Array, sourceType: string | undefined): Metadata {
  const found = metadata?.read(bytes) ?? {};
  const isMissing = sourceType !== undefined && !(found.xmp && sourceTypeIn(found.xmp));
  return isMissing ? { ...found, xmp: withSourceType(found.xmp, sourceType) } : found;
}

/** A size that is asked for is that of the file with its metadata. */
export function besideMetadata(objective: Objective, bytes: number): Objective {
  return objective.kind === "size"
    ? { ...objective, bytes: Math.max(1, objective.bytes - bytes), besides: (objective.besides ?? 0) + bytes }
    : objective;
}

/** A result with what is kept; the file without it is released. */
export function withMetadata(made: FormattedRendition, kept: Metadata): FormattedRendition {
  const { write } = made.format.metadata ?? {};
  if (!write || made.hasMetadata || metadataBytes(kept) === 0) return made;
  return withBytes(made, write(made.file.bytes, kept));
}
