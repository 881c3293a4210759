#include "baselines/compare/readings.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {

double RoundedTo(Dtype dtype, double value) {
  char bytes[16] = {};
  StoreDouble(dtype, bytes, 0, value);
  return ElementAsDouble(dtype, bytes, 0);
}

std::string ReadingName(const v1::Reading& reading) {
  const std::string args = absl::StrJoin(reading.args(), ",");
  return absl::StrCat(absl::AsciiStrToLower(v1::Reading::Kind_Name(reading.kind())),
                      args.empty() ? "" : absl::StrCat("(", args, ")"));
}

std::string ReadingKey(const v1::Reading& reading, std::string_view key) {
  return absl::StrCat(ReadingName(reading), ":", std::string(key));
}

TensorMap ReferencesOf(const v1::Reading& reading, const TensorMap& references) {
  const std::string prefix = ReadingKey(reading, "");
  TensorMap own;
  for (auto at = references.lower_bound(prefix);
       at != references.end() && absl::StartsWith(at->first, prefix); ++at) {
    own.emplace(at->first.substr(prefix.size()), at->second);
  }
  if (own.empty()) return own;
  for (const auto& [key, tensor] : references) {
    if (ParseReferenceKey(key).part == ReferencePart::kDevice) own.emplace(key, tensor);
  }
  return own;
}

int64_t TakeSpreadNan(const HostTensor& expected, const HostTensor& mask, HostTensor* actual) {
  const int64_t elements = NumElements(expected.shape);
  if (actual->shape != expected.shape || static_cast<int64_t>(mask.data.size()) != elements) return 0;
  int64_t taken = 0;
  for (int64_t i = 0; i < elements; ++i) {
    if (mask.data[static_cast<size_t>(i)] == 0) continue;
    const double r = ElementAsDouble(expected.dtype, expected.data.data(), i);
    if (std::isnan(r) || !std::isnan(ElementAsDouble(actual->dtype, actual->data.data(), i))) continue;
    StoreDouble(actual->dtype, actual->data.data(), i, r);
    ++taken;
  }
  return taken;
}

}  // namespace diopi::baselines
