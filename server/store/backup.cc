#include "server/store/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

// A writer holds the file for milliseconds; a recovery or a checkpoint takes longer.
constexpr int kAttempts = 1000;
constexpr absl::Duration kPause = absl::Milliseconds(10);
constexpr char kSelectTables[] =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";

using RowCounts = std::map<std::string, int64_t>;  // by table

absl::StatusOr<RowCounts> CountRows(Connection* connection) {
  ASSIGN_OR_RETURN(Statement tables, connection->Prepare(kSelectTables));
  RowCounts rows;
  absl::Status status = ForEachRow(&tables, [&](const Statement& row) { rows[row.Text(0)] = 0; });
  if (!status.ok()) return status;
  for (auto& [table, count] : rows) {
    ASSIGN_OR_RETURN(const int64_t counted,
                     connection->QueryInt(absl::StrCat("SELECT count(*) FROM \"", table, "\"")));
    count = counted;
  }
  return rows;
}

// Whether the copy is whole and has these rows.
absl::Status Verify(const std::string& copy, const std::string& original, const RowCounts& rows) {
  const auto wrong = [&](absl::string_view what) {
    return absl::DataLossError(
        absl::StrCat("the copy of ", original, " is damaged, as the original may be: ", what,
                     ". diopi-server check --data FOLDER says more about the original"));
  };
  // Only a connection that may write removes the files beside a database that reading it makes.
  const absl::StatusOr<std::unique_ptr<Connection>> opened =
      Connection::Open(copy, Connection::Mode::kReadWrite);
  if (!opened.ok()) return wrong(opened.status().message());
  const absl::StatusOr<std::string> found = (*opened)->QuickCheck(absl::InfiniteDuration());
  if (!found.ok()) return wrong(found.status().message());
  if (!found->empty()) return wrong(*found);
  const absl::StatusOr<RowCounts> copied = CountRows(opened->get());
  if (!copied.ok()) return wrong(copied.status().message());
  for (const auto& [table, count] : rows) {
    const auto there = copied->find(table);
    const int64_t has = there == copied->end() ? 0 : there->second;
    if (has != count) return wrong(absl::StrCat("table ", table, " has ", has, " of ", count, " rows"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FlushToDisk(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid() && fsync(file.get()) == 0) return absl::OkStatus();
  return WriteError(path, errno);
}

absl::StatusOr<CopiedDatabase> BackUpDatabase(const std::string& from, const std::string& to) {
  if (access(to.c_str(), F_OK) == 0) return absl::AlreadyExistsError(absl::StrCat(to, ": exists already"));
  ASSIGN_OR_RETURN(const std::unique_ptr<Connection> source,
                   Connection::Open(from, Connection::Mode::kReadOnly));
  // One read transaction for the rows and the copy: the state of one moment.
  absl::Status status = source->Execute("BEGIN");
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const RowCounts rows, CountRows(source.get()));
  {
    ASSIGN_OR_RETURN(const std::unique_ptr<Connection> target,
                     Connection::Open(to, Connection::Mode::kReadWrite));
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      status = target->CopyFrom(source.get());
      if (!absl::IsUnavailable(status)) break;
      absl::SleepFor(kPause);
    }
    if (!status.ok()) return status;
  }
  status = FlushToDisk(to);
  if (status.ok()) status = Verify(to, from, rows);
  if (!status.ok()) return status;
  CopiedDatabase copied;
  for (const auto& [table, count] : rows) {
    ++copied.tables;
    copied.rows += count;
  }
  return copied;
}

}  // namespace diopi::server
