// A message per question, made by the same functions that pages use, so that a data folder, a server and a
// page give one answer. An exact name is tried first; the ids of recent runs are read only to complete an
// abbreviated one, because that costs far more.
#include "reports/model/answer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "diopi/v1/answers.pb.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/diff.h"
#include "reports/model/history.h"
#include "reports/model/model_support.h"
#include "reports/model/run_summary.h"

namespace diopi::reports {
namespace {

constexpr size_t kShown = 5;
// An abbreviated case id is searched in this many of the chip's runs.
constexpr int kSearchedRuns = 8;

using Request = v1::AnswerRequest;

absl::StatusOr<v1::RunsPage> Runs(server::Queries& queries, const Request::Runs& request) {
  server::RunFilter filter{.limit = request.limit(), .kind = server::RunKind::kAny};
  if (request.has_chip()) filter.chip = request.chip();
  if (!request.label().empty()) {
    const absl::StatusOr<server::Labels::value_type> label = server::ParseLabel(request.label());
    if (!label.ok()) return absl::InvalidArgumentError(absl::StrCat("--label: ", label.status().message()));
    filter.label.emplace(*label);
  }
  return LoadRuns(queries, filter);
}

absl::StatusOr<std::string> ResolveCase(server::Queries& queries, const std::string& given,
                                        const std::string& chip) {
  ASSIGN_OR_RETURN(const std::vector<server::RunFacts> runs, queries.RunsFacts({chip, kSearchedRuns}));
  std::set<std::string> ids;
  for (const server::RunFacts& run : runs) {
    ASSIGN_OR_RETURN(const std::vector<server::CaseRow> cases, queries.Cases(run.run_id, {}));
    for (const server::CaseRow& row : cases) ids.insert(row.case_id);
  }
  return Resolve("case", given, {ids.begin(), ids.end()});
}

absl::StatusOr<v1::History> HistoryOf(server::Queries& queries, const Request::History& request) {
  ASSIGN_OR_RETURN(const std::vector<server::ChipRow> rows, queries.Chips());
  std::vector<std::string> chips;
  for (const server::ChipRow& row : rows) chips.push_back(row.chip);
  ASSIGN_OR_RETURN(const std::string chip, Resolve("chip", request.chip(), chips));
  absl::StatusOr<v1::History> history = LoadHistory(queries, request.case_(), chip, request.limit());
  if (!absl::IsNotFound(history.status())) return history;
  ASSIGN_OR_RETURN(const std::string id, ResolveCase(queries, request.case_(), chip));
  return LoadHistory(queries, id, chip, request.limit());
}

absl::StatusOr<v1::Compare> CompareOf(server::Queries& queries, const Request::Compare& request) {
  DiffOptions options;
  if (request.error_factor() > 0) options.error_factor = request.error_factor();
  if (request.time_factor() > 0) options.time_factor = request.time_factor();
  if (request.time_runs() > 0) options.time_runs = request.time_runs();
  return LoadDiff(queries, request.a(), request.b(), options);
}

absl::StatusOr<v1::RunMeasurements> MeasurementsOf(server::Queries& queries,
                                                   const Request::Measurements& request) {
  const absl::StatusOr<server::RunFacts> run = FindMeasuredRun(queries, request);
  return run.ok() ? LoadMeasurements(queries, *run) : run.status();
}

template <typename Page>
absl::StatusOr<std::string> Bytes(const absl::StatusOr<Page>& page) {
  return page.ok() ? absl::StatusOr<std::string>(page->SerializeAsString()) : page.status();
}

}  // namespace

absl::StatusOr<std::string> Answer(server::Queries& queries, const v1::AnswerRequest& request) {
  switch (request.of_case()) {
    case Request::kRuns:
      return Bytes(Runs(queries, request.runs()));
    case Request::kChips:
      return Bytes(LoadChips(queries));
    case Request::kCoverage:
      return Bytes(LoadCoverage(queries));
    case Request::kModels:
      return Bytes(LoadModelSupport(queries));
    case Request::kHistory:
      return Bytes(HistoryOf(queries, request.history()));
    case Request::kCompare:
      return Bytes(CompareOf(queries, request.compare()));
    case Request::kMeasurements:
      return Bytes(MeasurementsOf(queries, request.measurements()));
    case Request::OF_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("the request names no answer that this version gives");
}

absl::StatusOr<server::RunFacts> FindMeasuredRun(server::Queries& queries,
                                                 const v1::AnswerRequest::Measurements& request) {
  const std::string& run_id = request.run_id();
  ASSIGN_OR_RETURN(const std::vector<server::RunFacts> measured, queries.MeasuredRunsFacts(0));
  const bool latest = run_id.empty() || run_id == "latest";
  for (const server::RunFacts& facts : measured) {
    const bool wanted = (!request.has_chip() || facts.chip == request.chip()) &&
                        (request.impl_sha256().empty() || facts.impl_sha256 == request.impl_sha256());
    if (latest ? wanted : facts.run_id == run_id) return facts;
  }
  if (latest) return absl::NotFoundError("no run measured its calls; diopi-agent --performance measures");
  ASSIGN_OR_RETURN(const server::RunRow run, queries.RunCounts(run_id));
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run_id, " measured nothing; diopi-agent --performance measures"));
}

absl::StatusOr<v1::RunMeasurements> LoadMeasurements(server::Queries& queries, const server::RunFacts& run) {
  ASSIGN_OR_RETURN(server::StoredPerformance stored, queries.Performance(run.run_id));
  v1::RunMeasurements measurements;
  measurements.set_run_id(run.run_id);
  measurements.set_chip(run.chip);
  measurements.set_suite(run.scope.selection().suite());
  for (v1::Measurement& each : stored.measurements) *measurements.add_measurements() = std::move(each);
  if (stored.machine.has_value()) *measurements.mutable_machine() = *std::move(stored.machine);
  return measurements;
}

absl::StatusOr<std::string> Resolve(const std::string& what, const std::string& given,
                                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  const bool glob = given.find_first_of("*?") != std::string::npos;
  std::vector<std::string> matches;
  for (const std::string& name : known) {
    const bool match = glob ? GlobMatch(given, name) : !given.empty() && absl::StartsWith(name, given);
    if (match) matches.push_back(name);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) {
    return absl::NotFoundError(absl::StrCat("no ", what, " '", given, "'", NearestText(given, known)));
  }
  const size_t count = matches.size();
  matches.resize(std::min(count, kShown));
  return absl::InvalidArgumentError(absl::StrCat("'", given, "' is ", count, " ", what,
                                                 "s: ", absl::StrJoin(matches, ", "),
                                                 count > kShown ? ", ..." : ""));
}

}  // namespace diopi::reports
