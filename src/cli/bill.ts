/** `npm run bill`: what the platform has counted of this month, row by row, and what the month comes to at this pace. */
import { dollarsOf, INCLUDED, type Piece, PIECE_NAMES, PIECES, PLAN_DOLLARS } from "../docs/figures.ts";

const HELP = `npm run bill              this month's bill of the account by row, with a forecast
npm run bill -- --worker darkroom   requests and CPU of one Worker alone

It reads the account's analytics, which are sampled and some minutes behind. It needs CLOUDFLARE_ACCOUNT_ID and
CLOUDFLARE_API_TOKEN, a token with the permission Account Analytics: read.`;

/** Gigabytes for which an object is billed while it is awake. */
const OBJECT_GB = 0.128;
/** Names of operations of R2 by how they are billed; all others are reads. Deletions cost nothing. */
const WRITES = new Set([
  "ListBuckets",
  "PutBucket",
  "ListObjects",
  "PutObject",
  "CopyObject",
  "CompleteMultipartUpload",
  "CreateMultipartUpload",
  "LifecycleStorageTierTransition",
  "ListMultipartUploads",
  "UploadPart",
  "UploadPartCopy",
  "ListParts",
  "PutBucketEncryption",
  "PutBucketCors",
  "PutBucketLifecycleConfiguration",
]);
const FREE = new Set(["DeleteObject", "DeleteObjects", "DeleteBucket", "AbortMultipartUpload"]);
const GB = 1e9;
const DAY_MS = 86_400_000;

/** Pieces that the platform's analytics do not count. */
const UNCOUNTED: readonly Piece[] = ["events"];

/** One question for all of the month; names as the platform's schema has them. */
const QUERY = `query Bill($account: string, $start: Time, $end: Time, $from: Date, $to: Date) {
  viewer {
    accounts(filter: { accountTag: $account }) {
      workers: workersInvocationsAdaptive(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { requests cpuTimeUs } dimensions { scriptName }
      }
      bucket: r2OperationsAdaptiveGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { requests } dimensions { actionType }
      }
      stored: r2StorageAdaptiveGroups(limit: 10000, filter: { date_geq: $from, date_leq: $to }) {
        max { payloadSize metadataSize } dimensions { date bucketName }
      }
      databases: d1AnalyticsAdaptiveGroups(limit: 10000, filter: { date_geq: $from, date_leq: $to }) {
        sum { rowsWritten } dimensions { date }
      }
      calls: durableObjectsInvocationsAdaptiveGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { requests } dimensions { scriptName }
      }
      objects: durableObjectsPeriodicGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { activeTime rowsWritten } dimensions { namespaceId }
      }
      queues: queueMessageOperationsAdaptiveGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { billableOperations } dimensions { actionType }
      }
    }
  }
}`;

interface Group {
  readonly sum?: Readonly<Partial<Record<string, number>>>;
  readonly max?: Readonly<Partial<Record<string, number>>>;
  readonly dimensions?: Readonly<Partial<Record<string, string>>>;
}

const NODES = ["workers", "bucket", "stored", "databases", "calls", "objects", "queues"] as const;
type Counted = Readonly<Record<(typeof NODES)[number], readonly Group[]>>;

interface Answer {
  readonly data?: { readonly viewer?: { readonly accounts?: readonly Partial<Counted>[] } } | null;
  readonly errors?: readonly { readonly message?: string }[] | null;
}

/** Where the platform answers; a test puts a stand-in there. */
const ENDPOINT = process.env["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";

/** @throws Error that says what is missing, or what the platform said */
async function countedIn(start: Date, end: Date): Promise<Counted> {
  const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: account } = process.env;
  const missing = Object.entries({ CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token }).flatMap(
    ([name, value]) => (value === undefined || value.trim() === "" ? [name] : []),
  );
  if (missing.length > 0) throw new Error(`${missing.join(" and ")} must be set.\n\n${HELP}`);
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  const variables = {
    account,
    start: start.toISOString(),
    end: end.toISOString(),
    from: day(start),
    to: day(end),
  };
  const response = await fetch(`${ENDPOINT}/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query: QUERY, variables }),
    signal: AbortSignal.timeout(30_000),
  }).catch((cause: unknown) => {
    throw new Error("The platform's analytics were not reached", { cause });
  });
  if (response.status === 401 || response.status === 403) {
    throw new Error(`The platform refused the token: it needs the permission Account Analytics: read.\n\n${HELP}`);
  }
  const { data, errors } = (await response.json().catch(() => ({}))) as Answer;
  const [first] = errors ?? [];
  if (first) throw new Error(`The platform's analytics answered: ${first.message ?? "an error without words"}`);
  const found = data?.viewer?.accounts?.[0];
  if (!found) throw new Error("The platform's analytics know no account of this CLOUDFLARE_ACCOUNT_ID");
  const absent = NODES.filter((node) => !Array.isArray(found[node]));
  if (absent.length > 0) throw new Error(`The platform's analytics say nothing of: ${absent.join(", ")}`);
  return found as Counted;
}

function total(groups: readonly Group[], name: string, isCounted: (group: Group) => boolean = () => true): number {
  return groups.reduce((sum, group) => sum + (isCounted(group) ? (group.sum?.[name] ?? 0) : 0), 0);
}

/** How much of each piece was used. */
function usedOf(counted: Counted, worker: string | undefined): Record<Piece, number> {
  const { workers, bucket, databases, calls, objects, queues } = counted;
  const ours = ({ dimensions }: Group): boolean => worker === undefined || dimensions?.["scriptName"] === worker;
  const actionOf = ({ dimensions }: Group): string => dimensions?.["actionType"] ?? "";
  return {
    requests: total(workers, "requests", ours),
    cpuMs: total(workers, "cpuTimeUs", ours) / 1_000,
    writes: total(bucket, "requests", (group) => WRITES.has(actionOf(group))),
    reads: total(bucket, "requests", (group) => !WRITES.has(actionOf(group)) && !FREE.has(actionOf(group))),
    calls: total(calls, "requests", ours),
    objectRows: total(objects, "rowsWritten"),
    gbSeconds: (total(objects, "activeTime") / 1e6) * OBJECT_GB,
    rows: total(databases, "rowsWritten"),
    operations: total(queues, "billableOperations"),
    events: 0,
  };
}

/** Gigabytes that all buckets held on an average day so far. */
function storedGbOf({ stored }: Counted): number {
  const days = new Map<string, number>();
  for (const { max, dimensions } of stored) {
    const day = dimensions?.["date"] ?? "";
    days.set(day, (days.get(day) ?? 0) + (max?.["payloadSize"] ?? 0) + (max?.["metadataSize"] ?? 0));
  }
  return days.size === 0 ? 0 : days.values().reduce((sum, bytes) => sum + bytes, 0) / days.size / GB;
}

function scaled(used: Readonly<Record<Piece, number>>, by: number): Record<Piece, number> {
  return Object.fromEntries(PIECES.map((piece) => [piece, used[piece] * by])) as Record<Piece, number>;
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) return console.log(HELP);
  const at = args.indexOf("--worker");
  const worker = at < 0 ? undefined : args[at + 1];
  if (args.length > 0 && (at !== 0 || args.length !== 2)) throw new Error(HELP);
  // A test says which day it is.
  const end = new Date(process.env["DARKROOM_NOW"] ?? Date.now());
  const start = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 1));
  const next = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 1));
  const counted = await countedIn(start, end);
  const used = usedOf(counted, worker);
  const storedGb = storedGbOf(counted);
  const pace = (next.getTime() - start.getTime()) / Math.max(1, end.getTime() - start.getTime());
  const later = scaled(used, pace);
  const [sofar, forecast] = [dollarsOf(used, storedGb), dollarsOf(later, storedGb)];
  const money = (dollars: number): string => `$${dollars.toFixed(2)}`.padStart(10);
  const amount = (many: number): string => Math.round(many).toLocaleString("en-US").padStart(16);
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  console.log(`${start.toISOString().slice(0, 7)}, ${days.toFixed(1)} days of it, beyond what the plan includes\n`);
  console.log(`${"used".padStart(16)}${"so far".padStart(10)}${"the month".padStart(10)}  of`);
  console.log(`${"".padStart(16)}${money(PLAN_DOLLARS)}${money(PLAN_DOLLARS)}  The plan`);
  for (const piece of PIECES) {
    if (UNCOUNTED.includes(piece)) continue;
    const share =
      later[piece] > INCLUDED[piece]
        ? ""
        : ` (${Math.round((later[piece] / INCLUDED[piece]) * 100)} % of what is included)`;
    console.log(`${amount(used[piece])}${money(sofar[piece])}${money(forecast[piece])}  ${PIECE_NAMES[piece]}${share}`);
  }
  console.log(
    `${`${storedGb.toFixed(1)} GB`.padStart(16)}${money(sofar.storage)}${money(forecast.storage)}  bytes kept in R2`,
  );
  console.log(`${"".padStart(16)}${money(sofar.total)}${money(forecast.total)}  Together`);
  console.log(
    `\nThe month is what the days so far come to at their pace. Not counted by the platform's analytics, and so not here:`,
  );
  for (const piece of UNCOUNTED) console.log(`  ${PIECE_NAMES[piece]}; the dashboard has them under Observability`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
