// Unrolling the calls of all models is slow, so the index of each bound on tensors is made once per process
// and kept. A call counts once, by the worst that its cases say: failing, then missing, then passing; a call
// with a case that has no verdict is not judged.
#include "reports/model/model_support.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/findings/finding_text.h"

namespace diopi::reports {
namespace {

struct IndexedCall {
  std::vector<std::string> cases;      // ids
  std::vector<std::string> functions;  // of each
  bool scaled = false;
};
struct IndexedModel {
  v1::Finding about;
  std::vector<IndexedCall> calls;
};
using Index = std::map<std::string, IndexedModel>;  // by name
using Outcomes = std::unordered_map<std::string, v1::Outcome>;

absl::StatusOr<std::shared_ptr<const Index>> MakeIndex(const cases::Catalog& catalog,
                                                       int64_t max_tensor_bytes) {
  v1::Selection selection;
  selection.set_suite(std::string(cases::kModelSuites) + "*");
  selection.set_max_tensor_bytes(max_tensor_bytes);
  auto index = std::make_shared<Index>();
  absl::Status status = catalog.VisitModels(
      selection, [&](const cases::Model& model, const cases::ModelCall&, const cases::CallCases& call) {
        IndexedModel& indexed = (*index)[model.name];
        indexed.about = model.about;
        IndexedCall& added = indexed.calls.emplace_back();
        added.scaled = call.scaled;
        for (const v1::Case& c : call.cases) {
          added.cases.push_back(c.id());
          added.functions.push_back(c.function());
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return index;
}

// The catalog and the index of each bound, made when they are first needed and kept.
class Models {
 public:
  static Models& Get() {
    static auto* models = new Models();
    return *models;
  }

  absl::StatusOr<const cases::Catalog*> Catalog() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return CatalogLocked();
  }

  absl::StatusOr<std::shared_ptr<const Index>> Bound(int64_t max_tensor_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ASSIGN_OR_RETURN(const cases::Catalog* catalog, CatalogLocked());
    const auto known = bounds_.find(max_tensor_bytes);
    if (known != bounds_.end()) return known->second;
    absl::StatusOr<std::shared_ptr<const Index>> index = MakeIndex(*catalog, max_tensor_bytes);
    if (!index.ok()) return index;
    if (bounds_.size() == kMostBounds) bounds_.clear();
    return bounds_[max_tensor_bytes] = *std::move(index);
  }

 private:
  static constexpr size_t kMostBounds = 8;

  absl::StatusOr<const cases::Catalog*> CatalogLocked() {
    if (catalog_ == nullptr) {
      ASSIGN_OR_RETURN(catalog_, cases::Catalog::LoadBuiltin());
    }
    return catalog_.get();
  }

  std::mutex mutex_;
  std::unique_ptr<cases::Catalog> catalog_;
  std::map<int64_t, std::shared_ptr<const Index>> bounds_;
};

// What the outcomes of a call's cases say of it, and of its functions.
void Count(const IndexedCall& call, const Outcomes& outcomes, v1::ModelCell* cell,
           std::set<std::string>* failing, std::set<std::string>* missing) {
  bool fails = false;
  bool lacks = false;
  bool passes = true;
  for (size_t i = 0; i < call.cases.size(); ++i) {
    const auto found = outcomes.find(call.cases[i]);
    const v1::Outcome outcome = found == outcomes.end() ? v1::OUTCOME_UNSPECIFIED : found->second;
    passes = passes && outcome == v1::OUTCOME_PASS;
    if (IsFailure(outcome)) {
      fails = true;
      failing->insert(call.functions[i]);
    } else if (outcome == v1::OUTCOME_NOT_IMPLEMENTED || outcome == v1::OUTCOME_UNSUPPORTED_DTYPE) {
      lacks = true;
      missing->insert(call.functions[i]);
    }
  }
  cell->set_calls(cell->calls() + 1);
  cell->set_scaled(cell->scaled() + (call.scaled ? 1 : 0));
  if (fails) {
    cell->set_failing(cell->failing() + 1);
  } else if (lacks) {
    cell->set_not_implemented(cell->not_implemented() + 1);
  } else if (passes) {
    cell->set_passing(cell->passing() + 1);
  } else {
    cell->set_not_judged(cell->not_judged() + 1);
  }
}

v1::ModelCell ModelCellOf(const IndexedModel& model, const Outcomes& outcomes, const server::RunFacts& run) {
  v1::ModelCell cell;
  cell.set_run_id(run.run_id);
  const int64_t bound = run.scope.selection().max_tensor_bytes();
  cell.set_max_tensor_bytes(bound > 0 ? bound : cases::kModelTensorBytes);
  std::set<std::string> failing;
  std::set<std::string> missing;
  for (const IndexedCall& call : model.calls) Count(call, outcomes, &cell, &failing, &missing);
  const bool passes = cell.calls() > 0 && cell.passing() == cell.calls();
  cell.set_ready(passes && cell.scaled() == 0);
  cell.set_passes_scaled(passes && cell.scaled() > 0);
  cell.mutable_failing_functions()->Assign(failing.begin(), failing.end());
  cell.mutable_missing_functions()->Assign(missing.begin(), missing.end());
  return cell;
}

bool HasWholeModels(const server::RunFacts& run) {
  const v1::Selection& selection = run.scope.selection();
  return absl::StartsWith(selection.suite(), cases::kModelSuites) && selection.functions().empty() &&
         selection.cases().empty() && selection.dtypes().empty() && run.scope.shard_count() <= 1;
}

// The cells of one chip, by model.
absl::StatusOr<std::map<std::string, v1::ModelCell>> ModelCellsOf(server::Queries& queries,
                                                                  const std::string& chip,
                                                                  const server::TimeRange& range) {
  ASSIGN_OR_RETURN(const std::vector<server::RunFacts> runs, queries.RunsFacts({chip, kModelRuns, range}));
  ASSIGN_OR_RETURN(const cases::Catalog* catalog, BuiltinCatalog());
  std::map<std::string, v1::ModelCell> cells;
  for (const server::RunFacts& run : runs) {
    if (!HasWholeModels(run)) continue;
    const absl::StatusOr<std::vector<std::string>> names = catalog->ModelsOf(run.scope.selection().suite());
    if (!names.ok()) continue;  // a run of another version's models
    std::vector<std::string> wanted;
    for (const std::string& name : *names) {
      if (!cells.contains(name)) wanted.push_back(name);
    }
    if (wanted.empty()) continue;
    ASSIGN_OR_RETURN(const std::vector<server::CaseRow> rows,
                     queries.Cases(run.run_id, {.in_case_order = false}));
    if (rows.empty()) continue;
    Outcomes outcomes;
    for (const server::CaseRow& row : rows) outcomes.emplace(row.case_id, row.outcome);
    ASSIGN_OR_RETURN(const std::shared_ptr<const Index> index,
                     Models::Get().Bound(run.scope.selection().max_tensor_bytes()));
    for (const std::string& name : wanted) cells[name] = ModelCellOf(index->at(name), outcomes, run);
  }
  return cells;
}

}  // namespace

std::string ScaledText(const v1::ModelCell& cell, const Translator& t) {
  int64_t bound = cell.max_tensor_bytes();
  const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; unit + 1 < std::size(units) && bound >= 1024 && bound % 1024 == 0; ++unit) bound /= 1024;
  return t("$0 of $1 calls were scaled to $2 a tensor", cell.scaled(), cell.calls(),
           absl::StrCat(bound, " ", units[unit]));
}

std::string WhatStandsBetween(const v1::ModelCell& cell, const Translator& t) {
  std::vector<std::string> parts;
  if (!cell.failing_functions().empty())
    parts.push_back(t("failing: $0", absl::StrJoin(cell.failing_functions(), " ")));
  if (!cell.missing_functions().empty())
    parts.push_back(t("missing: $0", absl::StrJoin(cell.missing_functions(), " ")));
  return absl::StrJoin(parts, "; ");
}

absl::StatusOr<const cases::Catalog*> BuiltinCatalog() {
  return Models::Get().Catalog();
}

absl::StatusOr<v1::ModelsPage> LoadModelSupport(server::Queries& queries, const server::TimeRange& range) {
  ASSIGN_OR_RETURN(const std::vector<server::ChipRow> chips, queries.Chips(range));
  ASSIGN_OR_RETURN(const std::shared_ptr<const Index> index, Models::Get().Bound(0));
  v1::ModelsPage page;
  for (const auto& [name, model] : *index) {
    v1::ModelRow& row = *page.add_models();
    row.set_name(name);
    row.set_summary(FindingText(model.about));
    *row.mutable_summary_found() = model.about;
  }
  for (const server::ChipRow& chip : chips) {
    ASSIGN_OR_RETURN(auto cells, ModelCellsOf(queries, chip.chip, range));
    page.add_chips(chip.chip);
    for (v1::ModelRow& row : *page.mutable_models()) *row.add_cells() = cells[row.name()];
  }
  return page;
}

}  // namespace diopi::reports
