// RAII over SQLite: a connection, statements that stay prepared, transactions. Private to this folder.
#ifndef SERVER_STORE_SQLITE_H_
#define SERVER_STORE_SQLITE_H_

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace diopi::server {

// A statement borrowed from its connection, which keeps it prepared. Reset when it goes out of scope. The
// same SQL may be borrowed once at a time. Texts that are bound must live until the statement is stepped.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* stmt, const std::string& path) : db_(db), stmt_(stmt), path_(path) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  Statement(const Statement&) = delete;
  ~Statement();

  // Binds the first parameters, in order; BindAt binds any others.
  template <typename... Values>
  void Bind(const Values&... values) {
    int index = 0;
    (BindOne(++index, values), ...);
  }
  template <typename Value>
  void BindAt(int index, const Value& value) {
    BindOne(index, value);
  }
  void BindNull(int index) { sqlite3_bind_null(stmt_, index); }
  // The same for a text that may not live until then.
  void BindCopy(int index, const std::string& text) {
    sqlite3_bind_text64(stmt_, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  // A blob that lives until the statement is stepped.
  void BindBytes(int index, std::string_view bytes) {
    sqlite3_bind_blob64(stmt_, index, bytes.data(), bytes.size(), SQLITE_STATIC);
  }

  // True when there is a row to read.
  absl::StatusOr<bool> Step();
  void Reset() { sqlite3_reset(stmt_); }
  // Steps a statement without rows and resets it for new values. Returns how many rows it changed.
  absl::StatusOr<int> Run();

  bool IsNull(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
  bool IsInteger(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_INTEGER; }
  int64_t Int(int column) const { return sqlite3_column_int64(stmt_, column); }
  // SQLite keeps NaN as NULL; it comes back as NaN.
  double Double(int column) const;
  std::string Text(int column) const { return std::string(Bytes(column)); }  // blobs too
  std::string_view Bytes(int column) const;                                  // until the next step

 private:
  void BindOne(int index, int64_t value) { sqlite3_bind_int64(stmt_, index, value); }
  void BindOne(int index, int value) { sqlite3_bind_int64(stmt_, index, value); }
  void BindOne(int index, uint32_t value) { sqlite3_bind_int64(stmt_, index, value); }
  void BindOne(int index, uint64_t value) { sqlite3_bind_int64(stmt_, index, static_cast<int64_t>(value)); }
  void BindOne(int index, bool value) { sqlite3_bind_int64(stmt_, index, value ? 1 : 0); }
  void BindOne(int index, double value) { sqlite3_bind_double(stmt_, index, value); }
  void BindOne(int index, const std::string& value);

  sqlite3* db_;
  sqlite3_stmt* stmt_;
  const std::string& path_;
};

// Calls `read` for every row of a statement that is bound.
template <typename Read>
absl::Status ForEachRow(Statement* statement, Read read) {
  for (;;) {
    const absl::StatusOr<bool> row = statement->Step();
    if (!row.ok()) return row.status();
    if (!*row) return absl::OkStatus();
    read(*statement);
  }
}

struct FinalizeStatement {
  void operator()(sqlite3_stmt* stmt) const { sqlite3_finalize(stmt); }
};

// A statement that is not kept prepared.
class OwnStatement {
 public:
  OwnStatement(sqlite3* db, sqlite3_stmt* stmt, const std::string& path)
      : owner_(stmt), statement_(db, stmt, path) {}
  Statement& get() { return statement_; }

 private:
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> owner_;
  Statement statement_;
};

// The one owner of the sqlite3 handle. Not thread-safe.
class Connection {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  // Opens with foreign keys, busy timeout and extended error codes on. A read-only file in a folder that
  // cannot be written is opened as immutable.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs one or more statements and ignores their rows.
  absl::Status Execute(const std::string& sql);
  // Makes this database a copy of another, which must be open: the state of one moment. Unavailable: somebody
  // holds either file; try again.
  absl::Status CopyFrom(Connection* other);
  // Copies what the write-ahead log holds into the file and waits until both are on the disk. Never waits for
  // readers: what one of them still needs stays in the log, which is on the disk too.
  absl::Status Checkpoint();
  // What SQLite's quick_check finds first: broken pages and rows, not what indexes or other tables
  // contradict. Empty: nothing. DeadlineExceeded: `limit` passed before its end.
  absl::StatusOr<std::string> QuickCheck(absl::Duration limit);
  // Prepared at the first call, kept afterwards.
  absl::StatusOr<Statement> Prepare(std::string_view sql);
  // For SQL that is not used again.
  absl::StatusOr<OwnStatement> PrepareOnce(const std::string& sql);
  // The first column of the query's first row; 0 when there is no row.
  absl::StatusOr<int64_t> QueryInt(const std::string& sql);

  // For a read-only connection at a shutdown: statements running now or later soon fail with Unavailable.
  // Thread-safe.
  void End() { ended_ = true; }

  int64_t LastInsertRowid() const { return sqlite3_last_insert_rowid(db_); }
  const std::string& path() const { return path_; }

 private:
  explicit Connection(std::string path) : path_(std::move(path)) {}
  absl::Status OpenHandle(const std::string& uri, int flags);

  const std::string path_;
  sqlite3* db_ = nullptr;
  std::atomic<bool> ended_ = false;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, FinalizeStatement>, std::less<>> statements_;
};

// BEGIN IMMEDIATE; rolled back unless committed.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Connection* connection);
  Transaction(Transaction&& other) noexcept : connection_(other.connection_) { other.connection_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  absl::Status Commit();

 private:
  explicit Transaction(Connection* connection) : connection_(connection) {}
  Connection* connection_;
};

// SQLite's error as a status that names the file: ResourceExhausted (disk full), DataLoss (corrupt, not a
// database), FailedPrecondition (read-only), NotFound, Unavailable (locked), InvalidArgument (a constraint).
absl::Status StatusOfCode(int code, std::string_view message, const std::string& path);

}  // namespace diopi::server

#endif  // SERVER_STORE_SQLITE_H_
