// What SQL can see is a query that returns a row per problem (kQueries); what it cannot see is read by the
// program: blobs, contents of verdicts, the order of appends. The file comes first, and a damaged one ends
// the check, because its rows tell little more.
#include "server/store/check.h"

#include <google/protobuf/message_lite.h>

#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "diopi/v1/performance.pb.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/tensor.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/schema.h"
#include "server/store/sqlite.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

constexpr int kListed = 20;

// Each returns one row per problem: its description.
constexpr const char* kQueries[] = {
    R"sql(SELECT printf('%s row %s: refers to a row of %s that is not there', "table", coalesce(rowid, '?'), parent)
          FROM pragma_foreign_key_check)sql",
    R"sql(SELECT printf('verdicts row %d, %d: run %s does not cover its case %s', v.run, v.case_row, n.run_id, c.case_id)
          FROM verdicts v JOIN runs n ON n.id = v.run JOIN cases c ON c.id = v.case_row
               LEFT JOIN suite_cases s ON s.suite = n.suite AND s.case_row = v.case_row
          WHERE s.suite IS NULL)sql",
    R"sql(SELECT printf('contents row %d: its base, row %d, has a base itself', x.id, b.id)
          FROM contents x JOIN contents b ON b.id = x.base WHERE b.base IS NOT NULL)sql",
    R"sql(SELECT printf('appends row %d, %d: not a time: %s', run, last, stored) FROM appends
          WHERE stored NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')sql",
    R"sql(SELECT printf('runs row %d (%s): it has no suite', id, run_id) FROM runs WHERE suite IS NULL)sql",
    R"sql(SELECT printf('runs row %d (%s): it says %d cases and has %d', n.id, n.run_id, n.cases, s.cases)
          FROM runs n JOIN suites s ON s.id = n.suite WHERE n.cases <> s.cases)sql",
    R"sql(SELECT printf('suites row %d: it says %d cases and has %d', id, cases, has)
          FROM (SELECT s.*, (SELECT count(*) FROM suite_cases c WHERE c.suite = s.id) has FROM suites s)
          WHERE cases <> has)sql",
    R"sql(SELECT printf('suites row %d: the positions of its cases are not 0 to %d', suite, count(*) - 1)
          FROM suite_cases GROUP BY suite HAVING min(position) <> 0 OR max(position) <> count(*) - 1)sql",
    R"sql(SELECT printf('runs row %d (%s): %d verdicts arrived, it has %d', id, run_id, came, has)
          FROM (SELECT n.*, (SELECT ifnull(max(last), 0) FROM appends a WHERE a.run = n.id) came,
                       (SELECT count(*) FROM verdicts v WHERE v.run = n.id) has FROM runs n)
          WHERE came <> has)sql",
    R"sql(SELECT printf('runs row %d (%s): finished with %d verdicts on %d cases', id, run_id, has, cases)
          FROM (SELECT n.*, (SELECT count(*) FROM verdicts v WHERE v.run = n.id) has FROM runs n)
          WHERE state = 'finished' AND has <> cases)sql",
    R"sql(SELECT printf('runs row %d (%s): it is %s, but its end is "%s"', id, run_id, state, finished) FROM runs
          WHERE (state IN ('finished', 'aborted')) <> (finished <> ''))sql",
    R"sql(SELECT printf('run_totals row %d: %d verdicts were counted, the run has %d', run, done, has)
          FROM (SELECT t.*, (SELECT count(*) FROM verdicts v WHERE v.run = t.run) has FROM run_totals t)
          WHERE done <> has)sql",
    R"sql(SELECT printf('run_outcomes rows of run %d, outcome %d: %d verdicts were counted, the run has %d',
                        o.run, outcome, cases, has)
          FROM (SELECT o.*, (SELECT count(*) FROM verdicts v WHERE v.run = o.run AND v.outcome = o.outcome) has
                FROM run_outcomes o) o JOIN run_totals USING (run)
          WHERE cases <> has)sql",
    R"sql(SELECT printf('run_tallies rows of run %d: %d verdicts were counted, the run has %d', t.run, sum(cases), done)
          FROM run_totals t LEFT JOIN run_tallies USING (run) GROUP BY t.run HAVING coalesce(sum(cases), 0) <> done)sql",
};

// Columns that hold messages: the query gives the row's description and the bytes.
struct BlobColumn {
  const char* query;
  const char* what;
  std::unique_ptr<google::protobuf::MessageLite> (*make)();
};

template <typename Message>
std::unique_ptr<google::protobuf::MessageLite> Make() {
  return std::make_unique<Message>();
}

constexpr BlobColumn kBlobs[] = {
    {"SELECT printf('runs row %d (%s)', id, run_id), options FROM runs", "options", Make<v1::RunOptions>},
    {"SELECT printf('runs row %d (%s)', id, run_id), submission FROM runs WHERE submission IS NOT NULL",
     "submission", Make<v1::Submission>},
    {"SELECT printf('runs row %d (%s)', id, run_id), exploration FROM runs WHERE exploration IS NOT NULL",
     "exploration", Make<v1::Exploration>},
    {"SELECT printf('agents row %s', agent_id), facts FROM agents", "facts", Make<v1::AgentFacts>},
    {"SELECT printf('measurements row %d, %s', run, case_id), body FROM measurements", "body",
     Make<v1::Measurement>},
    {"SELECT printf('run_machines row %d', run), body FROM run_machines", "body", Make<v1::MachineFacts>},
};

constexpr char kSelectToCheck[] =
    "SELECT " DIOPI_VERDICT_COLUMNS ", v.run, v.case_row FROM verdicts v" DIOPI_VERDICT_JOINS;
constexpr char kSelectEveryAppend[] = "SELECT run, last, case_rows FROM appends ORDER BY run, last";
constexpr char kSelectThere[] = "SELECT 1 FROM verdicts WHERE run = ? AND case_row = ?";

// What is wrong with a verdict that was read; empty: nothing.
std::string Wrong(const v1::Verdict& verdict, const std::string& case_hash) {
  if (verdict.case_hash() != case_hash) {
    return absl::StrCat("its case hash is ", verdict.case_hash(), ", the run has ", case_hash);
  }
  if (verdict.outcome() == v1::OUTCOME_UNSPECIFIED || !v1::Outcome_IsValid(verdict.outcome())) {
    return absl::StrCat("unknown outcome ", static_cast<int>(verdict.outcome()));
  }
  if (!v1::Dtype::Code_IsValid(verdict.dtype()))
    return absl::StrCat("unknown dtype ", static_cast<int>(verdict.dtype()));
  for (const v1::OutputStats& output : verdict.outputs()) {
    if (v1::Dtype::Code_IsValid(output.dtype())) continue;
    return absl::StrCat("its output ", output.key(), ": unknown dtype ", static_cast<int>(output.dtype()));
  }
  return "";
}

class Checker {
 public:
  Checker(Connection* connection, DatabaseCheck* check) : connection_(connection), check_(check) {}

  // Returns the first status that is not OK: the rest cannot be read.
  absl::Status All();

 private:
  absl::Status List(std::string_view sql);
  absl::Status Integrity();
  absl::Status Blobs(const BlobColumn& column);
  absl::Status Verdicts();
  absl::Status Appends();
  void Add(int count, const std::string& problem);
  void AddRest(int count);

  Connection* const connection_;
  DatabaseCheck* const check_;
};

void Checker::Add(int count, const std::string& problem) {
  if (count <= kListed) check_->problems.push_back(absl::StrCat(connection_->path(), ": ", problem));
}

void Checker::AddRest(int count) {
  if (count > kListed) {
    check_->problems.push_back(
        absl::StrCat(connection_->path(), ": ... and ", count - kListed, " more of this kind"));
  }
}

absl::Status Checker::List(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(sql));
  int count = 0;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) { Add(++count, row.Text(0)); });
  if (!status.ok()) return status;
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::Integrity() {
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare("PRAGMA integrity_check"));
  int count = 0;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    if (row.Text(0) != "ok") Add(++count, row.Text(0));
  });
  if (!status.ok()) return status;
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::Blobs(const BlobColumn& column) {
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(column.query));
  const std::unique_ptr<google::protobuf::MessageLite> message = column.make();
  int count = 0;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) break;
    if (message->ParseFromString(select.Text(1))) continue;
    Add(++count, absl::StrCat(select.Text(0), ": its ", column.what, " cannot be read"));
  }
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::Verdicts() {
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectToCheck));
  v1::Verdict verdict;
  int count = 0;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) break;
    const bool readable = ReadVerdict(select, 0, connection_->path(), &verdict).ok();
    const std::string wrong = readable ? Wrong(verdict, select.Text(1)) : "its content cannot be read";
    if (wrong.empty()) continue;
    Add(++count, absl::StrCat("verdicts row ", select.Int(kVerdictColumns), ", ",
                              select.Int(kVerdictColumns + 1), " (case ", select.Text(0), "): ", wrong));
  }
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::Appends() {
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectEveryAppend));
  int count = 0;
  int64_t run = 0;
  int64_t came = 0;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) break;
    if (run != select.Int(0)) came = 0;
    run = select.Int(0);
    const absl::StatusOr<std::vector<int64_t>> rows = CaseRowsOf(select.Bytes(2));
    if (rows.ok()) came += static_cast<int64_t>(rows->size());
    bool right = rows.ok() && came == select.Int(1);
    for (size_t i = 0; right && i < rows->size(); ++i) {
      ASSIGN_OR_RETURN(Statement there, connection_->Prepare(kSelectThere));
      there.Bind(run, (*rows)[i]);
      ASSIGN_OR_RETURN(const bool found, there.Step());
      right = found;
    }
    came = select.Int(1);
    if (right) continue;
    Add(++count, absl::StrCat("appends row ", run, ", ", came, ": its verdicts are not those of the run"));
  }
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::All() {
  absl::Status status = Integrity();
  // The rows of a damaged file tell little more.
  if (!status.ok() || !check_->problems.empty()) return status;
  for (const char* query : kQueries) {
    RETURN_IF_ERROR(List(query));
  }
  for (const BlobColumn& column : kBlobs) {
    if (status.ok()) status = Blobs(column);
  }
  if (status.ok()) status = Verdicts();
  return status.ok() ? Appends() : status;
}

}  // namespace

absl::StatusOr<DatabaseCheck> CheckDatabase(const std::string& path) {
  DatabaseCheck check;
  const absl::StatusOr<std::unique_ptr<Connection>> connection =
      Connection::Open(path, Connection::Mode::kReadOnly);
  if (absl::IsNotFound(connection.status())) return connection.status();
  absl::Status status = connection.status();
  if (status.ok()) status = CheckSchema(connection->get());
  if (status.ok()) status = (*connection)->Execute("BEGIN");
  if (status.ok()) status = Checker(connection->get(), &check).All();
  if (status.ok() && check.problems.empty()) {
    check.runs = (*connection)->QueryInt("SELECT count(*) FROM runs").value_or(0);
    check.results = (*connection)->QueryInt("SELECT count(*) FROM verdicts").value_or(0);
  }
  if (!status.ok()) check.problems.emplace_back(status.message());
  return check;
}

}  // namespace diopi::server
