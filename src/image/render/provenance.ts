/** Where an original is from, by its own manifests, and what is stated of its results. */
import { ApiError } from "../../errors.ts";
import { isSynthetic, sourceTypeIn } from "../metadata/source-type.ts";
import { namedFormat, type Output } from "../plan/output.ts";
import type { Stored } from "../plan/planned-picture.ts";
import { sourceTypeOf } from "../provenance/report.ts";
import { ingredientFor, type Statement, statementBytes, withManifest } from "../provenance/sign.ts";
import type { Signer } from "../provenance/signer.ts";
import { type Verification, type VerifiedStore, verifyFile } from "../provenance/verify.ts";
import { type FormattedRendition, withBytes } from "../search/rendition.ts";
import type { Step } from "../steps/operation.ts";

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
