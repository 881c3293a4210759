// Shared by the commands that read results: opens the database, resolves abbreviated names.
#ifndef CLIENT_CLI_RESULTS_H_
#define CLIENT_CLI_RESULTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/queries.h"

namespace diopi::cli {

// The database of a data folder.
absl::StatusOr<std::unique_ptr<server::Queries>> OpenResults(const std::string& data_folder);

// Resolves `given` to one of `known`: an exact name, a unique prefix, or a glob with one match. NotFound
// names the nearest, InvalidArgument some of several matches; both use `what` ("case") in their text.
absl::StatusOr<std::string> Resolve(const std::string& what, const std::string& given,
                                    const std::vector<std::string>& known);

// The same for a chip that has runs.
absl::StatusOr<std::string> ResolveChip(server::Queries& queries, const std::string& given);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_RESULTS_H_
