#include "reports/model/workers_word.h"

#include <algorithm>

#include "cases/findings/finding.h"

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

bool HasPart(const v1::Finding& finding, v1::Finding::Code code) {
  return std::any_of(finding.parts().begin(), finding.parts().end(),
                     [code](const v1::Finding& part) { return part.code() == code; });
}

}  // namespace

absl::Span<const ObservedFact> ObservedFacts() {
  return kFacts;
}

v1::Finding WorkersWord(const v1::RunOptions& options) {
  const bool on_device = HasPart(options.sandboxed(), v1::Finding::MEMORY_UNSEEN);
  if (!on_device && !HasPart(options.sandboxed(), v1::Finding::MEMORY_SEEN)) return {};
  v1::Finding word = Found(on_device ? v1::Finding::WORD_ON_DEVICE : v1::Finding::WORD_ON_HOST);
  for (const ObservedFact& fact : kFacts) {
    if (!(on_device ? fact.on_device : fact.on_host))
      *word.add_parts() = Found(v1::Finding::TERM).Word(fact.name);
  }
  return word;
}

}  // namespace diopi::reports
