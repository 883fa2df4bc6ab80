/** Compares candidates in interleaved rounds: a machine that slows down slows every candidate. Runs on Node and in workerd. */

export interface Candidate {
  readonly name: string;
  /** One unit of work. A returned object is shown beside the times (bytes, score). */
  readonly run: () => unknown;
  /** What its median is meant to be, as a part of another candidate's. */
  readonly target?: { readonly most: number; readonly against: string };
}

/** Where a bench runs; packages with native code are candidates on Node only. */
export type Platform = "node" | "workerd";

export interface Bench {
  readonly title: string;
  /** Makes what the candidates load; on Node, wherever the bench runs. */
  readonly prepare?: () => Promise<void>;
  /**
   * The candidates, ready to run.
   * @param load reads a file, by its path in the repository
   */
  readonly candidates: (platform: Platform, load: (path: string) => Promise<Uint8Array>) => Promise<Candidate[]>;
  /** Rounds after the warm-up; 9 unless told. */
  readonly rounds?: number;
}

export interface Timing {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  /** The median against the first candidate's; below 1 is faster. */
  readonly ratio: number;
  /** The same for processor time, of all threads together; not a number where it cannot be told. */
  readonly cpuRatio: number;
  readonly shown: string;
}

/** The clock of workerd has steps of a millisecond: shorter work is repeated until it takes this long. */
const SHORTEST_MS = 20;

/**
 * Times every candidate once a round, after a warm-up that also finds how often short work must be repeated. Each
 * round starts with another candidate.
 */
export async function compare(candidates: readonly Candidate[], rounds = 9): Promise<Timing[]> {
  const subjects = [];
  for (const { name, run, target } of candidates) {
    let repeats = 1;
    while (repeats < 1 << 20 && (await time(run, repeats)).elapsed < SHORTEST_MS) repeats *= 2;
    subjects.push({ name, run, target, repeats, times: [] as number[], cpuTimes: [] as number[], shown: "" });
  }
  for (let round = 0; round < rounds; round++) {
    const start = round % subjects.length;
    for (const subject of [...subjects.slice(start), ...subjects.slice(0, start)]) {
      const { elapsed, cpu, result } = await time(subject.run, subject.repeats);
      subject.times.push(elapsed / subject.repeats);
      subject.cpuTimes.push(cpu / subject.repeats);
      subject.shown = show(result);
    }
  }
  const first = median(subjects[0]?.times ?? []);
  const medians = new Map(subjects.map(({ name, times }) => [name, median(times)]));
  const cpuMedians = new Map(subjects.map(({ name, cpuTimes }) => [name, median(cpuTimes)]));
  const firstCpu = median(subjects[0]?.cpuTimes ?? []);
  return subjects.map(({ name, times, cpuTimes, shown, target }) => {
    const medianMs = median(times);
    // Processor time where it is known: others work with threads, and a Worker has one.
    const aimed = target && aim(name, target, firstCpu > 0 ? cpuMedians : medians);
    return {
      name,
      medianMs,
      minMs: Math.min(...times),
      ratio: medianMs / first,
      cpuRatio: median(cpuTimes) / firstCpu,
      shown: [aimed, shown].filter(Boolean).join("; "),
    };
  });
}

/** A median beside what it is meant to be; nothing where the other candidate did not run. */
function aim(name: string, target: NonNullable<Candidate["target"]>, medians: ReadonlyMap<string, number>): string {
  const [own, other] = [medians.get(name), medians.get(target.against)];
  if (!own || !other) return "";
  const ratio = own / other;
  const verdict = ratio <= target.most ? "met" : "missed";
  return `${ratio.toFixed(2)} of "${target.against}" (target ${target.most.toFixed(2)}, ${verdict})`;
}

async function time(run: () => unknown, repeats: number): Promise<{ elapsed: number; cpu: number; result: unknown }> {
  let result: unknown;
  const startCpu = cpuMs();
  const start = performance.now();
  for (let count = 0; count < repeats; count++) {
    result = run();
    if (result instanceof Promise) result = await result;
  }
  const elapsed = performance.now() - start;
  return { elapsed, cpu: cpuMs() - startCpu, result };
}

/** Processor time of the process so far; always 0 in workerd, which does not tell. */
function cpuMs(): number {
  if (navigator.userAgent === "Cloudflare-Workers") return 0;
  return milliseconds(process.cpuUsage());
}

/** Processor time in milliseconds. */
export function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function show(result: unknown): string {
  if (typeof result !== "object" || result === null || ArrayBuffer.isView(result)) return "";
  return Object.entries(result)
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");
}

/** The timings as lines of text, columns aligned. */
export function table(timings: readonly Timing[]): string {
  const width = Math.max(10, ...timings.map(({ name }) => name.length));
  const head = `${"".padEnd(width)}  median ms    min ms   ratio  by cpu`;
  const lines = timings.map(({ name, medianMs, minMs, ratio, cpuRatio, shown }) =>
    `${name.padEnd(width)} ${medianMs.toFixed(2).padStart(10)} ${minMs.toFixed(2).padStart(9)} ${ratio.toFixed(2).padStart(7)} ${byCpu(cpuRatio)}  ${shown}`.trimEnd(),
  );
  return [head, ...lines].join("\n");
}

function byCpu(ratio: number): string {
  return (Number.isFinite(ratio) ? ratio.toFixed(2) : "-").padStart(7);
}
