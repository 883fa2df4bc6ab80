/** Where an original is from, by its own manifests: found out once for all of its results. */
import type { FormatDefinition } from "../codec/format.ts";
import type { Anchors } from "../provenance/certificate.ts";
import { sourceTypeOf } from "../provenance/report.ts";
import { type VerifiedStore, verifyFile } from "../provenance/verify.ts";

/** What judging where pictures are from needs of the outside. */
export interface ProvenanceMeans {
  /** By whom signers are trusted; asked for where a file has a manifest. */
  readonly anchors: () => Promise<Anchors>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The manifest store of a file and what it is worth; undefined where there is none, or nobody asks. */
export async function provenanceOf(
  { bytes, format }: { readonly bytes: Uint8Array; readonly format: FormatDefinition },
  means: ProvenanceMeans | undefined,
): Promise<VerifiedStore | undefined> {
  const { manifest } = format;
  if (!means || !manifest?.find(bytes)) return undefined;
  return verifyFile(bytes, manifest, { anchors: await means.anchors(), now: means.now });
}

/** The digital source type that the manifests of an original state. */
export function statedSourceType(store: VerifiedStore | undefined): string | undefined {
  return store && sourceTypeOf(store);
}
