/** Drafts and finals: one job of the pipeline each, which differ in how they are encoded. */
import type { Derivation } from "../contract/request.ts";
import type { Settings } from "../env.ts";
import type { Facts, FormatDefinition } from "../image/codec/format.ts";
import { FORMATS } from "../image/formats.ts";
import type { Stopwatch } from "../image/pixels/stopwatch.ts";
import { readHeaders } from "../image/plan/detect.ts";
import { chosenFor, objectiveOf, outputFormat } from "../image/plan/output.ts";
import { encodeSettings } from "../image/search/presets.ts";
import { onlyOf } from "../pipeline/answer.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import type { Caller } from "../scheduler/caller.ts";
import { JobLimits } from "../scheduler/job-limits.ts";
import type { FoundOriginal } from "./original.ts";
import type { ResultFacts } from "./results.ts";

/** What a rendition is made of, as plain data but for the original. */
export interface Rendering {
  readonly accountId: string;
  /** Where the account's records lie. */
  readonly database: string;
  readonly processing: Derivation;
  readonly accept: string | undefined;
}

export interface Made {
  readonly bytes: Uint8Array;
  readonly facts: ResultFacts;
}

/** What making renditions needs. */
export interface RenderPorts {
  readonly env: Env;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly stopwatch?: Stopwatch | undefined;
  /** Aborted when nobody may have the result. */
  readonly signal?: AbortSignal;
  /** Who waits for the result; absent: the account. */
  readonly caller?: Caller | undefined;
  /** Told how many milliseconds of processor time the work took, whatever became of it. */
  readonly spend?: (ms: number) => void;
}

/**
 * Whether a result is one encoding, which nothing could refine: its format and its quality are settled, or it loses
 * nothing.
 */
export function isOneEncoding({ output, optimize }: Derivation): boolean {
  const { kind } = objectiveOf(output, optimize);
  const word = output?.format ?? "auto";
  const isNamed = word !== "auto";
  const isExact = isNamed && !(FORMATS[outputFormat(word)] as FormatDefinition).can.quality;
  return kind === "lossless" || isExact || (kind === "quality" && isNamed);
}

/**
 * The final: what the request asks for. Its original is given back.
 * @throws ApiError 415, 422, 503
 */
export async function makeFinal(ports: RenderPorts, rendering: Rendering, found: FoundOriginal): Promise<Made> {
  return make(ports, rendering, found, "final");
}

type DraftOutput = NonNullable<Derivation["output"]>;

/** A draft: one encoding, without a search, in the format that is made fastest of those that suit. */
export async function makeDraft(ports: RenderPorts, rendering: Rendering, found: FoundOriginal): Promise<Made> {
  const { processing, accept } = rendering;
  const { facts } = await identified(found);
  const objective = objectiveOf(processing.output, processing.optimize);
  const preset = objective.kind === "smart" ? objective.preset : "medium";
  const blind = encodeSettings({ kind: "smart", preset }, FORMATS.jpeg, false).quality;
  const quality = objective.kind === "quality" ? objective.quality : blind;
  const named = processing.output?.format;
  const output =
    named === undefined || named === "auto"
      ? asTelling(draftOutput(processing, facts, accept), processing.output)
      : { ...processing.output };
  const isDropped = processing.output?.provenance === "drop";
  const provenance = isDropped ? ("drop" as const) : ("auto" as const);
  // Drafts are signed by nobody.
  const { signer: _, ...unsignedOutput } = output;
  const draft = { ...processing, output: { ...unsignedOutput, provenance }, optimize: { quality, lossless: false } };
  return make(ports, { ...rendering, processing: draft }, found, "draft");
}

/** The original's bytes are not given back when it is none that is read: `make` is not called then. */
async function identified({ original }: FoundOriginal): Promise<{ readonly facts: Facts }> {
  try {
    return await readHeaders(original.bytes);
  } catch (error) {
    original.memory.release();
    throw error;
  }
}

/**
 * A draft says as much of its original as the final, and has its colors and its range, where its format, which nobody
 * named, can.
 */
function asTelling(output: DraftOutput, { metadata, profile, hdr }: DraftOutput = {}): DraftOutput {
  const { format = "jpeg" } = output;
  const row: FormatDefinition = FORMATS[outputFormat(format)];
  return {
    ...output,
    ...(metadata !== undefined && row.metadata?.write && { metadata }),
    ...(profile !== undefined && row.can.spaces === "any" && { profile }),
    ...(hdr !== undefined && row.gainMap?.write && { hdr }),
  };
}

function draftOutput(
  processing: Derivation,
  { alpha, frames, width, height }: Pick<Facts, "alpha" | "frames" | "width" | "height">,
  accept = "",
): DraftOutput {
  const { mask, border, rotate, padding, background } = processing;
  const isStill = frames === 1 || processing.output?.animation === false;
  const still = frames > 1 && isStill ? { animation: false } : {};
  const clears = [mask, padding, border && border.radius > 0, rotate && rotate.angle % 90 !== 0].some(Boolean);
  const fits = ({ role, mime, can }: FormatDefinition) =>
    (role?.everywhere || accept.includes(mime)) && Math.max(width, height) <= (can.mostSide ?? Infinity);
  const needs = { alpha: !background && (alpha || clears), fits };
  const format = chosenFor("draft", isStill ? "stills" : "animations", needs);
  const { role }: FormatDefinition = FORMATS[format];
  return { ...still, format, ...(role?.oneScan !== undefined && { encoding: "baseline" }) };
}

type Edges = ReturnType<Pipeline["portsOf"]>;

/** Where originals are from, without anybody who signs. */
function unsigned({ provenanceFor }: Edges): Edges["provenanceFor"] {
  return provenanceFor && ((accountId) => ({ ...provenanceFor(accountId), signer: undefined }));
}

async function make(
  { env, settings, pipeline, stopwatch, signal, caller, spend }: RenderPorts,
  { accountId, database, processing, accept }: Rendering,
  { original, validators, readAt, hash, caching }: FoundOriginal,
  rendition: ResultFacts["rendition"],
): Promise<Made> {
  const now = Date.now();
  const edges = pipeline.portsOf(env, settings, "", database);
  const jobLimits = new JobLimits({ caller, account: accountId, maxMs: settings.maxJobMs, signal });
  // The bytes are all that is wanted: nothing is stored on the way.
  const ports = {
    ...edges,
    ...(stopwatch && { stopwatch }),
    jobLimits,
    keepTemporarily: async () => ({ url: "" }),
    // A draft is gone soon: it is not signed.
    ...(rendition === "draft" && { provenanceFor: unsigned(edges) }),
  };
  const source = { kind: "upload", original } as const;
  const result = await pipeline
    .process({ id: crypto.randomUUID(), accountId, source, processing, accept }, ports)
    .finally(() => spend?.(jobLimits.takenMs));
  const { input } = result;
  const { output, encoded } = onlyOf(result);
  if (!encoded) throw new Error("a delivery has no file");
  const { width, height, bytes, format, score, looks } = output;
  return {
    bytes: encoded.bytes,
    facts: {
      rendition,
      readAt,
      checkedAt: now,
      validators,
      ...(caching && { caching }),
      originalHash: hash,
      hash: output.sha1,
      mime: encoded.mime,
      name: encoded.name,
      picture: {
        width,
        height,
        bytes,
        format,
        original: { width: input.width, height: input.height, format: input.format, bytes: input.bytes },
        ...(score !== undefined && { score }),
        ...(looks !== undefined && { looks }),
      },
    },
  };
}
