#include "client/setup/modes.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cases/core/catalog.h"

namespace diopi::agent {
namespace {

// The operators whose layout the public harness changes in this mode, with the argument where it does not
// change all. A name without an operator is no mistake: it takes effect once the operator exists.
struct NhwcOperator {
  const char* name;
  const char* argument;  // null: every tensor
};
constexpr std::array<NhwcOperator, 13> kNhwcOperators = {{{"conv2d", nullptr},
                                                          {"conv3d", nullptr},
                                                          {"batch_norm", nullptr},
                                                          {"adaptive_avg_pool2d", nullptr},
                                                          {"adaptive_avg_pool3d", nullptr},
                                                          {"adaptive_max_pool2d", nullptr},
                                                          {"adaptive_max_pool3d", nullptr},
                                                          {"avg_pool2d", nullptr},
                                                          {"max_pool2d", nullptr},
                                                          {"max_pool3d", nullptr},
                                                          {"interpolate", nullptr},
                                                          {"pad", nullptr},
                                                          {"roi_align", "input"}}};

constexpr char kModelPrefix[] = "models/";

}  // namespace

std::vector<v1::AdaptorRule> AdaptorRules(const Modes& modes) {
  std::vector<v1::AdaptorRule> rules;
  if (modes.four_bytes) rules.emplace_back().set_dtype("(int64)->int32, (float64)->float32");
  if (!modes.nhwc) return rules;
  std::vector<std::string> layouts;
  if (modes.nhwc_min_dim <= 3) layouts.emplace_back("NLC");
  if (modes.nhwc_min_dim <= 4) layouts.emplace_back("NHWC");
  layouts.emplace_back("NDHWC");
  v1::AdaptorRule all;
  for (const NhwcOperator& one : kNhwcOperators) {
    if (one.argument == nullptr) {
      all.add_operator_(one.name);
      continue;
    }
    v1::AdaptorRule& rule = rules.emplace_back();
    rule.add_operator_(one.name);
    rule.add_argument(one.argument);
    rule.set_layout(absl::StrJoin(layouts, ", "));
  }
  all.set_layout(absl::StrJoin(layouts, ", "));
  rules.push_back(std::move(all));
  return rules;
}

std::string ModelListText() {
  std::string text;
  for (const std::string& suite : cases::SuiteNames()) {
    if (absl::StartsWith(suite, kModelPrefix))
      absl::StrAppend(&text, absl::StripPrefix(suite, kModelPrefix), "\n");
  }
  if (!text.empty()) return text;
  return absl::StrCat("no model has a suite yet; suites: ", absl::StrJoin(cases::SuiteNames(), ", "), "\n");
}

absl::Status TakeModel(const Modes& modes, std::string* suite) {
  if (modes.model.empty()) return absl::OkStatus();
  const std::string wanted = absl::StrCat(kModelPrefix, modes.model);
  for (const std::string& known : cases::SuiteNames()) {
    if (known != wanted) continue;
    *suite = wanted;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--model: there is no suite for a model '", modes.model,
                                                 "'; suites: ", absl::StrJoin(cases::SuiteNames(), ", ")));
}

}  // namespace diopi::agent
