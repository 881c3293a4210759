#include "impl_loader/library/imports.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "build_paths.h"
#include "impl_loader/library/library.h"

namespace diopi::loader {
namespace {

using Lookup = char* (*)(const char*);

char* Other(const char* /*name*/) {
  static char text[] = "redirected";
  return text;
}

// The second library's slots are read-only once it is loaded.
class ImportsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ImportsTest, CallsAndAddressesAreRedirected) {
  setenv("ELF_IMPORTS_TEST", "original", 1);
  const auto library = Library::Open(std::string(DIOPI_BINARY_DIR "/lib/vendors/") + GetParam());
  ASSERT_TRUE(library.ok()) << library.status();
  const auto call = reinterpret_cast<Lookup>(library->Symbol("elf_imports_call"));
  const auto through = reinterpret_cast<Lookup>(library->Symbol("elf_imports_through_address"));
  EXPECT_STREQ(call("ELF_IMPORTS_TEST"), "original");
  const auto written =
      RedirectImports(reinterpret_cast<const void*>(call), {{"getenv", reinterpret_cast<void*>(&Other)}});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_GE(*written, 2);
  EXPECT_STREQ(call("ELF_IMPORTS_TEST"), "redirected");
  EXPECT_STREQ(through("ELF_IMPORTS_TEST"), "redirected");
  EXPECT_EQ(reinterpret_cast<int (*)(const char*)>(library->Symbol("elf_imports_other"))("42"), 42);
  EXPECT_STREQ(std::getenv("ELF_IMPORTS_TEST"), "original") << "another library's import";
}

INSTANTIATE_TEST_SUITE_P(Libraries, ImportsTest, ::testing::Values("elf_imports.so", "elf_imports_now.so"),
                         [](const auto& test) { return test.index == 0 ? "writable" : "read_only"; });

TEST(ImportsErrorTest, AnAddressOfNoLibraryIsAnError) {
  int local = 0;
  EXPECT_TRUE(absl::IsFailedPrecondition(RedirectImports(nullptr, {}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(RedirectImports(&local, {}).status()));
}

TEST(ImportsErrorTest, FindsTheFileOfAnAddress) {
  const auto library = Library::Open(DIOPI_BINARY_DIR "/lib/vendors/elf_imports.so");
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(FileOfAddress(library->Symbol("elf_imports_call")).value(), library->path());
  int local = 0;
  EXPECT_TRUE(absl::IsNotFound(FileOfAddress(&local).status()));
}

}  // namespace
}  // namespace diopi::loader
