/** The rules of Prometheus' text format (version 0.0.4), and those that its linter adds. */

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = `([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"`;
const COMMENT = new RegExp(`^# (HELP|TYPE) (${NAME}) ([^\\n]+)$`);
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (NaN|[+-]?Inf|[+-]?[0-9.]+(?:e[+-]?[0-9]+)?)$`,
);

/**
 * The families of an exposition, in order.
 * @throws Error naming the line that breaks a rule
 */
export function families(text: string): Family[] {
  if (!text.endsWith("\n")) throw new Error("The last line does not end");
  const found = new Map<string, { name: string; type: string; samples: Family["samples"][number][] }>();
  const helped = new Set<string>();
  const series = new Set<string>();
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const fail = (reason: string): never => {
      throw new Error(`${reason}: ${line}`);
    };
    const [, word, name = "", rest = ""] = COMMENT.exec(line) ?? [];
    if (word === "HELP") {
      if (helped.has(name)) fail("A second HELP");
      helped.add(name);
      current = name;
    } else if (word === "TYPE") {
      if (name !== current || found.has(name)) fail("TYPE belongs after its HELP, once");
      if (rest !== "counter" && rest !== "gauge") fail("An unknown type");
      if (name.endsWith("_total") !== (rest === "counter")) fail("Counters, and only they, end in _total");
      found.set(name, { name, type: rest, samples: [] });
    } else {
      const sample = SAMPLE.exec(line) ?? fail("No sample");
      const family = sample[1] === current ? found.get(current) : undefined;
      if (!family) return fail("A sample outside its family");
      const pairs = [...(sample[2] ?? "").matchAll(new RegExp(LABEL, "g"))].map(
        ([, key, value]) => [key, value] as const,
      );
      const labels = Object.fromEntries(pairs) as Record<string, string>;
      if (Object.keys(labels).length < pairs.length) fail("A label twice");
      const identity = `${current} ${JSON.stringify(pairs.map(([key, value]) => `${key}=${value}`).toSorted())}`;
      if (series.has(identity)) fail("A series twice");
      series.add(identity);
      const value = Number(sample.at(-1));
      if (family.type === "counter" && !(value >= 0)) fail("A counter below zero");
      family.samples.push({ labels, value });
    }
  }
  return [...found.values()];
}
