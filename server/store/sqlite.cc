// Every error of SQLite becomes a status in one place (StatusOfCode), which names the file, because callers
// decide by the code: what failed for a full disk can be tried again later, damage cannot. SQLite's own
// locking is off (NOMUTEX): the owner of the connection serializes. A reading connection is ended by a
// progress handler; a check of the whole file calls none, so a thread interrupts it.
#include "server/store/sqlite.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

// How long a writer waits for another process's transaction.
constexpr int kBusyTimeoutMs = 10'000;
constexpr int kStepsAtOnce = 1000;  // of SQLite's machine, before a reading connection looks whether it ends

absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

// A path as an SQLite URI: the characters that mean something there are escaped.
std::string UriOf(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      absl::StrAppend(&uri, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      uri.push_back(c);
    }
  }
  return uri + "?immutable=1";
}

// Interrupts what runs on the connection once `limit` has passed; a check of a whole file asks no progress
// handler.
class Interrupter {
 public:
  Interrupter(sqlite3* db, absl::Duration limit) {
    if (limit == absl::InfiniteDuration()) return;
    thread_ = std::thread([this, db, limit] {
      std::unique_lock lock(mutex_);
      auto wait = absl::ToChronoMilliseconds(limit);
      // More than once: a statement that begins is not yet one to interrupt.
      while (!wake_.wait_for(lock, wait, [this] { return over_; })) {
        sqlite3_interrupt(db);
        wait = std::chrono::milliseconds(1);
      }
    });
  }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  ~Interrupter() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

// Why the last call on `db` failed.
absl::Status LastFailure(sqlite3* db, const std::string& path) {
  const int code = sqlite3_extended_errcode(db);
  const int system = sqlite3_system_errno(db);
  // A full disk, quota or limit can also surface as an I/O error.
  const bool full =
      (code & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT || system == EFBIG);
  return StatusOfCode(full ? SQLITE_FULL : code, sqlite3_errmsg(db), path);
}

}  // namespace

absl::Status StatusOfCode(int code, std::string_view message, const std::string& path) {
  const absl::string_view text = View(message);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(absl::StrCat(path, ": the disk is full: ", text));
    case SQLITE_IOERR:
      return absl::ResourceExhaustedError(absl::StrCat(path, ": cannot be read or written: ", text));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return absl::DataLossError(absl::StrCat(path, ": not a usable results database: ", text));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::FailedPreconditionError(absl::StrCat(path, ": the file cannot be written: ", text));
    case SQLITE_CANTOPEN:
      if (std::error_code ignored; !std::filesystem::exists(path, ignored) && !ignored) {
        return absl::NotFoundError(absl::StrCat(path, ": cannot be opened: there is no such file"));
      }
      return absl::FailedPreconditionError(absl::StrCat(path, ": cannot be opened: ", text));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(absl::StrCat(path, ": another process holds the database: ", text));
    case SQLITE_INTERRUPT:  // by Connection::End: QuickCheck sees to its own limit
      return absl::UnavailableError(absl::StrCat(path, ": not read to the end, shutting down"));
    case SQLITE_CONSTRAINT:
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", text));
    default:
      break;
  }
  return absl::InternalError(absl::StrCat(path, ": ", text, " (SQLite code ", code, ")"));
}

Statement::Statement(Statement&& other) noexcept : db_(other.db_), stmt_(other.stmt_), path_(other.path_) {
  other.stmt_ = nullptr;
}

Statement::~Statement() {
  if (stmt_ == nullptr) return;
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
}

absl::StatusOr<bool> Statement::Step() {
  const int code = sqlite3_step(stmt_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return LastFailure(db_, path_);
}

absl::StatusOr<int> Statement::Run() {
  const absl::StatusOr<bool> row = Step();
  const int changed = sqlite3_changes(db_);
  sqlite3_reset(stmt_);
  if (!row.ok()) return row.status();
  return changed;
}

double Statement::Double(int column) const {
  if (sqlite3_column_type(stmt_, column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(stmt_, column);
}

std::string_view Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(stmt_, column);  // before the size, which depends on the form
  const int size = sqlite3_column_bytes(stmt_, column);
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), static_cast<size_t>(size));
}

void Statement::BindOne(int index, const std::string& value) {
  sqlite3_bind_text64(stmt_, index, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

absl::Status Connection::OpenHandle(const std::string& uri, int flags) {
  sqlite3_close(std::exchange(db_, nullptr));
  const int code = sqlite3_open_v2(uri.c_str(), &db_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    return StatusOfCode(code, db_ == nullptr ? "out of memory" : sqlite3_errmsg(db_), path_);
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, kBusyTimeoutMs);
  const auto ended = [](void* flag) { return static_cast<std::atomic<bool>*>(flag)->load() ? 1 : 0; };
  if ((flags & SQLITE_OPEN_READONLY) != 0) sqlite3_progress_handler(db_, kStepsAtOnce, ended, &ended_);
  // Debian's SQLite would overwrite deleted data with zeros.
  return Execute("PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF");
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path, Mode mode) {
  std::unique_ptr<Connection> connection(new Connection(path));
  // SQLite would wait for a writer of a named pipe.
  struct stat facts {};
  if (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
    return absl::FailedPreconditionError(absl::StrCat(path, ": cannot be opened: not a regular file"));
  const bool read_only = mode == Mode::kReadOnly;
  const int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  absl::Status status = connection->OpenHandle(path, flags);
  if (status.ok()) status = connection->QueryInt("PRAGMA schema_version").status();
  // A WAL database needs its -shm file even to read; where that cannot be made and no -wal waits to be read,
  // nobody can be writing either.
  if (!status.ok() && read_only && access(path.c_str(), R_OK) == 0 &&
      access((path + "-wal").c_str(), F_OK) != 0 && !absl::IsDataLoss(status)) {
    status = connection->OpenHandle(UriOf(path), flags | SQLITE_OPEN_URI);
    if (status.ok()) status = connection->QueryInt("PRAGMA schema_version").status();
  }
  // A missing file would have been made: its folder is at fault.
  if (absl::IsNotFound(status) && !read_only) return absl::FailedPreconditionError(status.message());
  if (!status.ok()) return status;
  return connection;
}

Connection::~Connection() {
  statements_.clear();
  sqlite3_close(db_);
}

absl::Status Connection::Execute(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : LastFailure(db_, path_);
}

absl::Status Connection::CopyFrom(Connection* other) {
  sqlite3_backup* const backup = sqlite3_backup_init(db_, "main", other->db_, "main");
  if (backup == nullptr) return StatusOfCode(sqlite3_extended_errcode(db_), sqlite3_errmsg(db_), path_);
  const int step = sqlite3_backup_step(backup, -1);
  const int finish = sqlite3_backup_finish(backup);
  if (step == SQLITE_DONE && finish == SQLITE_OK) return absl::OkStatus();
  const int code = step == SQLITE_DONE ? finish : step;
  return StatusOfCode(code, sqlite3_errstr(code), absl::StrCat(other->path_, ", copied to ", path_));
}

absl::Status Connection::Checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : LastFailure(db_, path_);
}

absl::StatusOr<std::string> Connection::QuickCheck(absl::Duration limit) {
  ASSIGN_OR_RETURN(OwnStatement check, PrepareOnce("PRAGMA quick_check(1)"));
  const Interrupter interrupter(db_, limit);
  const absl::StatusOr<bool> row = check.get().Step();
  if (!row.ok() && (sqlite3_extended_errcode(db_) & 0xff) == SQLITE_INTERRUPT) {
    return absl::DeadlineExceededError(
        absl::StrCat(path_, ": not checked to its end within ", absl::FormatDuration(limit)));
  }
  if (!row.ok()) return row.status();
  const std::string found = *row ? check.get().Text(0) : "quick_check says nothing";
  return found == "ok" ? std::string() : found;
}

absl::StatusOr<Statement> Connection::Prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* stmt = nullptr;
    const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &stmt, nullptr);
    if (code != SQLITE_OK) return StatusOfCode(code, sqlite3_errmsg(db_), path_);
    found = statements_.emplace(sql, std::unique_ptr<sqlite3_stmt, FinalizeStatement>(stmt)).first;
  }
  return Statement(db_, found->second.get(), path_);
}

absl::StatusOr<OwnStatement> Connection::PrepareOnce(const std::string& sql) {
  sqlite3_stmt* stmt = nullptr;
  const int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &stmt, nullptr);
  if (code != SQLITE_OK) return StatusOfCode(code, sqlite3_errmsg(db_), path_);
  return OwnStatement(db_, stmt, path_);
}

absl::StatusOr<int64_t> Connection::QueryInt(const std::string& sql) {
  ASSIGN_OR_RETURN(OwnStatement statement, PrepareOnce(sql));
  ASSIGN_OR_RETURN(const bool row, statement.get().Step());
  return row ? statement.get().Int(0) : 0;
}

absl::StatusOr<Transaction> Transaction::Begin(Connection* connection) {
  RETURN_IF_ERROR(connection->Execute("BEGIN IMMEDIATE"));
  return Transaction(connection);
}

Transaction::~Transaction() {
  // Some errors (a full disk) have rolled back already; this then fails, which does no harm.
  if (connection_ != nullptr) connection_->Execute("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  absl::Status status = connection_->Execute("COMMIT");
  if (status.ok()) connection_ = nullptr;
  return status;
}

}  // namespace diopi::server
