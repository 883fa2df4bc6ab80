/** The terms of a gain map as bytes (ISO 21496-1, annex C): fractions of 32 bits, most significant byte first. */
import { areTerms, type ChannelTerms, type GainTerms } from "./terms.ts";

const FLAGS = { channels: 0x80, baseColors: 0x40, oneDenominator: 0x08 };
/** The least version of a reader, that of the writer: all that there is. */
const VERSIONS = [0, 0, 0, 0] as const;
const FLAGS_AT = 4;
/** A millionth of a stop is less than any map can hold. */
const DENOMINATOR = 1_000_000;

/** What a picture with a map says of itself: that there is one, by the versions that its terms are written in. */
export const ISO_VERSIONS = Uint8Array.from(VERSIONS);

/** Undefined where the terms are damaged, or for readers of a later version. */
export function readIso(bytes: Uint8Array): GainTerms | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint16(0) !== 0) return undefined;
    const terms = termsIn(view);
    return areTerms(terms) ? terms : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError where bytes are missing */
function termsIn(view: DataView): GainTerms {
  const flags = view.getUint8(FLAGS_AT);
  let at = FLAGS_AT + 1;
  const next = (read: (at: number) => number) => {
    at += 4;
    return read(at - 4);
  };
  const unsigned = () => next((place) => view.getUint32(place));
  const signed = () => next((place) => view.getInt32(place));
  const shared = flags & FLAGS.oneDenominator ? unsigned() : undefined;
  const fraction = (numerator: number) => numerator / (shared ?? unsigned());
  const channel = (): ChannelTerms => ({
    min: fraction(signed()),
    max: fraction(signed()),
    gamma: fraction(unsigned()),
    baseOffset: fraction(signed()),
    alternateOffset: fraction(signed()),
  });
  const [baseHeadroom, alternateHeadroom] = [fraction(unsigned()), fraction(unsigned())];
  const inBaseColors = (flags & FLAGS.baseColors) !== 0;
  const first = channel();
  const channels = flags & FLAGS.channels ? ([first, channel(), channel()] as const) : ([first] as const);
  return { channels, baseHeadroom, alternateHeadroom, inBaseColors };
}

export function writeIso({ channels, baseHeadroom, alternateHeadroom, inBaseColors }: GainTerms): Uint8Array {
  const numbers = [
    baseHeadroom,
    alternateHeadroom,
    ...channels.flatMap(({ min, max, gamma, baseOffset, alternateOffset }) => [
      min,
      max,
      gamma,
      baseOffset,
      alternateOffset,
    ]),
  ];
  const bytes = new Uint8Array(FLAGS_AT + 1 + 8 * numbers.length);
  const view = new DataView(bytes.buffer);
  bytes.set(VERSIONS);
  bytes[FLAGS_AT] = (channels.length > 1 ? FLAGS.channels : 0) | (inBaseColors ? FLAGS.baseColors : 0);
  for (const [index, number] of numbers.entries()) {
    const at = FLAGS_AT + 1 + 8 * index;
    // The bits of a number of two's complement are those of the unsigned one.
    view.setInt32(at, Math.round(number * DENOMINATOR));
    view.setUint32(at + 4, DENOMINATOR);
  }
  return bytes;
}
