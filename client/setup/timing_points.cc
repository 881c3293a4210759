#include "client/setup/timing_points.h"

#include <utility>

#include "cases/base/status_macros.h"

namespace diopi::agent {

absl::StatusOr<std::unique_ptr<cases::Catalog>> LoadTimingPoints() {
  std::vector<v1::OperatorFile> files;
  for (const TimingText& file : TimingTexts()) {
    ASSIGN_OR_RETURN(v1::OperatorFile parsed, cases::ParseOperatorFile(file.text, file.name));
    files.push_back(std::move(parsed));
  }
  return cases::Catalog::FromFiles(std::move(files));
}

}  // namespace diopi::agent
