/** How much a result keeps of what its original says besides its picture. */

export const METADATA_OPTIONS = ["none", "copyright", "no-location", "all"] as const;

export type MetadataOption = (typeof METADATA_OPTIONS)[number];

/**
 * What becomes of a manifest of the original, and of its mark of a synthetic picture: with `drop` both go, with `auto`
 * the mark stays.
 */
export const PROVENANCE_OPTIONS = ["auto", "drop"] as const;
