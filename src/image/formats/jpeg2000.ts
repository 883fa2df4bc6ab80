/** JPEG 2000 by OpenJPEG, in `wasm/jpeg2000`: JP2 files and bare codestreams in, JP2 files out. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { type Demand, type Facts, format } from "../codec/format.ts";
import { strip } from "./jpeg2000/boxes.ts";
import { open, reductionFor } from "./jpeg2000/decode.ts";
import { encode, encodeEstimate, PROFILE_COPIES, tiledStream, usualBytes } from "./jpeg2000/encode.ts";
import { factsOf } from "./jpeg2000/facts.ts";
import { decodeEstimate } from "./jpeg2000/windows.ts";
import { JPEG2000 } from "./optional.ts";
import { besideProfile } from "./profile-estimate.ts";

export const jpeg2000 = format({
  ...JPEG2000,
  summary: "JP2 files and bare codestreams in, JP2 files out: with and without loss, alpha kept exactly.",
  can: { alpha: true, animation: false, quality: true, lossless: true, web: false, spaces: "any" },
  read: { factsOf, estimate: readEstimate, scale: readScale, open },
  write: {
    estimate: besideProfile(encodeEstimate, PROFILE_COPIES),
    encode,
    qualities: { step: 1 },
    variants: [{}],
    maxScoredPixels: Number.POSITIVE_INFINITY,
  },
  strip,
});

/** What decoding takes of all when the sides are halved once, twice and more often: most is in the finest details. */
const HALVED_SHARES = [1, 0.4, 0.2, 0.1] as const;
const LEAST_SHARE = 0.1;

function readScale({ halvings = 0 }: Facts, demand: Demand): number {
  return 2 ** -reductionFor(demand, halvings);
}

/** A region takes its part of the time, and so does a reduced picture. */
function readEstimate(facts: Facts, demand: Demand): Estimate {
  const whole = wholeEstimate(facts);
  const { box } = demand;
  const share = Math.min(1, (box.width * box.height) / (facts.width * facts.height));
  const halvings = reductionFor(demand, facts.halvings ?? 0);
  const bytes = facts.halvedBytes?.[halvings] ?? whole.bytes;
  return { bytes, ms: whole.ms * share * (HALVED_SHARES[halvings] ?? LEAST_SHARE) };
}

/**
 * The estimate of decoding a whole file. While a result is not written yet only its size is known, and that it is ours.
 */
function wholeEstimate({ width, height, alpha, decodeBytes, decodeMs }: Facts): Estimate {
  if (decodeBytes !== undefined && decodeMs !== undefined) return { bytes: decodeBytes, ms: decodeMs };
  const shape = { width, height, opaque: !alpha };
  return decodeEstimate(tiledStream(shape), usualBytes(shape), shape, [1, 1]);
}
