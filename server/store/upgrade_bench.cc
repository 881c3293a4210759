// Measures how long the migration of a results database from schema version 1 takes, and both sizes.
// usage: upgrade_bench FOLDER VERSION_1_SQL RUNS CASES [make]; makes FOLDER/results.db of copies of the first
// run of testdata/version_1.sql and opens it. Prints "upgrade N verdicts S s, U us a verdict,
// B -> B bytes a verdict". With `make`, it only makes the file, for a server that --data FOLDER starts.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/base/status_macros.h"
#include "server/store/database.h"
#include "server/store/sqlite.h"
#include "server/store/upkeep.h"

namespace diopi::server {
namespace {

using Clock = std::chrono::steady_clock;

// Columns that copies take over as they are.
constexpr char kRunColumns[] =
    "device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, environment, adaptor, impl_path, "
    "agent_version, host, timeout_s, created, finished, state, options";
constexpr char kResultColumns[] =
    "r.reference, r.stored, r.case_hash, r.outcome, r.reason, r.call_us, r.signal, r.backtrace, "
    "r.error_code, "
    "r.error_text, r.calls, r.function, r.tensor_info, r.variant, r.dtype, r.operator, r.contracts, "
    "r.likely_cause, r.consistent_with, r.declarable, r.device_index, r.elapsed_us, r.readings, "
    "r.would_pass_under, r.cause_confidence, r.threw, r.waiver, r.adapted, r.conversions";
constexpr char kOutputColumns[] =
    "o.ordinal, o.key, o.dtype, o.ok, o.gates, o.elements, o.mismatches, o.soft, o.max_ulp, o.max_z, "
    "o.rms_z, "
    "o.max_abs, o.max_rel, o.rmse, o.rmse_ideal, o.bias, o.radial_bias, o.nan_actual, o.inf_actual, "
    "o.flushed, "
    "o.zero_fraction, o.detail, o.public_pass, o.public_mismatch_ratio, o.groups, o.argmax, o.leaning, "
    "o.rms_z_device, o.rmse_device, o.rmse_ratio, o.grade, o.digest, o.extra";

// Rows of run `number`: copies of three passing verdicts of run 1, under the ids of other cases.
std::string CopySql(int number, int cases) {
  const std::string n = absl::StrCat(
      "WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n "
      "WHERE value + 1 < ",
      cases, ") INSERT INTO ");
  const char* name = "'add.float32.a_label_that_says_' || n.value";
  const char* of =
      "run = 1 AND r.case_id = CASE n.value % 3 WHEN 0 THEN 'add.float32.p0' WHEN 1 THEN 'add.float32.p3' "
      "ELSE "
      "'add.float32.p5' END";
  const std::string id = absl::StrCat(int64_t{number} * cases, " + n.value");
  return absl::StrCat(
      "INSERT INTO runs (id, run_id, cases, ", kRunColumns, ") SELECT ", number, ", '20250101-000000-' || ",
      number, ", ", cases, ", ", kRunColumns, " FROM runs WHERE id = 1;", n, "run_cases SELECT ", number,
      ", ", name, ", n.value, r.case_hash, r.function, r.operator FROM n JOIN run_cases r ON ", of, ";", n,
      "results (id, run, case_id, ", absl::StrReplaceAll(kResultColumns, {{"r.", ""}}), ") SELECT ", id, ", ",
      number, ", ", name, ", ", kResultColumns, " FROM n JOIN results r ON ", of, ";", n,
      "result_outputs (result, ", absl::StrReplaceAll(kOutputColumns, {{"o.", ""}}), ") SELECT ", id, ", ",
      kOutputColumns, " FROM n JOIN results r ON ", of, " JOIN result_outputs o ON o.result = r.id;");
}

absl::Status MakeOldFile(const std::string& path, const std::string& sql, int runs, int cases) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(path, Connection::Mode::kReadWrite));
  absl::Status status = connection->Execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;" + sql);
  for (int run = 0; run < runs && status.ok(); ++run) {
    status = connection->Execute(absl::StrCat("BEGIN;", CopySql(100 + run, cases), "COMMIT"));
  }
  // Keeps only the copies.
  return status.ok() ? (connection)
                           ->Execute(
                               "DELETE FROM result_outputs WHERE result < 100; DELETE FROM results "
                               "WHERE run < 100; DELETE FROM run_cases WHERE run < 100; "
                               "DELETE FROM runs WHERE id < 100")
                     : status;
}

int Failed(const absl::Status& status) {
  std::fprintf(stderr, "upgrade_bench: %s\n", std::string(status.message()).c_str());
  return 3;
}

int Main(int argc, char** argv) {
  const bool make_only = argc == 6 && std::string_view(argv[5]) == "make";
  if (argc != 5 && !make_only) {
    std::fputs("usage: upgrade_bench FOLDER VERSION_1_SQL RUNS CASES [make]\n", stderr);
    return 2;
  }
  const std::string path = absl::StrCat(argv[1], "/results.db");
  std::ifstream in(argv[2]);
  const std::string sql{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const int runs = std::stoi(argv[3]);
  const int cases = std::stoi(argv[4]);
  absl::Status status = MakeOldFile(path, sql, runs, cases);
  if (!status.ok()) return Failed(status);
  if (make_only) return 0;
  const double verdicts = static_cast<double>(runs) * cases;
  const auto before = static_cast<double>(std::filesystem::file_size(path));
  const Clock::time_point start = Clock::now();
  status = Database::Open(path, {}).status();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!status.ok()) return Failed(status);
  const absl::StatusOr<FileUse> use = UseOf(path);
  if (!use.ok()) return Failed(use.status());
  std::printf("upgrade %.0f verdicts %.1f s, %.1f us a verdict, %.0f -> %.0f bytes a verdict\n", verdicts,
              seconds, seconds / verdicts * 1e6, before / verdicts,
              static_cast<double>(use->bytes - use->free) / verdicts);
  return 0;
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  return diopi::server::Main(argc, argv);
}
