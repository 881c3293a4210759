#include "reports/performance/load.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "reports/model/model_support.h"

namespace diopi::reports {

namespace {

server::StoredPerformance StoredOf(const v1::RunMeasurements& run) {
  server::StoredPerformance stored{{run.measurements().begin(), run.measurements().end()}, std::nullopt};
  if (run.has_machine()) stored.machine = run.machine();
  return stored;
}

}  // namespace

absl::StatusOr<server::RunFacts> FindMeasuredRun(server::Queries& queries, const std::string& run_id) {
  v1::AnswerRequest::Measurements request;
  request.set_run_id(run_id);
  return FindMeasuredRun(queries, request);
}

absl::StatusOr<PerformanceReport> ReportOf(const v1::RunMeasurements& run, const v1::ChipSpec* spec,
                                           const ReferenceTimes& reference) {
  absl::StatusOr<const cases::Catalog*> catalog = nullptr;
  if (absl::StartsWith(run.suite(), cases::kModelSuites)) catalog = BuiltinCatalog();
  if (!catalog.ok()) return catalog.status();
  ASSIGN_OR_RETURN(PerformanceReport report,
                   MakePerformanceReport(
                       StoredOf(run), spec != nullptr ? SpecRoofline(*spec) : MeasuredRoofline(run.machine()),
                       &reference, *catalog, run.suite()));
  report.run_id = run.run_id();
  report.chip = run.chip();
  return report;
}

absl::StatusOr<PerformanceReport> LoadPerformance(server::Queries& queries, const server::RunFacts& run,
                                                  const v1::ChipSpec* spec, const ReferenceTimes& reference) {
  const absl::StatusOr<v1::RunMeasurements> measured = LoadMeasurements(queries, run);
  return measured.ok() ? ReportOf(*measured, spec, reference) : measured.status();
}

ReferenceTimes ReferenceOf(const v1::RunMeasurements& run) {
  ReferenceTimes times = TimesOfRun(StoredOf(run), run.chip());
  times.source = absl::StrCat("run ", run.run_id());
  return times;
}

Comparison ComparisonOf(const v1::RunMeasurements& before, const v1::RunMeasurements& after,
                        double tolerance) {
  Comparison comparison = Compare(StoredOf(before).measurements, StoredOf(after).measurements,
                                  {tolerance, /*share=*/before.chip() == after.chip()});
  comparison.against = before.run_id();
  return comparison;
}

absl::StatusOr<Comparison> LoadComparison(server::Queries& queries, const server::RunFacts& before,
                                          const server::RunFacts& after, double tolerance) {
  ASSIGN_OR_RETURN(const v1::RunMeasurements earlier, LoadMeasurements(queries, before));
  ASSIGN_OR_RETURN(const v1::RunMeasurements later, LoadMeasurements(queries, after));
  return ComparisonOf(earlier, later, tolerance);
}

}  // namespace diopi::reports
