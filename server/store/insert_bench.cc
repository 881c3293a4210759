// Verdicts a second into results.db by Database::Append, beside a bare loop over prepared inserts of the same
// columns into the same two tables without keys or constraints, in transactions of the same size.
// usage: insert_bench FOLDER VERDICTS BATCH; prints "append N" and "bare N", verdicts a second.
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
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
    v.set_tags("[float32]");
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

bool Append(const std::string& path, const std::vector<v1::Verdict>& verdicts, size_t batch) {
  auto database = Database::Open(path, {});
  if (!database.ok()) return false;
  std::vector<RunCase> cases;
  cases.reserve(verdicts.size());
  for (const v1::Verdict& v : verdicts)
    cases.push_back({v.case_id(), v.case_hash(), v.function(), v.operator_()});
  const auto run = (*database)->CreateRun({}, "suite", cases);
  if (!run.ok()) return false;
  const Clock::time_point start = Clock::now();
  const absl::Span<const v1::Verdict> all(verdicts);
  for (size_t i = 0; i < all.size(); i += batch) {
    if (!(*database)->Append(run->run_id(), all.subspan(i, batch)).ok()) return false;
  }
  std::printf("append %.0f\n", PerSecond(verdicts.size(), start));
  return true;
}

bool Execute(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  std::fprintf(stderr, "insert_bench: %s: %s\n", sql.c_str(), sqlite3_errmsg(db));
  return false;
}

sqlite3_stmt* Prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  return statement;
}

// An insert into a table of the same columns; every value is bound anew for each row, from the row that
// Append wrote.
struct BareTable {
  sqlite3_stmt* source;
  sqlite3_stmt* insert;
  int columns;

  BareTable(sqlite3* db, const std::string& name)
      : source(Prepare(db, absl::StrCat("SELECT * FROM full.", name, " LIMIT 1"))),
        insert(nullptr),
        columns(sqlite3_column_count(source)) {
    Execute(db, absl::StrCat("CREATE TABLE ", name, " AS SELECT * FROM full.", name, " WHERE 0"));
    std::string marks = "?";
    for (int i = 1; i < columns; ++i) marks += ",?";
    insert = Prepare(db, absl::StrCat("INSERT INTO ", name, " VALUES (", marks, ")"));
    sqlite3_step(source);
  }
  BareTable(const BareTable&) = delete;
  BareTable& operator=(const BareTable&) = delete;
  ~BareTable() {
    sqlite3_finalize(source);
    sqlite3_finalize(insert);
  }
  void Insert() {
    for (int i = 0; i < columns; ++i) {
      switch (sqlite3_column_type(source, i)) {
        case SQLITE_INTEGER:
          sqlite3_bind_int64(insert, i + 1, sqlite3_column_int64(source, i));
          break;
        case SQLITE_FLOAT:
          sqlite3_bind_double(insert, i + 1, sqlite3_column_double(source, i));
          break;
        case SQLITE_NULL:
          sqlite3_bind_null(insert, i + 1);
          break;
        case SQLITE_BLOB:
          sqlite3_bind_blob(insert, i + 1, sqlite3_column_blob(source, i), sqlite3_column_bytes(source, i),
                            SQLITE_STATIC);
          break;
        default:
          sqlite3_bind_text(insert, i + 1, reinterpret_cast<const char*>(sqlite3_column_text(source, i)),
                            sqlite3_column_bytes(source, i), SQLITE_STATIC);
      }
    }
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
};

bool Bare(const std::string& path, const std::string& full, size_t count, size_t batch) {
  sqlite3* db = nullptr;
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) return false;
  bool ok = Execute(db, absl::StrCat("ATTACH '", full, "' AS full")) &&
            Execute(db, "PRAGMA main.journal_mode = WAL; PRAGMA main.synchronous = NORMAL");
  if (ok) {
    BareTable results(db, "results");
    BareTable outputs(db, "result_outputs");
    const Clock::time_point start = Clock::now();
    for (size_t i = 0; i < count && ok; i += batch) {
      ok = Execute(db, "BEGIN");
      for (size_t j = i; j < std::min(count, i + batch); ++j) {
        results.Insert();
        outputs.Insert();
      }
      ok = ok && Execute(db, "COMMIT");
    }
    std::printf("bare %.0f\n", PerSecond(count, start));
    sqlite3_stmt* stored = Prepare(db, "SELECT count(*) FROM result_outputs");
    ok = ok && sqlite3_step(stored) == SQLITE_ROW &&
         sqlite3_column_int64(stored, 0) == static_cast<int64_t>(count);
    sqlite3_finalize(stored);
  }
  sqlite3_close(db);
  return ok;
}

int Main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string folder = argv[1];
  const std::vector<v1::Verdict> verdicts = MakeVerdicts(static_cast<size_t>(std::atoi(argv[2])));
  const auto batch = static_cast<size_t>(std::atoi(argv[3]));
  const std::string full = DatabasePath(folder);
  const bool ok = Append(full, verdicts, batch) && Bare(folder + "/bare.db", full, verdicts.size(), batch);
  if (!ok) std::fputs("insert_bench: failed\n", stderr);
  return ok ? 0 : 3;
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  return diopi::server::Main(argc, argv);
}
