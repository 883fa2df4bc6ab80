/** From what a request aims at to what an encoder is told, and to the smaller of two files. */
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import type { Aim, Preset } from "../output.ts";

/** The quality at which a preset encodes. */
const PRESET_QUALITY: Readonly<Record<Preset, number>> = { low: 90, medium: 80, high: 68, ultra: 50 };

/** What the encoder of `format` is told to reach an aim. */
export function encodeSettings(aim: Aim, format: FormatDefinition, progressive: boolean): EncodeSettings {
  const common = { progressive, effort: 0.5 };
  switch (aim.kind) {
    case "lossless":
      return { ...common, lossless: format.can.lossless, quality: 100 };
    case "quality":
      return { ...common, lossless: false, quality: aim.quality };
    case "smart":
      return { ...common, lossless: false, quality: PRESET_QUALITY[aim.preset] };
  }
}
