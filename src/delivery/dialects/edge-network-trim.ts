/** The option `trim` of the edge network's dialect, and those that begin with its name. */
import { ApiError } from "../../errors.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { number, whole } from "../asked.ts";
import { cssColor } from "../css-color.ts";

/** What these options say, gathered one by one. */
export interface ParsedTrim {
  /** Edges of one color are removed. */
  border: boolean;
  color?: string;
  /** Levels of 255. */
  tolerance?: number;
  /** Pixels. */
  keep?: number;
  /** Pixels, or below 1 a part of the side. */
  readonly sides: Partial<Record<Side, number>>;
}

type Side = "top" | "right" | "bottom" | "left" | "width" | "height";
type Read = (parsed: { readonly trim: ParsedTrim }, value: string, name: string) => void;

const MAX_LEVELS = 255;
/** The engine's largest threshold. */
const MAX_THRESHOLD = 100;
const ORDER = ["top", "right", "bottom", "left"] as const;

export const TRIM_OPTIONS: Readonly<Record<string, { readonly read: Read }>> = {
  trim: {
    read({ trim }, value, name) {
      if (value === "") return;
      if (value === "border") {
        trim.border = true;
        return;
      }
      const sides = value.split(";");
      if (sides.length !== ORDER.length) throw new ApiError(422, `${name} must be border or top;right;bottom;left`);
      for (const [at, side] of ORDER.entries()) trim.sides[side] = sideOf(name, sides[at] ?? "");
    },
  },
  ...Object.fromEntries((["top", "right", "bottom", "left", "width", "height"] as const).map(sideOption)),
  "trim.border.color": {
    read({ trim }, value) {
      trim.border = true;
      const color = cssColor(value);
      if (color !== undefined) trim.color = color;
    },
  },
  "trim.border.tolerance": {
    read({ trim }, value, name) {
      trim.border = true;
      trim.tolerance = Math.min(MAX_THRESHOLD, whole(name, value, 0, MAX_LEVELS));
    },
  },
  "trim.border.keep": {
    read({ trim }, value, name) {
      trim.border = true;
      trim.keep = whole(name, value, 0, MAX_SIDE_PIXELS);
    },
  },
};

function sideOption(side: Side): [name: string, option: { readonly read: Read }] {
  return [`trim.${side}`, { read: ({ trim }, value, name) => void (trim.sides[side] = sideOf(name, value)) }];
}

function sideOf(name: string, value: string): number {
  return number(name, value, 0, MAX_SIDE_PIXELS);
}

/** The operation; undefined where nothing is cut off. Pixels are those of a screen with one pixel to a pixel. */
export function trimOf({ border, color, tolerance, keep, sides }: ParsedTrim, dpr: number): object | undefined {
  const scaled = (value: number) => (value < 1 ? value : Math.min(MAX_SIDE_PIXELS, value * dpr));
  const named = Object.entries(sides).filter(([side, value]) => value > 0 || side === "width" || side === "height");
  const cuts = Object.fromEntries(named.map(([side, value]) => [side, scaled(value)]));
  if (!border) return named.length > 0 ? cuts : undefined;
  return {
    ...cuts,
    ...(color !== undefined && { color }),
    ...(tolerance !== undefined && { threshold: tolerance }),
    ...(keep !== undefined && keep > 0 && { padding: Math.round(scaled(keep)) }),
  };
}
