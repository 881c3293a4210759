// How long the questions of the dashboards take on a database of many runs.
// usage: query_bench FOLDER [RUNS CASES [ROUNDS]]; makes FOLDER/results.db where it is not there (200 runs of
// 5,000 cases on 4 chips, 1,000,000 verdicts), asks everything ROUNDS (11) times and prints a line each:
// "NAME median MS max MS". Exits 1 when a median is above 100 ms.
//
// The first run of each chip is appended as an agent's would be; the others are copies of its rows by SQL,
// with other outcomes here and there, so that ten million rows take minutes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/store/database.h"
#include "server/store/queries.h"
#include "server/store/sqlite.h"
#include "server/store/totals.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChips = 4;
constexpr double kLimitMs = 100;
constexpr int kBatch = 500;

// Names of the lengths that the suite's have: some 150 operators with two functions each, four dtypes.
std::string OperatorOf(int i) {
  return absl::StrCat("operator_", i % 150);
}

v1::Dtype::Code DtypeOf(int i) {
  constexpr v1::Dtype::Code kDtypes[] = {v1::Dtype::float32, v1::Dtype::float16, v1::Dtype::bfloat16,
                                         v1::Dtype::int64};
  return kDtypes[(i / 300) % 4];
}

std::string CaseIdOf(int i) {
  return absl::StrCat(OperatorOf(i), ".float32.a_label_that_says_", i);
}

std::string FunctionOf(int i) {
  return absl::StrCat("diopiFunction", i % 300);
}

// Nine of ten pass; the rest fail or are not implemented.
v1::Outcome OutcomeOf(int i) {
  if (i % 10 != 3) return v1::OUTCOME_PASS;
  return i % 20 == 3 ? v1::OUTCOME_FAIL : v1::OUTCOME_NOT_IMPLEMENTED;
}

v1::Verdict VerdictOf(int i) {
  v1::Verdict v;
  v.set_case_id(CaseIdOf(i));
  v.set_case_hash(absl::StrCat("0123456789abcdef01234567", i));
  v.set_outcome(OutcomeOf(i));
  v.set_function(FunctionOf(i));
  v.set_operator_(OperatorOf(i));
  v.set_dtype(DtypeOf(i));
  v.set_reference("cpu: diopi cpu reference 0.1 (x86-64; OpenBLAS 0.3.21; library 0123456789abcdef)");
  v.set_tensor_info("[(input, float32, (2, 3, 16)), (other, float32, (2, 3, 16))]");
  v.set_call_us(10 + i % 100);
  v.set_elapsed_us(100 + i % 1000);
  v.set_calls(2);
  if (v.outcome() == v1::OUTCOME_NOT_IMPLEMENTED) {
    v.set_reason("the library does not have the function");
    return v;
  }
  if (v.outcome() == v1::OUTCOME_FAIL)
    v.set_reason("out: 3 of 96 elements differ by more than the tolerance");
  v1::OutputStats& output = *v.add_outputs();
  output.set_key("out");
  output.set_ok(v.outcome() == v1::OUTCOME_PASS);
  output.set_public_pass(true);
  output.add_shape(96);
  output.set_elements(96);
  output.set_max_ulp(0.5 + i % 7);
  output.set_max_z(0.25 * (i % 9));
  output.set_rms_z(0.25);
  output.set_digest("0123456789abcdef");
  for (int bin = 0; bin < 24; ++bin) output.add_ulp_histogram(bin);
  return v;
}

v1::RunOptions OptionsOf(int chip) {
  v1::RunOptions options;
  options.set_chip(absl::StrCat("chip", chip));
  options.set_vendor_name("acme");
  options.set_impl_version("1.0");
  options.set_impl_sha256(std::string(64, static_cast<char>('a' + chip)));
  options.set_impl_path("/opt/acme/libdiopi_impl.so");
  options.set_timeout_s(30);
  options.set_repeat(2);
  for (int i = 0; i < 300; ++i) options.add_implemented(FunctionOf(i));
  return options;
}

absl::Status AppendRun(Database* database, int chip, int cases) {
  std::vector<RunCase> covered;
  std::vector<v1::Verdict> verdicts;
  for (int i = 0; i < cases; ++i) {
    verdicts.push_back(VerdictOf(i));
    covered.push_back({verdicts.back().case_id(), verdicts.back().case_hash(), FunctionOf(i), OperatorOf(i)});
  }
  const auto run = database->CreateRun(OptionsOf(chip), "suite", covered);
  if (!run.ok()) return run.status();
  for (size_t i = 0; i < verdicts.size(); i += kBatch) {
    const auto batch = absl::MakeSpan(verdicts).subspan(i, kBatch);
    const auto appended = database->Append(run->run_id(), batch);
    if (!appended.ok()) return appended.status();
  }
  return database->SetState(run->run_id(), v1::RUN_STATE_FINISHED);
}

// Rows of run `from` as those of a new run. Every fortieth case comes out differently.
absl::Status CopyRun(Connection* connection, int64_t from, int64_t number) {
  const std::string id = absl::StrCat("20260101-000000-", absl::Hex(number, absl::kZeroPad4));
  const auto copied = [&](const char* table, const char* columns, const std::string& values) {
    return absl::StrCat("INSERT INTO ", table, " (", columns, ") SELECT ", values, " FROM ", table,
                        " WHERE run = ", from, ";");
  };
  absl::Status status = connection->Execute(absl::StrCat(
      "INSERT INTO runs (run_id, device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, "
      "environment, adaptor, impl_path, agent_version, host, timeout_s, created, finished, state, cases, "
      "options) SELECT '",
      id,
      "', device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, environment, adaptor, impl_path, "
      "agent_version, host, timeout_s, created, finished, state, cases, options FROM runs WHERE id = ",
      from));
  if (!status.ok()) return status;
  const int64_t run = connection->LastInsertRowid();
  const auto first = connection->QueryInt(absl::StrCat("SELECT min(id) FROM results WHERE run = ", from));
  const auto next = connection->QueryInt("SELECT max(id) + 1 FROM results");
  if (!first.ok() || !next.ok()) return absl::InternalError("no run to copy");
  const std::string flip =
      absl::StrCat("CASE WHEN (id * 7 + ", number,
                   ") % 40 = 0 THEN CASE outcome WHEN 1 THEN 2 ELSE 1 END ELSE outcome END");
  const std::string columns = VerdictColumns().Names();
  const std::string values = absl::StrReplaceAll(columns, {{", outcome,", absl::StrCat(", ", flip, ",")}});
  const std::string output = absl::StrCat("ordinal, ", OutputColumns().Names());
  status = connection->Execute(absl::StrCat(
      copied("run_functions", "run, function", absl::StrCat(run, ", function")),
      copied("run_cases", "run, case_id, position, case_hash, function, operator",
             absl::StrCat(run, ", case_id, position, case_hash, function, operator")),
      "INSERT INTO results (id, run, reference, stored, ", columns, ") SELECT id - ", *first, " + ", *next,
      ", ", run, ", reference, stored, ", values, " FROM results WHERE id >= ", *first, " AND run = ", from,
      " ORDER BY id;", "INSERT INTO result_outputs (result, ", output, ") SELECT result - ", *first, " + ",
      *next, ", ", output, " FROM result_outputs WHERE result IN (SELECT id FROM results WHERE run = ", from,
      ") ORDER BY result;"));
  if (status.ok()) status = KeepTotals(connection, run);
  return status;
}

absl::Status Make(const std::string& path, int runs, int cases) {
  {
    const auto database = Database::Open(path, {});
    if (!database.ok()) return database.status();
    for (int chip = 0; chip < kChips; ++chip) {
      absl::Status status = AppendRun(database->get(), chip, cases);
      if (!status.ok()) return status;
    }
  }
  const auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  if (!connection.ok()) return connection.status();
  absl::Status status = (*connection)->Execute("PRAGMA synchronous = OFF");
  for (int run = kChips; run < runs && status.ok(); ++run) {
    absl::StatusOr<Transaction> transaction = Transaction::Begin(connection->get());
    if (!transaction.ok()) return transaction.status();
    status = CopyRun(connection->get(), 1 + run % kChips, run);
    if (status.ok()) status = transaction->Commit();
  }
  return status;
}

struct Question {
  const char* name;
  std::function<absl::Status()> ask;
};

struct Times {
  double median = 0;
  double max = 0;
};

absl::StatusOr<Times> TimesOf(const Question& question, int rounds) {
  std::vector<double> ms;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    absl::Status status = question.ask();
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    if (!status.ok()) return absl::Status(status.code(), absl::StrCat(question.name, ": ", status.message()));
  }
  std::sort(ms.begin(), ms.end());
  return Times{ms[ms.size() / 2], ms.back()};
}

std::vector<Question> QuestionsFor(Queries* q, const std::string& run) {
  const std::string id = CaseIdOf(3);
  return {
      {"run, its totals", [=] { return q->Run(run).status(); }},
      {"run, its counts", [=] { return q->RunCounts(run).status(); }},
      {"run, options", [=] { return q->Describe(run).status(); }},
      {"run, tallies", [=] { return q->Tallies(run).status(); }},
      {"run, cards", [=] { return q->Devices(run).status(); }},
      {"run, exported functions", [=] { return q->ExportedFunctions(run).status(); }},
      {"run, all its cases", [=] { return q->Cases(run, {}).status(); }},
      {"run, its failures as cases",
       [=] {
         return q->Cases(run, CaseFilter{{v1::OUTCOME_FAIL}, {}, {}}).status();
       }},
      {"run, failures", [=] { return q->Failures(run).status(); }},
      {"run, newest 256 verdicts", [=] { return q->Recent(run, 0, 256).status(); }},
      {"case, its verdict", [=] { return q->Verdict(run, id).status(); }},
      {"case, history on a chip", [=] { return q->History(id, "chip1", 0).status(); }},
      {"chips", [=] { return q->Chips().status(); }},
      {"runs, newest 100",
       [=] {
         return q->Runs(RunFilter{std::nullopt, 100}).status();
       }},
      {"runs of a chip, newest 50",
       [=] {
         return q->Runs(RunFilter{"chip1", 50}).status();
       }},
      {"runs, all, without totals", [=] { return q->RunsFacts({}).status(); }},
  };
}

int Main(int argc, char** argv) {
  if (argc != 2 && argc != 4 && argc != 5) {
    std::fputs("usage: query_bench FOLDER [RUNS CASES [ROUNDS]]\n", stderr);
    return 2;
  }
  const std::string path = DatabasePath(argv[1]);
  const int runs = argc > 2 ? std::stoi(argv[2]) : 200;
  const int cases = argc > 3 ? std::stoi(argv[3]) : 5000;
  const int rounds = argc > 4 ? std::stoi(argv[4]) : 11;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    const Clock::time_point start = Clock::now();
    const absl::Status made = Make(path, runs, cases);
    if (!made.ok()) {
      std::fprintf(stderr, "query_bench: %s\n", std::string(made.message()).c_str());
      return 3;
    }
    std::printf("made %d runs of %d cases in %.1f s, %.0f MB\n", runs, cases,
                std::chrono::duration<double>(Clock::now() - start).count(),
                static_cast<double>(std::filesystem::file_size(path, ignored)) * 1e-6);
  }
  const auto queries = Queries::Open(path);
  if (!queries.ok()) {
    std::fprintf(stderr, "query_bench: %s\n", std::string(queries.status().message()).c_str());
    return 3;
  }
  const auto latest = (*queries)->Run("latest");
  if (!latest.ok()) return 3;
  bool within = true;
  for (const Question& question : QuestionsFor(queries->get(), latest->facts.run_id)) {
    const absl::StatusOr<Times> times = TimesOf(question, rounds);
    if (!times.ok()) {
      std::fprintf(stderr, "query_bench: %s\n", std::string(times.status().message()).c_str());
      return 3;
    }
    within = within && times->median <= kLimitMs;
    std::printf("%-32s median %8.2f max %8.2f\n", question.name, times->median, times->max);
  }
  return within ? 0 : 1;
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  return diopi::server::Main(argc, argv);
}
