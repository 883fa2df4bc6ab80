/**
 * The pictures of the documentation: what is asked of which original. `npm run docs:pictures` has the service make them; they
 * are committed, since whoever builds the pages has no service running, and a picture that changes is seen in the review.
 */

/** What pictures are made of: files of this repository whose licenses allow it. */
export const ORIGINALS = {
  /** The Kodak lossless test picture 23, released for unrestricted use. */
  parrots: "src/playground/sample.jpg",
  /** A part of NASA's portrait of an astronaut, in the public domain. */
  astronaut: "test/fixtures/faces/one.jpg",
  /** Made for this repository. */
  mark: "src/playground/favicon.svg",
} as const;

export interface Pictured {
  /** The name of its file, without the ending. */
  readonly name: string;
  /** What is sent, without the size of the pictures and their format. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What is seen, in plain words. */
  readonly says: string;
  readonly original?: "parrots" | "astronaut";
  /** Shown larger than it is, so that what a file loses is seen. Its bytes and its score stand beside it. */
  readonly isEnlarged?: boolean;
}

const SQUARE = { width: 240, height: 240 };

const OPERATIONS: readonly Pictured[] = [
  { name: "original", body: {}, says: "Two parrots, a yellow and a red one, as they are" },
  { name: "trim", body: { trim: { top: 60, bottom: 60 } }, says: "The parrots without a strip above and one below" },
  { name: "flip", body: { flip: { horizontal: true } }, says: "The parrots look to the right" },
  {
    name: "rotate",
    body: { rotate: { angle: 12, background: "bf3217" } },
    says: "The parrots lean to the right on red",
  },
  { name: "upscale", body: { upscale: { factor: 2 } }, says: "The parrots, with sharp edges at twice the size" },
  {
    name: "crop",
    body: { crop: { x: 90, y: 120, width: 270, height: 190 } },
    says: "The head of the yellow parrot alone",
  },
  {
    name: "crop-ratio",
    body: { crop: { mode: "ratio", ratio: "1:1" } },
    says: "The middle of the parrots as a square",
  },
  { name: "resize", body: { resize: { width: 120 } }, says: "The parrots, half as wide" },
  {
    name: "resize-fit",
    body: { resize: { ...SQUARE, mode: "fit" } },
    says: "A square that is filled, its sides cut off",
  },
  {
    name: "resize-fill",
    body: { resize: { ...SQUARE, mode: "fill", background: "ffd27d" } },
    says: "All of the parrots in a square, with yellow above and below",
  },
  { name: "resize-exact", body: { resize: { ...SQUARE, mode: "exact" } }, says: "The parrots pressed into a square" },
  { name: "scale", body: { scale: { size: 0.15 } }, says: "The parrots at 15 % of their size" },
  { name: "auto", body: { auto: { enhance: true } }, says: "The parrots with fresher colors" },
  {
    name: "adjust",
    body: { adjust: { brightness: 15, contrast: 25, saturation: 40 } },
    says: "Brighter, with more contrast and color",
  },
  { name: "adjust-grayscale", body: { adjust: { grayscale: true } }, says: "The parrots in gray" },
  {
    name: "redact",
    body: { redact: { faces: "pixellate" } },
    original: "astronaut",
    says: "An astronaut whose face is a few squares",
  },
  {
    name: "redact-regions",
    body: { redact: { regions: [{ x: 0.1, y: 0.1, width: 0.3, height: 0.25 }] } },
    says: "The parrots with a black rectangle over the head of one",
  },
  {
    name: "watermark",
    body: { resize: { width: 240 }, watermark: { id: "mark", gravity: "top-right", padding: 8 } },
    says: "A mark at the upper right",
  },
  {
    name: "text",
    body: { text: { value: "Two parrots", size: 0.14, weight: 700, gravity: "bottom-left", padding: 10 } },
    says: "The words Two parrots in white at the lower left",
  },
  { name: "mask", body: { mask: { shape: "ellipse" } }, says: "The parrots in an ellipse" },
  {
    name: "border",
    body: { border: { size: 8, color: "bf3217", radius: 40 } },
    says: "A red border with round corners",
  },
  { name: "padding", body: { padding: { size: 24, background: "ffd27d" } }, says: "Yellow canvas around the parrots" },
  {
    name: "background",
    body: { mask: { shape: "ellipse" }, background: { color: "bf3217" } },
    says: "The ellipse of parrots on red",
  },
];

const FILTERS: readonly Pictured[] = [
  { name: "filter-blur", body: { filter: { blur: { value: 5 } } }, says: "Soft parrots" },
  { name: "filter-sepia", body: { filter: { sepia: { value: 100 } } }, says: "Brown parrots, as an old photograph" },
  { name: "filter-pixellate", body: { filter: { pixellate: { value: 24 } } }, says: "Parrots of squares" },
  {
    name: "filter-duotone",
    body: { filter: { duotone: { light: "ffd27d", dark: "3b0f4f" } } },
    says: "Parrots from purple to yellow",
  },
  {
    name: "filter-monochrome",
    body: { filter: { monochrome: { value: 100, color: "bf3217" } } },
    says: "Parrots in shades of red",
  },
  {
    name: "filter-halftone",
    body: { filter: { halftone: { value: 14 } } },
    says: "Parrots of dots, as newspapers print",
  },
  {
    name: "filter-replace",
    body: { filter: { replace: { from: "c01818", to: "7a3fc0", value: 30 } } },
    says: "The bright red of a head has become purple",
  },
  {
    name: "filter-tone",
    body: { filter: { tone: { gamma: 1.6, saturation: 1.5 } } },
    says: "Lighter parrots of strong colors",
  },
];

const WHERE = [
  ["center", "The middle"],
  ["top-left", "The upper left"],
  ["top", "The upper middle"],
  ["top-right", "The upper right"],
  ["right", "The right"],
  ["bottom-right", "The lower right"],
  ["bottom", "The lower middle"],
  ["bottom-left", "The lower left"],
  ["left", "The left"],
] as const;
const GRAVITIES: readonly Pictured[] = [
  ...WHERE.map(([gravity, says]) => ({
    name: `gravity-${gravity}`,
    body: { crop: { width: 260, height: 260, gravity } },
    says: `${says} of the parrots`,
  })),
  ...(["face", "faces", "auto"] as const).map((gravity) => ({
    name: `gravity-${gravity}`,
    body: { crop: { width: 110, height: 110, gravity } },
    original: "astronaut" as const,
    says: gravity === "auto" ? "What stands out: the face of the astronaut" : "The face of the astronaut",
  })),
];

/** The crown of a parrot, which pages show at twice its size. */
const CROWN = { crop: { x: 105, y: 130, width: 100, height: 75 } };
/** Bytes that it takes in each format that can be made so small. */
const FEW_BYTES = 1_000;

const LOSSY = [
  ["jpeg", "blocks in its green"],
  ["webp", "soft, without blocks"],
  ["avif", "smooth, without blocks"],
  ["heic", "smooth, without blocks"],
  ["jxl", "soft, with most of its grain"],
  ["jpeg2000", "soft, with most of its grain"],
] as const;
const EXACT = ["png", "gif", "bmp", "ico", "tiff"] as const;
const FORMATS: readonly Pictured[] = [
  ...LOSSY.map(([format, says]) => ({
    name: `format-${format}`,
    body: { ...CROWN, output: { format }, optimize: { target_bytes: FEW_BYTES } },
    says: `The crown of a parrot as ${format}: ${says}`,
    isEnlarged: true,
  })),
  ...EXACT.map((format) => ({
    name: `format-${format}`,
    body: { ...CROWN, output: { format } },
    says: `The crown of a parrot as ${format}`,
    isEnlarged: true,
  })),
];

const LOOKS = {
  lossless: "as it is",
  low: "no difference to be seen",
  medium: "a little less grain",
  high: "some blocks in its green",
  ultra: "blocks everywhere",
} as const;
const PRESETS: readonly Pictured[] = Object.entries(LOOKS).map(([compression, says]) => ({
  name: `preset-${compression}`,
  body: { ...CROWN, output: { format: "jpeg" }, optimize: { compression } },
  says: `The crown of a parrot by ${compression}: ${says}`,
  isEnlarged: true,
}));

/** By the part of the table that they stand in. */
export const PICTURES = {
  operations: OPERATIONS,
  filters: FILTERS,
  gravities: GRAVITIES,
  formats: FORMATS,
  presets: PRESETS,
} as const;

/** Bytes that a picture may take, and all of them. */
export const MOST_BYTES = 6_000;
export const MOST_BYTES_TOGETHER = 400_000;
