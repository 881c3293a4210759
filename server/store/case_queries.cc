// Questions about verdicts. queries.cc has those about runs.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "server/store/outcome.h"
#include "server/store/queries.h"
#include "server/store/run_rows.h"
#include "server/store/snapshot.h"
#include "server/store/sqlite.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

// What CaseRowOf and AddOutput read, of `results` as v and `result_outputs` as o.
#define DIOPI_CASE_COLUMNS                                                                             \
  "v.id, v.case_id, v.case_hash, v.operator, v.function, v.dtype, v.outcome, v.reason, v.call_us, "    \
  "ifnull(v.device_index, -1), v.waiver, o.result, o.mismatches, o.elements, o.grade, o.public_pass, " \
  "o.gates"
constexpr int kFirstWorst = 17;  // kWorstFigures follow
constexpr int kCaseColumns = kFirstWorst + static_cast<int>(std::size(kWorstFigures));

std::string CaseColumns() {
  const auto column = [](std::string* out, const WorstFigure& figure) {
    absl::StrAppend(out, "o.", figure.name);
  };
  return absl::StrCat(DIOPI_CASE_COLUMNS, ", ", absl::StrJoin(kWorstFigures, ", ", column));
}

// By case id, as both indices have it; the outputs of a verdict follow each other.
const std::string& SelectCasesSql() {
  static const std::string& sql = *new std::string(absl::StrCat("SELECT ", CaseColumns(), R"sql(
FROM results v LEFT JOIN result_outputs o ON o.result = v.id WHERE v.run = ? ORDER BY v.case_id)sql"));
  return sql;
}

const std::string& SelectHistorySql() {
  static const std::string& sql =
      *new std::string(absl::StrCat("SELECT ", CaseColumns(), ", " DIOPI_RUN_COLUMNS R"sql(
FROM devices d CROSS JOIN runs r ON r.device = d.id CROSS JOIN results v ON v.run = r.id AND v.case_id = ?2
     LEFT JOIN result_outputs o ON o.result = v.id
WHERE d.chip = ?1 ORDER BY r.id DESC)sql"));
  return sql;
}

constexpr char kSelectPositions[] = "SELECT case_id, position FROM run_cases WHERE run = ? ORDER BY case_id";
// The condition is that of the index results_failed, word for word.
constexpr char kSelectFailures[] = R"sql(
SELECT case_id, case_hash, outcome FROM results WHERE run = ? AND outcome IN (2, 3, 6, 7, 8, 9) ORDER BY case_id)sql";
constexpr char kSelectOutcome[] =
    "SELECT case_id, case_hash, outcome FROM results WHERE run = ? AND case_id = ?";
constexpr char kSelectCallTimes[] =
    "SELECT case_id, call_us FROM results WHERE run = ? AND call_us > 0 ORDER BY case_id";
constexpr char kSelectRunId[] = "SELECT run_id FROM runs WHERE id = ?";
// The index ends with the row's id, so that each outcome's newest are found without a sort.
constexpr char kSelectRecent[] =
    "SELECT id FROM results WHERE run = ? AND outcome = ? AND id > ? ORDER BY id DESC LIMIT ?";
constexpr char kSelectRecentRow[] = "SELECT case_id, outcome, reason, stored FROM results WHERE id = ?";

// The first line: what tables show.
std::string FirstLine(std::string text) {
  const size_t end = text.find('\n');
  if (end != std::string::npos) text.resize(end);
  return text;
}

// The larger one; NaN is none.
void Worsen(double value, double* worst) {
  if (std::isnan(*worst) || value > *worst) *worst = value;
}

// Gates that are not there yet.
void AddGates(const std::string& gates, std::string* all) {
  for (const absl::string_view gate : absl::StrSplit(gates, ',', absl::SkipEmpty())) {
    const std::vector<absl::string_view> there = absl::StrSplit(*all, ',');
    if (std::find(there.begin(), there.end(), gate) != there.end()) continue;
    absl::StrAppend(all, all->empty() ? "" : ",", gate);
  }
}

void AddOutput(const Statement& row, CaseRow* verdict) {
  int column = kFirstWorst;
  for (const WorstFigure& figure : kWorstFigures) Worsen(row.Double(column++), &(verdict->*figure.value));
  const int64_t elements = row.Int(13);
  if (elements > 0) {
    Worsen(static_cast<double>(row.Int(12)) / static_cast<double>(elements), &verdict->mismatch_ratio);
  }
  verdict->grade = std::max(verdict->grade, row.Text(14));
  verdict->public_pass = verdict->public_pass.value_or(true) && row.Int(15) != 0;
  AddGates(row.Text(16), &verdict->gates);
}

CaseRow CaseRowOf(const Statement& row) {
  CaseRow verdict;
  verdict.case_id = row.Text(1);
  verdict.case_hash = row.Text(2);
  verdict.op = row.Text(3);
  verdict.function = row.Text(4);
  verdict.dtype = static_cast<v1::Dtype::Code>(row.Int(5));
  verdict.outcome = static_cast<v1::Outcome>(row.Int(6));
  verdict.reason = FirstLine(row.Text(7));
  verdict.call_us = row.Double(8);
  verdict.device_index = static_cast<int>(row.Int(9));
  verdict.waiver = row.Text(10);
  return verdict;
}

template <typename T>
bool Admits(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool Admits(const CaseFilter& filter, const CaseRow& verdict) {
  return Admits(filter.outcomes, verdict.outcome) && Admits(filter.operators, verdict.op) &&
         Admits(filter.dtypes, verdict.dtype);
}

// By case id.
absl::StatusOr<std::vector<CaseRow>> SelectCases(Connection* connection, int64_t run,
                                                 const CaseFilter& filter) {
  absl::StatusOr<Statement> select = connection->Prepare(SelectCasesSql());
  if (!select.ok()) return select.status();
  select->Bind(run);
  std::vector<CaseRow> verdicts;
  int64_t current = 0;
  bool wanted = false;
  absl::Status status = ForEachRow(&*select, [&](const Statement& row) {
    if (row.Int(0) != current) {
      current = row.Int(0);
      CaseRow verdict = CaseRowOf(row);
      wanted = Admits(filter, verdict);
      if (wanted) verdicts.push_back(std::move(verdict));
    }
    if (wanted && !row.IsNull(11)) AddOutput(row, &verdicts.back());
  });
  if (!status.ok()) return status;
  return verdicts;
}

// Into case order.
absl::Status Order(Connection* connection, int64_t run, std::vector<CaseRow>* verdicts) {
  absl::StatusOr<Statement> select = connection->Prepare(kSelectPositions);
  if (!select.ok()) return select.status();
  select->Bind(run);
  std::vector<std::pair<int64_t, size_t>> order;
  order.reserve(verdicts->size());
  absl::Status status = ForEachRow(&*select, [&](const Statement& row) {
    const size_t next = order.size();
    if (next < verdicts->size() && row.Text(0) == (*verdicts)[next].case_id) {
      order.emplace_back(row.Int(1), next);
    }
  });
  if (!status.ok()) return status;
  if (order.size() != verdicts->size()) {
    return absl::DataLossError(
        absl::StrCat(connection->path(), ": run row ", run, " has verdicts on cases that it does not cover"));
  }
  std::sort(order.begin(), order.end());
  std::vector<CaseRow> sorted;
  sorted.reserve(order.size());
  for (const auto& [position, index] : order) sorted.push_back(std::move((*verdicts)[index]));
  *verdicts = std::move(sorted);
  return absl::OkStatus();
}

OutcomeRow OutcomeRowOf(const std::string& run_id, const Statement& row) {
  return {run_id, row.Text(0), row.Text(1), static_cast<v1::Outcome>(row.Int(2))};
}

absl::StatusOr<std::string> RunIdOf(Connection* connection, int64_t run) {
  absl::StatusOr<Statement> select = connection->Prepare(kSelectRunId);
  if (!select.ok()) return select.status();
  select->Bind(run);
  const absl::StatusOr<bool> row = select->Step();
  if (!row.ok()) return row.status();
  return select->Text(0);
}

// The ids of a run's newest verdicts, newest first.
absl::StatusOr<std::vector<int64_t>> NewestIds(Connection* connection, int64_t run, int64_t since,
                                               int limit) {
  std::vector<int64_t> ids;
  for (int outcome = v1::Outcome_MIN; outcome <= v1::Outcome_MAX; ++outcome) {
    absl::StatusOr<Statement> select = connection->Prepare(kSelectRecent);
    if (!select.ok()) return select.status();
    select->Bind(run, outcome, since, limit);
    absl::Status status = ForEachRow(&*select, [&ids](const Statement& row) { ids.push_back(row.Int(0)); });
    if (!status.ok()) return status;
  }
  std::sort(ids.rbegin(), ids.rend());
  if (ids.size() > static_cast<size_t>(limit)) ids.resize(static_cast<size_t>(limit));
  return ids;
}

}  // namespace

absl::StatusOr<std::vector<CaseRow>> Queries::Cases(const std::string& run_id, const CaseFilter& filter) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Snapshot> moment = Snapshot::Begin(connection_.get());
  if (!moment.ok()) return moment.status();
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  absl::StatusOr<std::vector<CaseRow>> verdicts = SelectCases(connection_.get(), *run, filter);
  if (!verdicts.ok() || !filter.in_case_order) return verdicts;
  absl::Status status = Order(connection_.get(), *run, &*verdicts);
  if (!status.ok()) return status;
  return verdicts;
}

absl::StatusOr<v1::Verdict> Queries::Verdict(const std::string& run_id, const std::string& case_id) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Snapshot> moment = Snapshot::Begin(connection_.get());
  if (!moment.ok()) return moment.status();
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  VerdictFilter filter;
  filter.case_id = case_id;
  absl::StatusOr<std::vector<v1::Verdict>> verdicts = SelectVerdicts(connection_.get(), *run, filter);
  if (!verdicts.ok()) return verdicts.status();
  if (case_id.empty() || verdicts->empty()) {
    return absl::NotFoundError(absl::StrCat("run ", run_id, " has no verdict on case '", case_id, "'"));
  }
  return std::move(verdicts->front());
}

absl::StatusOr<std::vector<v1::Verdict>> Queries::FailedVerdicts(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Snapshot> moment = Snapshot::Begin(connection_.get());
  if (!moment.ok()) return moment.status();
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  VerdictFilter filter;
  filter.with_outputs = false;
  for (int number = v1::Outcome_MIN; number <= v1::Outcome_MAX; ++number) {
    const auto outcome = static_cast<v1::Outcome>(number);
    if (IsFailure(outcome) || outcome == v1::OUTCOME_HARNESS_ERROR) filter.outcomes.push_back(outcome);
  }
  return SelectVerdicts(connection_.get(), *run, filter);
}

absl::StatusOr<std::vector<CasePoint>> Queries::History(const std::string& case_id, const std::string& chip,
                                                        int limit) {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<Statement> select = connection_->Prepare(SelectHistorySql());
  if (!select.ok()) return select.status();
  select->Bind(chip, case_id);
  std::vector<CasePoint> points;
  int64_t current = 0;
  for (;;) {
    const absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    if (select->Int(0) != current) {
      if (limit > 0 && points.size() == static_cast<size_t>(limit)) break;
      current = select->Int(0);
      points.push_back({RunFactsOf(*select, kCaseColumns), CaseRowOf(*select)});
    }
    if (!select->IsNull(11)) AddOutput(*select, &points.back().verdict);
  }
  if (points.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no run on chip '", chip, "' has a verdict on case '", case_id, "'"));
  }
  std::reverse(points.begin(), points.end());
  return points;
}

absl::StatusOr<std::vector<OutcomeRow>> Queries::Failures(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Snapshot> moment = Snapshot::Begin(connection_.get());
  if (!moment.ok()) return moment.status();
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::string> name = RunIdOf(connection_.get(), *run);
  if (!name.ok()) return name.status();
  absl::StatusOr<Statement> select = connection_->Prepare(kSelectFailures);
  if (!select.ok()) return select.status();
  select->Bind(*run);
  std::vector<OutcomeRow> rows;
  absl::Status status =
      ForEachRow(&*select, [&](const Statement& row) { rows.push_back(OutcomeRowOf(*name, row)); });
  if (!status.ok()) return status;
  return rows;
}

absl::StatusOr<std::vector<OutcomeRow>> Queries::OutcomesOf(const std::string& run_id,
                                                            const std::vector<std::string>& case_ids) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Snapshot> moment = Snapshot::Begin(connection_.get());
  if (!moment.ok()) return moment.status();
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::string> name = RunIdOf(connection_.get(), *run);
  if (!name.ok()) return name.status();
  std::vector<OutcomeRow> rows;
  for (const std::string& case_id : case_ids) {
    absl::StatusOr<Statement> select = connection_->Prepare(kSelectOutcome);
    if (!select.ok()) return select.status();
    select->Bind(*run, case_id);
    const absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (*row) rows.push_back(OutcomeRowOf(*name, *select));
  }
  return rows;
}

absl::StatusOr<std::vector<TimeRow>> Queries::Times(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  absl::StatusOr<Statement> select = connection_->Prepare(kSelectCallTimes);
  if (!select.ok()) return select.status();
  select->Bind(*run);
  std::vector<TimeRow> rows;
  absl::Status status = ForEachRow(&*select, [&](const Statement& row) {
    rows.push_back({row.Text(0), row.Double(1)});
  });
  if (!status.ok()) return status;
  return rows;
}

absl::StatusOr<std::vector<RecentVerdict>> Queries::Recent(const std::string& run_id, int64_t since,
                                                           int limit) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Snapshot> moment = Snapshot::Begin(connection_.get());
  if (!moment.ok()) return moment.status();
  const absl::StatusOr<int64_t> run = RowidOf(run_id);
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::vector<int64_t>> ids = NewestIds(connection_.get(), *run, since, limit);
  if (!ids.ok()) return ids.status();
  std::vector<RecentVerdict> verdicts;
  verdicts.reserve(ids->size());
  for (const int64_t id : *ids) {
    absl::StatusOr<Statement> select = connection_->Prepare(kSelectRecentRow);
    if (!select.ok()) return select.status();
    select->Bind(id);
    const absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (!*row) continue;
    verdicts.push_back({id, select->Text(0), static_cast<v1::Outcome>(select->Int(1)),
                        FirstLine(select->Text(2)), select->Text(3)});
  }
  return verdicts;
}

}  // namespace diopi::server
