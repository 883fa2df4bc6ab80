// Sections are kept in memory of their size: what libjxl sets aside to write one is several times that.
#include "sections.h"

#include "../native.h"
#include "lib/jxl/enc_aux_out.h"
#include "lib/jxl/enc_fields.h"
#include "lib/jxl/fields.h"
#include "lib/jxl/toc.h"

extern "C" void IMPORT_AS(write_bytes, write)(const uint8_t *bytes, size_t size);

using namespace jxl;

BitWriter *Sections::writer() {
  if (!writer_) writer_.reset(new BitWriter(manager_));
  return writer_.get();
}

static Status pad(BitWriter *writer) {
  return writer->WithMaxBits(8, LayerType::Header, nullptr, [&]() -> Status {
    writer->ZeroPadToByte();
    return true;
  });
}

Status Sections::close() {
  if (one_) return true;
  JXL_RETURN_IF_ERROR(pad(writer()));
  const Span<const uint8_t> bytes = writer()->GetSpan();
  closed_.emplace_back(bytes.data(), bytes.data() + bytes.size());
  writer_.reset();
  return true;
}

Status Sections::write(const FrameHeader &header) {
  if (one_) {
    one_ = false;
    JXL_RETURN_IF_ERROR(close());
  }
  std::vector<size_t> sizes;
  for (const std::vector<uint8_t> &section : closed_) sizes.push_back(section.size());
  BitWriter writer(manager_);
  JXL_RETURN_IF_ERROR(WriteFrameHeader(header, &writer, nullptr));
  JXL_RETURN_IF_ERROR(writer.WithMaxBits(32 * sizes.size() + 16, LayerType::Toc, nullptr, [&]() -> Status {
    // Sections are in order.
    writer.Write(1, 0);
    writer.ZeroPadToByte();
    for (const size_t size : sizes) JXL_RETURN_IF_ERROR(U32Coder::Write(kTocDist, size, &writer));
    writer.ZeroPadToByte();
    return true;
  }));
  const Span<const uint8_t> bytes = writer.GetSpan();
  write_bytes(bytes.data(), bytes.size());
  for (const std::vector<uint8_t> &section : closed_) write_bytes(section.data(), section.size());
  closed_.clear();
  return true;
}
