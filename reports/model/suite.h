// The functions that have cases in the built-in suite.
#ifndef REPORTS_MODEL_SUITE_H_
#define REPORTS_MODEL_SUITE_H_

#include <map>
#include <string>

namespace diopi::reports {

// A function's place in the suite: its operator and family in cases/ops, or "library" for a function that a
// check of the library as a whole tests. A function of several operators belongs to the one whose cover has
// it.
struct SuitePlace {
  std::string op;
  std::string family;
};
using SuiteIndex = std::map<std::string, SuitePlace>;  // by function

// Read once, from the built-in files.
const SuiteIndex& BuiltinSuite();

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_SUITE_H_
