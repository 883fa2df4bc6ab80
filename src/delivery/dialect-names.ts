/** The first segments of the paths of pictures by address, for whoever needs no more of their dialects. */
export const DIALECT_NAMES = ["i", "imgproxy", "next"] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];
