// Packs coefficients: the length of a run of zeros and the value behind it, in bytes of seven bits each.
#include "coefficients.h"

#include <string.h>

#include "lib/jxl/image_ops.h"
#include "lib/jxl/pack_signed.h"

jxl::Status Coefficients::open(JxlMemoryManager *manager, size_t groups) {
  JXL_ASSIGN_OR_RETURN(window_, jxl::Image3I::Create(manager, GROUP_SAMPLES, 1));
  kept_.resize(groups);
  return true;
}

static void put(std::vector<uint8_t> &bytes, uint32_t number) {
  for (; number >= 128; number >>= 7) bytes.push_back(number | 128);
  bytes.push_back(number);
}

static uint32_t take(const uint8_t *&at) {
  uint32_t number = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *at++;
    number |= (uint32_t)(byte & 127) << shift;
    if (byte < 128) return number;
  }
}

void Coefficients::keep(size_t group, size_t channel, size_t count) {
  const int32_t *const from = samples(channel);
  writing_.clear();
  size_t last = 0;
  for (size_t i = 0; i < count; i++) {
    if (from[i] == 0) continue;
    put(writing_, i - last);
    put(writing_, jxl::PackSigned(from[i]));
    last = i + 1;
  }
  // A run to the end of the window: the samples beyond are zero, too.
  put(writing_, GROUP_SAMPLES - last);
  kept_[group][channel].assign(writing_.begin(), writing_.end());
  restored_ = ~(size_t)0;
}

void Coefficients::drop(size_t group) {
  for (std::vector<uint8_t> &channel : kept_[group]) std::vector<uint8_t>().swap(channel);
}

void Coefficients::restore(size_t group) const {
  for (size_t channel = 0; channel < 3; channel++) {
    int32_t *const to = window_.PlaneRow(channel, 0);
    memset(to, 0, GROUP_SAMPLES * sizeof(int32_t));
    const std::vector<uint8_t> &kept = kept_[group][channel];
    if (kept.empty()) continue;
    const uint8_t *at = kept.data();
    for (size_t i = take(at); i < GROUP_SAMPLES; i += take(at)) to[i++] = jxl::UnpackSigned(take(at));
  }
  restored_ = group;
}

jxl::ConstACPtr Coefficients::PlaneRow(size_t channel, size_t group, size_t from) const {
  if (restored_ != group) restore(group);
  return jxl::ConstACPtr(window_.ConstPlaneRow(channel, 0) + from);
}
