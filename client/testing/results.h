// What a run left in its database, for end-to-end tests.
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

// Fails the test when the run cannot be read, or has not exactly one verdict for each of its cases.
StoredRun ReadRun(const std::string& data_folder, const std::string& run = "latest");

// Leaves the checks of the library as a whole out: for tests of what every function does.
StoredRun WithoutLibraryChecks(StoredRun run);

// Whether no judged output has an element: then nothing can be wrong.
bool NothingToGetWrong(const v1::Verdict& verdict);

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_RESULTS_H_
