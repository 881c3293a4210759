#include "client/cli/gate_runs.h"

#include <google/protobuf/util/message_differencer.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/store/database.h"

namespace diopi::cli {
namespace {

constexpr size_t kMostRepeats = 4;

class DataFolderSource final : public RunSource {
 public:
  explicit DataFolderSource(std::unique_ptr<server::Database> database) : database_(std::move(database)) {}
  absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip) override {
    return database_->ListRuns(chip, 0);
  }
  absl::StatusOr<reports::RunReport> Load(const std::string& run_id) override {
    return reports::LoadReport(*database_, run_id);
  }

 private:
  std::unique_ptr<server::Database> database_;
};

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
  const absl::StatusOr<std::vector<v1::RunInfo>> runs = source->ListRuns(request.chip);
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return absl::NotFoundError(absl::StrCat("there is no run of chip ", request.chip));
  return runs->front().run_id();
}

// The runs of this run's chip that are older, newest first.
absl::StatusOr<std::vector<v1::RunInfo>> OlderRuns(RunSource* source, const v1::RunInfo& run) {
  absl::StatusOr<std::vector<v1::RunInfo>> runs = source->ListRuns(run.options().chip());
  if (!runs.ok()) return runs.status();
  std::vector<v1::RunInfo> older;
  bool reached = false;
  for (v1::RunInfo& other : *runs) {
    // Without a chip's name the list has every chip's.
    if (reached && other.options().chip() == run.options().chip()) older.push_back(std::move(other));
    reached = reached || other.run_id() == run.run_id();
  }
  return older;
}

absl::StatusOr<reports::RunReport> LastGreen(RunSource* source, const reports::RunReport& run,
                                             const GateRunsRequest& request) {
  const absl::StatusOr<std::vector<v1::RunInfo>> older = OlderRuns(source, run.run);
  if (!older.ok()) return older.status();
  for (const v1::RunInfo& other : *older) {
    const bool comparable =
        SameSelection(other, run.run) || (request.partial && reports::IsWhole(other.options()));
    if (other.state() != "finished" || !comparable) continue;
    absl::StatusOr<reports::RunReport> report = source->Load(other.run_id());
    if (!report.ok()) return report.status();
    if (reports::IsGreen(*report, request.expectations)) return report;
  }
  return absl::NotFoundError(absl::StrCat(
      "--against last-green: of the ", older->size(), " runs of ", ChipText(run.run.options().chip()),
      " before ", run.run.run_id(), " none is green: finished, of the same selection, and every case passes",
      request.expectations == nullptr ? "; with --expect also cases that are listed may fail"
                                      : " or is listed"));
}

absl::StatusOr<reports::RunReport> Reference(RunSource* source, const reports::RunReport& run,
                                             const GateRunsRequest& request) {
  if (request.against == "last-green") return LastGreen(source, run, request);
  absl::StatusOr<reports::RunReport> report = source->Load(request.against);
  if (!report.ok()) return report.status();
  if (report->run.run_id() == run.run.run_id()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--against: run ", run.run.run_id(), " is the one that is judged"));
  }
  if (report->run.state() != "finished" || report->missing > 0) {
    return absl::InvalidArgumentError(absl::StrCat("--against: run ", report->run.run_id(), " is ",
                                                   report->run.state(),
                                                   " and no reference; name one that is finished"));
  }
  return report;
}

absl::StatusOr<std::vector<reports::RunReport>> RepeatsOf(RunSource* source, const v1::RunInfo& run) {
  const absl::StatusOr<std::vector<v1::RunInfo>> runs = source->ListRuns(run.options().chip());
  if (!runs.ok()) return runs.status();
  std::vector<reports::RunReport> repeats;
  for (const v1::RunInfo& other : *runs) {
    if (repeats.size() == kMostRepeats) break;
    if (other.run_id() == run.run_id() || other.state() != "finished" ||
        other.options().chip() != run.options().chip() || other.options().host() != run.options().host() ||
        other.options().impl_sha256() != run.options().impl_sha256()) {
      continue;
    }
    absl::StatusOr<reports::RunReport> report = source->Load(other.run_id());
    if (!report.ok()) return report.status();
    repeats.push_back(*std::move(report));
  }
  return repeats;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunSource>> OpenDataFolder(const std::string& data_folder) {
  absl::StatusOr<std::unique_ptr<server::Database>> database =
      server::Database::Open(server::DatabasePath(data_folder), {.read_only = true});
  if (!database.ok()) return database.status();
  return std::make_unique<DataFolderSource>(*std::move(database));
}

absl::StatusOr<GateRuns> LoadGateRuns(RunSource* source, const GateRunsRequest& request) {
  const absl::StatusOr<std::string> id = RunToJudge(source, request);
  if (!id.ok()) return id.status();
  absl::StatusOr<reports::RunReport> run = source->Load(*id);
  if (!run.ok()) return run.status();
  GateRuns runs;
  runs.run = *std::move(run);
  if (request.against.empty()) return runs;
  absl::StatusOr<reports::RunReport> reference = Reference(source, runs.run, request);
  if (!reference.ok()) return reference.status();
  runs.reference = *std::move(reference);
  // Of one library twice there is no before and after.
  const bool same = runs.run.run.options().impl_sha256() == runs.reference->run.options().impl_sha256();
  if (!request.repeats || same) return runs;
  for (const auto& [of, into] :
       {std::pair{&runs.run, &runs.repeats}, {&*runs.reference, &runs.reference_repeats}}) {
    absl::StatusOr<std::vector<reports::RunReport>> repeats = RepeatsOf(source, of->run);
    if (!repeats.ok()) return repeats.status();
    *into = *std::move(repeats);
  }
  return runs;
}

}  // namespace diopi::cli
