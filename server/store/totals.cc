// Totals are derived from verdicts and can be made again at any time. The row in run_totals says that a run's
// rows in the other three tables are valid: a new verdict deletes that row alone, which is cheap, and
// KeepTotals replaces the rest.
#include "server/store/totals.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

constexpr char kSelectVerdicts[] =
    "SELECT " DIOPI_VERDICT_COLUMNS ", v.reference FROM verdicts v" DIOPI_VERDICT_JOINS "WHERE v.run = ?";
constexpr char kSelectExportedSymbols[] = "SELECT function FROM run_functions WHERE run = ?";
constexpr char kSelectText[] = "SELECT text FROM provenances WHERE id = ?";

constexpr char kDeleteTotals[] = "DELETE FROM run_totals WHERE run = ?";
constexpr char kDeleteOutcomes[] = "DELETE FROM run_outcomes WHERE run = ?";
constexpr char kDeleteReferences[] = "DELETE FROM run_references WHERE run = ?";
constexpr char kDeleteTallies[] = "DELETE FROM run_tallies WHERE run = ?";
constexpr char kInsertTotals[] = R"sql(
INSERT INTO run_totals (run, done, called, passed, implemented, selected, tested, passing, flushed, widened, judged,
                        ours_alone, theirs_alone)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";
constexpr char kInsertOutcome[] = "INSERT INTO run_outcomes (run, outcome, cases) VALUES (?, ?, ?)";
constexpr char kInsertReference[] = "INSERT INTO run_references (run, reference) VALUES (?, ?)";
constexpr char kInsertTally[] =
    "INSERT INTO run_tallies (run, operator, function, dtype, outcome, cases) VALUES (?, ?, ?, ?, ?, ?)";

constexpr char kSelectTotals[] = R"sql(
SELECT done, called, passed, implemented, selected, tested, passing, flushed, widened, judged, ours_alone, theirs_alone
FROM run_totals WHERE run = ?)sql";
constexpr char kSelectOutcomes[] = "SELECT outcome, cases FROM run_outcomes WHERE run = ?";
constexpr char kSelectReferences[] = R"sql(
SELECT p.text FROM run_references r JOIN provenances p ON p.id = r.reference WHERE r.run = ? ORDER BY p.text)sql";
constexpr char kSelectMissing[] = R"sql(
SELECT id FROM runs n WHERE state IN ('finished', 'aborted')
                        AND NOT EXISTS (SELECT 1 FROM run_totals t WHERE t.run = n.id))sql";

class Counter {
 public:
  void Add(const v1::Verdict& verdict, int64_t reference);
  absl::StatusOr<Counted> Finish(Connection* connection, int64_t run);

 private:
  absl::Status Cover(Connection* connection, int64_t run);
  absl::Status NameReferences(Connection* connection);

  Counted counted_;
  std::set<int64_t> references_;
  std::map<std::string, CallTally> functions_;
  std::map<std::tuple<std::string, std::string, int64_t, v1::Outcome>, int64_t> tallies_;
};

void Counter::Add(const v1::Verdict& verdict, int64_t reference) {
  RunTotals& totals = counted_.totals;
  const bool passed = verdict.outcome() == v1::OUTCOME_PASS;
  ++totals.done;
  ++totals.outcomes[verdict.outcome()];
  ++tallies_[{verdict.operator_(), verdict.function(), verdict.dtype(), verdict.outcome()}];
  references_.insert(reference);
  if (verdict.contracts_size() > 0) ++totals.widened;
  const auto& outputs = verdict.outputs();
  const auto has_flushed = [](const v1::OutputStats& output) { return output.flushed() > 0; };
  if (std::any_of(outputs.begin(), outputs.end(), has_flushed)) ++totals.flushed;
  if (!outputs.empty() && (passed || IsFailure(verdict.outcome()))) {
    const bool public_pass = std::all_of(outputs.begin(), outputs.end(),
                                         [](const v1::OutputStats& output) { return output.public_pass(); });
    ++totals.judged;
    if (!passed && public_pass) ++totals.ours_alone;
    if (passed && !public_pass) ++totals.theirs_alone;
  }
  // The others are checks of the library as a whole.
  if (!verdict.function().empty()) functions_[verdict.function()].Add(verdict.outcome());
}

absl::Status Counter::Cover(Connection* connection, int64_t run) {
  RunTotals& totals = counted_.totals;
  ASSIGN_OR_RETURN(Statement exported, connection->Prepare(kSelectExportedSymbols));
  exported.Bind(run);
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, exported.Step());
    if (!row) break;
    const auto found = functions_.find(exported.Text(0));
    if (found == functions_.end() || !found->second.hollow()) ++totals.implemented;
  }
  totals.selected = static_cast<int64_t>(functions_.size());
  for (const auto& [name, tally] : functions_) {
    totals.called += tally.called;
    totals.passed += tally.passed;
    if (tally.tested()) ++totals.tested;
    if (tally.passing()) ++totals.passing;
  }
  return absl::OkStatus();
}

absl::Status Counter::NameReferences(Connection* connection) {
  std::set<std::string> texts;
  for (const int64_t id : references_) {
    ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectText));
    select.Bind(id);
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row || select.Text(0).empty()) continue;  // judged by none
    texts.insert(select.Text(0));
    counted_.references.push_back(id);
  }
  counted_.totals.references.assign(texts.begin(), texts.end());
  return absl::OkStatus();
}

absl::StatusOr<Counted> Counter::Finish(Connection* connection, int64_t run) {
  absl::Status status = Cover(connection, run);
  if (status.ok()) status = NameReferences(connection);
  if (!status.ok()) return status;
  counted_.tallies.reserve(tallies_.size());
  for (const auto& [key, cases] : tallies_) {
    const auto& [op, function, dtype, outcome] = key;
    counted_.tallies.push_back({op, function, static_cast<v1::Dtype::Code>(dtype), outcome, cases});
  }
  return std::move(counted_);
}

absl::Status RunOnce(Connection* connection, const char* sql, int64_t run) {
  ASSIGN_OR_RETURN(Statement statement, connection->Prepare(sql));
  statement.Bind(run);
  return statement.Run().status();
}

absl::Status InsertCounted(Connection* connection, int64_t run, const Counted& counted) {
  const RunTotals& t = counted.totals;
  ASSIGN_OR_RETURN(Statement totals, connection->Prepare(kInsertTotals));
  totals.Bind(run, t.done, t.called, t.passed, t.implemented, t.selected, t.tested, t.passing, t.flushed,
              t.widened, t.judged, t.ours_alone, t.theirs_alone);
  absl::Status status = totals.Run().status();
  ASSIGN_OR_RETURN(Statement outcomes, connection->Prepare(kInsertOutcome));
  for (const auto& [outcome, cases] : t.outcomes) {
    if (!status.ok()) return status;
    outcomes.Bind(run, static_cast<int>(outcome), cases);
    status = outcomes.Run().status();
  }
  ASSIGN_OR_RETURN(Statement references, connection->Prepare(kInsertReference));
  for (const int64_t reference : counted.references) {
    if (!status.ok()) return status;
    references.Bind(run, reference);
    status = references.Run().status();
  }
  ASSIGN_OR_RETURN(Statement tallies, connection->Prepare(kInsertTally));
  for (const TallyRow& row : counted.tallies) {
    if (!status.ok()) return status;
    tallies.Bind(run, row.op, row.function, static_cast<int>(row.dtype), static_cast<int>(row.outcome),
                 row.cases);
    status = tallies.Run().status();
  }
  return status;
}

}  // namespace

absl::StatusOr<Counted> CountVerdicts(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectVerdicts));
  select.Bind(run);
  Counter counter;
  v1::Verdict verdict;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) return counter.Finish(connection, run);
    RETURN_IF_ERROR(ReadVerdict(select, 0, connection->path(), &verdict));
    counter.Add(verdict, select.Int(kVerdictColumns));
  }
}

absl::Status DropTotals(Connection* connection, int64_t run) {
  return RunOnce(connection, kDeleteTotals, run);
}

absl::Status KeepTotals(Connection* connection, int64_t run) {
  absl::Status status = absl::OkStatus();
  for (const char* sql : {kDeleteTotals, kDeleteOutcomes, kDeleteReferences, kDeleteTallies}) {
    if (status.ok()) status = RunOnce(connection, sql, run);
  }
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const Counted counted, CountVerdicts(connection, run));
  return InsertCounted(connection, run, counted);
}

absl::Status KeepMissingTotals(Connection* connection) {
  for (;;) {
    int64_t run = 0;
    {
      ASSIGN_OR_RETURN(Statement missing, connection->Prepare(kSelectMissing));
      ASSIGN_OR_RETURN(const bool row, missing.Step());
      if (!row) return absl::OkStatus();
      run = missing.Int(0);
    }
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection));
    absl::Status status = KeepTotals(connection, run);
    if (status.ok()) status = transaction.Commit();
    if (!status.ok()) return status;
  }
}

absl::StatusOr<std::optional<RunTotals>> ReadTotals(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectTotals));
  select.Bind(run);
  absl::StatusOr<bool> row = select.Step();
  if (!row.ok()) return row.status();
  if (!*row) return std::optional<RunTotals>();
  RunTotals totals;
  int column = 0;
  for (int64_t RunTotals::*field :
       {&RunTotals::done, &RunTotals::called, &RunTotals::passed, &RunTotals::implemented,
        &RunTotals::selected, &RunTotals::tested, &RunTotals::passing, &RunTotals::flushed,
        &RunTotals::widened, &RunTotals::judged, &RunTotals::ours_alone, &RunTotals::theirs_alone}) {
    totals.*field = select.Int(column++);
  }
  ASSIGN_OR_RETURN(Statement outcomes, connection->Prepare(kSelectOutcomes));
  outcomes.Bind(run);
  for (row = outcomes.Step(); row.ok() && *row; row = outcomes.Step()) {
    totals.outcomes[static_cast<v1::Outcome>(outcomes.Int(0))] = outcomes.Int(1);
  }
  if (!row.ok()) return row.status();
  ASSIGN_OR_RETURN(Statement references, connection->Prepare(kSelectReferences));
  references.Bind(run);
  for (row = references.Step(); row.ok() && *row; row = references.Step()) {
    totals.references.push_back(references.Text(0));
  }
  if (!row.ok()) return row.status();
  return std::optional<RunTotals>(std::move(totals));
}

}  // namespace diopi::server
