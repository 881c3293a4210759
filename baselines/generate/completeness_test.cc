// Nothing half-added: every operator has its reference, its PyTorch counterpart, its functions' cases.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "build_paths.h"
#include "cases/core/catalog.h"
#include "cases/core/library_checks.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::baselines {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const std::vector<v1::Case>& AllCases() {
  static const auto* cases = [] {
    auto catalog = diopi::cases::Catalog::LoadBuiltin();
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    auto selected = (*catalog)->Select(v1::Selection());
    EXPECT_TRUE(selected.ok()) << selected.status();
    return new std::vector<v1::Case>(*selected);
  }();
  return *cases;
}

// And those that a check of the library as a whole tests.
std::set<std::string> FunctionsWithCases() {
  std::set<std::string> functions;
  for (const v1::Case& c : AllCases()) functions.insert(c.function());
  for (const v1::Case& c : diopi::cases::LibraryChecks()) {
    if (!c.function().empty()) functions.insert(c.function());
  }
  return functions;
}

std::set<std::string> ExportedByTheReference() {
  const auto symbols = loader::ReadElfSymbols(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so");
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::set<std::string> functions;
  for (const std::string& name : symbols->exported) {
    if (abi::FindFunction(name) != nullptr) functions.insert(name);
  }
  return functions;
}

// What every match of the pattern captures first, in the lines of the kernels' files with this extension.
std::set<std::string> InLinesOf(const char* extension, const char* pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (const auto& entry : fs::recursive_directory_iterator(DIOPI_SOURCE_DIR "/baselines/ops")) {
    if (entry.path().extension() != extension) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      for (std::sregex_iterator match(line.begin(), line.end(), regex), end; match != end; ++match) {
        found.insert((*match)[1]);
      }
    }
  }
  return found;
}

// Functions that a *_crosscheck.py defines ("def diopiX(a):", "diopiX, diopiY = ..."), and those of one
// operand whose line is their check (ops/elementwise/unary.h).
std::set<std::string> CheckedAgainstPyTorch() {
  std::set<std::string> functions = InLinesOf(".py", "^def (diopi\\w+)\\(a\\):");
  functions.merge(InLinesOf(".py", "(diopi\\w+)(?=(?:, diopi\\w+)* = )"));
  for (const std::string& name : InLinesOf(".cc", "^DIOPI_UNARY\\((\\w+),"))
    functions.insert({"diopi" + name, "diopi" + name + "Inp"});
  for (const std::string& name : InLinesOf(".cc", "^DIOPI_UNARY(?:_INPUT)?_GRAD\\((\\w+),"))
    functions.insert("diopi" + name + "Backward");
  return functions;
}

TEST(CompletenessTest, EveryFunctionWithCasesHasAReference) {
  const std::set<std::string> exported = ExportedByTheReference();
  for (const std::string& function : FunctionsWithCases())
    EXPECT_TRUE(exported.contains(function)) << function;
}

TEST(CompletenessTest, EveryReferenceFunctionHasCases) {
  const std::set<std::string> tested = FunctionsWithCases();
  for (const std::string& function : ExportedByTheReference())
    EXPECT_TRUE(tested.contains(function)) << function;
}

// Functions all of whose judged outputs are random have nothing to compare.
TEST(CompletenessTest, EveryFunctionIsCheckedAgainstPyTorch) {
  std::set<std::string> deterministic;
  for (const v1::Case& c : AllCases()) {
    for (const v1::Judge& judge : c.judges()) {
      if (judge.kind() != v1::Judge::RANDOM && judge.kind() != v1::Judge::NOT_JUDGED) {
        deterministic.insert(c.function());
      }
    }
  }
  const std::set<std::string> checked = CheckedAgainstPyTorch();
  for (const std::string& function : deterministic) EXPECT_TRUE(checked.contains(function)) << function;
}

TEST(CompletenessTest, TheCrosscheckNamesOnlyFunctionsOfTheAbi) {
  for (const std::string& function : CheckedAgainstPyTorch()) {
    EXPECT_NE(abi::FindFunction(function), nullptr) << function;
  }
}

// In-place, scalar and backward partners: where the ABI has diopiXInp, diopiXBackward, ... and diopiX has
// cases, the partner has too.
TEST(CompletenessTest, EveryPartnerOfATestedFunctionIsTested) {
  const std::set<std::string> tested = FunctionsWithCases();
  for (const std::string& function : tested) {
    for (const char* suffix : {"Inp", "Scalar", "InpScalar", "Backward"}) {
      const std::string partner = function + suffix;
      if (abi::FindFunction(partner) == nullptr) continue;
      EXPECT_TRUE(tested.contains(partner)) << partner;
    }
  }
}

TEST(CompletenessTest, CoreIsLargeAndEveryCaseIsSmall) {
  EXPECT_GE(AllCases().size(), 2000u);
  for (const v1::Case& c : AllCases()) EXPECT_FALSE(c.reveals().empty()) << c.id();
}

}  // namespace
}  // namespace diopi::baselines
