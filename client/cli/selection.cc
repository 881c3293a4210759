#include "client/cli/selection.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "cases/user/user_cases.h"

namespace diopi::cli {
namespace {

constexpr int64_t kSmallestBound = int64_t{1} << 10;
constexpr int64_t kLargestBound = int64_t{1} << 36;

absl::StatusOr<std::unique_ptr<cases::Catalog>> LoadCatalog(const std::string& folder) {
  absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::LoadCatalog(folder);
  if (!catalog.ok() && folder.empty()) return absl::InternalError(catalog.status().message());
  return catalog;
}

// A call may be scaled to any bound: the default first, and then each power of two.
absl::StatusOr<v1::Case> FindModelCase(const std::string& id, const cases::Catalog& catalog) {
  v1::Selection selection;
  selection.set_suite(absl::StrCat(cases::kModelSuites, "*"));
  selection.add_functions(id.substr(0, id.find('.')));
  for (int64_t bound = 0; bound <= kLargestBound; bound = bound == 0 ? kSmallestBound : 2 * bound) {
    selection.set_max_tensor_bytes(bound);
    ASSIGN_OR_RETURN(std::vector<v1::Case> cases, catalog.Select(selection));
    for (v1::Case& c : cases) {
      if (c.id() == id) return std::move(c);
    }
  }
  return absl::NotFoundError(id);
}

}  // namespace

absl::StatusOr<std::vector<v1::Case>> SelectCases(const agent::SelectionArguments& arguments) {
  ASSIGN_OR_RETURN(const v1::Selection selection, agent::MakeSelection(arguments));
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, LoadCatalog(arguments.cases_folder));
  return catalog->Select(selection);
}

absl::Status VisitCases(const agent::SelectionArguments& arguments, cases::Catalog::VisitOperator visit) {
  ASSIGN_OR_RETURN(const v1::Selection selection, agent::MakeSelection(arguments));
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, LoadCatalog(arguments.cases_folder));
  return catalog->VisitOperators(selection, visit);
}

absl::Status VisitModelCalls(const agent::SelectionArguments& arguments, cases::Catalog::VisitCall visit) {
  agent::SelectionArguments of_models = arguments;
  if (of_models.models.empty() && of_models.suite.empty()) of_models.models = {"*"};
  ASSIGN_OR_RETURN(const v1::Selection selection, agent::MakeSelection(of_models));
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, LoadCatalog(arguments.cases_folder));
  ASSIGN_OR_RETURN(const std::vector<v1::Case> chosen, catalog->Select(selection));
  std::set<std::string> ids;
  for (const v1::Case& c : chosen) ids.insert(c.id());
  return catalog->VisitModels(
      selection, [&](const cases::Model& model, const cases::ModelCall& call, cases::CallCases of_call) {
        std::erase_if(of_call.cases, [&](const v1::Case& c) { return !ids.contains(c.id()); });
        return of_call.cases.empty() ? absl::OkStatus() : visit(model, call, std::move(of_call));
      });
}

absl::StatusOr<std::vector<v1::Case>> SelectRunCases(const agent::SelectionArguments& arguments) {
  ASSIGN_OR_RETURN(const v1::Selection selection, agent::MakeSelection(arguments));
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, LoadCatalog(arguments.cases_folder));
  return catalog->SelectRun(selection);
}

absl::StatusOr<v1::Case> FindCase(const std::string& id, const std::string& cases_folder) {
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, LoadCatalog(cases_folder));
  // The id begins with the operator's name, so only that operator is expanded.
  v1::Selection selection;
  selection.add_functions(id.substr(0, id.find('.')));
  absl::StatusOr<std::vector<v1::Case>> cases = catalog->SelectRun(selection);
  if (!cases.ok()) return cases.status();
  std::vector<std::string> known;
  for (v1::Case& c : *cases) {
    if (c.id() == id) return std::move(c);
    known.push_back(c.id());
  }
  if (absl::StrContains(id, ".model_")) {
    absl::StatusOr<v1::Case> c = FindModelCase(id, *catalog);
    if (c.ok()) return c;
  }
  return absl::NotFoundError(absl::StrCat("no case '", id, "'", NearestText(id, known)));
}

}  // namespace diopi::cli
