// What the samples of a picture mean, and which way they are read.
#include "tiff.h"

uint16_t tiff_field(TIFF *file, uint32_t tag) {
  uint16_t value = 0;
  TIFFGetFieldDefaulted(file, tag, &value);
  return value;
}

static void read_alpha(TIFF *file, struct layout *layout) {
  uint16_t count = 0, *kinds = NULL;
  TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  const int extra = layout->samples - layout->colors;
  if (extra < 1) return;
  // Writers that leave out the tag, or say nothing in it, mean alpha where a fourth sample follows three.
  const uint16_t kind = count > 0 ? kinds[0] : EXTRASAMPLE_UNSPECIFIED;
  if (kind == EXTRASAMPLE_ASSOCALPHA) layout->alpha = ALPHA_PREMULTIPLIED;
  else if (kind == EXTRASAMPLE_UNASSALPHA) layout->alpha = ALPHA_STRAIGHT;
  else if (count == 0 && layout->colors == 3 && extra == 1) layout->alpha = ALPHA_STRAIGHT;
}

static void read_palette(TIFF *file, struct layout *layout) {
  uint16_t *maps[3];
  if (!TIFFGetField(file, TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2])) tiff_fail("no palette");
  const uint32_t count = 1u << layout->bits;
  int wide = 0;
  for (uint32_t i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) wide |= maps[c][i] > 255;
  // Some writers forget that the levels have 16 bits.
  for (uint32_t i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) layout->palette[i][c] = (uint8_t)(wide ? maps[c][i] >> 8 : maps[c][i]);
}

static int is_supported_depth(const struct layout *layout) {
  const uint16_t bits = layout->bits;
  switch (layout->format) {
    case SAMPLEFORMAT_IEEEFP:
      return bits == 16 || bits == 32 || bits == 64;
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_INT:
    case SAMPLEFORMAT_VOID:
      return (bits >= 1 && bits <= 16) || bits == 32;
    default:
      return 0;
  }
}

// Fails with "not supported" where no rule says what the samples mean.
enum way layout_read(TIFF *file, struct layout *layout) {
  enum way way = BY_SCANLINE;
  layout->bits = tiff_field(file, TIFFTAG_BITSPERSAMPLE);
  layout->samples = tiff_field(file, TIFFTAG_SAMPLESPERPIXEL);
  layout->format = tiff_field(file, TIFFTAG_SAMPLEFORMAT);
  uint16_t photometric = layout->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric);
  const uint16_t compression = tiff_field(file, TIFFTAG_COMPRESSION);
  const int jpeg = compression == COMPRESSION_JPEG;
  if (jpeg && photometric == PHOTOMETRIC_YCBCR && tiff_field(file, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG)
    TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  else if (photometric == PHOTOMETRIC_YCBCR || photometric == PHOTOMETRIC_LOGL || photometric == PHOTOMETRIC_LOGLUV ||
           compression == COMPRESSION_OJPEG)
    way = BY_LIBTIFF;
  layout->photometric = photometric;
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_PALETTE:
      layout->colors = 1;
      break;
    case PHOTOMETRIC_SEPARATED:
      layout->colors = 4;
      break;
    default:
      layout->colors = 3;
  }
  if (photometric == PHOTOMETRIC_MASK || photometric == PHOTOMETRIC_CFA || photometric == PHOTOMETRIC_ITULAB ||
      photometric > PHOTOMETRIC_LOGLUV)
    tiff_fail("not supported");
  if (way == BY_LIBTIFF) return way;
  if (layout->samples < layout->colors || !is_supported_depth(layout)) tiff_fail("not supported");
  if (layout->photometric == PHOTOMETRIC_PALETTE && (layout->bits > 8 || layout->format == SAMPLEFORMAT_IEEEFP))
    tiff_fail("not supported");
  const int lab = photometric == PHOTOMETRIC_CIELAB || photometric == PHOTOMETRIC_ICCLAB;
  if (lab && layout->format != SAMPLEFORMAT_IEEEFP && layout->bits != 8 && layout->bits != 16)
    tiff_fail("not supported");
  read_alpha(file, layout);
  if (layout->photometric == PHOTOMETRIC_PALETTE) read_palette(file, layout);
  return way;
}
