/** How much a result keeps of what its original says besides its picture. */

export const METADATA_OPTIONS = ["none", "copyright", "no-location", "all"] as const;

export type MetadataOption = (typeof METADATA_OPTIONS)[number];

/**
 * What becomes of an original's manifests, and of its mark of a synthetic picture. `auto` signs where the original has either
 * and a signer is there, `sign` always, `keep` where there are manifests, which then all stay; with `drop` the mark goes as well.
 */
export const PROVENANCE_OPTIONS = ["auto", "drop", "keep", "sign"] as const;
