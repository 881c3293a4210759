// Times of a reference device that somebody published, by kernel.
#ifndef REPORTS_PERFORMANCE_REFERENCE_TIMES_H_
#define REPORTS_PERFORMANCE_REFERENCE_TIMES_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace diopi::reports {

struct ReferenceTimes {
  std::string device;
  std::string source;
  std::map<std::string, double> us;  // by kernel, as cases/core/kernel_key.h names it
};

// Columns kernel, dtype, parameters, milliseconds, separated by tabs, below comments (#) and a line with
// these names. InvalidArgument with "LINE: what is wrong".
absl::StatusOr<ReferenceTimes> ParseReferenceTimes(std::string_view table);

// a100_times.tsv: an NVIDIA A100. Thread-safe; lives as long as the program.
const ReferenceTimes& A100Times();

// The text of a100_times.tsv.
std::string_view A100Table();

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_REFERENCE_TIMES_H_
