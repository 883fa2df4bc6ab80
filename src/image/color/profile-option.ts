/** In which colors a request wants its result: those of every screen, of wide ones, or of its original. */

export const PROFILE_OPTIONS = ["srgb", "p3", "keep"] as const;

export type ProfileOption = (typeof PROFILE_OPTIONS)[number];
