// What the commands that read results share: the database, and names that need not be written out.
#ifndef CLIENT_CLI_RESULTS_H_
#define CLIENT_CLI_RESULTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/queries.h"

namespace diopi::cli {

// The database of a data folder; empty: the default one.
absl::StatusOr<std::unique_ptr<server::Queries>> OpenResults(const std::string& data_folder);

// The one of `known` that `given` means: itself, or the only one that begins with it, or, with * or ?, the
// only one that matches. NotFound with the nearest, InvalidArgument with some of the many; both say it is a
// `what`
// ("case").
absl::StatusOr<std::string> Resolve(const std::string& what, const std::string& given,
                                    const std::vector<std::string>& known);

// The same for a chip that has runs.
absl::StatusOr<std::string> ResolveChip(server::Queries& queries, const std::string& given);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_RESULTS_H_
