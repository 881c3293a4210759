// Runs share rows of `contents`, so removing a run cannot remove what its verdicts say. Afterwards one scan
// of all verdicts finds the rows that none uses; SQLite's foreign keys would search `verdicts` once for each
// row. The rows can be deleted after the scan, in small transactions, because an unused row stays unused: an
// append shares contents only with existing verdicts, and new rows have higher ids.
#include "server/store/upkeep.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "server/store/chip_name.h"
#include "server/store/database.h"
#include "server/store/run_bytes.h"
#include "server/store/run_rows.h"
#include "server/store/run_state.h"
#include "server/store/schema.h"
#include "server/store/snapshot.h"
#include "server/store/sqlite.h"
#include "server/store/upkeep_rows.h"

namespace diopi::server {
namespace {

constexpr char kSelectTags[] =
    "SELECT t.tag, r.run_id FROM run_tags t JOIN runs r ON r.id = t.run ORDER BY t.tag";
constexpr char kInsertTag[] = "INSERT OR REPLACE INTO run_tags (tag, run) VALUES (?, ?)";
constexpr char kDeleteTag[] = "DELETE FROM run_tags WHERE tag = ?";
constexpr char kSelectIsRunId[] = "SELECT 1 FROM runs WHERE run_id = ?";
constexpr char kSelectStateAndTag[] =
    "SELECT r.run_id, " DIOPI_RUN_STATE
    ", (SELECT tag FROM run_tags WHERE run = r.id) FROM runs r WHERE r.id = ?";
constexpr char kDeleteRun[] = "DELETE FROM runs WHERE id = ?";
constexpr char kDeleteContent[] = "DELETE FROM contents WHERE id = ?";
constexpr char kSelectContentIds[] = "SELECT id FROM contents WHERE id <= ? ORDER BY id";

// Measured: the bytes of a case, with its indexes and its place in a suite: runs share it.
constexpr int64_t kCaseBytes = 197;

constexpr size_t kDeletedAtOnce = 4096;
constexpr int kPagesAtOnce = 1024;

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> OpenForUpkeep(const std::string& path, Connection::Mode mode) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": there is no results database"));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Connection::Open(path, mode));
  RETURN_IF_ERROR(CheckSchema(connection.get()));
  return connection;
}

absl::StatusOr<LabelledRun> LabelRun(const std::string& path, const std::string& run_id,
                                     const Labels& labels) {
  RETURN_IF_ERROR(CheckLabels(labels));
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadWrite));
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection.get()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> rows, RowsOfRuns(connection.get(), {run_id}));
  absl::Status status = WriteLabels(connection.get(), rows.front(), labels);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const v1::RunInfo run, ReadRunRow(connection.get(), rows.front()));
  LabelledRun labelled{run.run_id(), {run.options().labels().begin(), run.options().labels().end()}};
  status = CheckLabels(labelled.labels);
  if (status.ok()) status = transaction.Commit();
  if (!status.ok()) return status;
  return labelled;
}

absl::StatusOr<std::vector<int64_t>> RowsOfRuns(Connection* connection,
                                                const std::vector<std::string>& run_ids) {
  std::vector<int64_t> rows;
  for (const std::string& run_id : run_ids) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> row, FindRun(connection, run_id));
    if (!row.has_value()) {
      ASSIGN_OR_RETURN(const std::string others, RunsThatThereAre(connection));
      return absl::NotFoundError(
          absl::StrCat(connection->path(), ": no run '", run_id, "'", others.empty() ? "" : "; ", others));
    }
    if (std::find(rows.begin(), rows.end(), *row) == rows.end()) rows.push_back(*row);
  }
  return rows;
}

absl::Status CheckOver(Connection* connection, int64_t run, bool untagged) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectStateAndTag));
  select.Bind(run);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  if (!row) return absl::OkStatus();  // somebody else removed it
  if (GoesOn(StateNamed(select.Text(1)))) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", select.Text(0), " is ", select.Text(1),
                     "; only runs that have ended or stalled can be archived or removed"));
  }
  if (untagged && !select.IsNull(2)) {
    return absl::FailedPreconditionError(absl::StrCat("run ", select.Text(0), " has the tag ", select.Text(2),
                                                      "; remove the tag first: diopi-cli tag --remove ",
                                                      select.Text(2)));
  }
  return absl::OkStatus();
}

namespace {

absl::StatusOr<std::vector<int64_t>> RemovableRows(Connection* connection,
                                                   const std::vector<std::string>& run_ids) {
  absl::StatusOr<std::vector<int64_t>> rows = RowsOfRuns(connection, run_ids);
  if (!rows.ok()) return rows;
  for (const int64_t run : *rows) {
    RETURN_IF_ERROR(CheckOver(connection, run, /*untagged=*/true));
  }
  return rows;
}

// For each row of contents, whether a verdict of a run outside `but` uses it.
absl::StatusOr<std::vector<bool>> UsedContents(Connection* connection, const std::vector<int64_t>& but) {
  ASSIGN_OR_RETURN(const int64_t most, connection->QueryInt("SELECT max(id) FROM contents"));
  std::vector<bool> used(static_cast<size_t>(most) + 1);
  ASSIGN_OR_RETURN(OwnStatement select, connection->PrepareOnce("SELECT run, content FROM verdicts"));
  int64_t run = 0;
  bool counts = false;
  absl::Status status = ForEachRow(&select.get(), [&](const Statement& row) {
    if (row.Int(0) != run) {
      run = row.Int(0);
      counts = std::find(but.begin(), but.end(), run) == but.end();
    }
    if (counts) used[static_cast<size_t>(row.Int(1))] = true;
  });
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(OwnStatement bases,
                   connection->PrepareOnce("SELECT id, base FROM contents WHERE base IS NOT NULL"));
  status = ForEachRow(&bases.get(), [&](const Statement& row) {
    if (used[static_cast<size_t>(row.Int(0))]) used[static_cast<size_t>(row.Int(1))] = true;
  });
  if (!status.ok()) return status;
  return used;
}

absl::Status DeleteEach(Connection* connection, const std::vector<int64_t>& ids) {
  for (size_t i = 0; i < ids.size();) {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection));
    for (const size_t end = std::min(ids.size(), i + kDeletedAtOnce); i < end; ++i) {
      ASSIGN_OR_RETURN(Statement remove, connection->Prepare(kDeleteContent));
      remove.Bind(ids[i]);
      RETURN_IF_ERROR(remove.Run().status());
    }
    RETURN_IF_ERROR(transaction.Commit());
  }
  return absl::OkStatus();
}

// Removes contents that no verdict uses. Others may write between the scan and the removal.
absl::Status RemoveUnusedContents(Connection* connection) {
  std::vector<int64_t> unused;
  {
    ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection));
    ASSIGN_OR_RETURN(const std::vector<bool> used, UsedContents(connection, {}));
    ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectContentIds));
    select.Bind(used.size() - 1);
    absl::Status status = ForEachRow(&select, [&](const Statement& row) {
      if (!used[static_cast<size_t>(row.Int(0))]) unused.push_back(row.Int(0));
    });
    if (!status.ok()) return status;
  }
  return DeleteEach(connection, unused);
}

constexpr char kRemoveUnusedSuites[] = R"sql(
DELETE FROM suite_cases WHERE suite NOT IN (SELECT suite FROM runs WHERE suite IS NOT NULL);
DELETE FROM suites WHERE id NOT IN (SELECT suite FROM runs WHERE suite IS NOT NULL);
DELETE FROM cases WHERE id NOT IN (SELECT case_row FROM suite_cases))sql";

absl::Status RemoveUnused(Connection* connection) {
  // Off, because SQLite would look for users of each row in all of `verdicts`.
  absl::Status status = connection->Execute("PRAGMA foreign_keys = OFF");
  if (status.ok()) status = RemoveUnusedContents(connection);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection));
  status = connection->Execute(kRemoveUnusedSuites);
  return status.ok() ? transaction.Commit() : status;
}

absl::Status CheckTag(Connection* connection, const std::string& tag) {
  if (tag.empty()) return absl::InvalidArgumentError("a tag has at least one character");
  if (tag.size() > kMaxChipNameBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tag has at most ", kMaxChipNameBytes, " bytes; '", tag, "' has ", tag.size()));
  }
  if (!IsPrintableName(tag)) {
    return absl::InvalidArgumentError("a tag must have printable characters only");
  }
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectIsRunId));
  select.Bind(tag);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  if (row || tag == "latest" || tag == "last-green") {
    return absl::InvalidArgumentError(absl::StrCat("'", tag, "' already names a run; choose another tag"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PagesOf(Connection* connection, const char* pragma) {
  return connection->QueryInt(absl::StrCat("PRAGMA ", pragma));
}

absl::StatusOr<FileUse> UseBy(Connection* connection) {
  const absl::StatusOr<int64_t> size = PagesOf(connection, "page_size");
  const absl::StatusOr<int64_t> pages = PagesOf(connection, "page_count");
  const absl::StatusOr<int64_t> free = PagesOf(connection, "freelist_count");
  const absl::StatusOr<int64_t> mode = PagesOf(connection, "auto_vacuum");
  for (const auto* value : {&size, &pages, &free, &mode}) {
    if (!value->ok()) return value->status();
  }
  return FileUse{*size * *pages, *size * *free, *mode == 2};
}

// The bytes in use without those of cases, over those of the rows: indexes, other tables, pages that are not
// full.
absl::StatusOr<double> UseOverRows(Connection* connection) {
  ASSIGN_OR_RETURN(const int64_t rows,
                   connection->QueryInt(absl::StrCat(
                       "SELECT (SELECT count(*) FROM verdicts) * ", kVerdictBytes, " + (SELECT count(*) * ",
                       kContentBytes, " + ifnull(sum(length(body)), 0) FROM contents) + ",
                       "(SELECT " DIOPI_MEASUREMENT_BYTES ") + (SELECT " DIOPI_EXPLORATION_BYTES ")")));
  ASSIGN_OR_RETURN(const FileUse use, UseBy(connection));
  ASSIGN_OR_RETURN(const int64_t cases, connection->QueryInt("SELECT count(*) FROM cases"));
  const int64_t used = use.bytes - use.free - cases * kCaseBytes;
  return rows == 0 || used < rows ? 1 : static_cast<double>(used) / static_cast<double>(rows);
}

absl::Status CheckRoom(const std::string& path, int64_t needed) {
  const std::filesystem::path file(path);
  for (const std::filesystem::path& folder :
       {file.has_parent_path() ? file.parent_path() : std::filesystem::path("."),
        std::filesystem::temp_directory_path()}) {
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    if (error || static_cast<int64_t>(space.available) >= needed) continue;
    return absl::ResourceExhaustedError(
        absl::StrFormat("%s: rewriting it needs %.1f MB of free space in %s, which has %.1f MB; remove runs "
                        "first, or set TMPDIR",
                        path, static_cast<double>(needed) * 1e-6, folder.string(),
                        static_cast<double>(space.available) * 1e-6));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<RunTag>> Tags(const std::string& path) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadOnly));
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectTags));
  std::vector<RunTag> tags;
  absl::Status status = ForEachRow(&select, [&tags](const Statement& row) {
    tags.push_back({row.Text(0), row.Text(1)});
  });
  if (!status.ok()) return status;
  return tags;
}

absl::StatusOr<std::string> TagRun(const std::string& path, const std::string& run_id,
                                   const std::string& tag) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadWrite));
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection.get()));
  absl::Status status = CheckTag(connection.get(), tag);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const std::vector<int64_t> rows, RowsOfRuns(connection.get(), {run_id}));
  ASSIGN_OR_RETURN(const RunFacts facts, ReadRunFacts(connection.get(), rows.front()));
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertTag));
  insert.Bind(tag, rows.front());
  status = insert.Run().status();
  if (status.ok()) status = transaction.Commit();
  if (!status.ok()) return status;
  return facts.run_id;
}

absl::Status RemoveTag(const std::string& path, const std::string& tag) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadWrite));
  ASSIGN_OR_RETURN(Statement remove, connection->Prepare(kDeleteTag));
  remove.Bind(tag);
  ASSIGN_OR_RETURN(const int removed, remove.Run());
  if (removed == 0) return absl::NotFoundError(absl::StrCat(path, ": no run has the tag '", tag, "'"));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<RunBytes>> BytesOfRuns(const std::string& path,
                                                  const std::vector<std::string>& run_ids) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadOnly));
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection.get()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> rows, RowsOfRuns(connection.get(), run_ids));
  ASSIGN_OR_RETURN(std::vector<bool> used, UsedContents(connection.get(), rows));
  ASSIGN_OR_RETURN(const double scale, UseOverRows(connection.get()));
  std::vector<RunBytes> all;
  for (const int64_t run : rows) {
    ASSIGN_OR_RETURN(const RunFacts facts, ReadRunFacts(connection.get(), run));
    ASSIGN_OR_RETURN(const StoredBytes count, CountBytes(connection.get(), run, &used));
    all.push_back(
        {facts.run_id, count.verdicts, static_cast<int64_t>(static_cast<double>(count.bytes) * scale)});
  }
  return all;
}

absl::Status CheckRemovable(const std::string& path, const std::vector<std::string>& run_ids) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadOnly));
  return RemovableRows(connection.get(), run_ids).status();
}

absl::StatusOr<Removed> RemoveRuns(const std::string& path, const std::vector<std::string>& run_ids) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadWrite));
  ASSIGN_OR_RETURN(const std::vector<int64_t> rows, RemovableRows(connection.get(), run_ids));
  Removed removed;
  for (const int64_t run : rows) {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection.get()));
    RETURN_IF_ERROR(CheckOver(connection.get(), run, /*untagged=*/true));
    ASSIGN_OR_RETURN(const int64_t verdicts, CountDone(connection.get(), run));
    ASSIGN_OR_RETURN(Statement remove, connection->Prepare(kDeleteRun));
    remove.Bind(run);
    ASSIGN_OR_RETURN(const int gone, remove.Run());
    RETURN_IF_ERROR(transaction.Commit());
    removed.runs += gone;
    removed.verdicts += verdicts;
  }
  RETURN_IF_ERROR(RemoveUnused(connection.get()));
  return removed;
}

absl::StatusOr<FileUse> UseOf(const std::string& path) {
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadOnly));
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection.get()));
  return UseBy(connection.get());
}

absl::Status Vacuum(const std::string& path, bool whole) {
  ASSIGN_OR_RETURN(const FileUse use, UseOf(path));
  ASSIGN_OR_RETURN(const auto connection, OpenForUpkeep(path, Connection::Mode::kReadWrite));
  absl::Status status = absl::OkStatus();
  if (whole || !use.in_pieces) {
    status = CheckRoom(path, use.bytes - use.free);
    if (status.ok()) status = connection->Execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  } else {
    int64_t before = std::numeric_limits<int64_t>::max();
    for (;;) {
      ASSIGN_OR_RETURN(const int64_t free, PagesOf(connection.get(), "freelist_count"));
      if (free == 0 || free >= before) break;
      before = free;
      RETURN_IF_ERROR(connection->Execute(absl::StrCat("PRAGMA incremental_vacuum(", kPagesAtOnce, ")")));
    }
  }
  if (!status.ok()) return status;
  return connection->Execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace diopi::server
