// Each way only fills in options->selection, so the rest of the agent does not know of them. When it is not
// certain which functions changed, everything is run: a missed change would be a pass that nobody tested.
#include "client/agent/narrow_selection.h"

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/excerpt.h"
#include "cases/base/match.h"
#include "cases/base/outcome.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/user/user_cases.h"
#include "client/rpc/client.h"
#include "impl_loader/library/changed_functions.h"
#include "proto/abi/abi.h"
#include "server/store/database.h"
#include "server/store/run_kind.h"

namespace diopi::agent {
namespace {

constexpr char kEverything[] = "all_ops";

struct Changed {
  bool everything = false;
  std::set<std::string> functions;
};

// One function of the ABI per line, or all_ops; "#" begins a comment.
absl::StatusOr<Changed> ReadChanged(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<std::string> known = {kEverything};
  for (const abi::Function* function : abi::Functions()) known.emplace_back(function->name());
  const std::set<std::string> names(known.begin(), known.end());
  Changed changed;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const std::string name(absl::StripAsciiWhitespace(line.substr(0, line.find('#'))));
    if (name.empty()) continue;
    if (!names.contains(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": expected a function of the ABI or ", kEverything, ", found '",
                       Excerpt(name), "'", NearestText(Excerpt(name), known)));
    }
    changed.everything = changed.everything || name == kEverything;
    changed.functions.insert(name);
  }
  return changed;
}

absl::StatusOr<Changed> CompareWithOld(const AgentOptions& options, std::ostream* out) {
  const absl::StatusOr<loader::ChangedFunctions> compared =
      loader::CompareLibraries(options.changed_since, options.impl_path);
  if (!compared.ok()) {
    // A damaged library is the user's file, not our fault.
    if (absl::IsDataLoss(compared.status())) return absl::InvalidArgumentError(compared.status().message());
    return compared.status();
  }
  if (compared->everything) *out << "Everything may have changed: " << compared->why << "\n" << std::flush;
  return Changed{compared->everything, {compared->functions.begin(), compared->functions.end()}};
}

// Only functions that have cases can be run; the others are listed.
absl::StatusOr<bool> SelectChanged(const Changed& changed, AgentOptions* options, std::ostream* out) {
  if (changed.everything) return true;
  if (changed.functions.empty()) {
    *out << "No function changed: nothing to run.\n";
    return false;
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog,
                   cases::LoadCatalog(options->selection.cases_folder));
  const std::set<std::string> with_cases = catalog->Functions();
  std::vector<std::string> without;
  for (const std::string& name : changed.functions) {
    (with_cases.contains(name) ? options->selection.functions : without).push_back(name);
  }
  if (!without.empty()) *out << "Changed, but without cases: " << absl::StrJoin(without, " ") << "\n";
  if (options->selection.functions.empty()) {
    *out << "No function with cases changed: nothing to run.\n";
    return false;
  }
  *out << "Changed: " << absl::StrJoin(options->selection.functions, " ") << "\n" << std::flush;
  return true;
}

// Reads a run and its verdicts with one of the outcomes, without their outputs.
absl::StatusOr<rpc::RunVerdicts> ReadFromServer(const AgentOptions& options,
                                                const std::vector<v1::Outcome>& outcomes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<rpc::Client> client,
                   rpc::Client::Connect(options.server, options.credentials, rpc::ClientOptions()));
  v1::ReadVerdictsRequest request;
  request.set_run_id(options.rerun_failed);
  request.set_without_outputs(true);
  for (const v1::Outcome outcome : outcomes) request.add_outcomes(outcome);
  return client->ReadVerdicts(request);
}

absl::StatusOr<rpc::RunVerdicts> ReadFromFolder(const AgentOptions& options,
                                                const std::vector<v1::Outcome>& outcomes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<server::Database> database,
                   server::Database::Open(server::DatabasePath(options.data_folder), {.read_only = true}));
  ASSIGN_OR_RETURN(v1::RunInfo run, database->GetRun(options.rerun_failed));
  RETURN_IF_ERROR(server::CheckHasVerdicts(run.run_id(), run.options()));
  server::VerdictFilter filter;
  filter.outcomes = outcomes;
  filter.with_outputs = false;
  ASSIGN_OR_RETURN(std::vector<v1::Verdict> verdicts, database->Verdicts(run.run_id(), filter));
  return rpc::RunVerdicts{std::move(run), std::move(verdicts)};
}

absl::StatusOr<bool> SelectFailed(AgentOptions* options, std::ostream* out) {
  std::vector<v1::Outcome> failures;
  for (int i = v1::Outcome_MIN; i <= v1::Outcome_MAX; ++i) {
    const auto outcome = static_cast<v1::Outcome>(i);
    if (IsListed(outcome)) failures.push_back(outcome);
  }
  ASSIGN_OR_RETURN(const rpc::RunVerdicts failed, options->server.empty()
                                                      ? ReadFromFolder(*options, failures)
                                                      : ReadFromServer(*options, failures));
  const std::string& run_id = failed.run.run_id();
  for (const v1::Verdict& verdict : failed.verdicts) options->selection.cases.push_back(verdict.case_id());
  if (options->selection.cases.empty()) {
    *out << "Nothing failed in run " << run_id << ": nothing to run.\n";
    return false;
  }
  const v1::Selection& before = failed.run.options().selection();
  if (options->selection.suite.empty() && options->selection.models.empty()) {
    options->selection.suite = before.suite();
    options->selection.max_tensor_bytes = before.max_tensor_bytes();
  }
  *out << "Running again: the " << options->selection.cases.size() << " cases that failed in run " << run_id
       << "\n"
       << std::flush;
  return true;
}

}  // namespace

absl::StatusOr<bool> NarrowSelection(AgentOptions* options, std::ostream* out) {
  if (!options->rerun_failed.empty()) return SelectFailed(options, out);
  if (options->changed_functions.empty() && options->changed_since.empty()) return true;
  ASSIGN_OR_RETURN(const Changed changed, options->changed_since.empty()
                                              ? ReadChanged(options->changed_functions)
                                              : CompareWithOld(*options, out));
  return SelectChanged(changed, options, out);
}

}  // namespace diopi::agent
