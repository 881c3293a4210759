#include "client/cli/spec_file.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "reports/evaluation/spec.h"

namespace diopi::cli {

absl::StatusOr<v1::ChipSpec> ReadSpec(const std::string& path, const std::string& chip) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  absl::StatusOr<v1::ChipSpec> spec = reports::ParseSpec(text, path);
  if (spec.ok() && spec->chip() != chip) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": describes chip '", spec->chip(), "', but the run is of chip '", chip, "'"));
  }
  return spec;
}

}  // namespace diopi::cli
