#include "cases/core/builtin.h"

#include "cases/core/catalog.h"
#include "cases/core/library_checks.h"

namespace diopi::cases {

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::LoadBuiltin() {
  std::vector<v1::OperatorFile> files;
  for (std::string_view bytes : BuiltinOperators()) {
    if (!files.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return absl::InternalError("an embedded operator's file does not parse");
    }
  }
  absl::StatusOr<std::unique_ptr<Catalog>> catalog = FromFiles(std::move(files));
  if (catalog.ok()) (*catalog)->library_checks_ = LibraryChecks();
  return catalog;
}

}  // namespace diopi::cases
