/** What the values of a gain map mean (ISO 21496-1, 5.2): all gains and headrooms are in stops. */
import type { Rgba } from "../color/rgba.ts";

/** How one channel of a map is applied: `(base + baseOffset) * 2^gain - alternateOffset`. */
export interface ChannelTerms {
  /** The gains of the lowest and the highest value. */
  readonly min: number;
  readonly max: number;
  /** Of the encoding: a value is the power of the gain's place between `min` and `max`. */
  readonly gamma: number;
  /** Light that is added before the gain and subtracted behind it. */
  readonly baseOffset: number;
  readonly alternateOffset: number;
}

export interface GainTerms {
  /** One for all of red, green and blue, or each its own. */
  readonly channels: readonly [ChannelTerms] | readonly [ChannelTerms, ChannelTerms, ChannelTerms];
  /** Up to this headroom of a screen the picture is shown as it is, */
  readonly baseHeadroom: number;
  /** and from this one on with all gains. */
  readonly alternateHeadroom: number;
  /** Gains are applied in the colors of the picture, else in those of the map's own profile. */
  readonly inBaseColors: boolean;
}

/** Gains beyond this are in no picture: the range from starlight to the sun is less. */
const MAX_STOPS = 40;
const MAX_GAMMA = 100;
/** Offsets are small parts of the light of white. */
const MAX_OFFSET = 100;

/** Whether terms can be applied. */
export function areTerms({ channels, baseHeadroom, alternateHeadroom }: GainTerms): boolean {
  const areHeadrooms = isWithin(baseHeadroom, 0, MAX_STOPS) && isWithin(alternateHeadroom, 0, MAX_STOPS);
  return areHeadrooms && baseHeadroom !== alternateHeadroom && channels.every(areChannelTerms);
}

function areChannelTerms({ min, max, gamma, baseOffset, alternateOffset }: ChannelTerms): boolean {
  const areGains = isWithin(min, -MAX_STOPS, MAX_STOPS) && isWithin(max, min, MAX_STOPS);
  const areOffsets = [baseOffset, alternateOffset].every((offset) => isWithin(offset, -MAX_OFFSET, MAX_OFFSET));
  return areGains && areOffsets && isWithin(gamma, 1 / MAX_GAMMA, MAX_GAMMA);
}

/** Not for what is no number. */
function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** The value of a map where nothing becomes brighter or darker, or the one that comes closest. */
export function noGain({ channels: [red, green = red, blue = red] }: GainTerms): Rgba {
  return [levelOfNone(red), levelOfNone(green), levelOfNone(blue), 255];
}

function levelOfNone({ min, max, gamma }: ChannelTerms): number {
  if (max === min) return 0;
  const place = Math.min(1, Math.max(0, -min / (max - min)));
  return Math.round(255 * place ** gamma);
}
