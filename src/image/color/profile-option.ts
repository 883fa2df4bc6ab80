/** In which colors a request wants its result: those of every screen, of wide ones, or of its original. */

export const PROFILE_WISHES = ["srgb", "p3", "keep"] as const;

export type ProfileWish = (typeof PROFILE_WISHES)[number];
