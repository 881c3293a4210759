// Measures how many verdicts per second Database::Append stores, beside two bare loops of prepared inserts of
// the same rows, in transactions of the same size: one into the same schema (keys, indexes, foreign keys,
// trigger), one into tables with the same columns and none of those.
// usage: insert_bench FOLDER VERDICTS BATCH; prints "append N", "same N", "bare N" and "again N", verdicts
// per second: medians of five rounds, each of which begins with another of the first three. "again"
// appends what an earlier run of the file has, as most runs do.
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "server/store/database.h"

namespace diopi::server {
namespace {

using Clock = std::chrono::steady_clock;

double PerSecond(size_t count, Clock::time_point start) {
  return static_cast<double>(count) / std::chrono::duration<double>(Clock::now() - start).count();
}

double Failed(const absl::Status& status) {
  std::fprintf(stderr, "insert_bench: %s\n", std::string(status.message()).c_str());
  return 0;
}

// As they come from a run: most pass, with figures for one output.
std::vector<v1::Verdict> MakeVerdicts(size_t count) {
  std::vector<v1::Verdict> verdicts(count);
  for (size_t i = 0; i < count; ++i) {
    v1::Verdict& v = verdicts[i];
    v.set_case_id(absl::StrCat("add.float32.a_case_of_some_length_", i));
    v.set_case_hash(absl::StrCat("0123456789abcdef01234567", i));
    v.set_outcome(v1::OUTCOME_PASS);
    v.set_function("diopiAdd");
    v.set_operator_("add");
    v.set_reference("cpu: diopi cpu reference 0.1 (x86-64; OpenBLAS 0.3.21; library 0123456789abcdef)");
    v.set_tensor_info("[(input, float32, (2, 3, 16)), (other, float32, (2, 3, 16))]");
    v.set_call_us(12.5);
    v.set_calls(2);
    v1::OutputStats& output = *v.add_outputs();
    output.set_key("out");
    output.set_ok(true);
    output.add_shape(96);
    output.set_elements(96);
    output.set_max_ulp(0.5);
    output.set_rms_z(0.25);
    output.set_digest("0123456789abcdef");
    for (int bin = 0; bin < 24; ++bin) output.add_ulp_histogram(bin);
  }
  return verdicts;
}

// Returns verdicts per second; 0: it failed and printed why.
double Append(const std::string& path, const std::vector<v1::Verdict>& verdicts, size_t batch) {
  auto database = Database::Open(path, {});
  if (!database.ok()) return Failed(database.status());
  std::vector<RunCase> cases;
  cases.reserve(verdicts.size());
  for (const v1::Verdict& v : verdicts)
    cases.push_back({v.case_id(), v.case_hash(), v.function(), v.operator_()});
  const auto run = (*database)->CreateRun({}, "suite", cases);
  if (!run.ok()) return Failed(run.status());
  const Clock::time_point start = Clock::now();
  const absl::Span<const v1::Verdict> all(verdicts);
  for (size_t i = 0; i < all.size(); i += batch) {
    const auto appended = (*database)->Append(run->run_id(), all.subspan(i, batch));
    if (!appended.ok()) return Failed(appended.status());
  }
  const double speed = PerSecond(verdicts.size(), start);
  const absl::Status status = (*database)->SetState(run->run_id(), v1::RUN_STATE_FINISHED);
  return status.ok() ? speed : Failed(status);
}

bool Execute(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  std::fprintf(stderr, "insert_bench: %s: %s\n", sql.c_str(), sqlite3_errmsg(db));
  return false;
}

sqlite3_stmt* Prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v3(db, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  return statement;
}

struct Value {
  int type = SQLITE_NULL;
  int64_t integer = 0;
  double real = 0;
  std::string bytes;
};

// All rows of a table, in memory, and the insert that writes one.
class BareTable {
 public:
  BareTable(sqlite3* db, const std::string& name) {
    sqlite3_stmt* source = Prepare(db, absl::StrCat("SELECT * FROM full.", name));
    const int columns = sqlite3_column_count(source);
    while (sqlite3_step(source) == SQLITE_ROW) {
      std::vector<Value>& row = rows_.emplace_back(columns);
      for (int i = 0; i < columns; ++i) Read(source, i, &row[i]);
    }
    sqlite3_finalize(source);
    std::string marks = "?";
    for (int i = 1; i < columns; ++i) marks += ",?";
    insert_ = Prepare(db, absl::StrCat("INSERT INTO main.", name, " VALUES (", marks, ")"));
  }
  BareTable(const BareTable&) = delete;
  BareTable& operator=(const BareTable&) = delete;
  ~BareTable() { sqlite3_finalize(insert_); }

  size_t size() const { return rows_.size(); }
  // Leaves the first column to SQLite, which counts from 1: this gives the rows' own ids, faster.
  void AssignIds() {
    for (std::vector<Value>& row : rows_) row[0].type = SQLITE_NULL;
  }
  bool Insert(size_t row) {
    int index = 0;
    for (const Value& value : rows_[row]) BindOne(++index, value);
    const bool done = sqlite3_step(insert_) == SQLITE_DONE;
    sqlite3_reset(insert_);
    return done;
  }

 private:
  static void Read(sqlite3_stmt* source, int column, Value* value) {
    value->type = sqlite3_column_type(source, column);
    if (value->type == SQLITE_INTEGER) {
      value->integer = sqlite3_column_int64(source, column);
    } else if (value->type == SQLITE_FLOAT) {
      value->real = sqlite3_column_double(source, column);
    } else if (value->type != SQLITE_NULL) {
      const auto* data = static_cast<const char*>(sqlite3_column_blob(source, column));
      const int size = sqlite3_column_bytes(source, column);
      if (size > 0) value->bytes.assign(data, static_cast<size_t>(size));
    }
  }
  void BindOne(int index, const Value& value) {
    switch (value.type) {
      case SQLITE_INTEGER:
        sqlite3_bind_int64(insert_, index, value.integer);
        break;
      case SQLITE_FLOAT:
        sqlite3_bind_double(insert_, index, value.real);
        break;
      case SQLITE_NULL:
        sqlite3_bind_null(insert_, index);
        break;
      case SQLITE_BLOB:
        sqlite3_bind_blob64(insert_, index, value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
        break;
      default:
        sqlite3_bind_text64(insert_, index, value.bytes.data(), value.bytes.size(), SQLITE_STATIC,
                            SQLITE_UTF8);
    }
  }

  std::vector<std::vector<Value>> rows_;
  sqlite3_stmt* insert_ = nullptr;
};

// Makes what must exist before the first verdict: with the schema, everything that verdicts refer to; without
// it, only the columns.
bool MakeTables(sqlite3* db, bool same_schema) {
  if (!same_schema) {
    return Execute(db,
                   "CREATE TABLE verdicts AS SELECT * FROM full.verdicts WHERE 0;"
                   "CREATE TABLE contents AS SELECT * FROM full.contents WHERE 0");
  }
  for (const char* table :
       {"devices", "provenances", "cases", "suites", "suite_cases", "runs", "run_functions"}) {
    if (!Execute(db, absl::StrCat("INSERT INTO main.", table, " SELECT * FROM full.", table))) return false;
  }
  return true;
}

// Contents and verdicts alternate, as Append writes those of the first run.
double Bare(const std::string& path, const std::string& full, size_t batch, bool same_schema) {
  // A new database has the schema.
  if (same_schema && !Database::Open(path, {}).ok()) return 0;
  double per_second = 0;
  sqlite3* db = nullptr;
  bool ok =
      sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      nullptr) == SQLITE_OK &&
      Execute(db, absl::StrCat("ATTACH '", full, "' AS full; PRAGMA foreign_keys = ON")) &&
      Execute(db, "PRAGMA main.journal_mode = WAL; PRAGMA main.synchronous = NORMAL") &&
      MakeTables(db, same_schema);
  if (ok) {
    BareTable contents(db, "contents");
    BareTable rows(db, "verdicts");
    if (same_schema) contents.AssignIds();
    const size_t count = rows.size();
    ok = contents.size() == count && Execute(db, "DETACH full");
    const Clock::time_point start = Clock::now();
    for (size_t i = 0; i < count && ok; i += batch) {
      ok = Execute(db, "BEGIN IMMEDIATE");
      for (size_t j = i; ok && j < std::min(count, i + batch); ++j) ok = contents.Insert(j) && rows.Insert(j);
      ok = ok && Execute(db, "COMMIT");
    }
    per_second = PerSecond(count, start);
    sqlite3_stmt* stored = Prepare(db, "SELECT count(*) FROM verdicts");
    ok = ok && sqlite3_step(stored) == SQLITE_ROW &&
         sqlite3_column_int64(stored, 0) == static_cast<int64_t>(count);
    sqlite3_finalize(stored);
  }
  if (!ok) std::fprintf(stderr, "insert_bench: %s: %s\n", path.c_str(), sqlite3_errmsg(db));
  sqlite3_close(db);
  return ok ? per_second : 0;
}

constexpr int kRounds = 5;
constexpr const char* kNames[] = {"append", "same", "bare", "again"};

int Main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string folder = argv[1];
  const std::vector<v1::Verdict> verdicts = MakeVerdicts(std::stoul(argv[2]));
  const size_t batch = std::stoul(argv[3]);
  const std::string full = DatabasePath(folder);
  if (Append(full, verdicts, batch) <= 0) return 3;  // the rows of the bare loops; not timed
  std::vector<double> speeds[4];
  for (int i = 0; i < 3 * kRounds; ++i) {
    const int which = (i + i / 3) % 3;
    const std::string path = absl::StrCat(folder, "/", i, ".db");
    const double speed =
        which == 0 ? Append(path, verdicts, batch) : Bare(path, full, batch, /*same_schema=*/which == 1);
    if (speed <= 0) return 3;
    speeds[which].push_back(speed);
    for (const char* suffix : {"", "-wal", "-shm"}) std::remove((path + suffix).c_str());
  }
  for (int i = 0; i < kRounds; ++i) {
    const double speed = Append(full, verdicts, batch);
    if (speed <= 0) return 3;
    speeds[3].push_back(speed);
  }
  for (int which = 0; which < 4; ++which) {
    std::sort(speeds[which].begin(), speeds[which].end());
    std::printf("%s %.0f\n", kNames[which], speeds[which][kRounds / 2]);
  }
  return 0;
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  return diopi::server::Main(argc, argv);
}
