// The functions of which the built-in suite has cases.
#ifndef REPORTS_MODEL_SUITE_H_
#define REPORTS_MODEL_SUITE_H_

#include <map>
#include <string>

namespace diopi::reports {

// Where the suite has a function: operator and family of cases/ops, or "library" for a function that a check
// of the library as a whole tests.
struct SuitePlace {
  std::string op;
  std::string family;
};
using SuiteIndex = std::map<std::string, SuitePlace>;  // by function

// Read from the files that are built in, once.
const SuiteIndex& BuiltinSuite();

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_SUITE_H_
