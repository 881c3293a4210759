#include "client/cli/spec_file.h"

#include "absl/strings/str_cat.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "reports/evaluation/spec.h"

namespace diopi::cli {

absl::StatusOr<v1::ChipSpec> ReadSpec(const std::string& path, const std::string& chip) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  absl::StatusOr<v1::ChipSpec> spec = reports::ParseSpec(text, path);
  if (spec.ok() && spec->chip() != chip) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": describes chip '", spec->chip(), "', but the run is of chip '", chip, "'"));
  }
  return spec;
}

}  // namespace diopi::cli
