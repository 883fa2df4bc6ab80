/** What the options of imgproxy's dialect say, gathered one by one. */
import type { Concern } from "../asked.ts";

/** Members of `resize` and `crop` that say where; an offset in pixels as it is on a screen of density 1. */
export interface Place {
  readonly gravity?: string;
  readonly focus?: Point;
  readonly offset?: Point;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Parsed {
  resizing: "fit" | "fill" | "fill-down" | "force" | "auto";
  width?: number | undefined;
  height?: number | undefined;
  /** What the sides are at least, however small the original; 0 without a bound. */
  leastWidth: number;
  leastHeight: number;
  zoomX: number;
  zoomY: number;
  dpr: number;
  enlarges: boolean;
  extends: boolean;
  extendsRatio: boolean;
  extendPlace: Place;
  extendRatioPlace: Place;
  /** What `resize` keeps, and `crop` where it does not say otherwise. */
  place: Place;
  trim?: Readonly<Record<string, unknown>> | undefined;
  crop?: { readonly width: number; readonly height: number; readonly place: Place | undefined } | undefined;
  padding: readonly [top: number, right: number, bottom: number, left: number];
  /** Metadata is left out; copyright is kept of it where that is said. */
  strips: boolean;
  keepsCopyright: boolean;
  /** Colors stay in the space of the original. */
  keepsProfile: boolean;
  /** What is of high dynamic range stays that, in formats that can hold it. */
  keepsHdr: boolean;
  /** The picture is taken as it lies in its file, whatever its orientation tag says. */
  isAsStored: boolean;
  angle: number;
  flip: { readonly horizontal: boolean; readonly vertical: boolean };
  background?: string | undefined;
  blur: number;
  /** Hundredths of the engine's. */
  sharpen: number;
  cell: number;
  quality: number;
  readonly formatQualities: Map<string, number>;
  maxBytes: number;
  format?: string | undefined;
  variant: string;
  expires: number | undefined;
  fileName: string | undefined;
  isAttachment: boolean;
  presets: readonly string[];
  readonly concerns: Set<Concern>;
}

export function emptyParsed(): Parsed {
  return {
    resizing: "fit",
    leastWidth: 0,
    leastHeight: 0,
    zoomX: 1,
    zoomY: 1,
    dpr: 1,
    enlarges: false,
    extends: false,
    extendsRatio: false,
    extendPlace: {},
    extendRatioPlace: {},
    place: {},
    padding: [0, 0, 0, 0],
    strips: true,
    keepsCopyright: false,
    keepsProfile: false,
    keepsHdr: false,
    isAsStored: false,
    angle: 0,
    flip: { horizontal: false, vertical: false },
    blur: 0,
    sharpen: 0,
    cell: 0,
    quality: 0,
    formatQualities: new Map(),
    maxBytes: 0,
    variant: "",
    isAttachment: false,
    presets: [],
    concerns: new Set(),
    expires: undefined,
    fileName: undefined,
  };
}
