#include "server/store/check.h"

#include <google/protobuf/message_lite.h>

#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/tensor.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/schema.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

constexpr int kListed = 20;

// Each returns one row, a problem in words, for everything that is wrong.
constexpr const char* kQueries[] = {
    R"sql(SELECT printf('%s row %s: refers to a row of %s that is not there', "table", coalesce(rowid, '?'), parent)
          FROM pragma_foreign_key_check)sql",
    R"sql(SELECT printf('results row %d (run %s, case %s): its case hash is %s, the run has %s',
                        r.id, n.run_id, r.case_id, r.case_hash, c.case_hash)
          FROM results r JOIN runs n ON n.id = r.run JOIN run_cases c ON c.run = r.run AND c.case_id = r.case_id
          WHERE c.case_hash <> r.case_hash)sql",
    R"sql(SELECT printf('results row %d: of run %d and case %s, which no run covers', r.id, r.run, r.case_id)
          FROM results r LEFT JOIN run_cases c ON c.run = r.run AND c.case_id = r.case_id
          WHERE c.run IS NULL)sql",
    R"sql(SELECT printf('results row %d (case %s): no time: %s', id, case_id, stored) FROM results
          WHERE stored NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')sql",
    R"sql(SELECT printf('runs row %d (%s): it says %d cases and has %d', id, run_id, cases, has)
          FROM (SELECT n.*, (SELECT count(*) FROM run_cases c WHERE c.run = n.id) has FROM runs n)
          WHERE cases <> has)sql",
    R"sql(SELECT printf('runs row %d (%s): the positions of its cases are not 0 to %d', n.id, n.run_id, count(*) - 1)
          FROM runs n JOIN run_cases c ON c.run = n.id GROUP BY n.id
          HAVING min(position) <> 0 OR max(position) <> count(*) - 1 OR count(DISTINCT position) <> count(*))sql",
    R"sql(SELECT printf('runs row %d (%s): finished with %d verdicts on %d cases', id, run_id, has, cases)
          FROM (SELECT n.*, (SELECT count(*) FROM results r WHERE r.run = n.id) has FROM runs n)
          WHERE state = 'finished' AND has <> cases)sql",
    R"sql(SELECT printf('runs row %d (%s): it is %s, but its end is "%s"', id, run_id, state, finished) FROM runs
          WHERE (state IN ('finished', 'aborted')) <> (finished <> ''))sql",
    R"sql(SELECT printf('results row %d (case %s): its outputs are not numbered 0 to %d', r.id, r.case_id, count(*) - 1)
          FROM results r JOIN result_outputs o ON o.result = r.id GROUP BY r.id
          HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1)sql",
    R"sql(SELECT printf('run_totals row %d: %d verdicts were counted, the run has %d', run, done, has)
          FROM (SELECT t.*, (SELECT count(*) FROM results r WHERE r.run = t.run) has FROM run_totals t)
          WHERE done <> has)sql",
    R"sql(SELECT printf('run_outcomes rows of run %d, outcome %d: %d verdicts were counted, the run has %d',
                        o.run, outcome, cases, has)
          FROM (SELECT o.*, (SELECT count(*) FROM results r WHERE r.run = o.run AND r.outcome = o.outcome) has
                FROM run_outcomes o) o JOIN run_totals USING (run)
          WHERE cases <> has)sql",
    R"sql(SELECT printf('run_tallies rows of run %d: %d verdicts were counted, the run has %d', t.run, sum(cases), done)
          FROM run_totals t LEFT JOIN run_tallies USING (run) GROUP BY t.run HAVING coalesce(sum(cases), 0) <> done)sql",
};

// Columns that hold messages: the query gives what the row is, and the bytes.
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
    {"SELECT printf('agents row %s', agent_id), facts FROM agents", "facts", Make<v1::AgentFacts>},
    {"SELECT printf('result_outputs row %d, %d (%s)', result, ordinal, key), extra FROM result_outputs",
     "extra", Make<v1::OutputStats>},
};

// The numbers of an enumeration that may be stored.
std::string Known(const google::protobuf::EnumDescriptor* type, bool with_zero) {
  std::vector<int> numbers;
  for (int i = 0; i < type->value_count(); ++i) {
    if (type->value(i)->number() != 0 || with_zero) numbers.push_back(type->value(i)->number());
  }
  return absl::StrJoin(numbers, ",");
}

std::vector<std::string> EnumQueries() {
  const std::string outcomes = Known(v1::Outcome_descriptor(), false);
  const std::string dtypes = Known(v1::Dtype::Code_descriptor(), true);
  return {
      absl::StrCat("SELECT printf('results row %d (case %s): unknown outcome %d', id, case_id, outcome) "
                   "FROM results WHERE outcome NOT IN (",
                   outcomes, ")"),
      absl::StrCat("SELECT printf('results row %d (case %s): unknown dtype %d', id, case_id, dtype) "
                   "FROM results WHERE dtype NOT IN (",
                   dtypes, ")"),
      absl::StrCat("SELECT printf('result_outputs row %d, %d (%s): unknown dtype %d', result, ordinal, key, "
                   "dtype) FROM result_outputs WHERE dtype NOT IN (",
                   dtypes, ")")};
}

class Checker {
 public:
  Checker(Connection* connection, DatabaseCheck* check) : connection_(connection), check_(check) {}

  // The first status that is not OK: the file cannot be read on.
  // `queries` must live as long as the connection.
  absl::Status All(const std::vector<std::string>& queries);

 private:
  absl::Status List(std::string_view sql);
  absl::Status Integrity();
  absl::Status Blobs(const BlobColumn& column);
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
        absl::StrCat(connection_->path(), ": ... and ", count - kListed, " more of the kind"));
  }
}

absl::Status Checker::List(std::string_view sql) {
  absl::StatusOr<Statement> select = connection_->Prepare(sql);
  if (!select.ok()) return select.status();
  int count = 0;
  absl::Status status = ForEachRow(&*select, [&](const Statement& row) { Add(++count, row.Text(0)); });
  if (!status.ok()) return status;
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::Integrity() {
  absl::StatusOr<Statement> select = connection_->Prepare("PRAGMA integrity_check");
  if (!select.ok()) return select.status();
  int count = 0;
  absl::Status status = ForEachRow(&*select, [&](const Statement& row) {
    if (row.Text(0) != "ok") Add(++count, row.Text(0));
  });
  if (!status.ok()) return status;
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::Blobs(const BlobColumn& column) {
  absl::StatusOr<Statement> select = connection_->Prepare(column.query);
  if (!select.ok()) return select.status();
  const std::unique_ptr<google::protobuf::MessageLite> message = column.make();
  int count = 0;
  for (;;) {
    const absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    if (message->ParseFromString(select->Text(1))) continue;
    Add(++count, absl::StrCat(select->Text(0), ": its ", column.what, " cannot be read"));
  }
  AddRest(count);
  return absl::OkStatus();
}

absl::Status Checker::All(const std::vector<std::string>& queries) {
  absl::Status status = Integrity();
  // Rows of a file that is not sound say little more.
  if (!status.ok() || !check_->problems.empty()) return status;
  for (const char* query : kQueries) {
    status = List(query);
    if (!status.ok()) return status;
  }
  for (const std::string& query : queries) {
    status = List(query);
    if (!status.ok()) return status;
  }
  for (const BlobColumn& column : kBlobs) {
    if (status.ok()) status = Blobs(column);
  }
  return status;
}

}  // namespace

absl::StatusOr<DatabaseCheck> CheckDatabase(const std::string& path) {
  DatabaseCheck check;
  const std::vector<std::string> enum_queries = EnumQueries();
  const absl::StatusOr<std::unique_ptr<Connection>> connection =
      Connection::Open(path, Connection::Mode::kReadOnly);
  if (absl::IsNotFound(connection.status())) return connection.status();
  absl::Status status = connection.status();
  if (status.ok()) status = CheckSchema(connection->get());
  if (status.ok()) status = (*connection)->Execute("BEGIN");
  if (status.ok()) status = Checker(connection->get(), &check).All(enum_queries);
  if (status.ok() && check.problems.empty()) {
    check.runs = (*connection)->QueryInt("SELECT count(*) FROM runs").value_or(0);
    check.results = (*connection)->QueryInt("SELECT count(*) FROM results").value_or(0);
  }
  if (!status.ok()) check.problems.emplace_back(status.message());
  return check;
}

}  // namespace diopi::server
