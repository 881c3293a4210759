// The labels of a run: those of --label, and what the environment of a CI system says: commit, branch, ticket
// and pipeline.
#ifndef CLIENT_SETUP_LABELS_H_
#define CLIENT_SETUP_LABELS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/labels.h"

namespace CLI {
class App;
}

namespace diopi::agent {

// The value of a variable; empty: not set.
using Environment = std::function<std::string(const std::string& name)>;

Environment ProcessEnvironment();

// What GitHub Actions, GitLab CI or Jenkins say about the job in which this program runs; none without one of
// them. What cannot be a label is left out.
server::Labels CiLabels(const Environment& environment);

// CiLabels, replaced by those of `given`, each KEY=VALUE; an empty VALUE leaves a label out. Values are made
// valid UTF-8. InvalidArgument names --label.
absl::StatusOr<server::Labels> RunLabels(const std::vector<std::string>& given,
                                         const Environment& environment);

// --label, which may be given several times.
void AddLabelOption(CLI::App* app, std::vector<std::string>* labels);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_LABELS_H_
