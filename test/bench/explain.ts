/**
 * What a request does to a picture, and why: `npm run explain <picture> [request]`. One line for each probe, for each
 * attempt that is not made and for each result, then estimates beside what was held and taken.
 * Milliseconds are those of the processor. A request is JSON, as for `data` of the API, for one result or for several:
 * `npm run explain photo.jpg '{"resize": {"width": 800}, "output": {"format": "auto"}}'`,
 * `npm run explain photo.jpg '{"srcset": {"widths": [400, 800], "formats": ["avif", "jpeg"]}}'`.
 */
import { readFile } from "node:fs/promises";
import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import "../support/imports-on-node.ts";
import type { Base, Made, Original, ResultFile } from "../../src/image/render/order.ts";
import type { Trace, TraceEvent } from "../../src/image/search/trace.ts";
import type { Entry } from "../../src/pipeline/entries.ts";
import { type Admitted, admittedDuring } from "../support/admitted.ts";

const { parseBody, UploadBody } = await import("../../src/contract/request.ts");
const { objectiveOf } = await import("../../src/image/plan/output.ts");
const { patienceOf, TARGET_SCORE } = await import("../../src/image/search/presets.ts");
const { looksAt } = await import("../../src/image/search/second-opinion.ts");
const { render } = await import("../../src/image/render/render.ts");
const { beginningOf, entriesOf, refusalOf } = await import("../../src/pipeline/entries.ts");
const { SharedBytes } = await import("../../src/scheduler/shared-bytes.ts");

type Of<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

setFlagsFromString("--expose-gc");
setFlagsFromString("--no-concurrent-array-buffer-sweeping");
const collectGarbage = runInNewContext("gc") as () => void;

/** Milliseconds for which this thread ran. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const count = (value: number) => Math.round(value).toLocaleString("en-US");
const points = (value: number) => value.toFixed(1);
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** What settings say besides their quality. */
function wordsOf({ subsample, loss, lossless, nearLossless, draft, probe, effort }: Of<"encoded">["settings"]): string {
  const words = [
    subsample,
    loss && `loss: ${loss}`,
    lossless && "lossless",
    nearLossless !== undefined && `nearly lossless ${nearLossless}`,
    draft ? "draft" : probe ? "quick" : `effort ${effort}`,
  ];
  return words.filter(Boolean).join(", ");
}

/** Prints what it is told; a line has the time since the line before it. */
class Teller {
  private readonly entries: ReadonlyMap<string, Entry>;
  private target: number | undefined;
  private closePoints = 0;
  private encoded: Of<"encoded"> | undefined;
  private judged: Of<"judged"> | undefined;
  private since = processorMs();
  private attempt = "";
  /** Pieces of work by the attempt that they were. */
  readonly pieces: { readonly name: string; readonly piece: Admitted }[] = [];
  /** A line for each result. */
  readonly results: string[] = [];
  /** Lines about a result of a set begin with its name. */
  private result = "";

  /** @param entries results by their names, filled once they are known */
  constructor(entries: ReadonlyMap<string, Entry>) {
    this.entries = entries;
  }

  tell(event: TraceEvent): void {
    switch (event.kind) {
      case "result":
        this.begin(event.name);
        return;
      case "attempt":
        this.attempt = `${this.result}${event.format}, ${event.name}`;
        this.judged = undefined;
        this.since = processorMs();
        console.log(`\n${this.attempt}`);
        return;
      case "not made":
        console.log(`\n${this.result}${event.format}, ${event.name}: not made, ${event.why}${needs(event)}`);
        return;
      case "encoded":
        this.flush();
        this.encoded = event;
        return;
      case "judged":
        this.probe(event);
        return;
      case "ended":
        this.flush();
        console.log(`  ${this.endOf(event)}`);
        this.attempt = "";
    }
  }

  /** A result is there. */
  made({ name }: Entry, { output }: Made): void {
    const { file, score } = output;
    const looks = score === undefined ? "" : `, score ${points(score)} (looks ${looksAt(score)})`;
    this.results.push(`${(name || "Result").padEnd(8)}  ${sizeOf(output)}, ${count(file.bytes.length)} bytes${looks}`);
  }

  /** A piece of work that the budget admitted has ended. */
  admitted(piece: Admitted): void {
    this.pieces.push({ name: this.attempt || "operations and what they look at", piece });
  }

  private begin(name: string): void {
    const entry = this.entries.get(name);
    const objective = objectiveOf(entry?.output, entry?.optimize);
    this.target = objective.kind === "smart" ? TARGET_SCORE[objective.preset] : undefined;
    this.closePoints = patienceOf(objective).close;
    this.result = name && `${name}: `;
  }

  private probe(event: Of<"judged">): void {
    const { encoded } = this;
    const isOf = encoded?.settings.quality === event.quality && encoded.part === event.part;
    if (!isOf) this.flush();
    this.encoded = undefined;
    this.judged = event;
    const { score } = event;
    const isStricter = event.points < (score ?? Infinity);
    const second = isStricter ? `second opinion ${points(event.points)}` : "second opinion no less";
    const first = score === undefined ? "no score" : `score ${points(score)}`;
    const what = isOf ? `${count(encoded.bytes)} bytes, ${wordsOf(encoded.settings)}` : "shown, not written";
    this.line(event.part, event.quality, `${first}, ${second}`, what);
  }

  /** A file that nobody judged: one that stays, or of which only the size was asked for. */
  private flush(): void {
    const { encoded } = this;
    if (!encoded) return;
    this.encoded = undefined;
    const { part, settings, bytes } = encoded;
    this.line(part, settings.quality, "not judged", `${count(bytes)} bytes, ${wordsOf(settings)}`);
  }

  private line(part: string, quality: number, said: string, what: string): void {
    const now = processorMs();
    const ms = `${count(now - this.since)} ms`;
    this.since = now;
    console.log(`  ${part.padEnd(6)}  quality ${String(quality).padEnd(4)} ${ms.padStart(8)}  ${said}; ${what}`);
  }

  private endOf({ came, bytes, score, isFinal }: Of<"ended">): string {
    if (bytes === undefined) return `ended: ${came}`;
    const file = `ended: ${count(bytes)} bytes${score === undefined ? "" : `, score ${points(score)}`}`;
    return `${file}; ${this.whyEnded(score)}${isFinal ? "; nothing else need be tried" : ""}`;
  }

  private whyEnded(score: number | undefined): string {
    const { target, closePoints } = this;
    if (target === undefined || !this.judged || score === undefined) return "encoded once";
    if (score < target) return `no probe reached the target of ${target}`;
    if (score === 100) return "nothing is lost";
    const above = `${points(score - target)} points above the target of ${target}`;
    return score - target <= closePoints
      ? `${above}, which is close enough`
      : `${above}, and no probe below it reached it`;
  }
}

function needs({ why, estimate: { bytes, ms } }: Of<"not made">): string {
  if (why === "no memory") return `: it takes ${mebibytes(bytes)}`;
  return why === "no time" ? `: it takes ${count(ms)} ms` : "";
}

/**
 * Carries a request out on a copy of a file.
 * @param made told of each result, whose bytes are released then
 */
async function carryOut(
  bytes: Uint8Array,
  request: string,
  {
    entries,
    trace,
    made,
  }: { entries?: Map<string, Entry>; trace?: Trace; made?: (entry: Entry, result: Made) => void } = {},
): Promise<Original> {
  const processing = parseBody(UploadBody, JSON.parse(request) as object);
  const found = (base: Base) => {
    const all = entriesOf(processing, base);
    for (const entry of all) entries?.set(entry.name, entry);
    return all;
  };
  const means = { overlays: new Map<string, Uint8Array>(), accept: undefined, refusalOf, trace };
  const order = { ...beginningOf(processing), ...means, entries: found };
  const { input } = await render(SharedBytes.of(bytes.slice()), order, (entry, result) => {
    made?.(entry, result);
    result.output.file.release();
  });
  return input;
}

async function explain(path: string, request: string): Promise<void> {
  const bytes = new Uint8Array(await readFile(path));
  const buffers = (sure: boolean) => {
    if (sure) collectGarbage();
    return memoryUsage().arrayBuffers;
  };
  // Looking at memory takes time: it has a run of its own, after which code is as fast as it becomes.
  const watched = await admittedDuring(() => carryOut(bytes, request), { now: processorMs, memory: true, buffers });
  const entries = new Map<string, Entry>();
  const teller = new Teller(entries);
  const told = async () => {
    const input = await carryOut(bytes, request, {
      entries,
      trace: (event) => teller.tell(event),
      made: (entry, result) => teller.made(entry, result),
    });
    console.log(`\nOriginal  ${sizeOf(input)}, ${count(bytes.length)} bytes`);
  };
  await admittedDuring(told, { now: processorMs, onPiece: (piece) => teller.admitted(piece) });
  for (const line of teller.results) console.log(line);
  // Results of a set are made within a piece of work that is all of them, and ends after them.
  const all = entries.size > 1 ? teller.pieces.length - 1 : undefined;
  const rows = teller.pieces.map(({ name, piece: { estimate, spentMs, takenMs } }, index) => ({
    work: index === all ? "all results together" : name,
    estimated: mebibytes(estimate.bytes),
    held: mebibytes(watched[index]?.heldBytes ?? 0),
    "estimated ms": Math.round(estimate.ms),
    "declared ms": Math.round(spentMs),
    "taken ms": Math.round(takenMs),
  }));
  console.table(rows);
}

type Sized = Pick<ResultFile, "format" | "facts">;

function sizeOf({ format: { label }, facts: { width, height } }: Sized): string {
  return `${label}, ${width} x ${height}`;
}

const [path, request = "{}"] = process.argv.slice(2);
if (path === undefined) {
  console.error('Usage: npm run explain <picture> [request], as \'{"output": {"format": "auto"}}\'');
  process.exitCode = 2;
} else {
  await explain(path, request);
}
