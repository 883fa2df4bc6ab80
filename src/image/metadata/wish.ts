/** How much a result keeps of what its original says besides its picture. */

export const METADATA_WISHES = ["none", "copyright", "no-location", "all"] as const;

export type MetadataWish = (typeof METADATA_WISHES)[number];
