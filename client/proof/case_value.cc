#include "client/proof/case_value.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/compare.h"
#include "baselines/generate/generate.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "client/proof/generic_bugs.h"
#include "client/proof/trial.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::proof {
namespace {

std::string BugName(const v1::Case& c, const std::string& name) {
  return absl::StrCat(c.function(), " ", std::string(DtypeName(c.dtype())), ": ", name);
}

absl::Status AddGeneric(const v1::Case& c, loader::InProcessLibrary* reference, KillMatrix* matrix) {
  matrix->AddCase(c.id());
  ASSIGN_OR_RETURN(const baselines::Baseline baseline, baselines::GenerateCase(*reference, c));
  ASSIGN_OR_RETURN(const TensorMap native,
                   reference->Call(baseline.c, baseline.inputs, v1::Dtype::unsupported));
  for (const Mutated& mutated : GenericBugs(baseline, native, reference)) {
    const v1::Verdict verdict =
        baselines::CompareCase(baseline.c, baseline.inputs, baseline.references, mutated.outputs);
    matrix->Add(BugName(c, mutated.name), c.id(), verdict.outcome() != v1::OUTCOME_PASS);
  }
  return absl::OkStatus();
}

absl::Status AddInjected(const CaseValueOptions& options, std::map<std::string, KillMatrix>* matrices) {
  ASSIGN_OR_RETURN(std::vector<Injected> injected, ReadInjected(options.bugs_library));
  TrialOptions trials;
  trials.library = options.bugs_library;
  trials.switch_variable = "DIOPI_MUTANT";
  trials.reference_library = options.reference_library;
  trials.injected = std::move(injected);
  trials.selection = options.selection;
  return RunTrials(trials, [&](const Trial& trial) {
    const v1::Verdict& verdict = trial.verdict;
    const bool caught = verdict.outcome() != v1::OUTCOME_PASS;
    const std::string& name = trials.injected[trial.injected].name;
    // Which functions and dtypes an injected bug affects shows only in the cases that it breaks.
    if (caught) (*matrices)[verdict.operator_()].Add(name, verdict.case_id(), true);
  });
}

}  // namespace

absl::StatusOr<std::map<std::string, KillMatrix>> MeasureCases(const CaseValueOptions& options) {
  ASSIGN_OR_RETURN(auto reference, loader::InProcessLibrary::Open(options.reference_library));
  ASSIGN_OR_RETURN(const auto catalog, cases::Catalog::LoadBuiltin());
  ASSIGN_OR_RETURN(const std::vector<v1::Case> cases, catalog->Select(options.selection));
  std::map<std::string, KillMatrix> matrices;
  for (const v1::Case& c : cases) {
    const absl::Status status = AddGeneric(c, reference.get(), &matrices[c.operator_()]);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(c.id(), ": ", std::string(status.message())));
    }
  }
  if (!options.bugs_library.empty()) {
    RETURN_IF_ERROR(AddInjected(options, &matrices));
  }
  return matrices;
}

std::string CaseValueText(const std::map<std::string, KillMatrix>& matrices, bool verbose) {
  std::string out;
  size_t cases = 0;
  size_t bugs = 0;
  size_t survivors = 0;
  size_t cover_size = 0;
  for (const auto& [name, matrix] : matrices) {
    const std::vector<std::string> alive = matrix.Survivors();
    const std::vector<std::string> cover = matrix.Cover();
    const std::vector<std::string> idle = matrix.Idle();
    absl::StrAppend(
        &out,
        absl::StrFormat("%s: %d cases, %d bugs, %d of them not caught; %d cases catch all that "
                        "any catches, %d catch none\n",
                        name, matrix.cases().size(), matrix.bugs(), alive.size(), cover.size(), idle.size()));
    for (const std::string& bug : alive) absl::StrAppend(&out, "  not caught: ", bug, "\n");
    const std::set<std::string> kept(cover.begin(), cover.end());
    for (const std::string& id : matrix.cases()) {
      if (verbose && kept.count(id) == 0)
        absl::StrAppend(&out, "  catches nothing that others do not: ", id, "\n");
    }
    cases += matrix.cases().size();
    bugs += matrix.bugs();
    survivors += alive.size();
    cover_size += cover.size();
  }
  absl::StrAppend(&out,
                  absl::StrFormat("in all: %d cases, %d bugs, %d not caught; %d cases would catch the same\n",
                                  cases, bugs, survivors, cover_size));
  return out;
}

}  // namespace diopi::proof
