#include "impl_loader/library/abi_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "impl_loader/library/library_testing.h"

namespace diopi::loader {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const AbiSymbol* Find(const std::vector<AbiSymbol>& symbols, const std::string& demangled) {
  for (const AbiSymbol& symbol : symbols) {
    if (symbol.demangled == demangled) return &symbol;
  }
  return nullptr;
}

std::vector<std::string> Demangled(const std::vector<AbiSymbol>& symbols) {
  std::vector<std::string> names(symbols.size());
  for (size_t i = 0; i < names.size(); ++i) names[i] = symbols[i].demangled;
  return names;
}

TEST(AbiCheckTest, SoundLibrary) {
  const auto report = CheckAbi(kVendors + "elf_good.so");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->implemented, ElementsAre("diopiReluInp"));
  EXPECT_EQ(report->lacking.size(), 537u);
  EXPECT_EQ(report->dialect, "conform_test");
  for (const MetaSymbol& meta : report->meta)
    EXPECT_EQ(meta.state, MetaSymbol::State::kExported) << meta.name;
  EXPECT_TRUE(report->ok()) << FormatAbiReport(*report);
}

TEST(AbiCheckTest, TheRecorderImplementsEverything) {
  const auto report = CheckAbi(kVendors + "recorder.so");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->implemented.size(), 538u);
  EXPECT_THAT(report->lacking, IsEmpty());
  EXPECT_EQ(report->dialect, "none");
  EXPECT_TRUE(report->ok()) << FormatAbiReport(*report);
}

TEST(AbiCheckTest, OlderDialect) {
  const auto report = CheckAbi(kVendors + "elf_register.so");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->dialect, "register");
  EXPECT_TRUE(report->ok()) << FormatAbiReport(*report);
}

TEST(AbiCheckTest, DeviceFunctionsBeside) {
  AbiCheckOptions options;
  options.beside = {kVendors + "elf_good.so"};
  const auto report = CheckAbi(kVendors + "recorder.so", options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->dialect, "conform_test");
  options.beside = {"/no/such.so"};
  EXPECT_EQ(CheckAbi(kVendors + "recorder.so", options).status().code(), absl::StatusCode::kNotFound);
}

TEST(AbiCheckTest, WrongNames) {
  const auto report = CheckAbi(kVendors + "elf_odd.so");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->implemented, ElementsAre("diopiSin"));
  EXPECT_THAT(Demangled(report->unknown),
              ::testing::UnorderedElementsAre("diopiSqrtt", "diopirelu", "diopiGetTensorDtype",
                                              "diopiCos(void*, void*, void const*)", "diopiGetVendorName()",
                                              "impl::diopiTan(void*, void*, void const*)"));
  struct Row {
    const char* name;
    const char* problem;
    std::vector<std::string> first;
  };
  for (const Row& row : {Row{"diopiSqrtt", "no such function", {"diopiSqrt"}},
                         Row{"diopirelu", "no such function", {"diopiRelu"}},
                         Row{"diopiGetTensorDtype", "the host provides this", {}},
                         Row{"diopiCos(void*, void*, void const*)", "declare it extern \"C\"", {"diopiCos"}},
                         Row{"diopiGetVendorName()", "declare it extern \"C\"", {"diopiGetVendorName"}}}) {
    SCOPED_TRACE(row.name);
    const AbiSymbol* symbol = Find(report->unknown, row.name);
    ASSERT_NE(symbol, nullptr);
    EXPECT_THAT(symbol->problem, HasSubstr(row.problem));
    ASSERT_GE(symbol->nearest.size(), row.first.size());
    if (row.first.empty()) {
      EXPECT_THAT(symbol->nearest, IsEmpty());
    } else {
      EXPECT_EQ(symbol->nearest[0], row.first[0]);
    }
  }
  ASSERT_EQ(report->meta.size(), 3u);
  EXPECT_EQ(report->meta[0].state, MetaSymbol::State::kMangled);
  EXPECT_EQ(report->meta[1].state, MetaSymbol::State::kAbsent);
  EXPECT_EQ(report->dialect, "conform_test");
  EXPECT_EQ(report->device_lacking.size(), 7u);
  EXPECT_THAT(report->device_lacking, Not(Contains("device_malloc")));
  EXPECT_FALSE(report->ok());
}

TEST(AbiCheckTest, UndefinedSymbolsAndMissingLibraries) {
  AbiCheckOptions options;
  options.search.library_path.clear();
  const auto without = CheckAbi(kVendors + "elf_odd.so", options);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_THAT(
      Demangled(without->undefined),
      ::testing::UnorderedElementsAre("diopiGetTensorDatas", "nobody_has_this", "elf_dependency_answer"));
  EXPECT_EQ(Find(without->undefined, "diopiGetTensorDatas")->nearest[0], "diopiGetTensorData");
  EXPECT_THAT(Demangled(without->undefined_weak), ElementsAre("diopiGetTensorShapes"));
  EXPECT_EQ(without->undefined_weak[0].nearest[0], "diopiGetTensorShape");
  ASSERT_EQ(without->missing.size(), 1u);
  EXPECT_EQ(without->missing[0].name, "elf_dependency.so");
  EXPECT_EQ(without->missing[0].needed_by, kVendors + "elf_odd.so");

  options.search.library_path = {kVendors + "aside"};
  const auto with = CheckAbi(kVendors + "elf_odd.so", options);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_THAT(with->missing, IsEmpty());
  EXPECT_THAT(with->dependencies, Contains(kVendors + "aside/elf_dependency.so"));
  EXPECT_THAT(Demangled(with->undefined),
              ::testing::UnorderedElementsAre("diopiGetTensorDatas", "nobody_has_this"));
}

TEST(AbiCheckTest, ReportAsText) {
  AbiCheckOptions options;
  options.search.library_path.clear();
  const auto report = CheckAbi(kVendors + "elf_odd.so", options);
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string text = FormatAbiReport(*report);
  for (const char* line :
       {"implements 1 of 538 functions\ndevice functions: conform_test\n",
        "diopiGetVendorName: mangled: declare it extern \"C\"\ndiopiGetImplVersion: absent\n",
        "exported names that are not in the ABI: 6\n",
        "  diopiSqrtt: the ABI has no such function; the ABI has diopiSqrt",
        "  diopiGetVendorName(): mangled: declare it extern \"C\" (symbol _Z18diopiGetVendorNamev)",
        "undefined symbols: 3\n", "missing library: elf_dependency.so, needed by ",
        "\nproblems found: runs reject this library\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(AbiCheckTest, FindingsComeFirstAndFunctionsAreListedOnRequest) {
  AbiCheckOptions options;
  options.search.library_path.clear();
  const auto report = CheckAbi(kVendors + "elf_odd.so", options);
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string text = FormatAbiReport(*report);
  EXPECT_LT(text.find("missing library"), text.find("undefined symbols"));
  EXPECT_LT(text.find("undefined symbols"), text.find("implements 1"));
  EXPECT_THAT(text, Not(HasSubstr("diopiSin\n")));
  EXPECT_THAT(text, Not(HasSubstr("  diopiAdd\n")));
  const std::string both = FormatAbiReport(*report, {.implemented = true, .missing = true});
  EXPECT_THAT(both, HasSubstr("implements 1 of 538 functions\n  diopiSin\n"));
  EXPECT_THAT(both, HasSubstr("does not implement 537 functions\n"));
  EXPECT_THAT(both, HasSubstr("  diopiAdd\n"));
}

TEST(AbiCheckTest, ARunRefusesWhatDoesNotLoadAndWhatImplementsNothing) {
  EXPECT_TRUE(CheckAbi(kVendors + "elf_odd.so")->refused());
  EXPECT_FALSE(CheckAbi(kVendors + "elf_good.so")->refused());
  const auto dependency = CheckAbi(kVendors + "aside/elf_dependency.so");
  ASSERT_TRUE(dependency.ok()) << dependency.status();
  EXPECT_TRUE(dependency->ok());
  EXPECT_TRUE(dependency->refused()) << "it implements nothing";
}

// A cross compiler's library is read, not loaded: the same file, except that its machine is AArch64.
TEST(AbiCheckTest, AnotherArchitecturesSymbolsAreChecked) {
  std::ifstream in(kVendors + "elf_odd.so", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_GT(bytes.size(), 20u);
  bytes[18] = '\xb7';
  const std::string path = ::testing::TempDir() + "/arm64.so";
  std::ofstream(path, std::ios::binary) << bytes;
  const auto report = CheckAbi(path);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->machine, "AArch64");
  EXPECT_THAT(report->implemented, ElementsAre("diopiSin"));
  EXPECT_EQ(report->unknown.size(), 6u);
  EXPECT_THAT(Demangled(report->undefined), ElementsAre("diopiGetTensorDatas"))
      << "others may be provided there";
  EXPECT_THAT(report->missing, IsEmpty());
  EXPECT_TRUE(report->refused());
  EXPECT_THAT(FormatAbiReport(*report), HasSubstr("built for AArch64: its symbols are checked"));
  AbiCheckOptions options;
  options.beside = {kVendors + "elf_good.so"};
  EXPECT_EQ(CheckAbi(path, options).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadElfSymbols(path).status().code(), absl::StatusCode::kInvalidArgument)
      << "it cannot be loaded";
}

TEST(AbiCheckTest, BadFiles) {
  EXPECT_EQ(CheckAbi("/no/such.so").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(CheckAbi("/etc/passwd").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace diopi::loader
