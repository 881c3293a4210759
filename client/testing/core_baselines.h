// The fixture of the tests that run whole libraries: one data folder per test program, removed after the last
// test. It uses the build folder's baselines of suite core, which the first of these programs makes and the
// others find up to date.
#ifndef CLIENT_TESTING_CORE_BASELINES_H_
#define CLIENT_TESTING_CORE_BASELINES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "client/testing/programs.h"

namespace diopi::testing {

class CoreBaselinesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const std::string shared = BuildPath("Testing/core");
    std::filesystem::create_directories(shared);
    // One at a time: gen refuses a folder that another gen is writing.
    const Finished gen = RunProgram(
        {"/usr/bin/flock", shared + "/test.lock", BinPath("diopi-cli"), "gen", "--data", shared, "--quiet"});
    EXPECT_EQ(gen.code, 0) << gen.err;
    std::filesystem::create_directories(data());
    std::filesystem::create_directory_symlink(shared + "/baselines", data() + "/baselines");
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string data() { return *folder_ / "data"; }

  // The options that select core: all of it, but in a sanitizer build, which is several times as slow, suite
  // smoke. There self_verdict_e2e_test runs every case of core through kernels and comparison.
  static std::vector<std::string> Core() {
    return kAddressSanitizer ? std::vector<std::string>{"--suite", "smoke"} : std::vector<std::string>{};
  }

  inline static TestFolder* folder_ = nullptr;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_CORE_BASELINES_H_
