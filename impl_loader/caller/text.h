// Text from a vendor's library, made safe for our messages.
#ifndef IMPL_LOADER_CALLER_TEXT_H_
#define IMPL_LOADER_CALLER_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace diopi::loader {

// At most this much is read of a string that a vendor's library must terminate.
inline constexpr size_t kMaxVendorText = 4096;

// At most `limit` bytes of `text` as valid UTF-8: every byte that does not belong to a well-formed sequence
// becomes '?', as do control characters other than newline and tab.
std::string PrintableText(std::string_view text, size_t limit = kMaxVendorText);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_TEXT_H_
