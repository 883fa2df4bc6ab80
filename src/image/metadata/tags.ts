/** Tags of EXIF directories (EXIF 3.0, 4.6; TIFF 6.0; the fields of Windows), by what may be kept of them. */

export const TAG = {
  description: 0x010e,
  stripOffsets: 0x0111,
  orientation: 0x0112,
  artist: 0x013b,
  copyright: 0x8298,
  exifDirectory: 0x8769,
  gpsDirectory: 0x8825,
  makerNote: 0x927c,
  thumbnailOffset: 0x0201,
  thumbnailLength: 0x0202,
} as const;

/** What says whose picture it is, and what it shows. */
export const COPYRIGHT: ReadonlySet<number> = new Set([TAG.description, TAG.artist, TAG.copyright]);

/** Numbers that tell one device from another: of a camera's body, of a lens, and of pictures of one phone. */
export const SERIAL_NUMBERS: ReadonlySet<number> = new Set([0xa431, 0xa435, 0xa420]);

/** What is true of the original only: how it lies, its size, its color space, a directory of file versions. */
export const OUTDATED: ReadonlySet<number> = new Set([TAG.orientation, 0xa001, 0xa002, 0xa003, 0xa005]);

/** Fields of the first directory that speak of the picture and not of how the file stores it. */
export const FIRST_DIRECTORY: ReadonlySet<number> = new Set([
  ...COPYRIGHT,
  0x010d, // DocumentName
  0x010f, // Make
  0x0110, // Model
  0x011a, // XResolution
  0x011b, // YResolution
  0x0128, // ResolutionUnit
  0x0131, // Software
  0x0132, // DateTime
  0x013c, // HostComputer
  0x4746, // Rating
  0x4749, // RatingPercent
  0x9c9b, // XPTitle
  0x9c9c, // XPComment
  0x9c9d, // XPAuthor
  0x9c9e, // XPKeywords
  0x9c9f, // XPSubject
]);

/** Fields of the EXIF directory have numbers from here, and to here; what is private lies beyond. */
export const EXIF_FIELDS = { first: 0x829a, last: 0xa4ff } as const;

/** Numbers between these that are none of its fields: places of directories, profiles, and blocks of other programs. */
export const NO_FIELDS: ReadonlySet<number> = new Set([
  TAG.exifDirectory,
  TAG.gpsDirectory,
  TAG.makerNote,
  0x83bb, // IPTC
  0x8649, // Photoshop
  0x8773, // ICC profile
  0x935c, // Photoshop's layers
]);
