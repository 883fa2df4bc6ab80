/** What this isolate counts of its work, in the text format of Prometheus (version 0.0.4). */

type Kind = "counter" | "gauge";

/** Names and values; names are those of the format, values any text. */
export type Labels = Readonly<Record<string, string | number>>;

interface Metric {
  readonly kind: Kind;
  readonly help: string;
}

/** Series of one metric: enough for every route with every status; further ones are counted together. */
const MAX_SERIES = 500;

/** Every metric, in the order in which they are told; times are in seconds, as is customary. */
const METRICS = {
  requests_total: { kind: "counter", help: "Requests by method, route and status." },
  request_seconds_total: { kind: "counter", help: "Time from requests to their answers, by route." },
  refusals_total: {
    kind: "counter",
    help: "Answers of failure by status and reason, a word of a closed list.",
  },
  pictures_total: { kind: "counter", help: "Pictures processed, by the formats they came and went in." },
  picture_bytes_total: { kind: "counter", help: "Bytes of processed pictures, as they came (in) and went (out)." },
  processing_seconds_total: {
    kind: "counter",
    help: "Processor time by stage and format: by the clock, or as work declares it where the clock stands still.",
  },
  budget_waits_total: {
    kind: "counter",
    help: "Requests that had to wait for room for their original or their work, or were refused a place, by what came of it.",
  },
  budget_wait_seconds_total: { kind: "counter", help: "How long they waited." },
  handed_over_total: { kind: "counter", help: "Requests that went to an object of the pool, by what came of it." },
  queue_messages_total: { kind: "counter", help: "Messages of the queue by kind." },
  queue_wait_seconds_total: { kind: "counter", help: "How long messages stood in the queue, by kind." },
  memory_bytes: {
    kind: "gauge",
    help: "Memory that is set aside for work and originals, and that native modules hold.",
  },
  native_memory_bytes: { kind: "gauge", help: "Memory that each native module holds, in use and idle." },
  waiting: {
    kind: "gauge",
    help: "Requests that wait for room for an original, for the memory of their work, for the thread.",
  },
  places: { kind: "gauge", help: "Originals that are held, and work that has begun." },
  longest_wait_seconds: { kind: "gauge", help: "How long the request has waited that waits longest." },
  queued_seconds: { kind: "gauge", help: "Declared processor time of all work that is not over." },
  collections_total: { kind: "counter", help: "How often the engine was made to collect memory that was in the way." },
  collection_seconds_total: { kind: "counter", help: "How long that took." },
  native_replacements_total: { kind: "counter", help: "Instances of native modules that were replaced, by module." },
  ended_total: { kind: "counter", help: "How often the platform ended work in its midst." },
  replacements_total: { kind: "counter", help: "How often the isolate had itself replaced afterward." },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** A value of a metric at this moment. */
export interface Sample {
  readonly name: MetricName;
  readonly labels?: Labels;
  readonly value: number;
}

/** Every name begins with it. */
const PREFIX = "darkroom";

interface Counted {
  readonly labels: Labels;
  value: number;
}

const series = new Map<MetricName, Map<string, Counted>>();

/** Adds to a counter. */
export function count(name: MetricName, labels: Labels = {}, by = 1): void {
  const values = series.get(name) ?? new Map<string, Counted>();
  series.set(name, values);
  const hasRoom = values.has(spelled(labels)) || values.size < MAX_SERIES;
  const known = hasRoom ? labels : others(labels);
  const counted = values.get(spelled(known)) ?? { labels: known, value: 0 };
  counted.value += by;
  values.set(spelled(known), counted);
}

/**
 * Everything counted so far.
 * @param samples what is looked up rather than counted
 * @param common labels of everything
 */
export function told(samples: readonly Sample[], common: Labels): string {
  const lines: string[] = [];
  for (const [name, { kind, help }] of Object.entries<Metric>(METRICS) as [MetricName, Metric][]) {
    const values = [...(series.get(name)?.values() ?? []), ...samples.filter((sample) => sample.name === name)];
    const full = `${PREFIX}_${name}`;
    lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${kind}`);
    for (const { labels, value } of values) lines.push(`${full}${spelled({ ...labels, ...common })} ${value}`);
  }
  return lines.join("\n") + "\n";
}

function others(labels: Labels): Labels {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, "other"]));
}

function spelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
