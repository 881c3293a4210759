#include "reports/performance/reference_times.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace diopi::reports {

absl::StatusOr<ReferenceTimes> ParseReferenceTimes(std::string_view table) {
  ReferenceTimes times;
  int number = 0;
  bool header = false;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(table.data(), table.size()), '\n')) {
    ++number;
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    if (!header) {
      header = line == "kernel\tdtype\tparameters\tmilliseconds";
      if (header) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(number, ": expected the columns kernel, dtype, parameters, milliseconds"));
    }
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    double milliseconds = 0;
    if (cells.size() != 4 || !absl::SimpleAtod(cells[3], &milliseconds) || !(milliseconds > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat(number, ": expected four cells, the last a time above 0, found '", line, "'"));
    }
    const std::string kernel = absl::StrCat(cells[0], " ", cells[1], " ", cells[2]);
    // A kernel that the benchmark measures twice keeps its first time.
    times.us.emplace(kernel, milliseconds * 1e3);
  }
  return times;
}

const ReferenceTimes& A100Times() {
  static const ReferenceTimes* const times = [] {
    auto* made = new ReferenceTimes(ParseReferenceTimes(A100Table()).value_or(ReferenceTimes()));
    made->device = "NVIDIA A100";
    made->source = "github.com/DeepLink-org/AIChipBenchmark";
    return made;
  }();
  return *times;
}

}  // namespace diopi::reports
