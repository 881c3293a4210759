// Parses an expectations file, which people write. A valid file is written again and must parse to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reports/gate/expectations.h"
#include "reports/gate/update.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using diopi::reports::ParseExpectations;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = ParseExpectations(text, "f");
  if (!first.ok()) {
    if (first.status().message().empty()) std::abort();
    return 0;
  }
  for (const diopi::reports::Expectation& line : first->cases) {
    const auto again = ParseExpectations(FormatExpectation(line), "f");
    if (!again.ok() || again->cases.size() != 1 ||
        FormatExpectation(again->cases[0]) != FormatExpectation(line)) {
      std::abort();
    }
  }
  // A run that has none of the cases changes nothing.
  diopi::reports::RunReport run;
  run.run.mutable_options()->mutable_selection()->add_cases("none");
  const auto updated = UpdateExpectations(*first, run, {});
  const auto same = ParseExpectations(updated.text, "f");
  if (!same.ok() || same->cases.size() != first->cases.size()) std::abort();
  return 0;
}
