#include "impl_loader/caller/text.h"

#include <cstdint>

namespace diopi::loader {
namespace {

// Length of the UTF-8 sequence at the start of `text`; 0 when it is malformed.
size_t SequenceLength(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  size_t length = 0;
  uint32_t value = 0;
  if (lead < 0x80) return 1;
  if ((lead & 0xE0u) == 0xC0) {
    length = 2;
    value = lead & 0x1Fu;
  } else if ((lead & 0xF0u) == 0xE0) {
    length = 3;
    value = lead & 0x0Fu;
  } else if ((lead & 0xF8u) == 0xF0) {
    length = 4;
    value = lead & 0x07u;
  }
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xC0u) != 0x80) return 0;
    value = value << 6 | (byte & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kSmallest[length] || value > 0x10FFFF || surrogate ? 0 : length;
}

}  // namespace

std::string PrintableText(std::string_view text, size_t limit) {
  std::string safe;
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (safe.size() + (length == 0 ? 1 : length) > limit) break;
    const bool control =
        length == 1 && static_cast<uint8_t>(text[0]) < 0x20 && text[0] != '\n' && text[0] != '\t';
    if (length == 0 || control || text[0] == 0x7F) {
      safe.push_back('?');
      text.remove_prefix(1);
    } else {
      safe.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return safe;
}

}  // namespace diopi::loader
