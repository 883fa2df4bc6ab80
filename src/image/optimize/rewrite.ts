/** A file whose picture stays what it is, written anew in its own format without turning it into pixels. */
import { isolateBudget } from "../budget.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { isWhole, type Orientation } from "../geometry.ts";
import { pictureOf, picturePeakBytes, type Stored } from "../pipeline.ts";
import { type Plan, storedSize } from "../plan.ts";
import type { Way } from "./search.ts";
import type { EncodeWhole } from "./trial.ts";

/** A stored picture of which nothing changes but, perhaps, how it lies. */
export interface Kept {
  readonly stored: Stored;
  readonly plan: Plan;
  /** How its pixels are turned, without any loss. */
  readonly turn: Orientation;
  /** How they are to be turned when the picture is shown, which the file says. */
  readonly note: Orientation;
  /** The original as it may be handed out, where it shows the same. */
  readonly original: Uint8Array | null;
}

/**
 * What is kept of the stored picture; null when pixels or format change. An orientation of the original that cannot be
 * applied to it without loss stays noted in the file.
 */
export function keptOf(stored: Stored, plan: Plan, target: FormatDefinition): Kept | null {
  const { bytes, facts, format } = stored;
  const { box, orientation, target: resized } = plan.view;
  if (target !== format || plan.steps.length > 0 || resized || !isWhole(box, storedSize(facts))) return null;
  const common = { stored, plan };
  if (orientation === 1) return { ...common, turn: 1, note: 1, original: withoutMetadata(stored, 1) };
  if (!format.turns) return null;
  const peakBytes = format.recompressPeakBytes?.(bytes, facts, { progressive: true, turn: orientation }) ?? Infinity;
  const original = orientation === facts.orientation ? withoutMetadata(stored, orientation) : null;
  if (format.turns(bytes, orientation) && isolateBudget.canHold(peakBytes)) {
    return { ...common, turn: orientation, note: 1, original };
  }
  return original && { ...common, turn: 1, note: orientation, original };
}

function withoutMetadata({ bytes, format }: Stored, note: Orientation): Uint8Array {
  const stripped = format.strip?.(bytes, note) ?? bytes;
  return stripped.length < bytes.length ? stripped : bytes;
}

/** The same pixels in the same format, without decoding them; null where there is nothing to win this way. */
export async function recompressed(
  { stored, turn, note }: Pick<Kept, "stored" | "turn" | "note">,
  { progressive }: Pick<EncodeSettings, "progressive">,
): Promise<{ bytes: Uint8Array; score: number } | null> {
  const { bytes, facts, format } = stored;
  const { recompress, recompressPeakBytes } = format;
  if (!recompress || !recompressPeakBytes) return null;
  const settings = { progressive, turn, note };
  const peakBytes = recompressPeakBytes(bytes, facts, settings);
  const result = await isolateBudget.run(peakBytes, () => recompress(bytes, facts, settings));
  return result && { bytes: result, score: 100 };
}

/**
 * The same picture with its coefficients in a single scan, which takes little memory to decode; null where it is so
 * already, or cannot be.
 * @param note how the picture is to be turned, which the file says
 */
export async function inOneScan(stored: Stored, note: Orientation = 1): Promise<Stored | null> {
  if (!stored.facts.interlaced || !stored.format.requantizes?.(stored.bytes)) return null;
  const result = await recompressed({ stored, turn: 1, note }, { progressive: false });
  if (!result) return null;
  const { bytes } = result;
  return { ...stored, bytes, facts: stored.format.probe(bytes) };
}

/** Decodes a picture that is handed back as it is, so that a damaged one is refused. */
export async function readThrough({ stored, plan }: Kept): Promise<void> {
  const rows = 32;
  const lying = asStored(plan, stored);
  await isolateBudget.run(picturePeakBytes(stored, lying), () => {
    for (const frame of pictureOf(stored, lying).open()) while (frame.rows.read(rows));
  });
}

/** The plan without its turn. */
export function asStored(plan: Plan, { facts }: Stored): Plan {
  return { ...plan, view: { ...plan.view, orientation: 1 }, size: storedSize(facts) };
}

export interface Requantizer extends Way {
  readonly peakBytes: number;
}

/**
 * A way to a smaller file of the same picture that never turns it into pixels, where the format has one: there is no
 * loss but the one that is asked for, and source and result are never held at once. It encodes the picture as it is
 * stored, and finishes with it as it is handed out.
 */
export function requantizer({ stored, turn, note }: Kept): Requantizer | null {
  const { bytes, facts, format } = stored;
  const { recompress, recompressPeakBytes, requantizes, encode: encodePixels } = format;
  if (!recompress || !recompressPeakBytes || !encodePixels || !requantizes?.(bytes)) return null;
  const encode: EncodeWhole = ({ quality, progressive }) => recompress(bytes, facts, { quality, progressive }) ?? bytes;
  const finish: EncodeWhole = ({ quality, progressive }) =>
    recompress(bytes, facts, { quality, progressive, turn, note }) ?? bytes;
  const peakBytes = recompressPeakBytes(bytes, facts, { progressive: true, turn });
  return {
    peakBytes,
    encode,
    finish: turn === 1 && note === 1 ? encode : finish,
    encodeSheet({ picture, tiles }) {
      const small = tiles && recompress(bytes, facts, { progressive: false, tiles });
      if (!small) return (settings) => encodePixels(picture, settings);
      const smallFacts = format.probe(small);
      return ({ quality }) => recompress(small, smallFacts, { quality, progressive: false }) ?? small;
    },
  };
}
