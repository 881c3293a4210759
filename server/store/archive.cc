// ArchiveRuns (upkeep.h). Rows are copied with their ids, so that references between them need no
// translation. The copy is made under another name, compared through the interface that reads results, and
// linked to its name only then: a file of that name is complete.
#include <google/protobuf/util/message_differencer.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"
#include "server/store/backup.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/upkeep.h"
#include "server/store/upkeep_rows.h"

namespace diopi::server {
namespace {

constexpr size_t kComparedBytes = size_t{1} << 20;

// The unfinished archive and SQLite's files beside it. All are removed at the end, when a complete archive
// has a second name.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path) : path_(path + ".partial") { Remove(); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() { Remove(); }
  const std::string& path() const { return path_; }

 private:
  void Remove() const {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) unlink((path_ + suffix).c_str());
  }
  const std::string path_;
};

// Copies the rows of the runs and the rows that those refer to. They keep their ids, as the file is new.
std::string CopySql(const std::vector<int64_t>& runs) {
  const std::string ids = absl::StrJoin(runs, ", ");
  const auto copy = [](const char* table, const std::string& where) {
    return absl::StrCat("INSERT INTO main.", table, " SELECT * FROM source.", table, " WHERE ", where, ";");
  };
  const std::string of_runs = absl::StrCat("run IN (", ids, ")");
  std::string sql = absl::StrCat(
      copy("devices", absl::StrCat("id IN (SELECT device FROM source.runs WHERE id IN (", ids, "))")),
      copy("suites", absl::StrCat("id IN (SELECT suite FROM source.runs WHERE id IN (", ids, "))")),
      copy("suite_cases", "suite IN (SELECT id FROM main.suites)"),
      copy("cases", "id IN (SELECT case_row FROM main.suite_cases)"),
      copy("runs", absl::StrCat("id IN (", ids, ")")), copy("verdicts", of_runs),
      copy("provenances", "id IN (SELECT reference FROM main.verdicts)"),
      copy("contents", "id IN (SELECT content FROM main.verdicts)"),
      copy("contents",
           "id IN (SELECT base FROM main.contents) AND id NOT IN (SELECT id FROM main.contents)"));
  for (const char* table :
       {"appends", "run_functions", "run_tags", "run_labels", "run_totals", "run_outcomes", "run_references",
        "run_tallies", "measurements", "run_machines"}) {
    absl::StrAppend(&sql, copy(table, of_runs));
  }
  return sql;
}

absl::Status Copy(const std::string& path, const std::vector<int64_t>& runs, const std::string& to) {
  absl::Status status = Database::Open(to, {}).status();
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(to, Connection::Mode::kReadWrite));
  {
    ASSIGN_OR_RETURN(Statement attach, connection->Prepare("ATTACH ? AS source"));
    attach.Bind(path);
    status = attach.Run().status();
  }
  if (status.ok()) status = connection->Execute("PRAGMA foreign_keys = OFF");
  if (!status.ok()) return status;
  {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection.get()));
    status = connection->Execute(CopySql(runs));
    if (status.ok()) status = transaction.Commit();
  }
  // A single file can be read where nobody can write.
  if (status.ok()) status = connection->Execute("DETACH source; PRAGMA main.journal_mode = DELETE");
  return status;
}

absl::Status Differs(const std::string& copy, const std::string& run_id, const char* what) {
  return absl::DataLossError(
      absl::StrCat(copy, ": the ", what, " of run ", run_id, " differ from the original"));
}

absl::StatusOr<int64_t> CompareVerdicts(Database* database, Database* copy, const std::string& copy_path,
                                        const std::string& run_id) {
  int64_t count = 0;
  std::string after;
  do {
    ASSIGN_OR_RETURN(const VerdictPage page, database->PageOfVerdicts(run_id, {}, after, kComparedBytes));
    ASSIGN_OR_RETURN(const VerdictPage other, copy->PageOfVerdicts(run_id, {}, after, kComparedBytes));
    bool same = page.positions == other.positions && page.next == other.next;
    for (size_t i = 0; same && i < page.verdicts.size(); ++i) {
      same = page.verdicts[i].SerializeAsString() == other.verdicts[i].SerializeAsString();
    }
    if (!same) return Differs(copy_path, run_id, "verdicts");
    count += static_cast<int64_t>(page.verdicts.size());
    after = page.next;
  } while (!after.empty());
  return count;
}

absl::StatusOr<int64_t> Compare(const std::string& path, const std::vector<std::string>& run_ids,
                                const std::string& copy_path) {
  ASSIGN_OR_RETURN(const DatabaseCheck check, CheckDatabase(copy_path));
  if (!check.problems.empty()) return absl::DataLossError(check.problems.front());
  ASSIGN_OR_RETURN(const auto database, Database::Open(path, {.read_only = true}));
  ASSIGN_OR_RETURN(const auto copy, Database::Open(copy_path, {.read_only = true}));
  int64_t verdicts = 0;
  for (const std::string& run_id : run_ids) {
    ASSIGN_OR_RETURN(const v1::RunInfo info, database->GetRun(run_id));
    ASSIGN_OR_RETURN(const v1::RunInfo copied, copy->GetRun(info.run_id()));
    if (!google::protobuf::util::MessageDifferencer::Equals(info, copied)) {
      return Differs(copy_path, info.run_id(), "facts");
    }
    ASSIGN_OR_RETURN(const int64_t count,
                     CompareVerdicts(database.get(), copy.get(), copy_path, info.run_id()));
    verdicts += count;
  }
  return verdicts;
}

absl::Status FlushAndRename(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(FlushToDisk(from));
  // Does not replace a file that appeared meanwhile.
  if (link(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  if (errno == EEXIST) return absl::AlreadyExistsError(absl::StrCat(to, ": exists already"));
  return WriteError(to, errno);
}

}  // namespace

absl::StatusOr<Archived> ArchiveRuns(const std::string& path, const std::vector<std::string>& run_ids,
                                     const std::string& to) {
  std::error_code error;
  if (std::filesystem::exists(to, error))
    return absl::AlreadyExistsError(absl::StrCat(to, ": exists already"));
  std::vector<int64_t> rows;
  {
    ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadOnly));
    ASSIGN_OR_RETURN(rows, RowsOfRuns(connection.get(), run_ids));
    for (const int64_t run : rows) {
      RETURN_IF_ERROR(CheckOver(connection.get(), run, /*untagged=*/false));
    }
  }
  const PartialFile partial(to);
  RETURN_IF_ERROR(Copy(path, rows, partial.path()));
  ASSIGN_OR_RETURN(const int64_t verdicts, Compare(path, run_ids, partial.path()));
  RETURN_IF_ERROR(FlushAndRename(partial.path(), to));
  return Archived{verdicts, static_cast<int64_t>(std::filesystem::file_size(to, error))};
}

}  // namespace diopi::server
