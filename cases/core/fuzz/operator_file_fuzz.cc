// Parses and checks operators' files as text, and expands those that pass into cases.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cases/core/catalog.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = diopi::cases::ParseOperatorFile(text, "fuzz.textproto");
  if (file.ok()) diopi::cases::Expand(*file, "fuzz.textproto").status().IgnoreError();
  return 0;
}
