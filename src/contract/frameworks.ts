/** What frameworks ask of a delivery with their own settings: what `unsigned` is where `for` names one. */
import type { AddressFormat } from "./format-lists.ts";

export interface FrameworkRules {
  readonly widths: readonly number[];
  readonly formats: readonly AddressFormat[];
  readonly qualities?: readonly number[];
  /** Pictures ask for widths that nobody can list. */
  readonly round_up?: boolean;
  /** Pictures that are cut to a shape say their height, too. */
  readonly heights?: boolean;
}

export const FRAMEWORKS = {
  // `deviceSizes`, `imageSizes` (16 is that of versions before 16) and `qualities` of its configuration.
  next: {
    widths: [16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840],
    formats: ["avif", "webp"],
    qualities: [75],
  },
  // The breakpoints of a picture with `layout`: those of its own service, and those of others. One without asks for the
  // width of its tag or of its file; the smaller ones are for thumbnails.
  astro: {
    widths: [160, 320, 480, 640, 750, 828, 960, 1080, 1280, 1668, 1920, 2048, 2560, 3200, 3840, 4480, 5120, 6016],
    formats: ["avif", "webp", "jpeg", "png", "gif"],
    round_up: true,
    heights: true,
  },
  // `screens` of @nuxt/image, those of its versions before 2 as well, and each times the two `densities`. A picture without
  // `sizes` asks for the width of its tag.
  nuxt: {
    widths: [160, 320, 640, 768, 1024, 1280, 1536, 2048, 2560, 3072],
    formats: ["avif", "webp", "jpeg", "png", "gif"],
    round_up: true,
    heights: true,
  },
} as const satisfies Readonly<Record<string, FrameworkRules>>;

export type Framework = keyof typeof FRAMEWORKS;
