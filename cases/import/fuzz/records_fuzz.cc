// Records of read_configs.py, for a catalog of two operators. What is imported is a file that can be written
// as text and expands.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases/core/catalog.h"
#include "cases/import/import_configs.h"

namespace {

constexpr const char* kOperators[] = {R"(
operator: "relu"  family: "activation"
function { name: "diopiRelu"  arg { name: "out" like: "input" }  judge { kind: EXACT } }
grid { dtypes: [float32] point { label: "small" reveals: "f" in { name: "input" shape: [5] } } }
)",
                                      R"(
operator: "add"  family: "elementwise"
functions { set: "arithmetic_alpha" name: "Add" judge { kind: MATH } }
grid { dtypes: [float32] point { label: "small" reveals: "f" in { name: "input" shape: [5] } in { name: "other" shape: [5] }
  attr { name: "alpha" i: 2 } } }
)"};

std::unique_ptr<diopi::cases::Catalog> MakeCatalog() {
  std::vector<diopi::v1::OperatorFile> files;
  for (const char* text : kOperators) {
    auto file = diopi::cases::ParseOperatorFile(text, "operator.textproto");
    if (!file.ok()) {
      std::fprintf(stderr, "records_fuzz: %s\n", file.status().ToString().c_str());
      std::abort();
    }
    files.push_back(*std::move(file));
  }
  auto catalog = diopi::cases::Catalog::FromFiles(std::move(files));
  if (!catalog.ok()) std::abort();
  return *std::move(catalog);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const diopi::cases::Catalog& catalog = *MakeCatalog().release();
  const std::string_view records(reinterpret_cast<const char*>(data), size);
  const auto imported = diopi::cases::ImportConfigs(records, "configs.py", catalog);
  if (!imported.ok()) return 0;
  for (const diopi::v1::OperatorFile& file : imported->files) {
    const auto cases = diopi::cases::Expand(file, "configs.py");
    if (cases.ok()) continue;
    std::fprintf(stderr, "records_fuzz: %s\n%s\n", cases.status().ToString().c_str(),
                 file.DebugString().c_str());
    std::abort();
  }
  return 0;
}
