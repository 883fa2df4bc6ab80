/** Files that were packed in files of another format, and are wanted as what they were. */
import { beside, held, type Price } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { Allowance } from "../../scheduler/job-limits.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { identify } from "../plan/detect.ts";
import type { Stored } from "../plan/planned-picture.ts";

/** The pixels may still be what they were. */
function withoutUnreadable(error: unknown): null {
  if (error instanceof ApiError && error.status === 422) return null;
  throw error;
}

/** A file in place of the one that it was packed in. */
export interface Unpacked {
  readonly stored: Stored;
  /** The caller's to release. */
  readonly source: SharedBytes;
}

/**
 * The price of the file that was packed in an original, where a result is wanted in its format; null where there is none, or
 * no memory for it beside all that is held.
 */
export function unpackPrice({ mime }: Pick<FormatDefinition, "mime">, stored: Stored): Price | null {
  const { bytes, facts, keptBytes = 0 } = stored;
  const { unpack } = stored.format;
  const price = unpack?.mime === mime ? unpack.price(bytes, facts) : null;
  return price && isolateBudget.canHold(beside(price, held(keptBytes)), bytes.length) ? price : null;
}

/**
 * The file that was packed in an original, where a result is wanted in its format; null where there is none, it cannot be
 * had, or it is of another picture than the one that was planned.
 */
export async function unpackedFor(
  format: FormatDefinition,
  stored: Stored,
  allowance?: Allowance,
): Promise<Unpacked | null> {
  const { bytes, facts } = stored;
  const { unpack } = stored.format;
  const price = unpackPrice(format, stored);
  if (!unpack || !price || allowance?.affords(price) === false) return null;
  const file = await isolateBudget
    .run(price, (breath) => unpack.run(bytes, facts, breath), allowance)
    .catch(withoutUnreadable);
  if (!file) return null;
  const found = identify(file);
  const { width, height, orientation } = found.facts;
  const isSame = width === facts.width && height === facts.height && orientation === facts.orientation;
  if (found.format !== format || !isSame) return null;
  return {
    stored: { ...stored, ...found, heldBytes: bytes.length + file.length },
    source: SharedBytes.of(file),
  };
}
