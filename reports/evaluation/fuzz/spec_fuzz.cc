// Specification files of evaluation reports. An error names the file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reports/evaluation/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto spec = diopi::reports::ParseSpec(std::string_view(reinterpret_cast<const char*>(data), size),
                                              "chip.textproto");
  if (spec.ok() || spec.status().message().find("chip.textproto") == 0) return 0;
  std::fprintf(stderr, "spec_fuzz: %s\n", spec.status().ToString().c_str());
  std::abort();
}
