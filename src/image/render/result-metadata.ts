/**
 * What a result says besides its picture: metadata that its request keeps of the original's, and what is stated of where it is from
 * by the manifests of its original.
 */
import { ApiError } from "../../errors.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { type Metadata, keptMetadata, metadataBytes } from "../metadata/blocks.ts";
import { isSynthetic, sourceTypeIn } from "../metadata/source-type.ts";
import { withSourceType } from "../metadata/xmp.ts";
import { type Objective, type Output, namedFormat } from "../plan/output.ts";
import type { Stored } from "../plan/planned-picture.ts";
import { sourceTypeOf } from "../provenance/report.ts";
import { type Statement, ingredientFor, statementBytes, withManifest } from "../provenance/sign.ts";
import type { Signer } from "../provenance/signer.ts";
import { type Verification, type VerifiedStore, verifyFile } from "../provenance/verify.ts";
import { type FormattedRendition, withBytes } from "../search/rendition.ts";
import type { Step } from "../steps/operation.ts";

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

/** What judging where pictures are from, and stating it, needs of the outside. */
export interface ProvenanceMeans extends Verification {
  /**
   * Who signs for the account: its signer of an id, undefined where it has none, or the one that signs where none is named. Asked
   * for where a result may be signed. Absent: nobody.
   */
  readonly signer?: ((id?: string) => Promise<Signer | undefined>) | undefined;
  /** The program that makes results. */
  readonly generator?: Statement["generator"];
  /** A UUID. */
  readonly newId?: () => string;
}

type File = Pick<Stored, "bytes" | "format">;

/** The manifest store of a file and what it is worth; undefined where there is none, or nobody asks. */
export async function provenanceOf(
  { bytes, format }: File,
  means: ProvenanceMeans | undefined,
): Promise<VerifiedStore | undefined> {
  const { manifest } = format;
  return means && manifest && verifyFile(bytes, manifest, means);
}

/** The digital source type that the manifests of an original state. */
export function statedSourceType(store: VerifiedStore | undefined): string | undefined {
  return store && sourceTypeOf(store);
}

/** What is to be stated of a result, and the bytes that it takes in its file. */
export interface Signing {
  readonly statement: Omit<Statement, "actions">;
  readonly bytes: number;
  readonly newId: () => string;
}

/**
 * What is to be stated of a result; undefined where nothing is.
 * @throws ApiError 422 where it is asked for and cannot be
 */
export async function signingFor(
  original: File,
  store: VerifiedStore | undefined,
  output: Output | undefined,
  means: ProvenanceMeans | undefined,
): Promise<Signing | undefined> {
  const option = output?.provenance ?? "auto";
  const id = output?.signer;
  if (id !== undefined && !(await means?.signer?.(id))) {
    throw new ApiError(422, "output.signer must be the id of a saved signer");
  }
  if (option === "drop" || !means || (option === "keep" && !store)) return undefined;
  const isAsked = option === "sign" || option === "keep";
  const sourceType = statedSourceType(store) ?? markOf(original);
  if (!isAsked && !store && (sourceType === undefined || !isSynthetic(sourceType))) return undefined;
  const named = namedFormat(output);
  if (named && !named.manifest?.write) {
    if (!isAsked) return undefined;
    throw new ApiError(
      422,
      "output.provenance must be auto or drop in this output.format, which cannot hold a manifest",
    );
  }
  const signer = await means.signer?.(id);
  const { generator, newId } = means;
  if (!signer || !generator || !newId) {
    if (!isAsked) return undefined;
    throw new ApiError(422, "output.provenance must be auto or drop as long as no signer is saved");
  }
  const told = { signer, generator, sourceType };
  const all = { ...told, actions: ALL_ACTIONS };
  const ingredient = ingredientFor(all, { mime: original.format.mime, store }, option === "keep");
  return { statement: { ...told, ingredient }, bytes: statementBytes({ ...all, ingredient }), newId };
}

function markOf({ bytes, format }: File): string | undefined {
  const { xmp } = format.metadata?.read(bytes) ?? {};
  return xmp && sourceTypeIn(xmp);
}

/** What can be done with a picture, in the order in which it is told. */
const ALL_ACTIONS = [
  "c2pa.orientation",
  "c2pa.cropped",
  "c2pa.resized",
  "c2pa.color_adjustments",
  "c2pa.edited",
  "c2pa.transcoded",
] as const;

const ADJUSTING: ReadonlySet<string> = new Set(["auto", "adjust", "filter"]);
const EDITING: ReadonlySet<string> = new Set([
  "redact",
  "watermark",
  "text",
  "mask",
  "border",
  "padding",
  "background",
]);

/** The words of the standard for what was done: by steps where these say it, else by the operations that were asked for. */
export function actionsFor(steps: readonly Step[], operations: object): readonly string[] {
  const kinds = new Set(steps.map(({ kind }) => kind as string));
  const asked = Object.entries(operations).flatMap(([name, params]) => (params === undefined ? [] : [name]));
  const turns = steps.some((step) => step.kind === "turn" && step.orientation !== 1) || asked.includes("rotate");
  const done = new Set<string>([
    ...(turns ? ["c2pa.orientation"] : []),
    ...(kinds.has("crop") ? ["c2pa.cropped"] : []),
    ...(kinds.has("resize") ? ["c2pa.resized"] : []),
    ...(asked.some((name) => ADJUSTING.has(name)) ? ["c2pa.color_adjustments"] : []),
    ...(asked.some((name) => EDITING.has(name)) ? ["c2pa.edited"] : []),
    "c2pa.transcoded",
  ]);
  return ALL_ACTIONS.filter((action) => done.has(action));
}

/** A result that states where it is from; the file without the statement is released. */
export async function withStatement(
  made: FormattedRendition,
  signing: Signing | undefined,
  actions: readonly string[],
): Promise<FormattedRendition> {
  const { manifest } = made.format;
  if (!signing || !manifest?.write) return made;
  try {
    const statement = { ...signing.statement, actions };
    return withBytes(made, await withManifest(made.file.bytes, manifest, statement, signing.newId()));
  } catch (error) {
    made.file.release();
    throw error;
  }
}
