#include "cases/core/builtin.h"

#include <algorithm>
#include <utility>

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
  if (!catalog.ok()) return catalog;
  (*catalog)->library_checks_ = LibraryChecks();
  (*catalog)->models_ = BuiltinModels();
  (*catalog)->model_parts_ = BuiltinModelParts();
  return catalog;
}

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::LoadBuiltinWith(std::vector<v1::OperatorFile> more) {
  absl::StatusOr<std::unique_ptr<Catalog>> catalog = LoadBuiltin();
  if (!catalog.ok()) return catalog;
  std::vector<v1::OperatorFile>& operators = (*catalog)->operators_;
  for (v1::OperatorFile& op : more) operators.push_back(std::move(op));
  std::stable_sort(
      operators.begin(), operators.end(),
      [](const v1::OperatorFile& a, const v1::OperatorFile& b) { return a.operator_() < b.operator_(); });
  return catalog;
}

}  // namespace diopi::cases
