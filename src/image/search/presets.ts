/** What requests ask for, as numbers. */
import { assertRelations } from "../../limits/relations.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Size } from "../pixels/geometry.ts";
import { uncertainty } from "../pixels/strips.ts";
import { type Objective, type Effort, type Preset, PRESETS } from "../plan/output.ts";

/**
 * The SSIMULACRA 2.1 score that a preset promises. The scale's own reading: 90 cannot be told apart at normal viewing
 * distance, 70 is high quality, 50 medium. Blind encoding at mozjpeg's quality 80, common practice, averages 75 over
 * photographs and scatters from 63 to 79; `medium` gives 75 to every one. Six photographs reach 92 at our quality 95, 82
 * at 85 and 65 at 50, each within 6 points (src/docs/optimization.md). A fixed quality for `ultra` instead took 34 KB for
 * a logo that needs 14 to score 60.
 */
export const TARGET_SCORE: Readonly<Record<Preset, number>> = { low: 90, medium: 75, high: 65, ultra: 50 };

/** The score that the next more lenient preset promises; 0 where there is none. */
export function nextPromise(preset: Preset): number {
  const next = PRESETS[PRESETS.indexOf(preset) + 1];
  return next ? TARGET_SCORE[next] : 0;
}

/** How a search comes close to its target score. */
export interface Patience {
  /** Points above the target score that a predicted quality is to reach. */
  readonly margin: number;
  /** Points above it that are close enough. */
  readonly close: number;
  /** Choices are looked at even where hardly a photograph has bytes to win by them. */
  readonly triesAll: boolean;
}

/**
 * Every effort keeps the promise of a preset. The sample says what the whole picture scores within 0.8 points: `fast` mostly
 * reaches the target score at once, `balanced` three times in four in JPEG and three in five in WebP.
 */
const PATIENCE: Readonly<Record<Effort, Patience>> = {
  fast: { margin: 1.5, close: 4, triesAll: false },
  balanced: { margin: 0.4, close: 1.8, triesAll: false },
  best: { margin: 0.2, close: 0.4, triesAll: true },
};

/**
 * From where the search in a neighbor of the picture ended, qualities are a point off, up or down: a second look costs more
 * than half a point is worth.
 */
const FROM_NEIGHBOR = { margin: 0.9, close: 2.4 } as const;

/** How patient a search is that starts where another one ended. */
export function patienceFrom(patience: Patience): Patience {
  const { margin, close } = patience;
  return patience.triesAll
    ? patience
    : { ...patience, margin: Math.max(margin, FROM_NEIGHBOR.margin), close: Math.max(close, FROM_NEIGHBOR.close) };
}

/** How patient a search for an objective is. */
export function patienceOf(objective: Objective): Patience {
  return PATIENCE[(objective.kind === "smart" && objective.effort) || "balanced"];
}

/** The quality at which presets begin to search, and at which they encode where no score is taken. */
const PRESET_QUALITY: Readonly<Record<Preset, number>> = { low: 90, medium: 80, high: 68, ultra: 45 };

/** Whether numbers of presets fall from the strictest to the most lenient one. */
function fall(numbers: Readonly<Record<Preset, number>>): boolean {
  return PRESETS.every((preset, at) => at === 0 || numbers[preset] < numbers[PRESETS[at - 1] ?? preset]);
}

assertRelations({
  "A stricter preset promises a higher score": fall(TARGET_SCORE),
  "A stricter preset begins at a higher quality": fall(PRESET_QUALITY),
  "A search comes close to what it aims at": Object.values(PATIENCE).every(({ margin, close }) => margin < close),
});

/** What a preset searches for, and where it begins to. */
export interface PresetGoal {
  readonly targetScore: number;
  readonly quality: number;
}

/** Pixels below which a picture is an icon: it is shown enlarged, and there is little to save. */
const ICON_PIXELS = 48 * 48;
/** The part of what a preset may lose that an icon does not. */
const ICON_CARE = 0.3;

/** Whether a picture is so small that each of its pixels counts. */
export function isIcon({ width, height }: Size): boolean {
  return width * height < ICON_PIXELS;
}

/** Pixels up to which a file takes next to no time. */
const SMALL_PIXELS = 1 << 16;

/** Whether a picture is so small that all there is to try is tried. */
export function isSmall({ width, height }: Size): boolean {
  return width * height <= SMALL_PIXELS;
}

/** The score that is aimed at where a preset promises one, for a picture of this size. */
export function aimedAt(targetScore: number, size: Size): number {
  const care = isIcon(size) ? (100 - targetScore) * ICON_CARE : 0;
  return targetScore + uncertainty(size) + care;
}

/** What presets that aim at more than a score search for. */
export function stricterThan(targetScore: number, size: Size): readonly PresetGoal[] {
  return (Object.keys(TARGET_SCORE) as Preset[])
    .map((preset) => ({ targetScore: aimedAt(TARGET_SCORE[preset], size), quality: PRESET_QUALITY[preset] }))
    .filter((goal) => goal.targetScore > targetScore);
}

/** Small pictures have no score that could vouch for them, and little to save: they are encoded with care. */
const SMALL_QUALITY = 98;

/** How a picture is encoded that is too small to be scored. */
export function carefulSettings(settings: EncodeSettings, format: FormatDefinition): EncodeSettings {
  return { ...settings, lossless: format.can.lossless, quality: format.can.lossless ? 100 : SMALL_QUALITY };
}

/** What the encoder of `format` is told to reach an objective; the quality of a preset is only its starting point. */
export function encodeSettings(objective: Objective, format: FormatDefinition, progressive: boolean): EncodeSettings {
  const common = { progressive, effort: 0.5 };
  if (!format.can.quality) return { ...common, lossless: format.can.lossless, quality: 100 };
  switch (objective.kind) {
    case "lossless":
      return { ...common, lossless: format.can.lossless, quality: 100 };
    case "quality":
      return { ...common, lossless: false, quality: objective.quality, fast: !progressive };
    case "size":
      return { ...common, lossless: false, quality: PRESET_QUALITY.low };
    case "smart":
      return { ...common, lossless: false, quality: PRESET_QUALITY[objective.preset] };
  }
}
