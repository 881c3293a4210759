// Measures the time of the dashboards' reports on a database that query_bench made.
// usage: model_bench FOLDER [ROUNDS]; prints "NAME median MS max MS", exits with 1 when one is over 100 ms
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/diff.h"
#include "reports/model/history.h"
#include "reports/model/lab.h"
#include "reports/model/progress.h"
#include "reports/model/run_summary.h"
#include "server/store/database.h"
#include "server/store/queries.h"

namespace diopi::reports {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLimitMs = 100;

struct Question {
  const char* name;
  std::function<absl::Status()> ask;
};

// Whether the median is within the limit.
absl::StatusOr<bool> Time(const Question& question, int rounds) {
  std::vector<double> ms;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    absl::Status status = question.ask();
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    if (!status.ok()) return status;
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%-32s median %8.2f max %8.2f\n", question.name, ms[ms.size() / 2], ms.back());
  return ms[ms.size() / 2] <= kLimitMs;
}

int Fault(const absl::Status& status) {
  std::fprintf(stderr, "model_bench: %s\n", std::string(status.message()).c_str());
  return 3;
}

int Main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: model_bench FOLDER [ROUNDS]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? std::stoi(argv[2]) : 11;
  const auto opened = server::Queries::Open(server::DatabasePath(argv[1]));
  if (!opened.ok()) return Fault(opened.status());
  server::Queries& queries = **opened;
  const auto latest = queries.Run("latest");
  if (!latest.ok()) return Fault(latest.status());
  const std::string chip = latest->facts.chip;
  const auto runs = queries.RunsFacts({chip, 2});
  if (!runs.ok()) return Fault(runs.status());
  if (runs->size() < 2) return Fault(absl::NotFoundError("fewer than 2 runs of a chip"));
  const std::string b = runs->front().run_id;
  const std::string a = runs->back().run_id;
  const auto failures = queries.Failures(b);
  if (!failures.ok() || failures->empty()) return Fault(absl::NotFoundError("no failure"));
  const std::string case_id = failures->front().case_id;
  const Question questions[] = {
      {"page: chips", [&] { return LoadChips(queries).status(); }},
      {"page: chip, heat, flaky cases", [&] { return LoadChip(queries, chip).status(); }},
      {"page: run", [&] { return LoadRun(queries, b).status(); }},
      {"page: history of a case", [&] { return LoadHistory(queries, case_id, chip, 200).status(); }},
      {"page: comparison of two runs", [&] { return LoadDiff(queries, a, b).status(); }},
      {"page: coverage", [&] { return LoadCoverage(queries).status(); }},
      {"page: lab", [&] { return LoadLab(queries, {}).status(); }},
      {"page: progress", [&] { return LoadProgress(queries, b, 0, absl::Now()).status(); }},
  };
  bool within = true;
  for (const Question& question : questions) {
    const absl::StatusOr<bool> good = Time(question, rounds);
    if (!good.ok()) return Fault(good.status());
    within = within && *good;
  }
  return within ? 0 : 1;
}

}  // namespace
}  // namespace diopi::reports

int main(int argc, char** argv) {
  return diopi::reports::Main(argc, argv);
}
