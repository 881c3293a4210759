#include "reports/performance/load.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/core/catalog.h"
#include "reports/model/model_support.h"

namespace diopi::reports {

absl::StatusOr<server::RunFacts> FindMeasuredRun(server::Queries& queries, const std::string& run_id) {
  const absl::StatusOr<std::vector<server::RunFacts>> measured = queries.MeasuredRunsFacts(0);
  if (!measured.ok()) return measured.status();
  const bool latest = run_id.empty() || run_id == "latest";
  for (const server::RunFacts& facts : *measured) {
    if (latest || facts.run_id == run_id) return facts;
  }
  if (latest) return absl::NotFoundError("no run measured its calls; diopi-agent --performance measures");
  const absl::StatusOr<server::RunRow> run = queries.RunCounts(run_id);
  if (!run.ok()) return run.status();
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run_id, " measured nothing; diopi-agent --performance measures"));
}

absl::StatusOr<ReferenceTimes> LoadReferenceTimes(server::Queries& queries, const std::string& run_id) {
  const absl::StatusOr<server::RunFacts> run = FindMeasuredRun(queries, run_id);
  if (!run.ok()) return run.status();
  const absl::StatusOr<server::StoredPerformance> stored = queries.Performance(run->run_id);
  if (!stored.ok()) return stored.status();
  ReferenceTimes times = TimesOfRun(*stored, run->chip);
  times.source = absl::StrCat("run ", run->run_id);
  return times;
}

absl::StatusOr<PerformanceReport> LoadPerformance(server::Queries& queries, const server::RunFacts& run,
                                                  const v1::ChipSpec* spec, const ReferenceTimes& reference) {
  const absl::StatusOr<server::StoredPerformance> stored = queries.Performance(run.run_id);
  if (!stored.ok()) return stored.status();
  const std::string& suite = run.scope.selection().suite();
  absl::StatusOr<const cases::Catalog*> catalog = nullptr;
  if (absl::StartsWith(suite, cases::kModelSuites)) catalog = BuiltinCatalog();
  if (!catalog.ok()) return catalog.status();
  absl::StatusOr<PerformanceReport> report = MakePerformanceReport(
      *stored,
      spec != nullptr ? SpecRoofline(*spec) : MeasuredRoofline(stored->machine.value_or(v1::MachineFacts())),
      &reference, *catalog, suite);
  if (!report.ok()) return report.status();
  report->run_id = run.run_id;
  report->chip = run.chip;
  return report;
}

absl::StatusOr<Comparison> LoadComparison(server::Queries& queries, const server::RunFacts& before,
                                          const server::RunFacts& after, double tolerance) {
  const absl::StatusOr<server::StoredPerformance> earlier = queries.Performance(before.run_id);
  if (!earlier.ok()) return earlier.status();
  const absl::StatusOr<server::StoredPerformance> later = queries.Performance(after.run_id);
  if (!later.ok()) return later.status();
  Comparison comparison =
      Compare(earlier->measurements, later->measurements, {tolerance, /*share=*/before.chip == after.chip});
  comparison.against = before.run_id;
  return comparison;
}

}  // namespace diopi::reports
