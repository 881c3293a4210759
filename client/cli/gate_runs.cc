#include "client/cli/gate_runs.h"

#include <google/protobuf/util/message_differencer.h>

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "proto/enum_name.h"

namespace diopi::cli {
namespace {

constexpr size_t kMostRepeats = 4;
// A server may have years of runs: request a few at a time.
constexpr int kRunsAtOnce = 32;

// Visits the chip's runs older than `before` (empty: all), newest first, until `visit` returns false.
absl::Status VisitRuns(RunSource* source, const std::string& chip, std::string before,
                       const std::function<absl::StatusOr<bool>(const v1::RunInfo&)>& visit) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<v1::RunInfo> runs, source->ListRuns(chip, before, kRunsAtOnce));
    for (const v1::RunInfo& run : runs) {
      if (run.options().chip() != chip) continue;  // without a chip's name the list has runs of every chip
      const absl::StatusOr<bool> more = visit(run);
      if (!more.ok() || !*more) return more.status();
    }
    if (runs.size() < static_cast<size_t>(kRunsAtOnce)) return absl::OkStatus();
    before = runs.back().run_id();
  }
}

bool SameSelection(const v1::RunInfo& a, const v1::RunInfo& b) {
  return google::protobuf::util::MessageDifferencer::Equals(a.options().selection(),
                                                            b.options().selection()) &&
         a.options().shard_count() == b.options().shard_count() &&
         a.options().shard_index() == b.options().shard_index();
}

std::string ChipText(const std::string& chip) {
  return chip.empty() ? std::string("a chip without a name") : absl::StrCat("chip ", chip);
}

absl::StatusOr<std::string> RunToJudge(RunSource* source, const GateRunsRequest& request) {
  if (request.run != "latest" || request.chip.empty()) return request.run;
  ASSIGN_OR_RETURN(const std::vector<v1::RunInfo> runs, source->ListRuns(request.chip, "", 1));
  if (runs.empty()) return absl::NotFoundError(absl::StrCat("there is no run of chip ", request.chip));
  return runs.front().run_id();
}

absl::StatusOr<reports::RunReport> LastGreen(RunSource* source, const reports::RunReport& run,
                                             const GateRunsRequest& request) {
  std::optional<reports::RunReport> green;
  int64_t older = 0;
  const std::string& chip = run.run.options().chip();
  absl::Status visited =
      VisitRuns(source, chip, run.run.run_id(), [&](const v1::RunInfo& other) -> absl::StatusOr<bool> {
        ++older;
        const bool comparable =
            SameSelection(other, run.run) || (request.partial && reports::IsWhole(other.options()));
        if (other.state() != v1::RUN_STATE_FINISHED || !comparable) return true;
        ASSIGN_OR_RETURN(reports::RunReport report, source->Load(other.run_id()));
        if (reports::IsGreen(report, request.expectations)) green = std::move(report);
        return !green.has_value();
      });
  if (!visited.ok()) return visited;
  if (green.has_value()) return *std::move(green);
  return absl::NotFoundError(absl::StrCat(
      "--against last-green: none of the ", older, " runs of ", ChipText(chip), " before ", run.run.run_id(),
      " is green (finished, the same selection, every case passes",
      request.expectations == nullptr ? "; with --expect, listed cases may fail)" : " or is listed)"));
}

absl::StatusOr<reports::RunReport> Reference(RunSource* source, const reports::RunReport& run,
                                             const GateRunsRequest& request) {
  if (request.against == "last-green") return LastGreen(source, run, request);
  ASSIGN_OR_RETURN(reports::RunReport report, source->Load(request.against));
  if (report.run.run_id() == run.run.run_id()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--against: run ", run.run.run_id(), " is the judged run itself"));
  }
  if (report.run.state() != v1::RUN_STATE_FINISHED || report.missing > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--against: run ", report.run.run_id(), " is ", EnumName(report.run.state()),
                     " and not complete, so it cannot be the reference; name a complete run"));
  }
  return report;
}

absl::StatusOr<std::vector<reports::RunReport>> RepeatsOf(RunSource* source, const v1::RunInfo& run) {
  std::vector<reports::RunReport> repeats;
  absl::Status visited =
      VisitRuns(source, run.options().chip(), "", [&](const v1::RunInfo& other) -> absl::StatusOr<bool> {
        if (other.run_id() == run.run_id() || other.state() != v1::RUN_STATE_FINISHED ||
            other.options().host() != run.options().host() ||
            other.options().impl_sha256() != run.options().impl_sha256()) {
          return true;
        }
        ASSIGN_OR_RETURN(reports::RunReport report, source->Load(other.run_id()));
        repeats.push_back(std::move(report));
        return repeats.size() < kMostRepeats;
      });
  if (!visited.ok()) return visited;
  return repeats;
}

}  // namespace

absl::StatusOr<GateRuns> LoadGateRuns(RunSource* source, const GateRunsRequest& request) {
  ASSIGN_OR_RETURN(const std::string id, RunToJudge(source, request));
  ASSIGN_OR_RETURN(reports::RunReport run, source->Load(id));
  GateRuns runs;
  runs.run = std::move(run);
  if (request.against.empty()) return runs;
  ASSIGN_OR_RETURN(runs.reference, Reference(source, runs.run, request));
  // Two runs of the same library cannot be compared over time.
  const bool same = runs.run.run.options().impl_sha256() == runs.reference->run.options().impl_sha256();
  if (!request.repeats || same) return runs;
  for (const auto& [of, into] :
       {std::pair{&runs.run, &runs.repeats}, {&*runs.reference, &runs.reference_repeats}}) {
    ASSIGN_OR_RETURN(std::vector<reports::RunReport> repeats, RepeatsOf(source, of->run));
    *into = std::move(repeats);
  }
  return runs;
}

}  // namespace diopi::cli
