/** What was asked for on the command line. */
import { parseArgs } from "node:util";

import type { Optimize, Output, Resize, Srcset, UploadBody } from "../../clients/api-types.d.ts";

const LOCAL_URL = "http://localhost:8787";
/** The key of a service on this machine, as long as none is given. */
export const LOCAL_KEY = "demo";
const MAX_CONCURRENCY = 32;
/** A replacement that saves less makes a history longer, not a site faster. */
const MIN_SAVING = 5;

export const USAGE = `Usage: darkroom [options] <files or folders>
       darkroom mcp [--url URL] [--key KEY] [--local] [folders]
       darkroom bucket …          every picture of a bucket, by the service: darkroom bucket --help

Optimizes images with a Darkroom service; without one, it starts one on this machine and stops it at the end.
A result is written beside its original, or into --out with the same folders; a file that exists is never
replaced unless --overwrite is given. \`darkroom mcp\` offers the service as tools to a program that is led by a
language model (Model Context Protocol over standard input and output), for images in these folders (.) and by URL.

  --resize WxH        fit into W x H pixels, never enlarged; 1200x or x800 names one side
  --format NAME       jpeg, png, webp …, or auto: the smallest that the web shows
  --srcset 320,640    files of these widths (name-320.avif …), and name.html, an element that shows them
  --formats LIST      those of --srcset, of avif, jxl, webp, jpeg, png (avif,webp and jpeg, or png with alpha)
  --compression NAME  low, medium, high, ultra, lossless
  --quality N         1 to 100, instead of a search for the smallest good one
  --sign              results are signed (Content Credentials), by the signer that the account has saved
  --provenance        what images say of where they are from, verified, instead of results: who, when, what was done
  --data JSON         any other members of the request, see /docs/reference
  --out DIR           where results go, also -o
  --resume            pass over images whose result is there, and go on with the others
  --overwrite         replace files that exist, originals included
  --in-place          replace originals by results of their own format, where that saves enough; 0 if none does
  --min-saving N      percent of the bytes that a replacement must save (${MIN_SAVING})
  --originals DIR     originals are copied here before they are replaced
  --staged            of a git repository what the next commit adds or changes, in place, and staged again
  --since REF         of a git repository what was added or changed since then, in place
  --watch             go on until stopped, with what is new or changed in the folders; needs --out
  --json              one line of JSON for each image on standard output, and one with the sums
  --concurrency N     requests at a time (4)
  --url URL           the service, else DARKROOM_URL, else ${LOCAL_URL} if one runs there
  --local             a service of its own, for this run alone
  --key KEY           the API key, else DARKROOM_KEY
  --help              this text, also -h
  --version           the version of this command

Exit status: 0 when all went well, 1 when an image failed, or with --provenance does not match, 2 when the command is wrong.`;

export interface Options {
  readonly paths: readonly string[];
  /** What to do with each image. */
  readonly body: UploadBody;
  readonly out: string | undefined;
  readonly overwrite: boolean;
  /** Images whose result exists are passed over. */
  readonly resume: boolean;
  /** Results take the place of their originals; undefined when they are files of their own. */
  readonly inPlace: InPlace | undefined;
  /** Which images of a git repository are meant, instead of all in `paths`. */
  readonly git: GitChoice | undefined;
  /** Goes on with what is new or changed, until it is stopped. */
  readonly watch: boolean;
  /** What images say of where they are from is told, and nothing is written. */
  readonly provenance: boolean;
  /** Lines of JSON on standard output in place of a table. */
  readonly json: boolean;
  readonly concurrency: number;
  readonly url: URL;
  readonly key: string;
  /** Whether the run starts a service of its own. */
  readonly start: "always" | "unless one answers" | "never";
}

export interface InPlace {
  /** Percent of the original's bytes. */
  readonly minSaving: number;
  /** The folder that originals are copied to. */
  readonly originals: string | undefined;
}

export type GitChoice = { readonly kind: "staged" } | { readonly kind: "since"; readonly ref: string };

/** A command that cannot be run as it is. */
export class UsageError extends Error {}

const SPEC = {
  resize: { type: "string" },
  format: { type: "string" },
  srcset: { type: "string" },
  formats: { type: "string" },
  compression: { type: "string" },
  quality: { type: "string" },
  data: { type: "string" },
  sign: { type: "boolean", default: false },
  provenance: { type: "boolean", default: false },
  out: { type: "string", short: "o" },
  overwrite: { type: "boolean", default: false },
  "in-place": { type: "boolean", default: false },
  "min-saving": { type: "string" },
  originals: { type: "string" },
  staged: { type: "boolean", default: false },
  since: { type: "string" },
  resume: { type: "boolean", default: false },
  watch: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  local: { type: "boolean", default: false },
  concurrency: { type: "string", default: "4" },
  url: { type: "string" },
  key: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parse>["values"];

/** Whether no more is asked than which version this is. @throws UsageError when the command cannot be read */
export function asksForVersion(args: readonly string[]): boolean {
  return parse(args).values.version;
}

/**
 * The options, with what the environment says where the command does not; undefined when help was asked for.
 * @throws UsageError in one sentence
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const git = gitOf(values);
  if (positionals.length === 0 && !git) throw new UsageError("Name at least one file or folder");
  refuseContradictions(values);
  return {
    paths: positionals.length > 0 ? positionals : ["."],
    git,
    inPlace: inPlaceOf(values, git !== undefined),
    body: bodyOf(values),
    out: values.out,
    overwrite: values.overwrite,
    resume: values.resume,
    watch: values.watch,
    provenance: values.provenance,
    json: values.json,
    concurrency: wholeNumber("--concurrency", values.concurrency, MAX_CONCURRENCY),
    ...serviceOf(values, env),
  };
}

/**
 * The options of `darkroom mcp`; undefined when help was asked for.
 * @throws UsageError in one sentence
 */
export function readAgentOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Pick<Options, "paths" | "url" | "key" | "start"> | undefined {
  const { values, positionals, tokens } = parse(args);
  if (values.help) return undefined;
  const other = tokens.find((token) => token.kind === "option" && !["url", "key", "local"].includes(token.name));
  if (other?.kind === "option") throw new UsageError(`mcp takes no ${other.rawName}`);
  refuseContradictions(values);
  return { paths: positionals.length > 0 ? positionals : ["."], ...serviceOf(values, env) };
}

function refuseContradictions({ resume, overwrite, local, url, key, watch, out, provenance, sign }: Values): void {
  if (provenance && (watch || sign || out !== undefined))
    throw new UsageError("--provenance writes nothing: it takes neither --out, --watch nor --sign");
  if (resume && overwrite) throw new UsageError("--resume and --overwrite say opposite things");
  if (local && (url ?? key) !== undefined) throw new UsageError("--local has an address and a key of its own");
  // Beside their originals, results would be taken for new images, and those in place of them for changed ones.
  if (watch && out === undefined) throw new UsageError("--watch needs --out, a folder for the results");
}

function gitOf({ staged, since }: Values): GitChoice | undefined {
  if (staged && since !== undefined) throw new UsageError("--staged and --since name different images");
  if (staged) return { kind: "staged" };
  // Git would take it for an option.
  if (since?.startsWith("-")) throw new UsageError("--since must be a commit, a branch or a tag");
  return since === undefined ? undefined : { kind: "since", ref: since };
}

/** Results that replace their originals keep name and format, which pages and programs refer to. */
function inPlaceOf(values: Values, ofGit: boolean): InPlace | undefined {
  const { "in-place": asked, "min-saving": saving, originals, out, overwrite, resume, watch, srcset, format } = values;
  if (!asked && !ofGit) {
    if ((saving ?? originals) !== undefined) throw new UsageError("--min-saving and --originals belong to --in-place");
    return undefined;
  }
  if ((out ?? srcset ?? format) !== undefined || overwrite || resume || watch) {
    throw new UsageError(
      "Images replaced in place take neither --out, --srcset, --format, --overwrite, --resume nor --watch",
    );
  }
  return { minSaving: wholeNumber("--min-saving", saving ?? String(MIN_SAVING), 99), originals };
}

/** The service that a command names, and its key. @throws UsageError in one sentence */
export function serviceOf(
  { local, url: named, key: given }: Pick<Values, "local" | "url" | "key">,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Options, "url" | "key" | "start"> {
  const address = local ? undefined : (named ?? env["DARKROOM_URL"]);
  const url = serviceUrl(address ?? LOCAL_URL);
  const isHere = url.hostname === "localhost" || url.hostname === "127.0.0.1";
  const key = given ?? env["DARKROOM_KEY"] ?? (isHere ? LOCAL_KEY : undefined);
  if (key === undefined) throw new UsageError("Give the API key with --key or in DARKROOM_KEY");
  return { url, key, start: local ? "always" : address === undefined ? "unless one answers" : "never" };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: SPEC, allowPositionals: true, tokens: true });
  } catch (cause) {
    // What Node says besides is about arguments that begin with a hyphen.
    const [sentence = ""] = cause instanceof Error ? cause.message.split(". To specify") : [];
    throw new UsageError(sentence || "The command cannot be read", { cause });
  }
}

function serviceUrl(text: string): URL {
  const address = text.endsWith("/") ? text : `${text}/`;
  // Node 20 has no `URL.parse`.
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError("--url must be an address of http or https");
  return url;
}

type BodyValues = Pick<
  Values,
  "data" | "resize" | "format" | "srcset" | "formats" | "compression" | "quality" | "sign"
>;

/** What is to be done to each picture. @throws UsageError in one sentence */
export function bodyOf(values: BodyValues): UploadBody {
  const { data, resize, format, srcset, formats, compression, quality, sign } = values;
  const given = data === undefined ? {} : parsedData(data);
  if (given.outputs) throw new UsageError("--data cannot have outputs: --srcset writes several files");
  if (formats !== undefined && srcset === undefined) throw new UsageError("--formats says which files --srcset writes");
  if (format !== undefined && srcset !== undefined) throw new UsageError("--srcset takes --formats, not --format");
  // What a format or a preset may be called is for the service to judge, which knows its own version.
  const output = {
    ...given.output,
    ...(format !== undefined && { format: format as Output["format"] }),
    ...(sign && { provenance: "sign" }),
  } as Output;
  const optimize = {
    ...given.optimize,
    ...(compression !== undefined && { compression: compression as Optimize["compression"] }),
    ...(quality !== undefined && { quality: wholeNumber("--quality", quality, 100) }),
  } as Optimize;
  const size = resize === undefined ? given.resize : { upscale: false, ...given.resize, ...sizeOf(resize) };
  return {
    ...given,
    ...(size && { resize: size }),
    ...(srcset !== undefined && { srcset: { ...given.srcset, ...srcsetOf(srcset, formats) } }),
    ...(Object.keys(output).length > 0 && { output }),
    ...(Object.keys(optimize).length > 0 && { optimize }),
  };
}

function parsedData(text: string): UploadBody {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as UploadBody;
  } catch {
    // Said below, without the text.
  }
  throw new UsageError("--data must be a JSON object");
}

function srcsetOf(widths: string, formats: string | undefined): Srcset {
  if (!/^\d{1,5}(?:,\d{1,5})*$/.test(widths)) throw new UsageError("--srcset must be widths like 320,640,1280");
  return {
    widths: widths.split(",").map(Number),
    ...(formats !== undefined && { formats: formats.split(",") as NonNullable<Srcset["formats"]> }),
  };
}

function sizeOf(text: string): Resize {
  const [, width = "", height = ""] = /^(\d{0,5})x(\d{0,5})$/i.exec(text) ?? [];
  if (width === "" && height === "") throw new UsageError("--resize must be like 1200x800, 1200x or x800");
  return { ...(width !== "" && { width: Number(width) }), ...(height !== "" && { height: Number(height) }) };
}

/** @throws UsageError naming the option */
export function wholeNumber(name: string, text: string, max: number, min = 1): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) throw new UsageError(`${name} must be ${min} to ${max}`);
  return value;
}
