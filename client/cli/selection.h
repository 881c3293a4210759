// The selected cases.
#ifndef CLIENT_CLI_SELECTION_H_
#define CLIENT_CLI_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "client/setup/modes.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

// InvalidArgument or NotFound, with suggestions, for names that do not exist.
absl::StatusOr<std::vector<v1::Case>> SelectCases(const agent::SelectionArguments& arguments);

// The same, one operator's file at a time (cases::Catalog::VisitOperators).
absl::Status VisitCases(const agent::SelectionArguments& arguments, cases::Catalog::VisitOperator visit);

// The calls of the selected models, or of all, that have a selected function and dtype, with those of their
// cases.
absl::Status VisitModelCalls(const agent::SelectionArguments& arguments, cases::Catalog::VisitCall visit);

// Like SelectCases, with the checks of the library as a whole that a run of these cases includes.
absl::StatusOr<std::vector<v1::Case>> SelectRunCases(const agent::SelectionArguments& arguments);

// The case with this id, built in or from `cases_folder` (may be empty); NotFound names the nearest ids.
absl::StatusOr<v1::Case> FindCase(const std::string& id, const std::string& cases_folder);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_SELECTION_H_
