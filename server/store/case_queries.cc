// Queries about verdicts. queries.cc has those about runs. Decoding a verdict costs most, so conditions on
// columns are tested before it, in SQL or on the row, and the others after it. Rows arrive in the order of
// the table's key and are sorted only where that differs from the order asked for.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "server/store/queries.h"
#include "server/store/run_rows.h"
#include "server/store/snapshot.h"
#include "server/store/sqlite.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

#define DIOPI_SELECT_CASE_ROWS                                                                        \
  "SELECT " DIOPI_VERDICT_COLUMNS ", s.position FROM verdicts v" DIOPI_PLACE_JOIN DIOPI_VERDICT_JOINS \
  "WHERE v.run = ?1"
constexpr char kSelectCaseRows[] = DIOPI_SELECT_CASE_ROWS;
constexpr char kSelectNotPassedRows[] = DIOPI_SELECT_CASE_ROWS " AND v.outcome <> 1";
constexpr char kSelectHistory[] = "SELECT " DIOPI_VERDICT_COLUMNS ", " DIOPI_RUN_COLUMNS R"sql(
FROM (SELECT n.id FROM devices d CROSS JOIN runs n ON n.device = d.id WHERE d.chip = ?1) i
     CROSS JOIN cases k ON k.case_id = ?2 CROSS JOIN verdicts v ON v.run = i.id AND v.case_row = k.id
     CROSS JOIN runs r ON r.id = i.id CROSS JOIN devices d ON d.id = r.device)sql" DIOPI_VERDICT_JOINS
                                  "ORDER BY i.id DESC";
// The condition is that of the index verdicts_not_passed, word for word.
constexpr char kSelectFailures[] = R"sql(
SELECT c.case_id, c.case_hash, v.outcome FROM verdicts v CROSS JOIN cases c ON c.id = v.case_row
WHERE v.run = ? AND v.outcome <> 1 AND v.outcome IN (2, 3, 6, 7, 8, 9))sql";
constexpr char kSelectOfCase[] = R"sql(
SELECT c.case_id, c.case_hash, v.outcome FROM cases c CROSS JOIN verdicts v ON v.run = ?1 AND v.case_row = c.id
WHERE c.case_id = ?2)sql";
constexpr char kSelectOfRow[] = "SELECT " DIOPI_VERDICT_COLUMNS " FROM verdicts v" DIOPI_VERDICT_JOINS
                                "WHERE v.run = ? AND v.case_row = ?";
constexpr char kSelectCallTimes[] = R"sql(
SELECT c.case_id, v.call_time FROM verdicts v CROSS JOIN cases c ON c.id = v.case_row
WHERE v.run = ? AND v.call_time > 0)sql";
constexpr char kSelectRunId[] = "SELECT run_id FROM runs WHERE id = ?";
constexpr char kSelectNewAppends[] =
    "SELECT last, stored, case_rows FROM appends WHERE run = ? AND last > ? ORDER BY last DESC";

// The first line, which tables show.
std::string FirstLine(std::string text) {
  const size_t end = text.find('\n');
  if (end != std::string::npos) text.resize(end);
  return text;
}

// Keeps the larger value. NaN is no value.
void Worsen(double value, double* worst) {
  if (std::isnan(*worst) || value > *worst) *worst = value;
}

// Adds the gates that `all` lacks.
void AddGates(const std::string& gates, std::string* all) {
  for (const absl::string_view gate : absl::StrSplit(gates, ',', absl::SkipEmpty())) {
    const std::vector<absl::string_view> there = absl::StrSplit(*all, ',');
    if (std::find(there.begin(), there.end(), gate) != there.end()) continue;
    absl::StrAppend(all, all->empty() ? "" : ",", gate);
  }
}

void AddOutput(const v1::OutputStats& output, CaseRow* verdict) {
  for (const WorstFigure& figure : kWorstFigures) Worsen(figure.of(output), &(verdict->*figure.value));
  if (output.elements() > 0) {
    Worsen(static_cast<double>(output.mismatches()) / static_cast<double>(output.elements()),
           &verdict->mismatch_ratio);
  }
  verdict->grade = std::max(verdict->grade, output.grade());
  verdict->public_pass = verdict->public_pass.value_or(true) && output.public_pass();
  AddGates(output.gates(), &verdict->gates);
}

// Takes them out of the verdict.
ReasonParts PartsOf(v1::Verdict& verdict) {
  ReasonParts parts;
  parts.findings.Swap(verdict.mutable_findings());
  if (verdict.has_cause()) parts.cause.Swap(verdict.mutable_cause());
  return parts;
}

// Takes the texts out of the verdict.
CaseRow CaseRowOf(v1::Verdict& verdict) {
  CaseRow row;
  row.case_id = std::move(*verdict.mutable_case_id());
  row.case_hash = std::move(*verdict.mutable_case_hash());
  row.op = std::move(*verdict.mutable_operator_());
  row.function = std::move(*verdict.mutable_function());
  row.dtype = verdict.dtype();
  row.outcome = verdict.outcome();
  row.reason = FirstLine(verdict.reason());
  row.parts = PartsOf(verdict);
  if (verdict.has_call_us()) row.call_us = verdict.call_us();
  if (verdict.has_device_index()) row.device_index = verdict.device_index();
  row.waiver = verdict.waiver();
  for (const v1::OutputStats& output : verdict.outputs()) AddOutput(output, &row);
  return row;
}

template <typename T>
bool Admits(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

struct PlacedCases {
  std::vector<CaseRow> cases;
  std::vector<int64_t> positions;  // the place of each in its run
};

absl::StatusOr<PlacedCases> SelectCases(Connection* connection, int64_t run, const CaseFilter& filter) {
  const bool passed = Admits(filter.outcomes, v1::OUTCOME_PASS);
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(passed ? kSelectCaseRows : kSelectNotPassedRows));
  select.Bind(run);
  PlacedCases placed;
  v1::Verdict verdict;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) return placed;
    if (!Admits(filter.outcomes, static_cast<v1::Outcome>(select.Int(4)))) continue;
    RETURN_IF_ERROR(ReadVerdict(select, 0, connection->path(), &verdict));
    if (!Admits(filter.operators, verdict.operator_()) || !Admits(filter.dtypes, verdict.dtype())) continue;
    placed.positions.push_back(select.Int(kVerdictColumns));
    placed.cases.push_back(CaseRowOf(verdict));
  }
}

std::vector<CaseRow> Ordered(PlacedCases placed, bool by_position) {
  std::vector<size_t> order(placed.cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto before = [&](size_t a, size_t b) {
    return by_position ? placed.positions[a] < placed.positions[b]
                       : placed.cases[a].case_id < placed.cases[b].case_id;
  };
  // The rows nearly always have this order already.
  if (std::is_sorted(order.begin(), order.end(), before)) return std::move(placed.cases);
  std::sort(order.begin(), order.end(), before);
  std::vector<CaseRow> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.push_back(std::move(placed.cases[i]));
  return sorted;
}

// Adds the outcomes of all rows of a statement that is bound.
absl::Status AddOutcomes(const std::string& run_id, Statement* select, std::vector<OutcomeRow>* rows) {
  return ForEachRow(select, [&](const Statement& row) {
    rows->push_back({run_id, row.Text(0), row.Text(1), static_cast<v1::Outcome>(row.Int(2))});
  });
}

absl::StatusOr<std::string> RunIdOf(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectRunId));
  select.Bind(run);
  RETURN_IF_ERROR(select.Step().status());
  return select.Text(0);
}

struct NewVerdict {
  int64_t cursor = 0;
  int64_t case_row = 0;
  std::string stored;
};

// A run's newest verdicts, newest first.
absl::StatusOr<std::vector<NewVerdict>> Newest(Connection* connection, int64_t run, int64_t since,
                                               int limit) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectNewAppends));
  select.Bind(run, since);
  std::vector<NewVerdict> newest;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) return newest;
    const absl::StatusOr<std::vector<int64_t>> rows = CaseRowsOf(select.Bytes(2));
    if (!rows.ok()) {
      return absl::DataLossError(absl::StrCat(connection->path(), ": ", rows.status().message()));
    }
    int64_t cursor = select.Int(0);
    const std::string stored = select.Text(1);
    for (auto at = rows->rbegin(); at != rows->rend() && cursor > since; ++at, --cursor) {
      if (newest.size() >= static_cast<size_t>(limit)) return newest;
      newest.push_back({cursor, *at, stored});
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<CaseRow>> Queries::Cases(const std::string& run_id, const CaseFilter& filter) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(PlacedCases placed, SelectCases(connection_.get(), run, filter));
  return Ordered(std::move(placed), filter.in_case_order);
}

absl::StatusOr<v1::Verdict> Queries::Verdict(const std::string& run_id, const std::string& case_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  VerdictFilter filter;
  filter.case_id = case_id;
  ASSIGN_OR_RETURN(std::vector<v1::Verdict> verdicts, SelectVerdicts(connection_.get(), run, filter));
  if (case_id.empty() || verdicts.empty()) {
    return absl::NotFoundError(absl::StrCat("run ", run_id, " has no verdict on case '", case_id, "'"));
  }
  return std::move(verdicts.front());
}

absl::StatusOr<std::vector<v1::Verdict>> Queries::FailedVerdicts(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  VerdictFilter filter;
  filter.with_outputs = false;
  for (int number = v1::Outcome_MIN; number <= v1::Outcome_MAX; ++number) {
    const auto outcome = static_cast<v1::Outcome>(number);
    if (IsFailure(outcome) || outcome == v1::OUTCOME_HARNESS_ERROR) filter.outcomes.push_back(outcome);
  }
  return SelectVerdicts(connection_.get(), run, filter);
}

absl::StatusOr<std::vector<CasePoint>> Queries::History(const std::string& case_id, const std::string& chip,
                                                        int limit) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectHistory));
  select.Bind(chip, case_id);
  std::vector<CasePoint> points;
  v1::Verdict verdict;
  while (limit <= 0 || points.size() < static_cast<size_t>(limit)) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) break;
    RETURN_IF_ERROR(ReadVerdict(select, 0, connection_->path(), &verdict));
    points.push_back({RunFactsOf(select, kVerdictColumns), CaseRowOf(verdict)});
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
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(const std::string name, RunIdOf(connection_.get(), run));
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectFailures));
  select.Bind(run);
  std::vector<OutcomeRow> rows;
  RETURN_IF_ERROR(AddOutcomes(name, &select, &rows));
  std::sort(rows.begin(), rows.end(),
            [](const OutcomeRow& a, const OutcomeRow& b) { return a.case_id < b.case_id; });
  return rows;
}

absl::StatusOr<std::vector<OutcomeRow>> Queries::OutcomesOf(const std::string& run_id,
                                                            const std::vector<std::string>& case_ids) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(const std::string name, RunIdOf(connection_.get(), run));
  std::vector<OutcomeRow> rows;
  for (const std::string& case_id : case_ids) {
    ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectOfCase));
    select.Bind(run, case_id);
    RETURN_IF_ERROR(AddOutcomes(name, &select, &rows));
  }
  return rows;
}

absl::StatusOr<std::vector<TimeRow>> Queries::Times(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectCallTimes));
  select.Bind(run);
  std::vector<TimeRow> rows;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    rows.push_back({row.Text(0), *MicrosecondsOf(row, 1)});
  });
  if (!status.ok()) return status;
  std::sort(rows.begin(), rows.end(),
            [](const TimeRow& a, const TimeRow& b) { return a.case_id < b.case_id; });
  return rows;
}

absl::StatusOr<std::vector<RecentVerdict>> Queries::Recent(const std::string& run_id, int64_t since,
                                                           int limit) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(const std::vector<NewVerdict> newest, Newest(connection_.get(), run, since, limit));
  std::vector<RecentVerdict> verdicts;
  verdicts.reserve(newest.size());
  v1::Verdict verdict;
  for (const NewVerdict& one : newest) {
    ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectOfRow));
    select.Bind(run, one.case_row);
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) continue;
    RETURN_IF_ERROR(ReadVerdict(select, 0, connection_->path(), &verdict));
    verdicts.push_back({one.cursor, verdict.case_id(), verdict.outcome(), FirstLine(verdict.reason()),
                        PartsOf(verdict), one.stored});
  }
  return verdicts;
}

}  // namespace diopi::server
