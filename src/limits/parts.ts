/**
 * Bounds on the parts of files: how many follow one another in one container. Files in use have far fewer; one that has
 * more is made to cost, and is refused before anything of it has an estimate.
 */

/** Parts of a kind, by what they are called in messages. */
export const PARTS = {
  /** Boxes of a HEIF file, a film or a track: cameras write tens, collections a few hundred. */
  boxes: { most: 4_096, name: "boxes beside each other" },
  /** 64 x 64 is the smallest tile that MIAF allows; the largest picture there may be has 27,000 of them. */
  items: { most: 32_768, name: "items" },
  /** Pieces of items, all together: an item is rarely in more than one. */
  extents: { most: 65_536, name: "pieces of items" },
  /** Numbers of properties have 15 bits. */
  properties: { most: 32_767, name: "properties" },
  /** Properties of items, all together: a tile has four or five. */
  associations: { most: 262_144, name: "properties of items" },
  /** What items say of others: one for a grid, however many tiles it has, and a few for each picture of a collection. */
  references: { most: 4_096, name: "references between items" },
  groups: { most: 1_024, name: "groups of items" },
  /** Tracks of a film: pictures, their alpha, thumbnails, sounds. */
  tracks: { most: 64, name: "tracks" },
  /** Boxes that describe the samples of a track. */
  descriptions: { most: 64, name: "boxes in the description of a track" },
  /** Units of one AV1 picture: the levels of AV1 allow 128 tiles, each of which may be a unit. */
  units: { most: 1_024, name: "units in one AV1 picture" },
  /** Units of one HEVC picture: the levels of HEVC allow 600 slices, each of which is a unit. */
  slices: { most: 4_096, name: "units in one HEVC picture" },
  /** Chunks of a WebP file, or of a frame: a frame of an animation is one, and there are 1,500 frames at most. */
  webpChunks: { most: 4_096, name: "chunks" },
  /** Chunks of a PNG file: writers that flush often make one of every 4 KiB, some of every 512 bytes. */
  pngChunks: { most: 65_536, name: "chunks" },
  /** Marker segments of a JPEG file: an original that is all metadata has 512 full ones; scans have a few each. */
  segments: { most: 4_096, name: "segments" },
  /** All segments of a JPEG file, those of its scans included: a progressive file has ten scans, the worst 900. */
  scanSegments: { most: 16_384, name: "segments" },
  /** Extensions and images of a GIF file: a frame of an animation has two, and there are 1,500 frames at most. */
  blocks: { most: 16_384, name: "blocks" },
  /** Pieces of one image or extension of a GIF file: 32 MiB are 131,072 full ones, and some writers fill half of them. */
  subBlocks: { most: 1_048_576, name: "pieces of one block" },
  /** Boxes of a JPEG XL file: one for each frame at most, and some of metadata. */
  jxlBoxes: { most: 4_096, name: "boxes" },
  /** Boxes of a JPEG 2000 file, or of its header: files have about ten. */
  jp2Boxes: { most: 1_000, name: "boxes" },
  /** Marker segments of one header of a JPEG 2000 codestream: a few for each component. */
  markers: { most: 4_096, name: "markers in one header" },
  /** Channels of a JPEG 2000 file: at most five components, and what a palette makes of them. */
  channels: { most: 1_024, name: "channels" },
  /** Entries of the first directory of a TIFF file: microscopes and surveys write up to a hundred. */
  entries: { most: 1_024, name: "entries in one directory" },
  /** Photoshop's image resources: files of many paths and guides have hundreds. */
  resources: { most: 16_384, name: "image resources" },
  /** Blocks of one layer of a Photoshop file, or behind all of them: layers have about twenty. */
  layerBlocks: { most: 16_384, name: "blocks of layers" },
} as const;

/**
 * How often the bytes of a file may be read through references between its parts, all of them together: once for the
 * picture and once more for what may share bytes with it. A tile that a grid names a thousand times counts a thousand
 * times.
 */
export const MAX_READINGS = 2;
/** What may be read however small a file is: synthetic grids name one small tile for all of their places. */
export const FREE_READING_BYTES = 1024 * 1024;
