#include "reports/model/completeness.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cases/base/dtype.h"
#include "proto/abi/abi.h"
#include "proto/enum_name.h"

namespace diopi::reports {

namespace {

constexpr char kWhole[] = "core";

bool SelectsAll(const v1::Selection& selection) {
  const auto means_all = [](const std::string& name) {
    return name == "all_ops" || name == "all" || name == "*";
  };
  const auto& functions = selection.functions();
  return (functions.empty() || std::any_of(functions.begin(), functions.end(), means_all)) &&
         selection.cases().empty() && selection.dtypes().empty() &&
         (selection.suite().empty() || selection.suite() == kWhole);
}

std::vector<std::string> PartsOf(const v1::Selection& selection) {
  std::vector<std::string> parts;
  if (!selection.functions().empty()) {
    parts.push_back(absl::StrCat("functions ", absl::StrJoin(selection.functions(), ", ")));
  }
  if (!selection.cases().empty()) {
    parts.push_back(absl::StrCat("cases ", absl::StrJoin(selection.cases(), ", ")));
  }
  if (!selection.dtypes().empty()) {
    std::vector<std::string> names;
    for (const int dtype : selection.dtypes()) {
      names.emplace_back(DtypeName(static_cast<Dtype>(dtype)));
    }
    parts.push_back(absl::StrCat("dtypes ", absl::StrJoin(names, ", ")));
  }
  return parts;
}

}  // namespace

bool IsWhole(const v1::RunOptions& options) {
  return SelectsAll(options.selection()) && options.shard_count() <= 1 && !options.has_exploration();
}

std::string PartialText(const v1::RunOptions& options, v1::RunState state, int64_t cases, int64_t done) {
  std::vector<std::string> reasons;
  if (options.has_exploration()) {
    reasons.push_back(absl::StrCat("an exploration of ", ExploredText(options.selection()), " with seed ",
                                   options.exploration().seed()));
  } else if (!SelectsAll(options.selection())) {
    reasons.push_back(SelectionText(options.selection()));
  }
  if (options.shard_count() > 1) {
    reasons.push_back(absl::StrCat("shard ", options.shard_index(), " of ", options.shard_count()));
  }
  const bool finished = state == v1::RUN_STATE_UNSPECIFIED || state == v1::RUN_STATE_FINISHED;
  if (options.has_exploration() && !finished) {
    reasons.push_back(absl::StrCat(EnumName(state), " after ", done, " calls",
                                   options.abort_reason().empty() ? "" : ": ", options.abort_reason()));
  } else if (!options.has_exploration() && (!finished || done < cases)) {
    reasons.push_back(absl::StrCat(finished ? "incomplete" : EnumName(state), " after ", done, " of ", cases,
                                   " cases", options.abort_reason().empty() ? "" : ": ",
                                   options.abort_reason()));
  }
  return absl::StrJoin(reasons, "; ");
}

std::string ExploredText(const v1::Selection& selection) {
  const std::vector<std::string> parts = PartsOf(selection);
  return parts.empty() ? "all functions" : absl::StrJoin(parts, "; ");
}

std::string SelectionText(const v1::Selection& selection) {
  const std::vector<std::string> parts = PartsOf(selection);
  const std::string suite = selection.suite().empty() ? kWhole : selection.suite();
  return absl::StrCat(parts.empty() ? "all" : absl::StrJoin(parts, "; "), " of suite ", suite);
}

absl::StatusOr<int64_t> ParseMinCoverage(std::string_view text) {
  const auto functions = static_cast<int64_t>(abi::Functions().size());
  absl::string_view number(text.data(), text.size());
  const bool percent = absl::ConsumeSuffix(&number, "%");
  double share = 0;
  int64_t count = 0;
  if (percent && absl::SimpleAtod(number, &share) && share >= 0 && share <= 100) {
    return static_cast<int64_t>(std::ceil(share / 100 * static_cast<double>(functions)));
  }
  if (!percent && absl::SimpleAtoi(number, &count) && count >= 0 && count <= functions) return count;
  return absl::InvalidArgumentError(
      absl::StrCat("expected a percentage such as 30%, or a number of functions up to ", functions, ", got '",
                   number, percent ? "%" : "", "'"));
}

}  // namespace diopi::reports
