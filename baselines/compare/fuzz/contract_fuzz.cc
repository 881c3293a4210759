// Tests `--contract` lists: comma- and newline-separated names. What is accepted must parse back unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "baselines/compare/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> names = absl::StrSplit(text, absl::ByAnyChar(",\n"));
  const auto contracts = diopi::baselines::ParseContracts(names);
  if (!contracts.ok()) return 0;
  const auto again = diopi::baselines::ParseContracts(contracts->Texts());
  if (!again.ok() || *again != *contracts) std::abort();
  return 0;
}
