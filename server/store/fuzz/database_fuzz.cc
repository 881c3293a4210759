// Results databases and archives, damaged, foreign or hostile, read and changed by everything that opens one.
// The first byte says what the rest is:
//   0  the whole file
//   1  edits of a database that we have written: triples of a place (two bytes) and a new byte; the last odd
//   byte cuts
//      the file
//   2  a value for a column of all rows of a table of ours: two bytes choose the column, one the value's type
// Whatever the file is, the answers are statuses, and what could be archived passes its own check.
#include <sqlite3.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"
#include "server/store/upkeep.h"

namespace {

namespace server = diopi::server;
namespace v1 = diopi::v1;

[[noreturn]] void Finding(const std::string& what) {
  std::fprintf(stderr, "database_fuzz: %s\n", what.c_str());
  std::abort();
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Expect(const absl::Status& status) {
  if (!status.ok()) Finding(status.ToString());
}

// Two finished runs, one with a tag and measurements.
std::string Written() {
  const diopi::TestFolder folder;
  std::string tagged;
  {
    const auto database = server::OpenIn(folder);
    for (int run = 0; run < 2; ++run) {
      std::vector<v1::Verdict> verdicts;
      for (int i = 0; i < 3; ++i) {
        verdicts.push_back(server::MakeVerdict(i, i == run ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS));
        v1::OutputStats* output = verdicts.back().add_outputs();
        output->set_key("out");
        output->set_max_ulp(1.5);
      }
      const auto made =
          database->AddFinishedRun(server::MakeOptions("chip"), "suite", server::MakeCases(3), verdicts);
      Expect(made.status());
      tagged = made->run_id();
      v1::Measurement measured;
      measured.set_case_id(server::CaseId(0));
      const v1::Measurement* const measurements[] = {&measured};
      database->AppendPerformance(tagged, measurements, nullptr).IgnoreError();
    }
  }
  Expect(server::TagRun(folder / "results.db", tagged, "release").status());
  return ReadAll(folder / "results.db");
}

const std::string& Whole() {
  static const std::string& written = *new std::string(Written());
  return written;
}

std::string Edited(const uint8_t* edits, size_t size) {
  std::string file = Whole();
  for (; size >= 3; edits += 3, size -= 3) file[(edits[0] * 256u + edits[1]) * 2 % file.size()] ^= edits[2];
  if (size > 0) file.resize(file.size() * edits[0] / 256);
  return file;
}

std::vector<std::pair<std::string, std::string>> Columns(sqlite3* db) {
  std::vector<std::pair<std::string, std::string>> columns;
  const auto add = [](void* into, int, char** values, char**) {
    static_cast<std::vector<std::pair<std::string, std::string>>*>(into)->emplace_back(values[0], values[1]);
    return 0;
  };
  sqlite3_exec(
      db,
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' "
      "AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2",
      add, &columns, nullptr);
  return columns;
}

// Sets a column of the database at `path`; rows that a constraint keeps stay.
void SetColumn(const std::string& path, const uint8_t* data, size_t size) {
  if (size < 3) return;
  sqlite3* db = nullptr;
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) Finding("the written database cannot be opened");
  const auto columns = Columns(db);
  if (columns.empty()) Finding("the written database has no tables");
  const auto& [table, column] = columns[(data[0] * 256u + data[1]) % columns.size()];
  sqlite3_stmt* statement = nullptr;
  const std::string sql = absl::StrCat("UPDATE OR IGNORE ", table, " SET ", column, " = ?");
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK) {
    const auto* value = reinterpret_cast<const char*>(data + 3);
    const int bytes = static_cast<int>(size - 3);
    if (data[2] % 4 == 0) sqlite3_bind_text(statement, 1, value, bytes, SQLITE_STATIC);
    if (data[2] % 4 == 1) sqlite3_bind_blob(statement, 1, value, bytes, SQLITE_STATIC);
    if (data[2] % 4 == 2) {
      int64_t number = 0;
      for (int i = 0; i < bytes && i < 8; ++i)
        number = static_cast<int64_t>(static_cast<uint64_t>(number) << 8 | data[3 + i]);
      sqlite3_bind_int64(statement, 1, number);
    }
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

void Query(const std::string& path) {
  const auto queries = server::Queries::Open(path);
  if (!queries.ok()) return;
  (*queries)->Runs({}).status().IgnoreError();
  (*queries)->Run("latest").status().IgnoreError();
  (*queries)->RunCounts("release").status().IgnoreError();
  (*queries)->Describe("latest").status().IgnoreError();
  (*queries)->Explorations({}).status().IgnoreError();
  (*queries)->Chips().status().IgnoreError();
  (*queries)->Tallies("latest").status().IgnoreError();
  (*queries)->ExportedFunctions("latest").status().IgnoreError();
  (*queries)->Devices("latest").status().IgnoreError();
  (*queries)->Cases("latest", {}).status().IgnoreError();
  (*queries)->Verdict("latest", server::CaseId(0)).status().IgnoreError();
  (*queries)->FailedVerdicts("latest").status().IgnoreError();
  (*queries)->History(server::CaseId(0), "chip", 0).status().IgnoreError();
  (*queries)->Failures("latest").status().IgnoreError();
  (*queries)->Times("latest").status().IgnoreError();
  (*queries)->Performance("latest").status().IgnoreError();
  (*queries)->Recent("latest", 0, 10).status().IgnoreError();
}

void Read(server::Database* database) {
  database->ListRuns("", 0).status().IgnoreError();
  database->CasesOf("latest").status().IgnoreError();
  database->DoneCases("latest").status().IgnoreError();
  database->Verdicts("latest", {}).status().IgnoreError();
  database->PageOfVerdicts("latest", {}, "", 1000).status().IgnoreError();
  database->OpenSubmissions().status().IgnoreError();
  database->KnownAgents().status().IgnoreError();
  database->CaseSeconds("chip").status().IgnoreError();
  database->Performance("latest").status().IgnoreError();
  database->Stats().status().IgnoreError();
}

void Change(const diopi::TestFolder& folder, const std::string& path) {
  const std::string archive = folder / "archive.db";
  std::vector<std::string> ids;
  {
    const auto database = server::Database::Open(path, {});
    if (!database.ok()) return;
    (*database)->TryWriting().IgnoreError();
    (*database)->CreateRun(server::MakeOptions("chip"), "suite", server::MakeCases(3)).status().IgnoreError();
    const auto runs = (*database)->ListRuns("", 0);
    for (size_t i = 0; runs.ok() && i < runs->size() && i < 3; ++i) ids.push_back((*runs)[i].run_id());
  }
  server::BytesOfRuns(path, ids).status().IgnoreError();
  for (const std::string& id : ids) {
    if (!server::ArchiveRuns(path, {id}, archive).ok()) continue;
    const auto check = server::CheckDatabase(archive);
    if (!check.ok()) Finding(absl::StrCat("an archive cannot be checked: ", check.status().ToString()));
    std::filesystem::remove(archive);
  }
  server::RemoveRuns(path, ids).status().IgnoreError();
  server::UseOf(path).status().IgnoreError();
  server::Vacuum(path, false).IgnoreError();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // SQLite waits for the disk at every commit: twenty times as slow.
  static const bool in_memory = access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) == 0;
  static_cast<void>(in_memory);
  const diopi::TestFolder folder;
  const std::string path = folder / "results.db";
  const int mode = data[0] % 3;
  const std::string file = mode == 0   ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                           : mode == 1 ? Edited(data + 1, size - 1)
                                       : Whole();
  std::ofstream(path, std::ios::binary) << file;
  if (mode == 2) SetColumn(path, data + 1, size - 1);
  Query(path);
  if (const auto database = server::Database::Open(path, {.read_only = true}); database.ok())
    Read(database->get());
  server::CheckDatabase(path).status().IgnoreError();
  server::Tags(path).status().IgnoreError();
  Change(folder, path);
  return 0;
}
