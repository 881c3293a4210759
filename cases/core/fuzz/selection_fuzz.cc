// Tests selections as agents and users send them: function names and globs, case globs, dtypes, suites; and
// the suggestions for those that match nothing. The first byte chooses between a Selection message and lines
// of text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cases/base/dtype.h"
#include "cases/base/match.h"
#include "cases/core/catalog.h"

namespace {

constexpr char kRelu[] = R"(
operator: "relu"  family: "activation"
function { name: "diopiRelu"  arg { name: "out" like: "input" }  judge { kind: EXACT } }
grid {
  dtypes: [float32, float64]
  point { label: "small" reveals: "f" in { name: "input" shape: [5] } }
  point { label: "wide_a" reveals: "g" in { name: "input" shape: [2, 70] } }
}
)";

std::unique_ptr<diopi::cases::Catalog> MakeCatalog() {
  auto file = diopi::cases::ParseOperatorFile(kRelu, "relu.textproto");
  if (!file.ok()) std::abort();
  std::vector<diopi::v1::OperatorFile> files;
  files.push_back(*std::move(file));
  auto catalog = diopi::cases::Catalog::FromFiles(std::move(files));
  if (!catalog.ok()) std::abort();
  return *std::move(catalog);
}

// One name per line: "f NAME", "c GLOB", "d DTYPE"; anything else is the suite.
diopi::v1::Selection FromLines(const std::string& text) {
  diopi::v1::Selection selection;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    if (line.starts_with("f ")) {
      selection.add_functions(rest);
    } else if (line.starts_with("c ")) {
      selection.add_cases(rest);
    } else if (line.starts_with("d ")) {
      const auto dtype = diopi::ParseDtype(rest);
      if (dtype.ok()) selection.add_dtypes(*dtype);
    } else {
      selection.set_suite(line);
    }
  }
  return selection;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const diopi::cases::Catalog& catalog = *MakeCatalog().release();
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  diopi::v1::Selection selection;
  if (data[0] % 2 == 0) {
    if (!selection.ParseFromString(text)) return 0;
  } else {
    selection = FromLines(text);
  }
  const auto cases = catalog.SelectRun(selection);
  // A selection must select what it returns: every id, as a pattern, finds its case.
  if (!cases.ok()) return 0;
  for (const diopi::v1::Case& c : *cases) {
    if (!diopi::GlobMatch(c.id(), c.id())) std::abort();
  }
  return 0;
}
