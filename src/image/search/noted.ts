/** What the tries of a search came to, for the case that it ends before it is done. */
import type { EncodeSettings, Scale } from "../codec/writer.ts";
import { expectedQuality } from "./losses.ts";
import { type EndsInTime, Overrun, type Predicted } from "./overrun.ts";
import type { Found, Encoder, PictureEncoder } from "./probe.ts";
import type { ProbedPart, Trace } from "./trace.ts";

/** A try, its score included. */
interface Note {
  readonly settings: EncodeSettings;
  readonly score: number;
}

/** Points above its target that a predicted quality aims at: it is looked at by nobody. */
const MARGIN_POINTS = 2;

export interface Notes {
  /** A way whose files are known here, and which ends in time. */
  readonly encoder: (encoder: PictureEncoder, deadline: EndsInTime) => PictureEncoder;
  /** Notes what a file looks like. */
  readonly add: (file: Found, isWhole: boolean) => void;
  /** The end of the search before it is done, with what is known by now. */
  readonly overrun: () => Overrun;
}

/** @param trace told of every file; absent: nobody asks */
export function notesOn(scale: Scale, targetScore: number, trace?: Trace): Notes {
  const settingsOf = new WeakMap<Uint8Array, EncodeSettings>();
  // All but files, which are large: of these only the best is held.
  const tried: Note[] = [];
  let best: Found | undefined;
  // The quality that the model of losses expects, by the choice of chroma and loss that was tried last.
  const predicted = (): Predicted | undefined => {
    const last = tried.at(-1)?.settings;
    if (!last) return undefined;
    const { subsample, loss } = last;
    const known = tried
      .filter(({ settings }) => settings.subsample === subsample && settings.loss === loss)
      .map(({ settings: { quality }, score }) => ({ quality, score }));
    const quality = expectedQuality(known, targetScore + MARGIN_POINTS, scale);
    return { quality, ...(subsample && { subsample }), ...(loss && { loss }) };
  };
  return {
    encoder(encoder, deadline) {
      const noted = <Own extends Encoder>(own: Own, part: ProbedPart): Own => {
        const marking = async (settings: EncodeSettings) => {
          const bytes = await own.encode(settings);
          settingsOf.set(bytes, settings);
          trace?.({ kind: "encoded", part, settings, bytes: bytes.length });
          return bytes;
        };
        return ending({ ...own, encode: marking }, deadline);
      };
      const { encode, finish, onSample } = encoder;
      const made = noted(encoder, "whole");
      return {
        ...made,
        finish: finish === encode ? made.encode : noted({ encode: finish }, "whole").encode,
        onSample: async (sample) => noted(await onSample(sample), "sample"),
      };
    },
    add({ bytes, score, metric = score }, isWhole) {
      const settings = settingsOf.get(bytes);
      if (!settings || settings.draft || settings.lossless) return;
      tried.push({ settings, score });
      if (!isWhole || score < targetScore) return;
      if (!best || bytes.length < best.bytes.length) best = { bytes, score, metric };
    },
    overrun: () => new Overrun(best, predicted()),
  };
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
