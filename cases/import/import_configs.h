// Converts the public harness's case configuration (diopi_configs.py) into operator files.
#ifndef CASES_IMPORT_IMPORT_CONFIGS_H_
#define CASES_IMPORT_IMPORT_CONFIGS_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

struct ImportedConfigs {
  // Harness cases that were left out for one reason.
  struct LeftOut {
    std::string reason;
    std::set<std::string> entries;  // the keys of their entries in diopi_configs
    int64_t cases = 0;              // of the harness; 0 for what could not be read at all
    std::string example;            // the first case: "FILE:LINE: ENTRY: why"
  };

  std::vector<v1::OperatorFile> files;  // one per operator, in order of their names
  int64_t points = 0;                   // in all of them
  int64_t entries = 0;                  // of diopi_configs, at least one case of which was carried over
  int64_t carried = 0;                  // cases of the harness: one per function name, shape and dtype
  std::vector<LeftOut> left_out;        // the most cases first
  std::vector<std::string> details;     // every LeftOut, a line each, in the order of the file
  std::vector<LeftOut> ignored;         // fields without a meaning here; `reason` is the name
};

// The Python program that reads such a file as data: `python3 -c SCRIPT FILE OUT` writes records.
std::string_view ReadConfigsScript();

// How the public harness calls the ABI, as the Python that ReadConfigsScript begins with.
std::string_view HarnessScript();

// `records`: what that program wrote for `file_name`. Output shapes and judges are those of the operator of
// `catalog` whose functions the harness calls; cases that do not expand are left out. InvalidArgument for
// malformed records.
absl::StatusOr<ImportedConfigs> ImportConfigs(std::string_view records, const std::string& file_name,
                                              const Catalog& catalog);

}  // namespace diopi::cases

#endif  // CASES_IMPORT_IMPORT_CONFIGS_H_
