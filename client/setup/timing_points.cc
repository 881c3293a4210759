#include "client/setup/timing_points.h"

#include <utility>

namespace diopi::agent {

absl::StatusOr<std::unique_ptr<cases::Catalog>> LoadTimingPoints() {
  std::vector<v1::OperatorFile> files;
  for (const TimingText& file : TimingTexts()) {
    absl::StatusOr<v1::OperatorFile> parsed = cases::ParseOperatorFile(file.text, file.name);
    if (!parsed.ok()) return parsed.status();
    files.push_back(*std::move(parsed));
  }
  return cases::Catalog::FromFiles(std::move(files));
}

}  // namespace diopi::agent
