// Golden files, for tests.
#ifndef REPORTS_RENDER_GOLDEN_TESTING_H_
#define REPORTS_RENDER_GOLDEN_TESTING_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "build_paths.h"

namespace diopi::reports {

// Compares with a file in the testdata of `folder`; DIOPI_UPDATE_GOLDEN=1 rewrites it.
inline void ExpectGolden(const std::string& name, const std::string& actual,
                         const std::string& folder = "reports/render") {
  const std::string path = std::string(DIOPI_SOURCE_DIR) + "/" + folder + "/testdata/" + name;
  if (std::getenv("DIOPI_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path;
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "golden file " << path;
}

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_GOLDEN_TESTING_H_
