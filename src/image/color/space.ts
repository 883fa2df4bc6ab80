/** The colors that a picture is worked on and written in, where these are not those of sRGB. */
import { openTransform, relationOf, SRGB } from "../../../wasm/color/color.ts";
import { MAX_KEPT_PROFILE_BYTES } from "../../limits/pictures.ts";
import { whenNeeded } from "../../when-needed.ts";
import { type CodePoints, profileOfCodePoints } from "./code-points.ts";
import { iccProfile, sampled, values, D50 } from "./icc.ts";
import { toLinear } from "./light.ts";
import type { ProfileOption } from "./profile-option.ts";
import type { Rgba } from "./rgba.ts";

/** A color space of RGB. */
export interface Space {
  /** The ICC profile that files have. */
  readonly profile: Uint8Array;
  /** It is Display P3, which some formats have a name for. */
  readonly isP3: boolean;
  /** It is one of high dynamic range, which files say by these: the profile only brings it to an ordinary screen. */
  readonly codePoints?: CodePoints | undefined;
}

/** SMPTE EG 432-1 with the curve of sRGB, by its code points in ITU-T H.273. */
export const P3_CODE_POINTS = { primaries: 12, transfer: 13 } as const;

export const displayP3 = whenNeeded((): Space => {
  const profile = profileOfCodePoints(P3_CODE_POINTS.primaries, P3_CODE_POINTS.transfer, false);
  if (!(profile instanceof Uint8Array)) throw new Error("Display P3 has code points");
  return { profile, isP3: true };
});

/** What a file says of its colors. */
interface Colors {
  readonly profile?: Uint8Array;
  readonly colorspace: string;
  readonly highDynamicRange?: boolean;
  readonly convertsColors?: boolean;
}

/** Files whose colors were looked at: building a transform takes as long as reading a small picture. */
const known = new WeakMap<Colors, boolean>();

/** Whether the samples of a file mean sRGB as they are, so that it may be handed on without decoding it. */
export function meansSrgb(facts: Colors): boolean {
  const found = known.get(facts) ?? hasSrgbSamples(facts);
  known.set(facts, found);
  return found;
}

function hasSrgbSamples({ profile, colorspace, convertsColors = false }: Colors): boolean {
  if (convertsColors || colorspace === "CMYK" || colorspace === "YCCK") return false;
  if (!profile) return true;
  const transform = openTransform(profile, colorspace === "Gray" ? "gray" : "rgba");
  transform?.close();
  return !transform;
}

/**
 * The space in which a picture is worked on; undefined for sRGB. What is kept is a profile of RGB that colors can be
 * brought into and out of; other pictures become sRGB.
 */
export function spaceOf(facts: Colors, option: ProfileOption = "srgb"): Space | undefined {
  if (option === "srgb") return undefined;
  const own = ownSpace(facts);
  if (option === "keep") return own;
  return own?.isP3 ? own : displayP3();
}

function ownSpace({ profile, colorspace, highDynamicRange = false }: Colors): Space | undefined {
  if (!profile || colorspace === "Gray" || highDynamicRange || profile.length > MAX_KEPT_PROFILE_BYTES)
    return undefined;
  const isTwoWay = relationOf(profile, SRGB) === "different" && relationOf(SRGB, profile) === "different";
  if (!isTwoWay) return undefined;
  // Results have it when the file that it is a part of may be let go of.
  return { profile: profile.slice(), isP3: relationOf(profile, displayP3().profile) === "same" };
}

/** Whether samples with this profile are in a space as they are. */
export function isIn(space: Space | undefined, profile: Uint8Array | undefined): boolean {
  return !space || (profile !== undefined && areEqual(profile, space.profile));
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one === other || (one.length === other.length && one.every((byte, at) => byte === other[at]));
}

/** A color of sRGB as a space has it; alpha stays. */
export function colorIn(space: Space | undefined, color: Rgba): Rgba {
  const transform = space && openTransform(SRGB, "rgba", space.profile);
  if (!transform) return color;
  try {
    const [red = 0, green = 0, blue = 0] = transform.convert(Uint8Array.from(color));
    return [red, green, blue, color[3]];
  } finally {
    transform.close();
  }
}

/** The profile for gray samples of a space; undefined where they mean what they do in sRGB. */
export function grayProfileOf({ profile, isP3 }: Space): Uint8Array | undefined {
  const transform = isP3 ? null : openTransform(profile, "rgba");
  if (!transform) return undefined;
  try {
    const grays = Uint8Array.from({ length: 256 * 4 }, (_, at) => (at % 4 === 3 ? 255 : at >> 2));
    const shown = transform.convert(grays);
    const curve = Array.from({ length: 256 }, (_, level) => toLinear((shown[level * 4 + 1] ?? 0) / 255));
    return iccProfile("GRAY", "Gray", [
      ["wtpt", values("XYZ ", D50)],
      ["kTRC", sampled(curve)],
    ]);
  } finally {
    transform.close();
  }
}
