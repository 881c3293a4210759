#include "client/cli/case_data.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/generate/generate.h"
#include "baselines/store/store.h"
#include "cases/base/status_macros.h"
#include "client/setup/paths.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::cli {

absl::StatusOr<CaseData> ReadCaseData(const v1::Case& c, const std::string& data_folder) {
  const std::string path = baselines::BaselinePath(data_folder, "cpu", c.operator_());
  ASSIGN_OR_RETURN(const std::unique_ptr<baselines::BaselineReader> reader,
                   baselines::BaselineReader::Open(path));
  const std::string hash = reader->HashOf(c.id());
  if (hash != c.hash()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, hash.empty() ? " does not hold " : " holds another version of ", c.id(),
                     "; make it with: diopi-cli gen --data ", data_folder, " --fname ", c.operator_()));
  }
  ASSIGN_OR_RETURN(baselines::Baseline baseline, reader->Read(c.id()));
  const baselines::Provenance& from = reader->provenance();
  return CaseData{std::move(baseline.inputs), std::move(baseline.references),
                  absl::StrCat(from.reference, ", ", from.library, " (", from.library_hash.substr(0, 16),
                               ") on ", from.device, ", ", from.versions, ", made ", from.created)};
}

absl::StatusOr<CaseData> ReadOrMakeCaseData(const v1::Case& c, const std::string& data_folder,
                                            const std::string& reference_library) {
  absl::StatusOr<CaseData> stored = ReadCaseData(c, data_folder);
  if (stored.ok()) return stored;
  const std::string path = agent::ReferenceLibraryOr(reference_library);
  ASSIGN_OR_RETURN(const std::unique_ptr<loader::InProcessLibrary> library,
                   loader::InProcessLibrary::Open(path));
  ASSIGN_OR_RETURN(baselines::Baseline made, baselines::GenerateCase(*library, c));
  return CaseData{
      std::move(made.inputs), std::move(made.references),
      absl::StrCat("computed now with ", path, " (", std::string(stored.status().message()), ")")};
}

}  // namespace diopi::cli
