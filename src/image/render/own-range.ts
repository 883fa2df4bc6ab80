/**
 * Pictures of high dynamic range that stay what they are, sample by sample, in place of a gain map beside an ordinary
 * one.
 */
import type { Facts, FormatDefinition } from "../codec/format.ts";
import type { Space } from "../color/space.ts";
import type { Output } from "../plan/output.ts";
import type { Plan } from "../plan/plan.ts";
import { withSixteenBits, type Stored } from "../plan/planned-picture.ts";

/**
 * A file whose picture keeps its own range on its way into a format, where that is wanted, the format can hold it, and
 * all that is done on the way knows such samples; or else the file as it is.
 */
export function inOwnRange<Own extends Stored>(
  stored: Own,
  plan: Plan,
  formats: readonly FormatDefinition[],
  output: Output | undefined,
): Own {
  const [format, ...others] = formats;
  const space = ownSpace(stored.facts);
  // Ordinary colors that are named are those of a picture for ordinary screens.
  const isWanted = output?.hdr === "keep" && (output.profile ?? "keep") === "keep" && others.length === 0;
  if (!isWanted || !space || !format?.can.highDynamicRange || filtersLight(plan)) return stored;
  return withSixteenBits({ ...stored, space, gainMap: undefined }, plan) ?? stored;
}

/** Whether something is resized in linear light, which is known of sRGB alone. */
function filtersLight({ view, steps }: Plan): boolean {
  return view.target?.linear === true || steps.some((step) => step.kind === "resize" && step.linear === true);
}

function ownSpace({ profile, codePoints }: Facts): Space | undefined {
  return profile && codePoints && { profile, isP3: false, codePoints };
}
