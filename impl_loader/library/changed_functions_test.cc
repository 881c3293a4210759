// Compiles pairs of real libraries, and checks which differences are reported.
#include "impl_loader/library/changed_functions.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cases/base/test_folder.h"

namespace diopi::loader {
namespace {

// Names of ABI functions; their parameters do not matter here.
constexpr char kSource[] = R"(
static const float table[] = {1.5f, 2.5f, 3.5f, 4.5f};
extern float sinf(float);
__attribute__((noinline)) static float helper(float x) { return x * HELPER; }
__attribute__((noinline)) static float aside(float x) { return sinf(x) - ASIDE; }
float diopiAdd(float x) { return ADD; }
float diopiSub(float x) { return aside(x) + table[(int)x & 3]; }
#ifndef MUL
#define MUL helper(x + 1)
#endif
float diopiMul(float x) { return helper(x) + MUL; }
float diopiMulInp(float x) { return diopiMul(x) + 1; }
#ifdef TABLE
float (*const functions[])(float) = {diopiAdd, diopiSub};
#endif
#ifdef EXTRA
float diopiDiv(float x) { return x / 3; }
#endif
)";

class ChangedFunctionsTest : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ / "lib.c") << kSource; }

  // The library with these -D and other flags.
  std::string Build(const std::string& flags) {
    std::string path = folder_ / std::to_string(count_++) + ".so";
    const std::string command = "cc -O1 -fPIC -shared -DHELPER=x -DASIDE=x -DADD='x+1' " + flags + " -o " +
                                path + " " + folder_ / "lib.c" + " -lm 2>" + folder_ / "errors";
    // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return path;
  }
  std::string Compare(const std::string& before, const std::string& after) {
    const auto changed = CompareLibraries(before, after);
    if (!changed.ok()) return std::string(changed.status().message());
    if (changed->everything) return "everything: " + changed->why;
    std::string text;
    for (const std::string& function : changed->functions) text += (text.empty() ? "" : " ") + function;
    return text;
  }

  const TestFolder folder_;
  int count_ = 0;
};

#ifdef __x86_64__
constexpr bool kX86 = true;
#else
constexpr bool kX86 = false;
#endif

TEST_F(ChangedFunctionsTest, WithKeptRelocations) {
  if (!kX86) GTEST_SKIP() << "kept relocations are read on x86-64 only";
  struct Row {
    const char* flags;
    const char* changed;
  };
  // diopiAdd grows in the second, which moves everything behind it.
  const Row rows[] = {
      {"", ""},
      {"-UADD -DADD='x*x*x*x*x+x*x/(x-(int)x)'", "diopiAdd"},
      {"-DEXTRA", "everything"},  // 3.0f is a new constant
      {"-UHELPER -DHELPER='(x+x)'", "everything: function helper differs"},
      {"-UASIDE -DASIDE='(x+x)'", "everything: function aside differs"},
      {"-DMUL=1", "diopiMul diopiMulInp"},
      {"-g", ""},
      {"-Wl,--build-id=0x1234", ""},
  };
  for (const char* linker : {"-fuse-ld=bfd", "-fuse-ld=mold"}) {
    for (const char* sections : {"", "-ffunction-sections -fdata-sections"}) {
      const std::string common = std::string("-Wl,--emit-relocs ") + linker + " " + sections + " ";
      const std::string before = Build(common);
      for (const Row& row : rows) {
        const std::string changed = Compare(before, Build(common + row.flags));
        const bool whole = row.changed == std::string("everything");
        // The assembler resolves calls inside a section itself, so moving code changes bytes there.
        const bool moved = sections == std::string() && row.changed == std::string("diopiAdd");
        EXPECT_EQ(whole ? changed.substr(0, 10) : changed,
                  moved ? "diopiAdd diopiMul diopiMulInp diopiSub" : row.changed)
            << common << row.flags << ": " << changed;
      }
    }
  }
}

TEST_F(ChangedFunctionsTest, ATableThatRefersToIt) {
  if (!kX86) GTEST_SKIP() << "kept relocations are read on x86-64 only";
  const std::string common = "-Wl,--emit-relocs -ffunction-sections -DTABLE ";
  EXPECT_EQ(Compare(Build(common), Build(common + "-UADD -DADD='x*x'")),
            "everything: diopiAdd differs, and other code or data refers to it");
}

TEST_F(ChangedFunctionsTest, WithoutThemNothingOrEverything) {
  EXPECT_EQ(Compare(Build(""), Build("")), "");
  EXPECT_EQ(Compare(Build("-Wl,--build-id=0x1234"), Build("-Wl,--build-id=0x4321")), "");
  const std::string changed = Compare(Build("-UADD -DADD='x*x'"), Build("-UADD -DADD='x+x'"));
  EXPECT_EQ(changed.substr(0, 33), "everything: section .text differs");
  EXPECT_NE(changed.find("--emit-relocs"), std::string::npos) << changed;
}

TEST_F(ChangedFunctionsTest, OtherLibrariesAreNeeded) {
  EXPECT_EQ(Compare(Build(""), Build("-Wl,--no-as-needed -lpthread -ldl -lrt")).substr(0, 39),
            "everything: other libraries are needed:");
}

TEST_F(ChangedFunctionsTest, WhatIsNoLibrary) {
  const std::string library = Build("");
  EXPECT_NE(Compare(library, folder_ / "lib.c").find("lib.c"), std::string::npos);
  EXPECT_NE(Compare(folder_ / "none.so", library).find("none.so"), std::string::npos);
  // A file cut off anywhere gives an error text, never a crash.
  std::ifstream in(library, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (size_t size = 0; size < bytes.size(); size += 97) {
    std::ofstream(folder_ / "cut.so", std::ios::binary) << bytes.substr(0, size);
    EXPECT_FALSE(CompareLibraries(library, folder_ / "cut.so").ok()) << size;
  }
}

}  // namespace
}  // namespace diopi::loader
