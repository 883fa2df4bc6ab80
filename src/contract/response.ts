/** What answers say, as schemas: documentation is generated from them and tests check every answer with them. */
import * as v from "valibot";

import { ANALYSES, type AnalysisName } from "../image/analyses.ts";
import { LOOKS } from "../image/search/second-opinion.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A UUID of version 4, the same in the answer, the log and the notification. */
export const RequestId = v.pipe(v.string(), v.uuid());

const measured = {
  name: v.string(),
  /** Upper case: `JPEG`. */
  format: v.string(),
  width: count,
  height: count,
  colorspace: v.string(),
  interlaced: v.boolean(),
  subsample: v.pipe(v.string(), v.regex(/^\d:\d:\d$/)),
  sampling: v.pipe(v.string(), v.regex(/^\d:\d:\d$/)),
  depth: count,
  quality: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
  bytes: count,
  frames: count,
  alpha: v.boolean(),
  sha1: v.pipe(v.string(), v.regex(/^[\da-f]{40}$/)),
};

const FaceBox = v.strictObject({ x: count, y: count, width: count, height: count });

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** Of a manifest store: its signature leads to an anchor, is right, is not, or cannot be read. */
const ProvenanceState = v.picklist(["trusted", "valid", "invalid", "unreadable"]);
/** Words of the standard (C2PA 2.2, 15.2). */
const Failures = v.array(v.string());
/** Words of the standard for what is no failure and to be known. */
const Informational = v.array(v.string());
const moment = v.pipe(v.string(), v.isoTimestamp());

/** What the manifests of the original say of where it is from, in short. */
const Provenance = v.strictObject({
  manifest: v.literal(true),
  /** The program that wrote the manifest. */
  generator: v.optional(v.string()),
  /** When it was signed, by a time stamp. */
  issued_at: v.optional(moment),
  /** Who signed it, by the certificate. */
  signer: v.optional(v.string()),
  /** How the picture came to be: an address of the IPTC's vocabulary. */
  digital_source_type: v.optional(v.string()),
  state: ProvenanceState,
  failures: Failures,
  informational: v.optional(Informational),
});

/** All manifests of the original: the active one first, then those of what it was made of. */
const ProvenanceChain = v.strictObject({
  state: ProvenanceState,
  failures: Failures,
  manifests: v.array(
    v.strictObject({
      generator: v.optional(v.string()),
      title: v.optional(v.string()),
      format: v.optional(v.string()),
      signer: v.optional(v.string()),
      issued_at: v.optional(moment),
      trusted: v.boolean(),
      /** What was done, in the order in which the manifest has it. */
      actions: v.array(
        v.strictObject({
          action: v.string(),
          when: v.optional(v.string()),
          software: v.optional(v.string()),
          digital_source_type: v.optional(v.string()),
          description: v.optional(v.string()),
        }),
      ),
      ingredients: v.array(
        v.strictObject({
          title: v.optional(v.string()),
          format: v.optional(v.string()),
          relationship: v.string(),
          /** The place of its own manifest in this list, from 0. */
          manifest: v.optional(count),
        }),
      ),
      failures: Failures,
      informational: v.optional(Informational),
    }),
  ),
});

export const InputMetadata = v.strictObject({
  ...measured,
  /** The file is a camera's RAW file, of which its largest JPEG preview was taken. */
  preview: v.optional(v.literal(true)),
  faces: v.optional(v.array(FaceBox)),
  /** Where the gravity `auto` looked, in shares of width and height. */
  focus: v.optional(v.strictObject({ x: share, y: share })),
  /** Where the original is from, by its own manifests; absent where it has none. */
  provenance: v.optional(Provenance),
});
export type InputMetadata = v.InferOutput<typeof InputMetadata>;

/** A rendition that a search looked at, in the order in which it did. */
const SearchProbe = v.strictObject({
  /** Upper case: `JPEG`. */
  format: v.string(),
  /** The whole picture, or tiles of it: their bytes are not those of a whole file. */
  part: v.picklist(["whole", "tiles"]),
  quality: v.number(),
  /** Absent where the encoder showed the rendition without writing it. */
  bytes: v.optional(count),
  /** Absent where only the size was asked for, or the second opinion said enough. */
  score: v.optional(v.number()),
  /** The second opinion in points of the score, where it is the stricter one. */
  stricter: v.optional(v.number()),
  lossless: v.optional(v.literal(true)),
  /** Written quickly, to say where to look. */
  draft: v.optional(v.literal(true)),
});
export type SearchProbe = v.InferOutput<typeof SearchProbe>;

/** What a search tried, by `response.explain`. */
const SearchReport = v.strictObject({
  /** The points that the preset promises. */
  target_score: v.optional(v.number()),
  /** The bytes of `optimize.target_bytes`. */
  target_bytes: v.optional(count),
  /** Empty where there was nothing to search for. */
  probes: v.array(SearchProbe),
  /** How many more there were than an answer holds. */
  omitted: v.optional(count),
});
export type SearchReport = v.InferOutput<typeof SearchReport>;

export const OutputMetadata = v.strictObject({
  ...measured,
  /** Bytes that the result is smaller than the input; 0 when it is not. */
  saved: count,
  /** How alike result and source look, where that was measured: SSIMULACRA2, 100 is identical. */
  score: v.optional(v.number()),
  /** False where the quality of a preset was predicted, not searched for; absent otherwise. */
  searched: v.optional(v.literal(false)),
  /** How it looks to a person, by the score and a second opinion: the stricter of both. Where `score` is. */
  looks: v.optional(v.picklist(LOOKS)),
  /** What the search for it tried, where `response.explain` is true. */
  search: v.optional(SearchReport),
  /** What of a drawing is not drawn as it says, and what the format cannot hold; absent where there is nothing. */
  warnings: v.optional(v.array(v.string())),
  url: v.pipe(v.string(), v.url()),
  /** When `url` ends; absent where it does not, because the result lies in a store. */
  expires_at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  /** An earlier result of the same request, asked for with `reuse`: it cost nothing. */
  reused: v.optional(v.literal(true)),
});
export type OutputMetadata = v.InferOutput<typeof OutputMetadata>;

const analysisEntries = Object.fromEntries(
  Object.entries(ANALYSES).map(([name, { answer }]) => [name, v.optional(answer)]),
) as unknown as { [Name in AnalysisName]: v.OptionalSchema<(typeof ANALYSES)[Name]["answer"], undefined> };

/** What was asked for with `analyze`. */
export const AnalysisAnswers = v.strictObject({
  ...analysisEntries,
  /** Null where the original has no manifest. */
  provenance: v.optional(v.nullable(ProvenanceChain)),
});
export type AnalysisAnswers = v.InferOutput<typeof AnalysisAnswers>;

export const Success = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  id: RequestId,
  input: InputMetadata,
  output: v.strictObject({
    ...OutputMetadata.entries,
    /** Absent where nothing was stored, by `response.keep: false`. */
    url: v.optional(OutputMetadata.entries.url),
  }),
  analysis: v.optional(AnalysisAnswers),
});
export type Success = v.InferOutput<typeof Success>;

/** One of several results. */
export const SetOutput = v.strictObject({
  ...OutputMetadata.entries,
  analysis: v.optional(AnalysisAnswers),
});
export type SetOutput = v.InferOutput<typeof SetOutput>;

/** The answer to a request for several results. */
export const SetSuccess = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  id: RequestId,
  input: InputMetadata,
  /** By the names of the request, or `<width>.<format>`. */
  outputs: v.record(v.string(), SetOutput),
  /** Widths of the srcset that the original does not have. */
  skipped: v.optional(v.array(count)),
  /** By format: addresses and widths, as the attribute `srcset` takes them. */
  srcset: v.optional(v.record(v.string(), v.string())),
  /** The same as an element of a page. */
  html: v.optional(v.string()),
  analysis: v.optional(AnalysisAnswers),
});
export type SetSuccess = v.InferOutput<typeof SetSuccess>;

/** The answer to an image that was processed, as one result or several. */
export const Processed = v.union([Success, SetSuccess]);
export type Processed = v.InferOutput<typeof Processed>;

export const Failure = v.strictObject({
  success: v.literal(false),
  code: v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599)),
  id: RequestId,
  message: v.string(),
  /** The stable word of the failure; the page of errors has them all, with causes and cures. */
  error: v.string(),
  /** The path of the member that it is about. */
  param: v.optional(v.string()),
});
export type Failure = v.InferOutput<typeof Failure>;

/** What answers: the version of the package, and the deployment's id. */
const deployedEntries = { version: v.string(), build: v.string() };

export const Account = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  ...deployedEntries,
  subscription: v.strictObject({ name: v.string() }),
  /** Of a calendar month; `unlimited` where the operator has named no number, and `total` is larger than any use. */
  credits: v.strictObject({ total: count, used: count, remaining: count, unlimited: v.optional(v.literal(true)) }),
  /** Budgets of the day (UTC), where the operator has set them. */
  cpu_seconds: v.optional(v.strictObject({ limit: count, used: count })),
  finals: v.optional(v.strictObject({ limit: count, used: count })),
  /** Processor time of failed requests and jobs: what is not forgotten yet, and from where on images are refused. */
  failed_ms: v.strictObject({ limit: count, used: count }),
  /** Where outgoing calls come from, when the operator has said so. */
  egress_ranges: v.optional(v.array(v.string())),
});
export type Account = v.InferOutput<typeof Account>;

export const Health = v.strictObject({ success: v.literal(true), code: v.literal(200), ...deployedEntries });
export type Health = v.InferOutput<typeof Health>;
