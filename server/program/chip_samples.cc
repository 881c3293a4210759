#include "server/program/chip_samples.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "reports/model/chips.h"

namespace diopi::server {
namespace {

double Seconds(const std::string& time) {
  absl::Time parsed;
  std::string ignored;
  return absl::ParseTime(absl::RFC3339_full, time, &parsed, &ignored)
             ? absl::ToDoubleSeconds(parsed - absl::UnixEpoch())
             : 0;
}

}  // namespace

std::vector<Sample> ChipSamples(Queries& queries) {
  const absl::StatusOr<std::vector<ChipRow>> chips = queries.Chips();
  if (!chips.ok()) return {};
  std::vector<Sample> samples;
  const auto add = [&samples](const char* name, const char* help, const std::string& chip, double value) {
    samples.push_back({name, help, Sample::Kind::kGauge, {{"chip", chip}}, value});
  };
  for (const ChipRow& chip : *chips) {
    const absl::StatusOr<std::vector<v1::RunSummary>> runs = reports::CompleteRuns(queries, chip.chip, 1);
    if (!runs.ok() || runs->empty()) continue;
    const v1::RunSummary& run = runs->front();
    add("diopi_chip_functions_passing", "Functions that pass in the chip's newest complete run.", chip.chip,
        static_cast<double>(run.coverage().passing()));
    add("diopi_chip_cases_failed", "Cases that fail in the chip's newest complete run.", chip.chip,
        static_cast<double>(run.failed()));
    add("diopi_chip_run_timestamp_seconds", "When the chip's newest complete run was created.", chip.chip,
        Seconds(run.created()));
  }
  return samples;
}

}  // namespace diopi::server
