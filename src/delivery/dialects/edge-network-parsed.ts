/** What the options of the edge network's dialect say, gathered one by one. */
import type { DeliveryFormat } from "../../contract/deliveries.ts";
import type { Concern, DerivationBody } from "../asked.ts";
import type { ParsedTrim } from "./edge-network-trim.ts";

export type Fit = "scale-down" | "contain" | "cover" | "crop" | "pad" | "squeeze";

export interface Parsed {
  width?: number;
  height?: number;
  /** The browser's hints say the width. */
  isWidthHinted: boolean;
  dpr: number;
  fit: Fit;
  readonly trim: ParsedTrim;
  /** Members of `resize` that say what is kept. */
  place: Readonly<Record<string, unknown>>;
  background?: string;
  blur: number;
  sharpen: number;
  tone: Record<string, number>;
  angle: number;
  flip: string;
  format: DeliveryFormat | "auto";
  /** The first frame of an animation alone. */
  isStill: boolean;
  wantsFacts: boolean;
  metadata: "none" | "copyright" | "all";
  quality: Readonly<Record<string, unknown>>;
  compression: Readonly<Record<string, unknown>>;
  json: DerivationBody;
  presets: string[];
  redirects: boolean;
  expires?: number;
  readonly concerns: Set<Concern>;
}

export function emptyParsed(): Parsed {
  return {
    isWidthHinted: false,
    dpr: 1,
    fit: "scale-down",
    trim: { border: false, sides: {} },
    place: {},
    blur: 0,
    sharpen: 0,
    tone: {},
    angle: 0,
    flip: "",
    format: "auto",
    isStill: false,
    wantsFacts: false,
    metadata: "none",
    quality: {},
    compression: {},
    json: {},
    presets: [],
    redirects: false,
    concerns: new Set(),
  };
}
