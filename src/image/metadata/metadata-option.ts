/** How much a result keeps of what its original says besides its picture. */

export const METADATA_WISHES = ["none", "copyright", "no-location", "all"] as const;

export type MetadataWish = (typeof METADATA_WISHES)[number];

/**
 * What becomes of a manifest of the original, and of its mark of a synthetic picture: with `drop` both go, with `auto` the mark
 * stays.
 */
export const PROVENANCE_WISHES = ["auto", "drop"] as const;
