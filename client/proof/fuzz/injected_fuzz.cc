// Parses the listing that a library of bugs or variants returns.
#include <cstddef>
#include <cstdint>
#include <string>

#include "client/proof/injected_library.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  diopi::proof::ParseInjected(std::string(reinterpret_cast<const char*>(data), size)).status().IgnoreError();
  return 0;
}
