// Text from a vendor's library, made safe for our messages.
#ifndef IMPL_LOADER_CALLER_TEXT_H_
#define IMPL_LOADER_CALLER_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "cases/base/text.h"

namespace diopi::loader {

// At most this much is read of a string that a vendor's library must terminate.
inline constexpr size_t kMaxVendorText = 4096;

// diopi::PrintableText, no longer than what is read.
inline std::string PrintableText(std::string_view text, size_t limit = kMaxVendorText) {
  return diopi::PrintableText(text, limit);
}

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_TEXT_H_
