// The options that pick cases, and the cases they pick.
#ifndef CLIENT_CLI_SELECTION_H_
#define CLIENT_CLI_SELECTION_H_

#include <CLI/CLI.hpp>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "client/setup/arguments.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

// --fname --case --suite --dtype --filter-dtype
void AddSelectionOptions(CLI::App* app, agent::SelectionArguments* arguments);

// InvalidArgument or NotFound, with suggestions, when they name what does not exist.
absl::StatusOr<std::vector<v1::Case>> SelectCases(const agent::SelectionArguments& arguments);

// The same, those of one operator's file at a time (cases::Catalog::VisitOperators).
absl::Status VisitCases(const agent::SelectionArguments& arguments, cases::Catalog::VisitOperator visit);

// As SelectCases, with the checks of the library as a whole that a run of them covers.
absl::StatusOr<std::vector<v1::Case>> SelectRunCases(const agent::SelectionArguments& arguments);

// --cases
void AddCasesOption(CLI::App* app, std::string* folder);

// The one case of this id, of ours or in `cases_folder` (empty: of ours); NotFound with the nearest ids.
absl::StatusOr<v1::Case> FindCase(const std::string& id, const std::string& cases_folder);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_SELECTION_H_
