// The fixture of the tests that run whole libraries: one data folder a program, with the baselines of suite
// core, made before the first test and removed after the last.
#ifndef CLIENT_TESTING_CORE_BASELINES_H_
#define CLIENT_TESTING_CORE_BASELINES_H_

#include <gtest/gtest.h>

#include <string>

#include "client/testing/programs.h"

namespace diopi::testing {

class CoreBaselinesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    const Finished gen = RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--quiet"});
    EXPECT_EQ(gen.code, 0) << gen.err;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string data() { return *folder_ / "data"; }

  inline static TempFolder* folder_ = nullptr;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_CORE_BASELINES_H_
