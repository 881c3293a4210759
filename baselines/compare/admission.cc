#include "baselines/compare/admission.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/compare/judging.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {

std::string QuarantineReason(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                             const CompareOptions& options) {
  TensorMap oracle;
  TensorMap device;
  for (const auto& [key, tensor] : references) {
    if (ReferenceName name = ParseReferenceKey(key); name.part == ReferencePart::kDevice) {
      device.emplace(std::move(name.output), tensor);
    } else {
      oracle.emplace(key, tensor);
    }
  }
  if (device.empty()) return "";
  // A judge of outputs none of which the device computed says nothing about the device.
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
