// From the public harness's case configuration (diopi_configs.py) to operator files of a user's own.
#ifndef CASES_IMPORT_IMPORT_CONFIGS_H_
#define CASES_IMPORT_IMPORT_CONFIGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

struct ImportedConfigs {
  std::vector<v1::OperatorFile> files;  // one an operator, in order of their names
  int64_t points = 0;                   // in all of them
  // What was not carried over: "FILE:LINE: CONFIGURATION: why", in the order of the file.
  std::vector<std::string> left_out;
};

// The program (Python) that reads such a file as data: `python3 -c SCRIPT FILE OUT` writes records.
std::string_view ReadConfigsScript();

// `records`: what it wrote for `file_name`. Output shapes and judges are those of `catalog`'s operator of the
// same name; a case of an operator that it has not, or that it cannot expand, is left out. InvalidArgument
// for records that are none.
absl::StatusOr<ImportedConfigs> ImportConfigs(std::string_view records, const std::string& file_name,
                                              const Catalog& catalog);

}  // namespace diopi::cases

#endif  // CASES_IMPORT_IMPORT_CONFIGS_H_
