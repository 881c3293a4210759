#include "server/store/suite_rows.h"

#include <string>
#include <string_view>
#include <unordered_set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"

namespace diopi::server {
namespace {

constexpr char kSelectSuite[] = "SELECT id FROM suites WHERE content = ?";
constexpr char kInsertSuite[] = "INSERT INTO suites (content, cases) VALUES (?, ?)";
constexpr char kInsertSuiteCase[] = "INSERT INTO suite_cases (suite, position, case_row) VALUES (?, ?, ?)";
constexpr char kSelectCase[] =
    "SELECT id FROM cases WHERE case_id = ? AND case_hash = ? AND function = ? AND operator = ?";
constexpr char kInsertCase[] =
    "INSERT INTO cases (case_id, case_hash, function, operator) VALUES (?, ?, ?, ?)";

constexpr int64_t kAskEvery = 1000;  // cases

// A hash of all that is stored of the cases; each text with its length, so that none runs into the next.
std::string ContentOf(absl::Span<const RunCase> cases) {
  std::string content;
  for (const RunCase& c : cases) {
    for (const std::string* text : {&c.case_id, &c.case_hash, &c.function, &c.op}) {
      absl::StrAppend(&content, text->size(), ":", *text);
    }
  }
  return Xxh128Hex(content);
}

absl::Status CheckEachOnce(absl::Span<const RunCase> cases) {
  std::unordered_set<std::string_view> ids;
  ids.reserve(cases.size());
  for (const RunCase& c : cases) {
    if (ids.insert(c.case_id).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("case '", c.case_id, "' is in the run twice"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CaseRowOf(Connection* connection, const RunCase& c) {
  absl::StatusOr<Statement> select = connection->Prepare(kSelectCase);
  if (!select.ok()) return select.status();
  select->Bind(c.case_id, c.case_hash, c.function, c.op);
  const absl::StatusOr<bool> row = select->Step();
  if (!row.ok()) return row.status();
  if (*row) return select->Int(0);
  absl::StatusOr<Statement> insert = connection->Prepare(kInsertCase);
  if (!insert.ok()) return insert.status();
  insert->Bind(c.case_id, c.case_hash, c.function, c.op);
  const absl::StatusOr<int> inserted = insert->Run();
  if (!inserted.ok()) return inserted.status();
  return connection->LastInsertRowid();
}

absl::Status InsertSuiteCases(Connection* connection, int64_t suite, absl::Span<const RunCase> cases,
                              const StillWanted& still_wanted) {
  absl::StatusOr<Statement> insert = connection->Prepare(kInsertSuiteCase);
  if (!insert.ok()) return insert.status();
  int64_t position = 0;
  for (const RunCase& c : cases) {
    if (still_wanted && position % kAskEvery == 0) {
      absl::Status status = still_wanted();
      if (!status.ok()) return status;
    }
    const absl::StatusOr<int64_t> row = CaseRowOf(connection, c);
    if (!row.ok()) return row.status();
    insert->Bind(suite, position++, *row);
    const absl::StatusOr<int> inserted = insert->Run();
    if (!inserted.ok()) return inserted.status();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> SuiteOf(Connection* connection, absl::Span<const RunCase> cases,
                                const StillWanted& still_wanted) {
  const std::string content = ContentOf(cases);
  absl::StatusOr<Statement> select = connection->Prepare(kSelectSuite);
  if (!select.ok()) return select.status();
  select->Bind(content);
  const absl::StatusOr<bool> row = select->Step();
  if (!row.ok()) return row.status();
  if (*row) return select->Int(0);
  absl::Status status = CheckEachOnce(cases);
  if (!status.ok()) return status;
  absl::StatusOr<Statement> insert = connection->Prepare(kInsertSuite);
  if (!insert.ok()) return insert.status();
  insert->Bind(content, cases.size());
  const absl::StatusOr<int> inserted = insert->Run();
  if (!inserted.ok()) return inserted.status();
  const int64_t suite = connection->LastInsertRowid();
  status = InsertSuiteCases(connection, suite, cases, still_wanted);
  if (!status.ok()) return status;
  return suite;
}

}  // namespace diopi::server
