/**
 * ICC profiles for colors that a HEIF file describes by numbers (ISO/IEC 23091-2), where they are not those of sRGB.
 */
import { profileOfCodePoints } from "../../color/code-points.ts";

const SRGB = { primaries: 1, transfer: 13 } as const;
/**
 * Primaries that need a profile, of those in use: BT.2020 and P3. Those of older television differ from sRGB's by less
 * than cameras do.
 */
const PRIMARIES: ReadonlySet<number> = new Set([9, 12]);
/** Gamma 2.2, linear light, PQ and HLG. The curves of television are meant for displays that show sRGB. */
const TRANSFERS: ReadonlySet<number> = new Set([4, 8, 16, 18]);

/** The profile of gray or RGB samples; undefined for those of sRGB and for what is not known. */
export function profileOf(
  primaries: number | undefined,
  transfer: number | undefined,
  isGray: boolean,
): Uint8Array | undefined {
  const profile = profileOfCodePoints(
    primaries !== undefined && PRIMARIES.has(primaries) ? primaries : SRGB.primaries,
    transfer !== undefined && TRANSFERS.has(transfer) ? transfer : SRGB.transfer,
    isGray,
  );
  return profile === "srgb" ? undefined : (profile ?? undefined);
}
