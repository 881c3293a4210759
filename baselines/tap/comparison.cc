// The reference is opened at the first judged call, as most hosts judge few, and used by one call at a time.
// A large call is judged on slices, as a case of the suite would be, and left out, with the reason, where
// slices cannot judge it: no verdict is better than one by other rules.
#include "baselines/tap/comparison.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/compare.h"
#include "baselines/compare/compare_slices.h"
#include "baselines/compare/readings.h"
#include "baselines/generate/generate.h"
#include "baselines/generate/other_readings.h"
#include "baselines/tap/reference_library.h"
#include "cases/base/status_macros.h"
#include "cases/fill/block_fill.h"
#include "cases/slices/slices.h"

namespace diopi::tap {
namespace {

// The largest of a figure over a verdict's outputs; figures that were not measured are NaN.
template <typename F>
double Largest(const v1::Verdict& verdict, F figure) {
  double largest = 0;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    const double value = figure(stats);
    if (!std::isnan(value)) largest = std::max(largest, value);
  }
  return largest;
}

double WorstZ(const v1::Verdict& verdict) {
  return Largest(verdict, [](const v1::OutputStats& stats) { return stats.max_z(); });
}

double MaxDiff(const v1::Verdict& verdict) {
  return Largest(verdict, [](const v1::OutputStats& stats) { return stats.max_abs(); });
}

bool AllClose(const v1::Verdict& verdict) {
  return std::all_of(verdict.outputs().begin(), verdict.outputs().end(),
                     [](const v1::OutputStats& stats) { return stats.public_pass(); });
}

// Where NaN may spread, slices do not say how far.
bool NanMaySpread(const v1::Case& c, const TensorMap& inputs) {
  const v1::Reading* reading = baselines::FindReading(c, v1::Reading::SPREAD_NAN);
  if (reading == nullptr) return false;
  TensorMap copy = inputs;
  return baselines::SpreadNan(*reading, &copy);
}

const char* Python(bool value) {
  return value ? "True" : "False";
}

}  // namespace

absl::Status Reference::Open() {
  if (opened_) return error_;
  opened_ = true;
  absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> opened = OpenReference(path_, library_);
  error_ = opened.ok() ? absl::OkStatus()
                       : absl::FailedPreconditionError(
                             absl::StrCat("the CPU reference cannot be used: ", opened.status().message(),
                                          "; DIOPI_TAP_REFERENCE names the file libdiopi_cpu.so"));
  if (opened.ok()) reference_ = *std::move(opened);
  return error_;
}

absl::StatusOr<TensorMap> Reference::Compute(const v1::Case& c, const TensorMap& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(Open());
  return reference_->Call(c, inputs, v1::Dtype::unsupported);
}

absl::StatusOr<v1::Verdict> Reference::Judge(const v1::Case& c, const TensorMap& inputs,
                                             const TensorMap& outputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(Open());
  ASSIGN_OR_RETURN(const TensorMap references, baselines::GenerateReferences(*reference_, c, inputs));
  return baselines::CompareCase(c, inputs, references, outputs, {contracts_});
}

absl::StatusOr<v1::Verdict> Reference::JudgeOnSlices(const v1::Case& c, const TensorMap& inputs,
                                                     const TensorMap& outputs) {
  v1::Case large = c;  // what is judged on slices is marked as the suite's large cases are
  large.set_generator_version(kBlockGeneratorVersion);
  if (IsComplex(c.dtype()) || !slices::IsSliced(large) || !slices::WhyNotComputable(large).empty() ||
      NanMaySpread(c, inputs)) {
    return absl::UnimplementedError("slices cannot judge it");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(Open());
  ASSIGN_OR_RETURN(const TensorMap references, baselines::GenerateReferences(*reference_, large, inputs));
  const auto places = slices::ComparedPlaces(large, slices::BuiltinSlices(c.function()));
  return baselines::CompareSlices(large, places, inputs, references, outputs, {contracts_});
}

std::string VerdictLine(const v1::Verdict& verdict) {
  const bool pass = verdict.outcome() == v1::OUTCOME_PASS;
  return absl::StrFormat("%s%s%s, max z %.3g | allclose %s, max_diff %.6g", pass ? "pass" : "FAIL",
                         verdict.reason().empty() ? "" : ": ", verdict.reason(), WorstZ(verdict),
                         Python(AllClose(verdict)), MaxDiff(verdict));
}

void ComparisonTable::Add(const std::string& function, const v1::Verdict& verdict, const std::string& facts,
                          const std::string& how) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!how.empty()) ++otherwise_[absl::StrCat(function, ": ", how)];
  Row& row = rows_[function];
  ++row.calls;
  row.worst_z = std::max(row.worst_z, WorstZ(verdict));
  row.max_diff = std::max(row.max_diff, MaxDiff(verdict));
  row.allclose = row.allclose && AllClose(verdict);
  if (verdict.outcome() == v1::OUTCOME_PASS) return;
  ++row.failures;
  if (first_failure_.empty())
    first_failure_ = absl::StrCat(function, ", ", facts, ": ", VerdictLine(verdict));
}

void ComparisonTable::Skip(const std::string& function, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++skipped_[absl::StrCat(function, ": ", why)];
}

std::string ComparisonTable::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (rows_.empty() && skipped_.empty()) return "";
  std::string text = absl::StrFormat("Compared with the CPU reference\n%8s %8s %12s %9s %12s  %s\n", "calls",
                                     "failed", "worst z", "allclose", "max_diff", "function");
  int64_t calls = 0;
  int64_t failures = 0;
  for (const auto& [name, row] : rows_) {
    absl::StrAppendFormat(&text, "%8d %8d %12.3g %9s %12.6g  %s\n", row.calls, row.failures, row.worst_z,
                          Python(row.allclose), row.max_diff, name);
    calls += row.calls;
    failures += row.failures;
  }
  absl::StrAppend(&text, calls, " calls of ", rows_.size(), " functions compared, ", failures, " failed\n");
  if (!first_failure_.empty()) absl::StrAppend(&text, "First failure: ", first_failure_, "\n");
  for (const auto& [what, count] : otherwise_) {
    absl::StrAppend(&text, "Compared, ", count, " calls: ", what, "\n");
  }
  for (const auto& [what, count] : skipped_) {
    absl::StrAppend(&text, "Not compared, ", count, " calls: ", what, "\n");
  }
  return text;
}

}  // namespace diopi::tap
