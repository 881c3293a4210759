// Measures how long the dashboards' queries take on a database of many runs.
// usage: query_bench FOLDER [RUNS CASES [ROUNDS]]; makes FOLDER/results.db if there is none (200 runs of
// 5,000 cases on 4 chips, 1,000,000 verdicts), runs each query ROUNDS (11) times and prints a line for it:
// "NAME median MS max MS". Exits 1 when a median is above 100 ms.
//
// Every run is appended as an agent's would be: a run differs from the one before in its times, in the
// outputs of every twentieth case (a library that changes), and in the outcome of every fortieth.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "server/store/database.h"
#include "server/store/queries.h"

namespace diopi::server {
namespace {

using Clock = std::chrono::steady_clock;

int chips = 4;
constexpr double kLimitMs = 100;
constexpr size_t kBatch = 500;

// Names as long as the suite's: some 150 operators with two functions each, four dtypes.
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

// Nine of ten pass; the rest fail or are not implemented. Every fortieth is reversed.
v1::Outcome OutcomeOf(int i, int run) {
  const bool other = run >= chips && (i * 7 + run) % 40 == 0;
  if (i % 10 != 3) return other ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS;
  if (other) return v1::OUTCOME_PASS;
  return i % 20 == 3 ? v1::OUTCOME_FAIL : v1::OUTCOME_NOT_IMPLEMENTED;
}

v1::Verdict VerdictOf(int i, int run) {
  v1::Verdict v;
  v.set_case_id(CaseIdOf(i));
  v.set_case_hash(absl::StrCat("0123456789abcdef01234567", i));
  v.set_outcome(OutcomeOf(i, run));
  v.set_function(FunctionOf(i));
  v.set_operator_(OperatorOf(i));
  v.set_dtype(DtypeOf(i));
  v.set_reference("cpu: diopi cpu reference 0.1 (x86-64; OpenBLAS 0.3.21; library 0123456789abcdef)");
  v.set_tensor_info("[(input, float32, (2, 3, 16)), (other, float32, (2, 3, 16))]");
  v.set_call_us(10 + (i * 7 + run * 13) % 10007 * 0.001);
  v.set_elapsed_us(100 + (i * 11 + run * 17) % 100003 * 0.001);
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
  // Every twentieth case comes out differently from run to run.
  const double figure = 1 + 1.0 / (3 + i + ((i + run) % 20 == 0 ? run : 0));
  for (const auto set :
       {&v1::OutputStats::set_max_ulp, &v1::OutputStats::set_max_z, &v1::OutputStats::set_rms_z,
        &v1::OutputStats::set_max_abs, &v1::OutputStats::set_max_rel, &v1::OutputStats::set_rmse,
        &v1::OutputStats::set_rmse_ideal}) {
    (output.*set)(figure * static_cast<double>(i % 7 + 1));
  }
  output.set_argmax(i % 96);
  output.set_digest(absl::StrCat(absl::Hex(std::hash<double>()(figure), absl::kZeroPad16)));
  for (int bin = 0; bin < 24; ++bin) output.add_ulp_histogram(bin < 6 ? bin * 3 : 0);
  return v;
}

v1::RunOptions OptionsOf(int chip) {
  v1::RunOptions options;
  options.set_chip(absl::StrCat("chip", chip));
  options.set_vendor_name("acme");
  options.set_impl_version("1.0");
  options.set_impl_sha256(absl::StrCat("sha256 of chip", chip));
  options.set_impl_path("/opt/acme/libdiopi_impl.so");
  options.set_timeout_s(30);
  options.set_repeat(2);
  for (int i = 0; i < 300; ++i) options.add_implemented(FunctionOf(i));
  return options;
}

absl::Status AppendRun(Database* database, int number, const std::vector<RunCase>& cases) {
  ASSIGN_OR_RETURN(const auto run, database->CreateRun(OptionsOf(number % chips), "suite", cases));
  std::vector<v1::Verdict> batch;
  for (size_t i = 0; i < cases.size(); ++i) {
    batch.push_back(VerdictOf(static_cast<int>(i), number));
    if (batch.size() < kBatch && i + 1 < cases.size()) continue;
    RETURN_IF_ERROR(database->Append(run.run_id(), batch).status());
    batch.clear();
  }
  return database->SetState(run.run_id(), v1::RUN_STATE_FINISHED);
}

absl::Status Make(const std::string& path, int runs, int count) {
  ASSIGN_OR_RETURN(const auto database, Database::Open(path, {}));
  std::vector<RunCase> cases;
  for (int i = 0; i < count; ++i) {
    cases.push_back({CaseIdOf(i), VerdictOf(i, 0).case_hash(), FunctionOf(i), OperatorOf(i)});
  }
  for (int run = 0; run < runs; ++run) {
    RETURN_IF_ERROR(AppendRun(database.get(), run, cases));
  }
  return absl::OkStatus();
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
  if (argc != 2 && (argc < 4 || argc > 6)) {
    std::fputs("usage: query_bench FOLDER [RUNS CASES [ROUNDS [CHIPS]]]\n", stderr);
    return 2;
  }
  const std::string path = DatabasePath(argv[1]);
  const int runs = argc > 2 ? std::stoi(argv[2]) : 200;
  const int cases = argc > 3 ? std::stoi(argv[3]) : 5000;
  const int rounds = argc > 4 ? std::stoi(argv[4]) : 11;
  if (argc > 5) chips = std::stoi(argv[5]);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    const Clock::time_point start = Clock::now();
    const absl::Status made = Make(path, runs, cases);
    if (!made.ok()) {
      std::fprintf(stderr, "query_bench: %s\n", std::string(made.message()).c_str());
      return 3;
    }
    const auto bytes = static_cast<double>(std::filesystem::file_size(path, ignored));
    std::printf("made %d runs of %d cases in %.1f s: %.0f MB, %.0f bytes a verdict\n", runs, cases,
                std::chrono::duration<double>(Clock::now() - start).count(), bytes * 1e-6,
                bytes / (static_cast<double>(runs) * cases));
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
