#include "reports/model/completeness.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cases/base/dtype.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "proto/abi/abi.h"
#include "proto/enum_name.h"

namespace diopi::reports {

namespace {

constexpr char kWhole[] = "core";
constexpr char kAllFunctions[] = "all functions";

bool SelectsAll(const v1::Selection& selection) {
  const auto means_all = [](const std::string& name) {
    return name == "all_ops" || name == "all" || name == "*";
  };
  const auto& functions = selection.functions();
  return (functions.empty() || std::any_of(functions.begin(), functions.end(), means_all)) &&
         selection.cases().empty() && selection.dtypes().empty() &&
         (selection.suite().empty() || selection.suite() == kWhole);
}

// The terms of a selection, or `all`.
v1::Finding PartsOf(v1::Finding::Code code, const v1::Selection& selection, const char* all) {
  v1::Finding parts = Found(code);
  const auto add = [&parts](const char* word, const std::string& names) {
    if (!names.empty()) *parts.add_parts() = Found(v1::Finding::TERM).Word(word).Got(names);
  };
  add("functions", absl::StrJoin(selection.functions(), ", "));
  add("cases", absl::StrJoin(selection.cases(), ", "));
  add("dtypes", absl::StrJoin(selection.dtypes(), ", ", [](std::string* out, int dtype) {
        out->append(DtypeName(static_cast<Dtype>(dtype)));
      }));
  if (parts.parts().empty()) *parts.add_parts() = Found(v1::Finding::TERM).Word(all);
  return parts;
}

}  // namespace

bool IsWhole(const v1::RunOptions& options) {
  return SelectsAll(options.selection()) && options.shard_count() <= 1 && !options.has_exploration();
}

v1::Finding WhyPartial(const v1::RunOptions& options, v1::RunState state, int64_t cases, int64_t done) {
  v1::Finding why;
  if (options.has_exploration()) {
    *why.add_parts() = PartsOf(v1::Finding::EXPLORED, options.selection(), kAllFunctions);
    why.mutable_parts(0)->set_got(absl::StrCat(options.exploration().seed()));
  } else if (!SelectsAll(options.selection())) {
    *why.add_parts() = SelectionOf(options.selection());
  }
  if (options.shard_count() > 1)
    *why.add_parts() = Found(v1::Finding::SHARD).Index(options.shard_index()).Of(options.shard_count());
  const bool finished = state == v1::RUN_STATE_UNSPECIFIED || state == v1::RUN_STATE_FINISHED;
  if (!finished || (!options.has_exploration() && done < cases)) {
    v1::Finding& ended = *why.add_parts();
    ended = Found(v1::Finding::CALLS_DONE).Word(finished ? "incomplete" : EnumName(state)).Count(done);
    if (!options.has_exploration()) {
      ended.set_code(v1::Finding::CASES_DONE);
      ended.set_of(cases);
    }
    const v1::Finding reason = AbortReason(options);
    if (reason.code() != v1::Finding::CODE_UNSPECIFIED) *ended.add_parts() = reason;
  }
  if (!why.parts().empty()) why.set_code(v1::Finding::TOGETHER);
  return why;
}

v1::Finding ExploredPart(const v1::Selection& selection) {
  return PartsOf(v1::Finding::TOGETHER, selection, kAllFunctions);
}

v1::Finding SelectionOf(const v1::Selection& selection) {
  v1::Finding of_suite = PartsOf(v1::Finding::OF_SUITE, selection, "all");
  of_suite.set_name(selection.suite().empty() ? kWhole : selection.suite());
  return of_suite;
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
