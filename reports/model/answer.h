// What programs read of results, as messages: the same from a data folder and from a server.
#ifndef REPORTS_MODEL_ANSWER_H_
#define REPORTS_MODEL_ANSWER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/answer_request.pb.h"
#include "diopi/v1/performance.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// The bytes of the message that the request names. InvalidArgument: the request names none, or a name or
// label is not one; the other errors are those of Queries and Resolve.
absl::StatusOr<std::string> Answer(server::Queries& queries, const v1::AnswerRequest& request);

// The run that the request means. NotFound when there is none, FailedPrecondition when it measured nothing.
absl::StatusOr<server::RunFacts> FindMeasuredRun(server::Queries& queries,
                                                 const v1::AnswerRequest::Measurements& request);
absl::StatusOr<v1::RunMeasurements> LoadMeasurements(server::Queries& queries, const server::RunFacts& run);

// Resolves `given` to one of `known`: an exact name, a unique prefix, or a glob with one match. NotFound
// names the nearest, InvalidArgument some of several matches; both use `what` ("case") in their text.
absl::StatusOr<std::string> Resolve(const std::string& what, const std::string& given,
                                    const std::vector<std::string>& known);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_ANSWER_H_
