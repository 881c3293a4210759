#include "server/store/suite_rows.h"

#include <string>
#include <string_view>
#include <unordered_set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"

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
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectCase));
  select.Bind(c.case_id, c.case_hash, c.function, c.op);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  if (row) return select.Int(0);
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertCase));
  insert.Bind(c.case_id, c.case_hash, c.function, c.op);
  RETURN_IF_ERROR(insert.Run().status());
  return connection->LastInsertRowid();
}

absl::Status InsertSuiteCases(Connection* connection, int64_t suite, absl::Span<const RunCase> cases,
                              const StillWanted& still_wanted) {
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertSuiteCase));
  int64_t position = 0;
  for (const RunCase& c : cases) {
    if (still_wanted && position % kAskEvery == 0) {
      RETURN_IF_ERROR(still_wanted());
    }
    ASSIGN_OR_RETURN(const int64_t row, CaseRowOf(connection, c));
    insert.Bind(suite, position++, row);
    RETURN_IF_ERROR(insert.Run().status());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> SuiteOf(Connection* connection, absl::Span<const RunCase> cases,
                                const StillWanted& still_wanted) {
  const std::string content = ContentOf(cases);
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectSuite));
  select.Bind(content);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  if (row) return select.Int(0);
  RETURN_IF_ERROR(CheckEachOnce(cases));
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertSuite));
  insert.Bind(content, cases.size());
  RETURN_IF_ERROR(insert.Run().status());
  const int64_t suite = connection->LastInsertRowid();
  RETURN_IF_ERROR(InsertSuiteCases(connection, suite, cases, still_wanted));
  return suite;
}

}  // namespace diopi::server
