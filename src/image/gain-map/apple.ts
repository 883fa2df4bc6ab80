/**
 * Gain maps as Apple's phones write them: a value is a part of what a picture's light becomes more at most, encoded as sRGB
 * is, and all of it is one number, the headroom.
 */
import { toLinear } from "../color/light.ts";
import type { GainMap } from "../gain-map.ts";
import { propertiesIn } from "../metadata/rdf.ts";

const PIXEL_DATA = "http://ns.apple.com/pixeldatainfo/1.0/";
const GAIN_MAP = "http://ns.apple.com/HDRGainMap/1.0/";
const AUXILIARY_TYPE = "urn:com:apple:photo:2020:aux:hdrgainmap";
/** Screens show white up to eight times as bright as white of other pictures. */
const MAX_HEADROOM = 64;

/** What a packet of a map's file means; undefined where it is of no map, or does not say how bright it gets. */
export function readApple(packet: Uint8Array): Pick<GainMap, "terms" | "levels"> | undefined {
  if (propertiesIn(packet, PIXEL_DATA).get("AuxiliaryImageType")?.[0] !== AUXILIARY_TYPE) return undefined;
  const headroom = Number.parseFloat(propertiesIn(packet, GAIN_MAP).get("HDRGainMapHeadroom")?.[0] ?? "");
  return headroom > 1 && headroom <= MAX_HEADROOM ? inStops(headroom) : undefined;
}

/** `base * (1 + (headroom - 1) * value)` as gains in stops. */
function inStops(headroom: number): Pick<GainMap, "terms" | "levels"> {
  const stops = Math.log2(headroom);
  const channel = { min: 0, max: stops, gamma: 1, baseOffset: 0, alternateOffset: 0 };
  const levels = Uint8Array.from({ length: 256 }, (_, level) =>
    Math.round((255 * Math.log2(1 + (headroom - 1) * toLinear(level / 255))) / stops),
  );
  return {
    terms: { channels: [channel], baseHeadroom: 0, alternateHeadroom: stops, inBaseColors: true },
    levels,
  };
}
