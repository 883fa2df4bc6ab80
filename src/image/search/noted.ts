/** What the tries of a search came to, for the case that it ends before it is done. */
import type { EncodeSettings, Scale } from "../codec/writer.ts";
import { expectedQuality } from "./losses.ts";
import { type EndsInTime, Overrun, type Predicted } from "./overrun.ts";
import type { Found, Encoder, PictureEncoder } from "./probe.ts";
import type { Sample } from "./sample.ts";
import type { ProbedPart, Trace } from "./trace.ts";

/** A try, its score included. */
interface Note {
  readonly settings: EncodeSettings;
  readonly score: number;
}

/** Points above its target that a predicted quality aims at: it is looked at by nobody. */
const MARGIN_POINTS = 2;

export class Notes {
  private readonly settingsOf = new WeakMap<Uint8Array, EncodeSettings>();
  private readonly scale: Scale;
  private readonly targetScore: number;
  /** All but files, which are large: of these only the best is held. */
  private readonly tried: Note[] = [];
  private best: Found | undefined;

  /** Told of every file; absent: nobody asks. */
  private readonly trace: Trace | undefined;

  constructor(scale: Scale, targetScore: number, trace?: Trace) {
    this.scale = scale;
    this.targetScore = targetScore;
    this.trace = trace;
  }

  /** A way whose files are known here, and which ends in time. */
  encoder(encoder: PictureEncoder, deadline: EndsInTime): PictureEncoder {
    const noted = <Own extends Encoder>(encoder: Own, part: ProbedPart): Own => {
      const { encode } = encoder;
      const marking = async (settings: EncodeSettings) => {
        const bytes = await encode(settings);
        this.settingsOf.set(bytes, settings);
        this.trace?.({ kind: "encoded", part, settings, bytes: bytes.length });
        return bytes;
      };
      return ending({ ...encoder, encode: marking }, deadline);
    };
    const { encode, finish, onSample } = encoder;
    const made = noted(encoder, "whole");
    return {
      ...made,
      finish: finish === encode ? made.encode : noted({ encode: finish }, "whole").encode,
      onSample: async (sample: Sample) => noted(await onSample(sample), "sample"),
    };
  }

  /** Notes what a file looks like. */
  add({ bytes, score, metric = score }: Found, isWhole: boolean): void {
    const settings = this.settingsOf.get(bytes);
    if (!settings || settings.draft || settings.lossless) return;
    this.tried.push({ settings, score });
    if (!isWhole || score < this.targetScore) return;
    if (!this.best || bytes.length < this.best.bytes.length) this.best = { bytes, score, metric };
  }

  /** The end of the search before it is done, with what is known by now. */
  overrun(): Overrun {
    return new Overrun(this.best, this.predicted());
  }

  /** The quality that the model of losses expects, by the choice of chroma and loss that was tried last. */
  private predicted(): Predicted | undefined {
    const last = this.tried.at(-1)?.settings;
    if (!last) return undefined;
    const { subsample, loss } = last;
    const known = this.tried
      .filter(({ settings }) => settings.subsample === subsample && settings.loss === loss)
      .map(({ settings: { quality }, score }) => ({ quality, score }));
    const quality = expectedQuality(known, this.targetScore + MARGIN_POINTS, this.scale);
    return { quality, ...(subsample && { subsample }), ...(loss && { loss }) };
  }
}

/** An encoder that makes no further file once the time is over: it throws Overrun then. */
function ending<Own extends Encoder>(encoder: Own, deadline: EndsInTime): Own {
  const { encode, preview } = encoder;
  const inTime =
    <Settings, Result>(make: (settings: Settings) => Promise<Result>) =>
    async (settings: Settings) => {
      if (deadline.isOver()) throw new Overrun();
      return make(settings);
    };
  return { ...encoder, encode: inTime(encode), preview: preview && inTime(preview) };
}
