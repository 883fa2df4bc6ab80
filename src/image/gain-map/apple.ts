/**
 * Gain maps as Apple's phones write them: a value is a part of what a picture's light becomes more at most, and all of it is
 * one number, the headroom ("Applying Apple HDR effect to your photos", Apple's documentation of AppKit).
 */
import { makerHeadroom } from "../metadata/apple-notes.ts";
import { propertiesIn } from "../metadata/rdf.ts";
import type { GainMap } from "./gain-map.ts";

const PIXEL_DATA = "http://ns.apple.com/pixeldatainfo/1.0/";
const GAIN_MAP = "http://ns.apple.com/HDRGainMap/1.0/";
/** What these maps are called among auxiliary pictures. */
export const APPLE_GAIN_MAP = "urn:com:apple:photo:2020:aux:hdrgainmap";
/** Screens show white up to eight times as bright as white of other pictures. */
const MAX_HEADROOM = 64;

type Meaning = Pick<GainMap, "terms" | "levels">;

/** Whether a packet of XMP is that of a file of such a map. */
export function isOfAppleMap(packet: Uint8Array): boolean {
  const kind = propertiesIn(packet, PIXEL_DATA).get("AuxiliaryImageType")?.[0];
  return kind === APPLE_GAIN_MAP || propertiesIn(packet, GAIN_MAP).has("HDRGainMapVersion");
}

/**
 * What a map means; undefined where nothing says how bright it gets.
 * @param packet of XMP about the map
 * @param exif data of the picture, in whose maker notes older phones say it
 */
export function readApple(packet: Uint8Array | undefined, exif: () => Uint8Array | undefined): Meaning | undefined {
  const said = packet && propertiesIn(packet, GAIN_MAP).get("HDRGainMapHeadroom")?.[0];
  const headroom = said === undefined ? makerHeadroom(exif()) : Number.parseFloat(said);
  return headroom !== undefined && headroom > 1 && headroom <= MAX_HEADROOM ? inStops(headroom) : undefined;
}

/** `base * (1 + (headroom - 1) * value)` as gains in stops. */
function inStops(headroom: number): Meaning {
  const stops = Math.log2(headroom);
  const channel = { min: 0, max: stops, gamma: 1, baseOffset: 0, alternateOffset: 0 };
  const levels = Uint8Array.from({ length: 256 }, (_, level) =>
    Math.round((255 * Math.log2(1 + (headroom - 1) * linearValue(level / 255))) / stops),
  );
  return {
    terms: { channels: [channel], baseHeadroom: 0, alternateHeadroom: stops, inBaseColors: true },
    levels,
  };
}

/** Values are encoded by the transfer function of Rec. 709 (ITU-R BT.709-6, 1.2). */
function linearValue(encoded: number): number {
  return encoded < 0.081 ? encoded / 4.5 : ((encoded + 0.099) / 1.099) ** (1 / 0.45);
}
