// A run's options are stored twice: as a message, from which runs are resumed and described, and as columns,
// by which queries compare and filter; the functions ...Column make those that hold lists. The number of
// passes is not counted: `appends` has the number of verdicts, and a partial index those that did not pass.
// An exploration has no verdicts; its counts come from its own message.
#include "server/store/run_rows.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/findings/describe.h"
#include "proto/enum_name.h"
#include "server/store/message_columns.h"

namespace diopi::server {
namespace {

constexpr char kSelectFacts[] =
    "SELECT " DIOPI_RUN_COLUMNS " FROM runs r JOIN devices d ON d.id = r.device WHERE r.id = ?";
constexpr char kSelectRowid[] =
    "SELECT id FROM runs WHERE run_id = ?1 UNION ALL SELECT run FROM run_tags WHERE tag = ?1";
constexpr char kSelectLatest[] = "SELECT id FROM runs WHERE exploration IS NULL ORDER BY id DESC LIMIT 1";
constexpr char kSelectNewestIds[] =
    "SELECT run_id FROM runs WHERE exploration IS NULL ORDER BY id DESC LIMIT 6";

constexpr char kSelectDoneCount[] = "SELECT max(last) FROM appends WHERE run = ?";
// One statement, so that both counts are of one moment.
constexpr char kCountOutcomes[] = R"sql(
SELECT outcome, count(*) FROM verdicts WHERE run = ?1 AND outcome <> 1 GROUP BY outcome
UNION ALL SELECT 1, ifnull(max(last), 0) FROM appends WHERE run = ?1)sql";
constexpr char kSelectLabels[] = "SELECT key, value FROM run_labels WHERE run = ?";
constexpr char kInsertLabel[] = "INSERT OR REPLACE INTO run_labels (run, key, value) VALUES (?, ?, ?)";
constexpr char kDeleteLabel[] = "DELETE FROM run_labels WHERE run = ? AND key = ?";
constexpr char kSelectRun[] =
    "SELECT run_id, options, " DIOPI_RUN_STATE
    ", created, finished, cases, suite_hash, submission, exploration FROM runs r WHERE id = ?";

absl::Status Damaged(const Connection& connection, const char* what, const std::string& of) {
  return absl::DataLossError(
      absl::StrCat(connection.path(), ": the ", what, " of run ", of, " cannot be read: it is damaged"));
}

absl::Status AddOutcomes(Connection* connection, int64_t run, v1::RunInfo* info) {
  if (info->has_exploration()) {
    *info->mutable_outcomes() = info->exploration().outcomes();
    return absl::OkStatus();
  }
  return ForEachOutcome(connection, run, [info](v1::Outcome outcome, int64_t count) {
    (*info->mutable_outcomes())[EnumName(outcome)] = count;
    info->set_done(info->done() + count);
  });
}

}  // namespace

v1::RunState StateNamed(const std::string& name) {
  return EnumNamed<v1::RunState>(name).value_or(v1::RUN_STATE_UNSPECIFIED);
}

absl::StatusOr<int64_t> CountDone(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectDoneCount));
  select.Bind(run);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  return row ? select.Int(0) : 0;
}

absl::Status ForEachOutcome(Connection* connection, int64_t run,
                            const std::function<void(v1::Outcome, int64_t)>& found) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kCountOutcomes));
  select.Bind(run);
  int64_t passed = 0;  // all but the others
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    const auto outcome = static_cast<v1::Outcome>(row.Int(0));
    passed += outcome == v1::OUTCOME_PASS ? row.Int(1) : -row.Int(1);
    if (outcome != v1::OUTCOME_PASS) found(outcome, row.Int(1));
  });
  if (status.ok() && passed > 0) found(v1::OUTCOME_PASS, passed);
  return status;
}

std::string ContractsColumn(const v1::RunOptions& options) {
  return JoinLines({options.contracts().begin(), options.contracts().end()});
}

std::string EnvironmentColumn(const v1::RunOptions& options) {
  std::vector<std::string> entries;
  for (const v1::Variable& variable : options.profile().environment()) {
    entries.push_back(absl::StrCat(variable.name(), "=", variable.value()));
  }
  return JoinLines(entries);
}

std::string AdaptorColumn(const v1::RunOptions& options) {
  return JoinLines(AdaptorLines(options.profile()));
}

std::string OptionsColumn(v1::RunOptions options) {
  options.clear_labels();
  ClearDescription(&options);
  return options.SerializeAsString();
}

absl::StatusOr<Labels> ReadLabels(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectLabels));
  select.Bind(run);
  Labels labels;
  absl::Status status =
      ForEachRow(&select, [&labels](const Statement& row) { labels[row.Text(0)] = row.Text(1); });
  if (!status.ok()) return status;
  return labels;
}

absl::Status WriteLabels(Connection* connection, int64_t run, const Labels& labels) {
  for (const auto& [key, value] : labels) {
    ASSIGN_OR_RETURN(Statement change, connection->Prepare(value.empty() ? kDeleteLabel : kInsertLabel));
    if (value.empty()) {
      change.Bind(run, key);
    } else {
      change.Bind(run, key, value);
    }
    RETURN_IF_ERROR(change.Run().status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<int64_t>> FindRun(Connection* connection, const std::string& run_id) {
  const bool latest = run_id == "latest";
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(latest ? kSelectLatest : kSelectRowid));
  if (!latest) select.Bind(run_id);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  return row ? std::optional<int64_t>(select.Int(0)) : std::nullopt;
}

absl::StatusOr<std::string> RunsThatThereAre(Connection* connection) {
  ASSIGN_OR_RETURN(Statement newest, connection->Prepare(kSelectNewestIds));
  std::vector<std::string> ids;
  absl::Status status = ForEachRow(&newest, [&ids](const Statement& row) { ids.push_back(row.Text(0)); });
  if (!status.ok()) return status;
  if (ids.empty()) return std::string();
  const bool more = ids.size() > 5;
  if (more) ids.pop_back();
  return absl::StrCat(more ? "the newest are " : "there are ", absl::StrJoin(ids, ", "));
}

RunFacts RunFactsOf(const Statement& row, int first) {
  RunFacts facts;
  int column = first;
  for (std::string RunFacts::*field :
       {&RunFacts::run_id, &RunFacts::chip, &RunFacts::vendor_name, &RunFacts::impl_version,
        &RunFacts::dialect, &RunFacts::impl_sha256, &RunFacts::suite_hash}) {
    facts.*field = row.Text(column++);
  }
  facts.contracts = SplitLines(row.Text(column++));
  for (std::string RunFacts::*field : {&RunFacts::impl_path, &RunFacts::agent_version, &RunFacts::host,
                                       &RunFacts::created, &RunFacts::finished}) {
    facts.*field = row.Text(column++);
  }
  facts.state = StateNamed(row.Text(column++));
  facts.cases = row.Int(column++);
  facts.environment = SplitLines(row.Text(column++));
  facts.adaptor = SplitLines(row.Text(column++));
  v1::RunOptions options;  // CheckDatabase reports a damaged one
  if (options.ParseFromString(row.Text(column))) {
    *facts.scope.mutable_selection() = options.selection();
    facts.scope.set_shard_index(options.shard_index());
    facts.scope.set_shard_count(options.shard_count());
    *facts.scope.mutable_aborted() = AbortReason(options);
    if (options.has_machine()) *facts.scope.mutable_machine() = options.machine();
    if (options.has_exploration()) *facts.scope.mutable_exploration() = options.exploration();
  }
  return facts;
}

absl::StatusOr<RunFacts> ReadRunFacts(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectFacts));
  select.Bind(run);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  if (!row) return absl::NotFoundError(absl::StrCat(connection->path(), ": no run in row ", run));
  RunFacts facts = RunFactsOf(select, 0);
  ASSIGN_OR_RETURN(facts.labels, ReadLabels(connection, run));
  return facts;
}

absl::StatusOr<v1::RunInfo> ReadRunRow(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectRun));
  select.Bind(run);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  if (!row) return Damaged(*connection, "row", absl::StrCat(run));
  v1::RunInfo info;
  info.set_run_id(select.Text(0));
  if (!info.mutable_options()->ParseFromString(select.Text(1))) {
    return Damaged(*connection, "options", info.run_id());
  }
  info.set_state(StateNamed(select.Text(2)));
  info.set_created(select.Text(3));
  info.set_finished(select.Text(4));
  info.set_cases(select.Int(5));
  info.set_suite_hash(select.Text(6));
  if (!select.IsNull(7) && !info.mutable_submission()->ParseFromString(select.Text(7))) {
    return Damaged(*connection, "submission", info.run_id());
  }
  if (!select.IsNull(8)) {
    if (!info.mutable_exploration()->ParseFromString(select.Text(8))) {
      return Damaged(*connection, "exploration", info.run_id());
    }
    info.set_cases(info.options().exploration().calls());
    info.set_done(info.exploration().calls());
  }
  Describe(info.mutable_options());
  ASSIGN_OR_RETURN(const Labels labels, ReadLabels(connection, run));
  info.mutable_options()->mutable_labels()->insert(labels.begin(), labels.end());
  return info;
}

void Shorten(v1::RunInfo* info) {
  if (!info->has_exploration()) return;
  info->mutable_exploration()->clear_functions();
  for (v1::Exploration::Cause& cause : *info->mutable_exploration()->mutable_causes()) cause.clear_text();
}

absl::StatusOr<v1::RunInfo> ReadRunInfo(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(v1::RunInfo info, ReadRunRow(connection, run));
  RETURN_IF_ERROR(AddOutcomes(connection, run, &info));
  return info;
}

}  // namespace diopi::server
