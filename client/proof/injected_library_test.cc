#include "client/proof/injected_library.h"

#include <set>

#include "build_paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl_loader/library/library.h"

namespace diopi::proof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseInjected, ReadsEveryField) {
  const auto all = ParseInjected(
      "winograd\t0\tdiopiConvolution2d\tfastconv tf32\tWinograd F(4x4)\n"
      "alpha\t51\tdiopiAdd diopiAddInp\t\talpha taken as 1\n");
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].name, "alpha");
  EXPECT_EQ((*all)[0].catalogue, 51);
  EXPECT_THAT((*all)[0].functions, ElementsAre("diopiAdd", "diopiAddInp"));
  EXPECT_THAT((*all)[0].contracts, ElementsAre());
  EXPECT_EQ((*all)[0].text, "alpha taken as 1");
  EXPECT_THAT((*all)[1].contracts, ElementsAre("fastconv", "tf32"));
}

TEST(ParseInjected, RefusesWhatItCannotRead) {
  const struct {
    const char* listing;
    const char* message;
  } rows[] = {
      {"alpha\t51\tdiopiAdd\t\n", "separated by tabs"},
      {"alpha\tmany\tdiopiAdd\t\ttext\n", "separated by tabs"},
      {"alpha\t51\tdiopiAddd\t\ttext\n", "no function 'diopiAddd'"},
      {"alpha\t51\t\t\ttext\n", "names no function"},
      {"alpha\t51\tdiopiAdd\t\ta\nalpha\t0\tdiopiMul\t\tb\n", "have the name alpha"},
  };
  for (const auto& row : rows) {
    const auto all = ParseInjected(row.listing);
    ASSERT_FALSE(all.ok()) << row.listing;
    EXPECT_THAT(std::string(all.status().message()), HasSubstr(row.message));
  }
}

TEST(ReadInjected, NamesALibraryWithoutAnything) {
  const auto all = ReadInjected(DIOPI_BINARY_DIR "/lib/vendors/vendor_null.so");
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(std::string(all.status().message()), HasSubstr("no injected bugs or variants"));
}

TEST(ReadInjected, ReadsOurLibraries) {
  for (const char* name :
       {"libdiopi_mutants.so", "libdiopi_variants.so", "libdiopi_unseen.so", "libdiopi_unseen2.so"}) {
    const auto all = ReadInjected(std::string(DIOPI_BINARY_DIR "/lib/vendors/") + name);
    ASSERT_TRUE(all.ok()) << name << ": " << all.status();
    const auto symbols = loader::ReadElfSymbols(std::string(DIOPI_BINARY_DIR "/lib/vendors/") + name);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    for (const Injected& injected : *all) {
      EXPECT_FALSE(injected.text.empty()) << injected.name;
      for (const std::string& function : injected.functions) {
        EXPECT_THAT(symbols->exported, testing::Contains(function)) << name << ": " << injected.name;
      }
    }
  }
}

TEST(ReadInjected, TheUnseenBugsAreManyAndOfManyFunctions) {
  const auto all = ReadInjected(DIOPI_BINARY_DIR "/lib/vendors/libdiopi_unseen.so");
  ASSERT_TRUE(all.ok()) << all.status();
  std::set<std::string> names, functions;
  for (const Injected& injected : *all) {
    names.insert(injected.name);
    functions.insert(injected.functions.begin(), injected.functions.end());
  }
  EXPECT_EQ(names.size(), all->size());
  EXPECT_GE(names.size(), 100u);
  EXPECT_GE(functions.size(), 60u);
}

}  // namespace
}  // namespace diopi::proof
