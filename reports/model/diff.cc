// Both lists of cases are sorted and merged. A case whose outcome changed is reported for that alone, because
// its error and time come from different results. Times of one run say little, so each side has the range of
// several runs, and a change needs ranges that do not overlap, a factor and a least difference.
#include "reports/model/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "reports/model/cases_table.h"
#include "reports/model/variant.h"

namespace diopi::reports {
namespace {

bool IsRefused(v1::Outcome outcome) {
  return outcome == v1::OUTCOME_NOT_IMPLEMENTED || outcome == v1::OUTCOME_UNSUPPORTED_DTYPE;
}

v1::CompareSide SideOf(const server::CaseRow& row, const std::vector<double>& times) {
  v1::CompareSide side;
  side.set_outcome(row.outcome);
  side.set_max_z(row.max_z);
  side.set_max_ulp(row.max_ulp);
  side.set_call_us(TimeOf(row));
  side.set_call_low_us(times.empty() ? std::nan("") : times.front());
  side.set_call_high_us(times.empty() ? std::nan("") : times.back());
  return side;
}

double MedianOf(const std::vector<double>& sorted) {
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The direction from A to B when the larger is more than `factor` times the smaller and exceeds `floor`; 0
// otherwise, and for NaN and two infinities.
int Direction(double a, double b, double factor, double floor) {
  const double large = std::max(a, b);
  const double small = std::min(a, b);
  if (!(large > floor) || !(large > factor * small)) return 0;
  return b > a ? 1 : -1;
}

std::optional<double> FactorOf(double a, double b) {
  const double factor = b / a;
  if (a > 0 && std::isfinite(factor)) return factor;
  return std::nullopt;
}

class Builder {
 public:
  Builder(const CallTimes& times_a, const CallTimes& times_b, const DiffOptions& options)
      : times_a_(times_a), times_b_(times_b), options_(options) {}

  void Alone(const server::CaseRow& row, v1::CompareKind kind);
  void Both(const server::CaseRow& a, const server::CaseRow& b);
  void Finish(v1::Compare* diff);

 private:
  void Add(const server::CaseRow* a, const server::CaseRow* b, v1::CompareKind kind,
           std::optional<double> factor = std::nullopt);
  void SameOutcome(const server::CaseRow& a, const server::CaseRow& b);
  // Sorted; empty with too few to compare.
  std::vector<double> TimesOf(const CallTimes& times, const std::string& case_id) const;

  const CallTimes& times_a_;
  const CallTimes& times_b_;
  const DiffOptions& options_;
  std::vector<v1::CompareRow> rows_;
  int64_t same_ = 0;
};

std::vector<double> Builder::TimesOf(const CallTimes& times, const std::string& case_id) const {
  const auto found = times.us.find(case_id);
  if (found == times.us.end() || found->second.size() < static_cast<size_t>(options_.time_runs)) return {};
  std::vector<double> sorted = found->second;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void Builder::Add(const server::CaseRow* a, const server::CaseRow* b, v1::CompareKind kind,
                  std::optional<double> factor) {
  const server::CaseRow& newest = b != nullptr ? *b : *a;
  v1::CompareRow& row = rows_.emplace_back();
  row.set_case_id(newest.case_id);
  row.set_operator_(newest.op);
  row.set_dtype(newest.dtype);
  row.set_kind(kind);
  if (a != nullptr) *row.mutable_a() = SideOf(*a, TimesOf(times_a_, a->case_id));
  if (b != nullptr) *row.mutable_b() = SideOf(*b, TimesOf(times_b_, b->case_id));
  if (factor.has_value()) row.set_factor(*factor);
}

void Builder::Alone(const server::CaseRow& row, v1::CompareKind kind) {
  const bool appeared = kind == v1::COMPARE_KIND_APPEARED;
  Add(appeared ? nullptr : &row, appeared ? &row : nullptr, kind);
}

void Builder::Both(const server::CaseRow& a, const server::CaseRow& b) {
  if (a.case_hash != b.case_hash) {
    Add(&a, &b, v1::COMPARE_KIND_REDEFINED);
  } else if (a.outcome == b.outcome) {
    SameOutcome(a, b);
  } else if (a.outcome == v1::OUTCOME_PASS && IsFailure(b.outcome)) {
    Add(&a, &b, v1::COMPARE_KIND_NEWLY_FAILING);
  } else if (a.outcome == v1::OUTCOME_PASS && IsRefused(b.outcome)) {
    Add(&a, &b, v1::COMPARE_KIND_NEWLY_REFUSED);
  } else if ((IsFailure(a.outcome) || IsRefused(a.outcome)) && b.outcome == v1::OUTCOME_PASS) {
    Add(&a, &b, v1::COMPARE_KIND_NEWLY_PASSING);
  } else {
    Add(&a, &b, v1::COMPARE_KIND_CHANGED);
  }
}

void Builder::SameOutcome(const server::CaseRow& a, const server::CaseRow& b) {
  const int error = Direction(a.max_z, b.max_z, options_.error_factor, options_.error_floor_z);
  if (error != 0) {
    Add(&a, &b, error > 0 ? v1::COMPARE_KIND_WORSE : v1::COMPARE_KIND_BETTER, FactorOf(a.max_z, b.max_z));
  }
  const std::vector<double> times_a = TimesOf(times_a_, a.case_id);
  const std::vector<double> times_b = TimesOf(times_b_, b.case_id);
  int time = 0;
  if (!times_a.empty() && !times_b.empty()) {
    const double median_a = MedianOf(times_a);
    const double median_b = MedianOf(times_b);
    time = Direction(median_a, median_b, options_.time_factor, 0);
    const bool apart = times_a.back() < times_b.front() || times_b.back() < times_a.front();
    if (!apart || !(std::fabs(median_b - median_a) > options_.time_floor_us)) time = 0;
    if (time != 0) {
      Add(&a, &b, time > 0 ? v1::COMPARE_KIND_SLOWER : v1::COMPARE_KIND_FASTER, FactorOf(median_a, median_b));
    }
  }
  if (error == 0 && time == 0) ++same_;
}

void Builder::Finish(v1::Compare* diff) {
  std::map<v1::CompareKind, int64_t> counts = {{v1::COMPARE_KIND_SAME, same_}};
  for (const v1::CompareRow& row : rows_) ++counts[row.kind()];
  for (const v1::CompareKind kind : CompareKinds()) {
    v1::CompareCount& count = *diff->add_counts();
    count.set_kind(kind);
    count.set_cases(counts[kind]);
  }
  std::sort(rows_.begin(), rows_.end(), [](const v1::CompareRow& a, const v1::CompareRow& b) {
    return a.kind() != b.kind() ? a.kind() < b.kind() : a.case_id() < b.case_id();
  });
  for (v1::CompareRow& row : rows_) *diff->add_rows() = std::move(row);
}

std::vector<const server::CaseRow*> Sorted(const std::vector<server::CaseRow>& cases) {
  std::vector<const server::CaseRow*> sorted;
  sorted.reserve(cases.size());
  for (const server::CaseRow& row : cases) sorted.push_back(&row);
  std::sort(sorted.begin(), sorted.end(),
            [](const server::CaseRow* a, const server::CaseRow* b) { return a->case_id < b->case_id; });
  return sorted;
}

// What differs, in two lists of `comparison`.
void ComparePartsOf(const v1::RunSummary& a, const v1::RunSummary& b, v1::RunComparison* comparison) {
  using Comparison = v1::RunComparison;
  const auto compare = [&](bool same, Comparison::Part part) {
    if (!same) comparison->add_identity(part);
  };
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  compare(a.chip() == b.chip(), Comparison::PART_CHIP);
  compare(a.vendor_name() == b.vendor_name(), Comparison::PART_VENDOR);
  compare(a.impl_version() == b.impl_version(), Comparison::PART_VERSION);
  compare(a.dialect() == b.dialect(), Comparison::PART_DIALECT);
  compare(a.impl_sha256() == b.impl_sha256(), Comparison::PART_LIBRARY);
  compare(a.suite_hash() == b.suite_hash(), Comparison::PART_CASES);
  compare(same(a.contracts(), b.contracts()), Comparison::PART_CONTRACTS);
  compare(same(a.environment(), b.environment()), Comparison::PART_ENVIRONMENT);
  compare(same(a.adaptor(), b.adaptor()), Comparison::PART_ADAPTOR);
  if (!same(a.references(), b.references())) comparison->add_judged(Comparison::PART_REFERENCES);
  if (a.agent_version() != b.agent_version()) comparison->add_judged(Comparison::PART_AGENT_VERSION);
}

// How many runs a side's times come from: older runs say little about the machine today.
constexpr size_t kTimeRuns = 8;

// Reads the times of the newest finished runs with the same variant and host as this run, which is one of
// them.
absl::StatusOr<CallTimes> LoadTimes(server::Queries& queries, const v1::RunSummary& run) {
  ASSIGN_OR_RETURN(const std::vector<server::RunFacts> others, queries.RunsFacts({run.chip()}));
  std::vector<std::string> ids = {run.run_id()};
  for (const server::RunFacts& other : others) {
    if (ids.size() == kTimeRuns) break;
    if (other.run_id == run.run_id() || other.state != v1::RUN_STATE_FINISHED || other.host != run.host()) {
      continue;
    }
    if (VariantOf(other) == run.variant()) ids.push_back(other.run_id);
  }
  CallTimes times;
  times.runs = static_cast<int64_t>(ids.size());
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const std::vector<server::TimeRow> rows, queries.Times(id));
    for (const server::TimeRow& row : rows) times.us[row.case_id].push_back(row.call_us);
  }
  return times;
}

v1::RunComparison::Times CompareTimes(const CallTimes& a, const CallTimes& b, const DiffOptions& options) {
  using Times = v1::RunComparison::Times;
  Times times;
  times.set_runs_a(a.runs);
  times.set_runs_b(b.runs);
  times.set_needed(options.time_runs);
  times.set_kind(a.runs == 0                                     ? Times::KIND_SAME_LIBRARY
                 : std::min(a.runs, b.runs) >= options.time_runs ? Times::KIND_COMPARED
                                                                 : Times::KIND_TOO_FEW_RUNS);
  return times;
}

}  // namespace

std::vector<v1::CompareKind> CompareKinds() {
  std::vector<v1::CompareKind> kinds;
  for (int i = v1::COMPARE_KIND_NEWLY_FAILING; i <= v1::COMPARE_KIND_SAME; ++i)
    kinds.push_back(static_cast<v1::CompareKind>(i));
  return kinds;
}

v1::Compare BuildDiff(v1::RunSummary a, v1::RunSummary b, const std::vector<server::CaseRow>& cases_a,
                      const std::vector<server::CaseRow>& cases_b, const CallTimes& times_a,
                      const CallTimes& times_b, const DiffOptions& options) {
  const std::vector<const server::CaseRow*> in_a = Sorted(cases_a);
  const std::vector<const server::CaseRow*> in_b = Sorted(cases_b);
  Builder builder(times_a, times_b, options);
  auto left = in_a.begin();
  auto right = in_b.begin();
  while (left != in_a.end() || right != in_b.end()) {
    const bool only_a = right == in_b.end() || (left != in_a.end() && (*left)->case_id < (*right)->case_id);
    const bool only_b = !only_a && (left == in_a.end() || (*right)->case_id < (*left)->case_id);
    if (only_a) {
      builder.Alone(**left++, v1::COMPARE_KIND_VANISHED);
    } else if (only_b) {
      builder.Alone(**right++, v1::COMPARE_KIND_APPEARED);
    } else {
      builder.Both(**left++, **right++);
    }
  }
  v1::Compare diff;
  diff.set_same_variant(a.variant() == b.variant());
  ComparePartsOf(a, b, diff.mutable_comparison());
  *diff.mutable_comparison()->mutable_times() = CompareTimes(times_a, times_b, options);
  *diff.mutable_a() = std::move(a);
  *diff.mutable_b() = std::move(b);
  builder.Finish(&diff);
  return diff;
}

absl::StatusOr<v1::Compare> LoadDiff(server::Queries& queries, const std::string& run_a,
                                     const std::string& run_b, const DiffOptions& options) {
  ASSIGN_OR_RETURN(v1::RunSummary a, LoadSummary(queries, run_a));
  ASSIGN_OR_RETURN(v1::RunSummary b, LoadSummary(queries, run_b));
  for (const v1::RunSummary* run : {&a, &b}) {
    RETURN_IF_ERROR(server::CheckHasVerdicts(run->run_id(), run->scope()));
  }
  server::CaseFilter filter;
  filter.in_case_order = false;
  ASSIGN_OR_RETURN(const std::vector<server::CaseRow> cases_a, queries.Cases(a.run_id(), filter));
  ASSIGN_OR_RETURN(const std::vector<server::CaseRow> cases_b, queries.Cases(b.run_id(), filter));
  if (a.variant() == b.variant() && a.host() == b.host()) {
    return BuildDiff(std::move(a), std::move(b), cases_a, cases_b, {}, {}, options);
  }
  ASSIGN_OR_RETURN(const CallTimes times_a, LoadTimes(queries, a));
  ASSIGN_OR_RETURN(const CallTimes times_b, LoadTimes(queries, b));
  return BuildDiff(std::move(a), std::move(b), cases_a, cases_b, times_a, times_b, options);
}

}  // namespace diopi::reports
