// Parses and checks device profiles, and applies valid ones to cases.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/time/civil_time.h"
#include "cases/core/catalog.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/applied.h"
#include "client/profile/profile.h"

namespace {

struct Known {
  std::vector<diopi::v1::OperatorFile> operators;
  std::vector<diopi::v1::Case> cases;
};

const Known& TheKnown() {
  static const Known* known = [] {
    auto* made = new Known;
    const auto catalog = diopi::cases::Catalog::LoadBuiltin();
    if (!catalog.ok()) return made;
    made->operators = (*catalog)->operators();
    diopi::v1::Selection selection;
    selection.add_functions("batch_norm");
    selection.add_functions("add");
    const auto cases = (*catalog)->Select(selection);
    if (cases.ok()) made->cases = *cases;
    return made;
  }();
  return *known;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = diopi::profile::ParseProfile(text, "fuzz.textproto", TheKnown().operators);
  if (!profile.ok()) return 0;
  const diopi::profile::AppliedProfile applied(*profile, absl::CivilDay(2026, 1, 1));
  const auto adaptor =
      diopi::profile::Adaptor::Make({profile->rules.adaptor().begin(), profile->rules.adaptor().end()});
  for (const diopi::v1::Case& c : TheKnown().cases) {
    applied.SkipReason(c);
    applied.TimeoutOf(c);
    diopi::v1::Verdict verdict;
    verdict.set_outcome(diopi::v1::OUTCOME_FAIL);
    applied.Waive(c, {}, {}, &verdict);
    if (adaptor.ok()) adaptor->For(c);
  }
  applied.ForRun();
  return 0;
}
