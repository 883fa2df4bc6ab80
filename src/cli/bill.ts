/** `npm run bill`: what the platform has counted of this month, row by row, and what the month comes to at this pace. */
import { dollarsOf, INCLUDED, PIECE_NAMES, PLAN_DOLLARS } from "../docs/figures.ts";
import { type Piece, PIECES } from "../limits/prices.ts";
import { type Counted, countedIn, type Group } from "./analytics.ts";

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
  const counted = await countedIn(start, end, HELP);
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
