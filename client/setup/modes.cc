#include "client/setup/modes.h"

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cases/core/catalog.h"

namespace diopi::agent {
namespace {

constexpr char kModelPrefix[] = "models/";
constexpr char kEveryTensor[] = "*";  // OperatorFile.nhwc

}  // namespace

absl::StatusOr<std::vector<v1::AdaptorRule>> AdaptorRules(const Modes& modes) {
  std::vector<v1::AdaptorRule> rules;
  if (modes.four_bytes) rules.emplace_back().set_dtype("(int64)->int32, (float64)->float32");
  if (!modes.nhwc) return rules;
  std::vector<std::string> layouts;
  if (modes.nhwc_min_dim <= 3) layouts.emplace_back("NLC");
  if (modes.nhwc_min_dim <= 4) layouts.emplace_back("NHWC");
  layouts.emplace_back("NDHWC");
  const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return catalog.status();
  v1::AdaptorRule whole;  // of the operators whose tensors all change
  for (const v1::OperatorFile& op : (*catalog)->operators()) {
    if (op.nhwc().empty()) continue;
    const bool every = op.nhwc(0) == kEveryTensor;
    v1::AdaptorRule& rule = every ? whole : rules.emplace_back();
    rule.add_operator_(op.operator_());
    rule.set_layout(absl::StrJoin(layouts, ", "));
    if (!every) rule.mutable_argument()->CopyFrom(op.nhwc());
  }
  rules.push_back(std::move(whole));
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
