// Reads a run from its database, for end-to-end tests.
#ifndef CLIENT_TESTING_RESULTS_H_
#define CLIENT_TESTING_RESULTS_H_

#include <string>
#include <vector>

#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::testing {

struct StoredRun {
  v1::RunInfo info;
  std::vector<v1::Verdict> verdicts;
};

// Fails the test unless the run can be read and has exactly one verdict for each of its cases.
StoredRun ReadRun(const std::string& data_folder, const std::string& run = "latest");

// Leaves out the checks of the library as a whole, for tests of every function's behaviour.
StoredRun WithoutLibraryChecks(StoredRun run);

// Whether no judged output has any element, so that nothing can be wrong.
bool NothingToGetWrong(const v1::Verdict& verdict);

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_RESULTS_H_
