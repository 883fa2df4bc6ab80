/** What is asked of `darkroom bucket` on the command line. */
import { parseArgs } from "node:util";

import type { NewBatch } from "../../../clients/api-types.d.ts";
import { bodyOf, serviceOf, UsageError, wholeNumber } from "../options.ts";

export const BUCKET_USAGE = `Usage: darkroom bucket start <place> (--in-place | --to <place>) [options]
       darkroom bucket list
       darkroom bucket (show | follow | pause | resume | cancel | failures | duplicates) <batch>

Optimizes every picture of a bucket. The service works on such a batch by itself, whether this command runs or not.
A place is the id or the name of a saved connector and, after a slash, what names of objects begin with:
k7Qm2xV9aL/uploads/. \`start\` lists the bucket, says what the batch is about, and asks before it begins. \`follow\`
shows a batch until it stands still; Ctrl-C ends the following, not the batch.

  --in-place            replaces originals, each only in the version that was read
  --to PLACE            where results go, under the names of their originals
  --include PATTERN     only objects of such names, *.jpg or photos/**; may be repeated
  --exclude PATTERN     none of such names; may be repeated
  --after NAME          only objects behind this name
  --only-if-smaller N   percent of the bytes that a result must save (5)
  --duplicates          notes how pictures look, for \`duplicates\`
  --webhook URL         is told of the end
  --events              then works on new objects as notifications of the bucket tell of them, until it is canceled
  --only-events         works on new objects alone
  --resize WxH, --format NAME, --compression NAME, --quality N, --data JSON
                        what is done to each picture, as darkroom --help says
  --dry-run             only says what the batch would be about
  --yes                 begins without asking, also -y
  --detach              does not follow what it has begun, also -d
  --csv                 failures, or duplicates, as CSV
  --json                lines of JSON on standard output
  --url URL             the service, else DARKROOM_URL, else http://localhost:8787
  --key KEY             the API key, else DARKROOM_KEY
  --help                this text, also -h

Exit status: 0 when all went well, 1 when objects have failed, or the batch has failed or was canceled, 2 when the
command is wrong or refused, 3 when the batch is not over: paused, or not followed any more.`;

const STEERED = ["pause", "resume", "cancel"] as const;
const LISTS = ["failures", "duplicates"] as const;
const WITH_BATCH = ["show", "follow", ...LISTS, ...STEERED] as const;

/** A connector by its id or name, and what names of objects begin with. */
interface Place {
  readonly connector: string;
  readonly prefix: string;
}

export type BucketOrder =
  | { readonly kind: "start"; readonly from: Place; readonly to: Place | "in-place"; readonly rules: StartRules }
  | { readonly kind: "list" }
  | { readonly kind: (typeof WITH_BATCH)[number]; readonly batch: string };

/** All of a batch but its places. */
type StartRules = Omit<NewBatch, "source" | "target" | "dry_run"> & {
  readonly source: Omit<NewBatch["source"], "connector" | "prefix">;
};

export interface BucketOptions {
  readonly order: BucketOrder;
  readonly url: URL;
  readonly key: string;
  readonly isDryRun: boolean;
  readonly yes: boolean;
  readonly detach: boolean;
  readonly csv: boolean;
  readonly json: boolean;
}

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;

const SPEC = {
  "in-place": flag,
  to: text,
  include: { ...text, multiple: true },
  exclude: { ...text, multiple: true },
  after: text,
  "only-if-smaller": text,
  duplicates: flag,
  webhook: text,
  events: flag,
  "only-events": flag,
  resize: text,
  format: text,
  compression: text,
  quality: text,
  data: text,
  "dry-run": flag,
  yes: { ...flag, short: "y" },
  detach: { ...flag, short: "d" },
  csv: flag,
  json: flag,
  url: text,
  key: text,
  help: { ...flag, short: "h" },
} as const;

type Values = ReturnType<typeof parse>["values"];

/** Options that go with every order; the others are those of `start`, but for `--csv`. */
const COMMON: ReadonlySet<string> = new Set(["json", "url", "key", "help"]);

/**
 * The options, with what the environment says where the command does not; undefined when help was asked for.
 * @throws UsageError in one sentence
 */
export function readBucketOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): BucketOptions | undefined {
  const { values, positionals, tokens } = parse(args);
  if (values.help) return undefined;
  const order = orderOf(positionals, values);
  for (const token of tokens) {
    if (token.kind !== "option" || COMMON.has(token.name)) continue;
    const isList = LISTS.some((kind) => kind === order.kind);
    if (token.name === "csv" ? !isList : order.kind !== "start") {
      throw new UsageError(`bucket ${order.kind} takes no ${token.rawName}`);
    }
  }
  if (values.csv && values.json) throw new UsageError("--csv and --json are two forms of one list");
  const { url, key } = serviceOf({ local: false, ...values }, env);
  const { yes, detach, csv, json } = values;
  return { order, url, key, isDryRun: values["dry-run"], yes, detach, csv, json };
}

function orderOf([word, named, ...others]: readonly string[], values: Values): BucketOrder {
  const [other] = others;
  if (other !== undefined) throw new UsageError(`bucket ${word} takes no ${other}`);
  if (word === "list") {
    if (named !== undefined) throw new UsageError(`bucket list takes no ${named}`);
    return { kind: "list" };
  }
  if (word === "start") {
    if (named === undefined) throw new UsageError("Name the connector of the bucket: darkroom bucket start <place>");
    return { kind: "start", from: placeOf(named), to: targetOf(values), rules: rulesOf(values) };
  }
  const kind = WITH_BATCH.find((one) => one === word);
  if (!kind)
    throw new UsageError("bucket takes start, list, show, follow, pause, resume, cancel, failures or duplicates");
  if (named === undefined) throw new UsageError(`Name the batch: darkroom bucket ${kind} <batch>; bucket list has all`);
  return { kind, batch: named };
}

function placeOf(place: string): Place {
  const slash = place.indexOf("/");
  const connector = slash < 0 ? place : place.slice(0, slash);
  if (connector === "") throw new UsageError("A place begins with the id or the name of a connector");
  return { connector, prefix: slash < 0 ? "" : place.slice(slash + 1) };
}

function targetOf({ "in-place": inPlace, to }: Values): Place | "in-place" {
  if (inPlace === (to !== undefined)) throw new UsageError("Say where results go: --in-place or --to <place>");
  return to === undefined ? "in-place" : placeOf(to);
}

function rulesOf(values: Values): StartRules {
  const { include, exclude, after, "only-if-smaller": smaller, duplicates, webhook } = values;
  if (values.events && values["only-events"]) throw new UsageError("--events and --only-events are two ways to begin");
  const events = values["only-events"] ? ("only" as const) : values.events;
  const body = bodyOf({ sign: false, ...values }) as StartRules;
  return {
    ...body,
    source: { ...(include && { include }), ...(exclude && { exclude }), ...(after !== undefined && { after }) },
    ...(duplicates && { analyze: ["phash"] as const }),
    ...(webhook !== undefined && { webhook: { url: webhook } }),
    ...(events !== false && { events }),
    ...(smaller !== undefined && { only_if_smaller: wholeNumber("--only-if-smaller", smaller, 99, 0) }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: SPEC, allowPositionals: true, tokens: true });
  } catch (cause) {
    const [sentence = ""] = cause instanceof Error ? cause.message.split(". To specify") : [];
    throw new UsageError(sentence, { cause });
  }
}
