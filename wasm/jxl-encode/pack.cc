// Packs JPEG files: their coefficients as a codestream, and the rest of them apart, from which the same file can be made.
#include <string.h>

#include "../native.h"
#include "jpeg.h"
#include "lib/jxl/enc_aux_out.h"
#include "lib/jxl/enc_fields.h"
#include "lib/jxl/enc_icc_codec.h"
#include "lib/jxl/jpeg/enc_jpeg_data.h"
#include "lib/jxl/jpeg/enc_jpeg_data_reader.h"
#include "lib/jxl/memory_manager_internal.h"

extern "C" void IMPORT_AS(write_bytes, write)(const uint8_t *bytes, size_t size);

using namespace jxl;

// libjxl's tier of speed, of which the search for codes depends.
static constexpr SpeedTier kTier = SpeedTier::kHare;

struct Packer {
  File file;
  CompressParams params;
  // The picture that memory and time are declared for.
  int width, height;
  std::vector<uint8_t> bytes;
  jpeg::JPEGData jpeg;
  // What has a box of its own.
  std::vector<uint8_t> rest, exif, xmp;
};

// What follows the name in the first segment of this kind.
static void take_segment(const jpeg::JPEGData &jpeg, jpeg::AppMarkerType type, size_t name, std::vector<uint8_t> *to) {
  static constexpr size_t kMarker = 3;
  for (size_t i = 0; i < jpeg.app_data.size(); i++) {
    if (jpeg.app_marker_type[i] != type) continue;
    to->assign(jpeg.app_data[i].begin() + kMarker + name, jpeg.app_data[i].end());
  }
}

static Status read(Packer *packer) {
  jpeg::JPEGData &jpeg = packer->jpeg;
  if (!jpeg::ReadJpeg(packer->bytes.data(), packer->bytes.size(), jpeg::JpegReadMode::kReadAll, &jpeg)) return false;
  std::vector<uint8_t>().swap(packer->bytes);
  // Readers can find different pictures in one file: what others see is another one then.
  if (jpeg.width != packer->width || jpeg.height != packer->height) return false;
  if (jpeg.components.size() != 1 && jpeg.components.size() != 3) return false;
  CompressParams &params = packer->params;
  params.speed_tier = kTier;
  params.color_transform = ColorTransform::kNone;
  params.gaborish = Override::kOff;
  params.epf = 0;
  params.resampling = params.ec_resampling = 1;
  params.options.nb_repeats = 0;
  JXL_RETURN_IF_ERROR(jpeg::EncodeJPEGData(&packer->file.manager, jpeg, &packer->rest, params));
  take_segment(jpeg, jpeg::AppMarkerType::kExif, sizeof jpeg::kExifTag, &packer->exif);
  take_segment(jpeg, jpeg::AppMarkerType::kXMP, sizeof jpeg::kXMPTag, &packer->xmp);
  return true;
}

// The profile of the file, from all segments that it is in.
static std::vector<uint8_t> profile_of(const jpeg::JPEGData &jpeg) {
  static constexpr size_t kHeader = 3 + sizeof jpeg::kIccProfileTag + 2;
  std::vector<uint8_t> profile;
  for (size_t i = 0; i < jpeg.app_data.size(); i++) {
    if (jpeg.app_marker_type[i] != jpeg::AppMarkerType::kICC) continue;
    profile.insert(profile.end(), jpeg.app_data[i].begin() + kHeader, jpeg.app_data[i].end());
  }
  return profile;
}

static Status write_headers(Packer *packer, int orientation) {
  CodecMetadata *const metadata = &packer->file.metadata;
  const jpeg::JPEGData &jpeg = packer->jpeg;
  JXL_RETURN_IF_ERROR(metadata->size.Set(jpeg.width, jpeg.height));
  metadata->m.SetUintSamples(8);
  metadata->m.orientation = orientation;
  metadata->m.xyb_encoded = false;
  metadata->m.color_encoding = ColorEncoding::SRGB(jpeg.components.size() == 1);
  std::vector<uint8_t> profile = profile_of(jpeg);
  BitWriter writer(&packer->file.manager);
  if (!profile.empty()) {
    IccBytes icc(profile.begin(), profile.end());
    metadata->m.color_encoding.SetICCRaw(std::move(icc));
  }
  JXL_RETURN_IF_ERROR(WriteCodestreamHeaders(metadata, &writer, nullptr));
  if (!profile.empty()) {
    JXL_RETURN_IF_ERROR(WriteICC(Span<const uint8_t>(profile.data(), profile.size()), &writer, LayerType::Header, nullptr));
  }
  JXL_RETURN_IF_ERROR(writer.WithMaxBits(8, LayerType::Header, nullptr, [&]() -> Status {
    writer.ZeroPadToByte();
    return true;
  }));
  const Span<const uint8_t> header = writer.GetSpan();
  write_bytes(header.data(), header.size());
  return true;
}

static Status write(Packer *packer, int orientation) {
  JXL_RETURN_IF_ERROR(write_headers(packer, orientation));
  const FrameOptions options = {(size_t)packer->jpeg.width, (size_t)packer->jpeg.height, false, 0};
  JpegFrame frame(&packer->file, packer->params, options, &packer->jpeg);
  return frame.write();
}

extern "C" {

// A packer of a file of `size` bytes, whose picture is known to have `width` x `height` pixels.
Packer *EXPORT(pack_open)(int size, int width, int height) {
  Packer *const packer = new Packer;
  if (!MemoryManagerInit(&packer->file.manager, nullptr)) return nullptr;
  packer->width = width;
  packer->height = height;
  packer->bytes.resize(size);
  return packer;
}

// Where the file goes.
uint8_t *EXPORT(pack_bytes)(Packer *packer) { return packer->bytes.data(); }

// Reads the file. May pause. Returns 0 where it is none that can be packed.
int EXPORT(pack_read)(Packer *packer) { return read(packer) ? 1 : 0; }

static const std::vector<uint8_t> *part_of(const Packer *packer, int part) {
  return part == 0 ? &packer->rest : part == 1 ? &packer->exif : &packer->xmp;
}

// What is apart from the codestream: 0 is how the file is written, 1 and 2 are what EXIF and XMP say.
const uint8_t *EXPORT(pack_part)(Packer *packer, int part) { return part_of(packer, part)->data(); }
int EXPORT(pack_part_size)(Packer *packer, int part) { return (int)part_of(packer, part)->size(); }

// Writes the codestream. May pause. Returns 0 where that cannot be done.
int EXPORT(pack_write)(Packer *packer, int orientation) { return write(packer, orientation) ? 1 : 0; }

void EXPORT(pack_close)(Packer *packer) { delete packer; }
}
