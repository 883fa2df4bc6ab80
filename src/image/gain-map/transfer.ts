/**
 * Gain maps of pictures that are coded in high dynamic range themselves, and become pictures for ordinary screens: each channel
 * is mapped by one curve, so its samples say what gain brings its light back.
 */
import { hybridLight, mapped, PEAK, perceptualLight, type Transfer } from "../color/high-dynamic-range.ts";
import type { GainMap } from "./gain-map.ts";

/** Keeps the gains of what is almost black within bounds. */
const OFFSET = 1 / 64;
/** Light beyond the peak that is expected is shown as that. */
const MAX_STOPS = Math.log2((PEAK + OFFSET) / (1 + OFFSET));

/** Light by code points of transfers (ISO/IEC 23091-2, 8.2). */
const LIGHT: Readonly<Record<number, Transfer>> = { 16: perceptualLight, 18: hybridLight };

/** What samples of a transfer mean as values of a map; undefined for one that is not of high dynamic range. */
export function gainsOfTransfer(transfer: number): Pick<GainMap, "terms" | "levels"> | undefined {
  const lightOf = LIGHT[transfer];
  if (!lightOf) return undefined;
  const levels = Uint8Array.from({ length: 256 }, (_, level) => {
    const light = Math.min(PEAK, lightOf(level / 255));
    return Math.round((255 * Math.log2((light + OFFSET) / (mapped(light) + OFFSET))) / MAX_STOPS);
  });
  const channel = { min: 0, max: MAX_STOPS, gamma: 1, baseOffset: OFFSET, alternateOffset: OFFSET };
  const terms = {
    channels: [channel],
    baseHeadroom: 0,
    alternateHeadroom: Math.log2(PEAK),
    inBaseColors: false,
  } as const;
  return { terms, levels };
}
