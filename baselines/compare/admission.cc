#include "baselines/compare/admission.h"

#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "baselines/compare/judging.h"

namespace diopi::baselines {

std::string QuarantineReason(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                             const CompareOptions& options) {
  TensorMap oracle;
  TensorMap device;
  for (const auto& [key, tensor] : references) {
    absl::string_view name = key;
    if (absl::ConsumeSuffix(&name, ".device")) {
      device.emplace(std::string(name), tensor);
    } else {
      oracle.emplace(key, tensor);
    }
  }
  if (device.empty()) return "";
  // A judge none of whose outputs the device computed says nothing about it.
  v1::Case judged = c;
  for (v1::Judge& judge : *judged.mutable_judges()) {
    bool computed = false;
    for (const auto& [key, tensor] : device) computed |= BelongsTo(key, judge.output());
    if (!computed) judge.set_kind(v1::Judge::NOT_JUDGED);
  }
  const v1::Verdict verdict = CompareCase(judged, inputs, oracle, device, options);
  if (verdict.outcome() == v1::OUTCOME_PASS) return "";
  return absl::StrCat("oracle/contract conflict: ", verdict.reason());
}

}  // namespace diopi::baselines
