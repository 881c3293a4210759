#include "reports/model/workers_word.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::reports {
namespace {

constexpr ObservedFact kFacts[] = {
    {"the end of the process, and a time limit that passes", true, true},
    {"outputs", true, false},
    {"writes out of bounds", true, false},
    {"changed inputs", true, false},
    {"unwritten elements", true, false},
    {"whether the adaptor can convert a case", true, false},
    {"leaks", false, false},
    {"results that differ from call to call", false, false},
    {"checks of the library as a whole", false, false},
    {"times", false, false},
};

// How impl_loader/worker/worker.cc ends the record of a worker's sandbox.
constexpr char kOnDevice[] = "tensors are on a device";
constexpr char kOnHost[] = "memory is checked by the agent too";

}  // namespace

absl::Span<const ObservedFact> ObservedFacts() {
  return kFacts;
}

std::string WorkersWord(const v1::RunOptions& options) {
  const bool on_device = absl::StrContains(options.sandbox(), kOnDevice);
  if (!on_device && !absl::StrContains(options.sandbox(), kOnHost)) return "";
  std::vector<std::string> names;
  for (const ObservedFact& fact : kFacts) {
    if (!(on_device ? fact.on_device : fact.on_host)) names.emplace_back(fact.name);
  }
  return absl::StrCat(
      absl::StrJoin(names, ", "),
      on_device ? ": the library can answer for the worker, and the agent cannot see its device"
                : ": the library can answer for the worker, and the agent observes all else itself");
}

}  // namespace diopi::reports
