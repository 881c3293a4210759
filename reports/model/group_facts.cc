#include "reports/model/group_facts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/dtype.h"
#include "cases/core/catalog.h"
#include "cases/findings/finding.h"
#include "reports/model/model_support.h"

namespace diopi::reports {
namespace {

// With fewer failing or passing cases, some class separates them by chance.
constexpr size_t kLeastFailing = 3;
constexpr size_t kLeastPassing = 8;
// At least so many cases with the classes fail for each that passes.
constexpr size_t kMostlyFail = 4;

using Classes = std::set<std::string>;

bool HasAll(const Classes& classes, const Classes& wanted) {
  return std::includes(classes.begin(), classes.end(), wanted.begin(), wanted.end());
}

size_t CountWith(const std::vector<Classes>& cases, const Classes& wanted) {
  return static_cast<size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const Classes& each) { return HasAll(each, wanted); }));
}

// The fewest of the classes that all failing cases have which keep as many passing cases out as all of them
// do.
Classes Fewest(Classes wanted, const std::vector<Classes>& passing) {
  const size_t least = CountWith(passing, wanted);
  const Classes all = wanted;
  for (const std::string& each : all) {
    wanted.erase(each);
    if (wanted.empty() || CountWith(passing, wanted) > least) wanted.insert(each);
  }
  return wanted;
}

v1::Finding SeparationOf(const std::vector<std::string>& failing, const std::vector<Classes>& passing) {
  if (passing.size() < kLeastPassing) return {};
  Classes shared = ClassesOf(failing.front());
  for (const std::string& id : failing) {
    Classes both;
    const Classes classes = ClassesOf(id);
    std::set_intersection(shared.begin(), shared.end(), classes.begin(), classes.end(),
                          std::inserter(both, both.end()));
    shared = std::move(both);
  }
  if (shared.empty()) return {};
  const Classes fewest = Fewest(shared, passing);
  const size_t pass = CountWith(passing, fewest);
  if (pass * kMostlyFail > failing.size() || passing.size() - pass < kLeastPassing) return {};
  v1::Finding found = Found(v1::Finding::SEPARATED_BY)
                          .Got(absl::StrJoin(fewest, ", "))
                          .Limit(absl::StrCat(passing.size() - pass));
  if (pass == 0) return found;
  found.set_count(static_cast<int64_t>(failing.size()));
  found.set_of(static_cast<int64_t>(failing.size() + pass));
  return found;
}

std::string OperatorOf(const std::string& case_id) {
  return case_id.substr(0, case_id.find('.'));
}

void AddReveals(std::vector<FailureGroup>* groups) {
  v1::Selection selection;
  for (const FailureGroup& group : *groups) {
    if (!group.functions.empty()) selection.add_cases(group.example.case_id());
  }
  const absl::StatusOr<const cases::Catalog*> catalog = BuiltinCatalog();
  if (!catalog.ok() || selection.cases().empty()) return;
  std::map<std::string, std::string> reveals;
  // Cases of the user's own files are unknown here, which is no error.
  const absl::Status ignored =
      (*catalog)->VisitRun(selection, [&](const v1::Case& c) { reveals[c.id()] = c.reveals(); });
  static_cast<void>(ignored);
  for (FailureGroup& group : *groups) {
    const auto known = reveals.find(group.example.case_id());
    if (known != reveals.end()) group.reveals = known->second;
  }
}

}  // namespace

std::set<std::string> ClassesOf(const std::string& case_id) {
  const std::vector<std::string> parts = absl::StrSplit(case_id, '.');
  std::set<std::string> classes;
  bool label = false;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (label) {
      for (const absl::string_view word : absl::StrSplit(parts[i], '_', absl::SkipEmpty()))
        classes.emplace(word);
    } else {
      classes.insert(parts[i]);
      label = ParseDtype(parts[i]).ok();
    }
  }
  return classes;
}

std::pair<size_t, bool> UnusualnessOf(const std::string& case_id) {
  return {ClassesOf(case_id).size(), !absl::StrContains(case_id, ".float32.")};
}

bool MayBeSeparated(const FailureGroup& group) {
  return group.operators.size() == 1 && group.cases.size() >= kLeastFailing;
}

void AddGroupFacts(const std::vector<std::string>& passing, std::vector<FailureGroup>* groups) {
  std::map<std::string, std::vector<Classes>> by_operator;
  for (const std::string& id : passing) by_operator[OperatorOf(id)].push_back(ClassesOf(id));
  for (FailureGroup& group : *groups) {
    if (MayBeSeparated(group)) group.separation = SeparationOf(group.cases, by_operator[group.operators[0]]);
  }
  AddReveals(groups);
}

}  // namespace diopi::reports
