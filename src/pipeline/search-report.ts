/** What an answer says of the search for each result, where `response.explain` asks for it. */
import type { SearchProbe, SearchReport } from "../contract/response.ts";
import { objectiveOf } from "../image/plan/output.ts";
import { TARGET_SCORE } from "../image/search/presets.ts";
import type { Trace, TraceEvent } from "../image/search/trace.ts";
import { MAX_EXPLAINED_PROBES } from "../limits.ts";
import type { Entry } from "./entries.ts";

/** A probe as it is put together: first its file or what it looks like, then the other. */
type Draft = { -readonly [Member in keyof SearchProbe]: SearchProbe[Member] };

interface Probes {
  readonly told: Draft[];
  omitted: number;
}

/** Listens to the searches of a job. An answer holds `MAX_EXPLAINED_PROBES` of them, and counts the others. */
export class SearchReports {
  private readonly byResult = new Map<string, Probes>();
  private now: Probes = { told: [], omitted: 0 };
  private format = "";
  private count = 0;
  /** The file that was just encoded and not judged yet. */
  private encoded: Draft | undefined;

  readonly trace: Trace = (event) => {
    switch (event.kind) {
      case "result":
        this.now = { told: [], omitted: 0 };
        this.byResult.set(event.name, this.now);
        return;
      case "attempt":
        this.format = event.format;
        this.encoded = undefined;
        return;
      case "encoded":
        this.encode(event);
        return;
      case "judged":
        this.judge(event);
        return;
      case "ended":
        this.encoded = undefined;
        return;
      case "not made":
    }
  };

  /** What is to be said of a result. */
  of({ name, output, optimize }: Pick<Entry, "name" | "output" | "optimize">): SearchReport {
    const { told, omitted } = this.byResult.get(name) ?? { told: [], omitted: 0 };
    const objective = objectiveOf(output, optimize);
    return {
      ...(objective.kind === "smart" && { target_score: TARGET_SCORE[objective.preset] }),
      ...(objective.kind === "size" && { target_bytes: objective.bytes }),
      probes: told,
      ...(omitted > 0 && { omitted }),
    };
  }

  private encode({ part, settings, bytes }: Extract<TraceEvent, { kind: "encoded" }>): void {
    const { quality, lossless, loss, draft } = settings;
    // What was judged without a file is written afterwards.
    const shown = this.now.told.find((one) => one.bytes === undefined && this.isOf(one, part, quality));
    if (shown) {
      shown.bytes = bytes;
      return;
    }
    const isExact = lossless || loss === "nothing";
    this.encoded = this.add({
      ...this.probe(part, quality),
      bytes,
      ...(isExact && { lossless: true }),
      ...(draft && { draft: true }),
    });
  }

  private judge({ part, quality, score, points }: Extract<TraceEvent, { kind: "judged" }>): void {
    const { encoded } = this;
    const probe = encoded && this.isOf(encoded, part, quality) ? encoded : this.add(this.probe(part, quality));
    this.encoded = undefined;
    if (score !== undefined) probe.score = rounded(score);
    if (points < (score ?? Infinity)) probe.stricter = rounded(points);
  }

  private probe(part: "sample" | "whole", quality: number): Draft {
    return { format: this.format, part: part === "sample" ? "tiles" : "whole", quality };
  }

  private isOf(probe: SearchProbe, part: "sample" | "whole", quality: number): boolean {
    const same = this.probe(part, quality);
    return probe.format === same.format && probe.part === same.part && probe.quality === quality;
  }

  private add(probe: Draft): Draft {
    if (this.count < MAX_EXPLAINED_PROBES) {
      this.count += 1;
      this.now.told.push(probe);
    } else this.now.omitted += 1;
    return probe;
  }
}

/** Hundredths, as `output.score` has them. */
function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
