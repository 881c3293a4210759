// Operator files are embedded in the program, and parsed and expanded only when a selection needs them: a
// glob is matched against operator names first, which rules out most files. Patterns that match nothing are
// reported with the nearest names.
#include "cases/core/catalog.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cases/base/dtype.h"
#include "cases/base/hash.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "cases/core/operator_file.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

// The public harness's names for everything.
bool MeansAll(const std::string& name) {
  return name == "all_ops" || name == "all" || name == "*";
}

// True when a function pattern names the operator as a whole.
bool NamesOperator(const std::string& pattern, const v1::OperatorFile& op) {
  if (MeansAll(pattern) || GlobMatch(pattern, op.operator_())) return true;
  return std::any_of(op.also().begin(), op.also().end(),
                     [&](const std::string& name) { return GlobMatch(pattern, name); });
}

// The ids that `pattern` may match start with the operator's name, so the text before the first wildcard
// rules out most operators without expanding them.
bool MayHoldCase(const std::string& pattern, const std::string& operator_name) {
  const std::string prefix = operator_name + ".";
  const size_t literal = std::min(pattern.find_first_of("*?"), pattern.size());
  const size_t common = std::min(literal, prefix.size());
  return pattern.compare(0, common, prefix, 0, common) == 0;
}

struct Wanted {
  bool any = false;  // something of the operator is selected
  bool all_functions = false;
  std::set<std::string> functions;
};

Wanted WantedOf(const v1::OperatorFile& op, const v1::Selection& selection, std::vector<bool>* used) {
  Wanted wanted;
  wanted.all_functions = selection.functions().empty();
  for (int i = 0; i < selection.functions_size(); ++i) {
    const std::string& pattern = selection.functions(i);
    if (NamesOperator(pattern, op)) wanted.all_functions = (*used)[static_cast<size_t>(i)] = true;
    for (const v1::FunctionRules& rules : op.function()) {
      if (!GlobMatch(pattern, rules.name())) continue;
      wanted.functions.insert(rules.name());
      (*used)[static_cast<size_t>(i)] = true;
    }
  }
  wanted.any = wanted.all_functions || !wanted.functions.empty();
  const auto& cases = selection.cases();
  wanted.any =
      wanted.any && (cases.empty() || std::any_of(cases.begin(), cases.end(), [&](const auto& pattern) {
                       return MayHoldCase(pattern, op.operator_());
                     }));
  return wanted;
}

// Marks the patterns of cases that it matches as used.
bool IsWanted(const v1::Case& c, const Wanted& wanted, const v1::Selection& selection,
              std::vector<bool>* used) {
  if (!wanted.all_functions && wanted.functions.count(c.function()) == 0) return false;
  bool matches = selection.cases().empty();
  for (int i = 0; i < selection.cases_size(); ++i) {
    if (!GlobMatch(selection.cases(i), c.id())) continue;
    matches = (*used)[static_cast<size_t>(i)] = true;
  }
  const auto& dtypes = selection.dtypes();
  const bool dtype = dtypes.empty() || std::find(dtypes.begin(), dtypes.end(), c.dtype()) != dtypes.end();
  return matches && dtype && (c.smoke() || selection.suite() != "smoke");
}

absl::StatusOr<std::vector<v1::Case>> ExpandPart(const v1::OperatorFile& op, const Wanted& wanted,
                                                 const v1::Selection& selection) {
  Part part;
  part.smoke = selection.suite() == "smoke";
  if (!wanted.all_functions) part.functions = wanted.functions;
  return ExpandOperator(op, SourceLines(absl::StrCat(op.operator_(), ".textproto")), nullptr, &part);
}

std::string Suggestion(const std::vector<std::string>& near) {
  return near.empty() ? "" : absl::StrCat("; did you mean ", absl::StrJoin(near, ", "), "?");
}

// Makes the names of the ABI and of cases comparable: "diopiHardtanhInp", "hardtanh", "hard_tanh" ->
// "hardtanhinp", "hardtanh".
std::string Bare(absl::string_view name) {
  absl::ConsumePrefix(&name, "diopi");
  std::string bare = absl::AsciiStrToLower(name);
  bare.erase(std::remove(bare.begin(), bare.end(), '_'), bare.end());
  return bare;
}

// The functions of the ABI that a name stands for (itself, in place, backward) and that no operator has.
std::vector<std::string> WithoutCases(const std::string& name, const std::set<std::string>& with_cases) {
  const std::string bare = Bare(name);
  std::vector<std::string> functions;
  for (const abi::Function* function : abi::Functions()) {
    const std::string known = Bare(function->name());
    std::string forward = known;  // of "carafebackwardmmcv"
    if (const size_t at = known.find("backward"); at != std::string::npos) forward.erase(at, 8);
    const bool meant =
        known == bare || (!absl::StartsWith(name, "diopi") && (known == bare + "inp" || forward == bare));
    if (meant && !with_cases.contains(function->name())) functions.push_back(function->name());
  }
  return functions;
}

absl::Status UnknownFunction(const std::string& name, const Catalog& catalog) {
  const std::set<std::string> with_cases = catalog.Functions();
  if (const std::vector<std::string> functions = WithoutCases(name, with_cases); !functions.empty()) {
    const bool one = functions.size() == 1;
    return absl::NotFoundError(absl::StrCat(absl::StrJoin(functions, ", "), one ? " is" : " are",
                                            " in the ABI; the suite has no cases for ", one ? "it" : "them",
                                            " yet"));
  }
  std::vector<std::string> known;
  for (const v1::OperatorFile& op : catalog.operators()) {
    known.push_back(op.operator_());
    known.insert(known.end(), op.also().begin(), op.also().end());
  }
  known.insert(known.end(), with_cases.begin(), with_cases.end());
  return absl::NotFoundError(
      absl::StrCat("no operator or function '", name, "'", Suggestion(Nearest(name, known, 3))));
}

absl::Status UnknownCase(const std::string& pattern, const std::vector<v1::OperatorFile>& operators) {
  const std::string head = pattern.substr(0, pattern.find('.'));
  std::vector<std::string> known;
  bool operator_known = false;
  for (const v1::OperatorFile& op : operators) {
    known.push_back(op.operator_());
    operator_known = operator_known || op.operator_() == head;
  }
  if (!operator_known) {
    return absl::NotFoundError(
        absl::StrCat("no case matches '", pattern, "'", Suggestion(Nearest(head, known, 3))));
  }
  known.clear();
  for (const v1::OperatorFile& op : operators) {
    if (op.operator_() != head) continue;
    ASSIGN_OR_RETURN(std::vector<v1::Case> cases, Expand(op, op.operator_()));
    for (const v1::Case& c : cases) known.push_back(c.id());
  }
  return absl::NotFoundError(
      absl::StrCat("no case matches '", pattern, "'", Suggestion(Nearest(pattern, known, 3))));
}

absl::Status Always() {
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> SelectionOptions(const v1::Selection& selection) {
  std::vector<std::string> options;
  const auto add = [&options](std::string_view option, std::string value) {
    options.emplace_back(option);
    options.push_back(std::move(value));
  };
  if (!selection.functions().empty()) add("--fname", absl::StrJoin(selection.functions(), ","));
  for (const std::string& glob : selection.cases()) add("--case", glob);
  std::vector<std::string> dtypes;
  for (const int dtype : selection.dtypes()) dtypes.emplace_back(DtypeName(static_cast<Dtype>(dtype)));
  if (!dtypes.empty()) add("--dtype", absl::StrJoin(dtypes, ","));
  absl::string_view suite = selection.suite();
  const bool models = absl::ConsumePrefix(&suite, kModelSuites);
  if (!suite.empty()) add(models ? "--model" : "--suite", std::string(suite));
  if (models && selection.max_tensor_bytes() > 0)
    add("--max-bytes", absl::StrCat(selection.max_tensor_bytes()));
  return options;
}

const std::vector<std::string>& SuiteNames() {
  static const auto* names = new std::vector<std::string>{"core", "smoke"};
  return *names;
}

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::FromFiles(std::vector<v1::OperatorFile> files) {
  std::sort(files.begin(), files.end(), [](const v1::OperatorFile& a, const v1::OperatorFile& b) {
    return a.operator_() < b.operator_();
  });
  for (size_t i = 1; i < files.size(); ++i) {
    if (files[i].operator_() == files[i - 1].operator_()) {
      return absl::InvalidArgumentError(absl::StrCat("two files for operator ", files[i].operator_()));
    }
  }
  for (const v1::OperatorFile& op : files) {
    if (op.operator_() != kLibraryOperator) continue;
    return absl::InvalidArgumentError("no operator may be called library: the library checks have this name");
  }
  auto catalog = std::unique_ptr<Catalog>(new Catalog());
  catalog->operators_ = std::move(files);
  return catalog;
}

// Which of the selection's patterns have matched something.
struct Catalog::Used {
  explicit Used(const v1::Selection& selection)
      : functions(static_cast<size_t>(selection.functions_size()), false),
        patterns(static_cast<size_t>(selection.cases_size()), false) {}
  std::vector<bool> functions;
  std::vector<bool> patterns;
};

std::set<std::string> Catalog::Functions() const {
  std::set<std::string> functions;
  for (const v1::OperatorFile& op : operators_) {
    for (const v1::FunctionRules& rules : op.function()) functions.insert(rules.name());
  }
  for (const v1::Case& c : library_checks_) {
    if (!c.function().empty()) functions.insert(c.function());
  }
  return functions;
}

std::vector<v1::Case> Catalog::SelectChecks(const v1::Selection& selection, Used* used) const {
  std::vector<v1::Case> result;
  for (const v1::Case& c : library_checks_) {
    bool named = selection.functions().empty();
    for (int i = 0; i < selection.functions_size(); ++i) {
      const std::string& pattern = selection.functions(i);
      const bool of_function =
          !c.function().empty() && (GlobMatch(pattern, c.function()) || Bare(pattern) == Bare(c.function()));
      if (!of_function && !MeansAll(pattern) && !GlobMatch(pattern, kLibraryOperator)) continue;
      named = used->functions[static_cast<size_t>(i)] = true;
    }
    bool matches = selection.cases().empty();
    for (int i = 0; i < selection.cases_size() && named; ++i) {
      if (!GlobMatch(selection.cases(i), c.id())) continue;
      matches = used->patterns[static_cast<size_t>(i)] = true;
    }
    const auto& dtypes = selection.dtypes();
    const bool dtype = dtypes.empty() || std::find(dtypes.begin(), dtypes.end(), c.dtype()) != dtypes.end();
    if (named && matches && dtype) result.push_back(c);
  }
  return result;
}

absl::StatusOr<std::vector<v1::Case>> Catalog::Select(const v1::Selection& selection) const {
  std::vector<v1::Case> result;
  absl::Status status = VisitOperators(selection, [&result](std::vector<v1::Case> cases) {
    std::move(cases.begin(), cases.end(), std::back_inserter(result));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<std::vector<v1::Case>> Catalog::SelectRun(const v1::Selection& selection) const {
  std::vector<v1::Case> result;
  absl::Status status = VisitRun(selection, [&result](v1::Case c) { result.push_back(std::move(c)); });
  if (!status.ok()) return status;
  return result;
}

absl::Status Catalog::VisitOperators(const v1::Selection& selection, VisitOperator visit) const {
  Used used(selection);
  SelectChecks(selection, &used);  // their names are known names
  return VisitUsing(selection, &used, visit, Always);
}

absl::Status Catalog::VisitRun(const v1::Selection& selection, Visit visit) const {
  return VisitRun(selection, visit, Always);
}

absl::Status Catalog::VisitRun(const v1::Selection& selection, Visit visit, GoOn go_on) const {
  Used used(selection);
  for (v1::Case& c : SelectChecks(selection, &used)) visit(std::move(c));
  const auto each = [visit](std::vector<v1::Case> cases) {
    for (v1::Case& c : cases) visit(std::move(c));
    return absl::OkStatus();
  };
  return VisitUsing(selection, &used, each, go_on);
}

absl::Status Catalog::VisitUsing(const v1::Selection& selection, Used* used, VisitOperator visit,
                                 GoOn go_on) const {
  RETURN_IF_ERROR(CheckSuite(selection.suite()));
  std::vector<std::pair<const v1::OperatorFile*, Wanted>> operators;
  for (const v1::OperatorFile& op : operators_) {
    Wanted wanted = WantedOf(op, selection, &used->functions);
    if (wanted.any) operators.emplace_back(&op, std::move(wanted));
  }
  for (size_t i = 0; i < used->functions.size(); ++i) {
    const std::string& name = selection.functions(static_cast<int>(i));
    if (!used->functions[i] && !MeansAll(name)) return UnknownFunction(name, *this);
  }
  const bool models = absl::StartsWith(selection.suite(), kModelSuites);
  std::map<std::string, std::vector<v1::Case>> model_cases;
  if (models) {
    std::set<std::string> names;
    for (const auto& [op, wanted] : operators) names.insert(op->operator_());
    ASSIGN_OR_RETURN(model_cases, ModelCases(selection, names, go_on));
  }
  for (const auto& [op, wanted] : operators) {
    RETURN_IF_ERROR(go_on());
    ASSIGN_OR_RETURN(std::vector<v1::Case> cases,
                     models ? std::move(model_cases[op->operator_()]) : ExpandPart(*op, wanted, selection));
    std::erase_if(cases, [&, &wanted = wanted](const v1::Case& c) {
      return !IsWanted(c, wanted, selection, &used->patterns);
    });
    if (cases.empty()) continue;
    RETURN_IF_ERROR(visit(std::move(cases)));
  }
  for (size_t i = 0; i < used->patterns.size(); ++i) {
    if (!used->patterns[i]) return UnknownCase(selection.cases(static_cast<int>(i)), operators_);
  }
  return absl::OkStatus();
}

absl::Status Catalog::CheckSuite(const std::string& suite) const {
  if (absl::StartsWith(suite, kModelSuites)) return FindModels(suite).status();
  const std::vector<std::string>& suites = SuiteNames();
  if (suite.empty() || std::find(suites.begin(), suites.end(), suite) != suites.end())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("unknown suite '", suite,
                                                 "'; known: ", absl::StrJoin(suites, ", "),
                                                 models_.empty() ? "" : ", models/NAME"));
}

namespace {

// "llama3_8b@batch=4@stage=decode": a model's name or glob, sizes that replace those of its file, and the
// stages to which its calls are limited.
struct ModelPattern {
  std::string glob;
  std::vector<std::string> settings;
};

std::vector<ModelPattern> ModelPatterns(const std::string& suite) {
  std::vector<ModelPattern> patterns;
  for (const absl::string_view entry :
       absl::StrSplit(absl::StripPrefix(suite, kModelSuites), ',', absl::SkipEmpty())) {
    std::vector<std::string> parts = absl::StrSplit(entry, '@');
    ModelPattern& pattern = patterns.emplace_back();
    pattern.glob = std::move(parts.front());
    pattern.settings.assign(parts.begin() + 1, parts.end());
  }
  return patterns;
}

struct ModelSettings {
  Variables sizes;
  std::set<std::string> stages;  // empty: all
};

// What the suite says about this model.
absl::StatusOr<ModelSettings> SettingsOf(const std::string& suite, const std::string& model) {
  ModelSettings settings;
  for (const ModelPattern& pattern : ModelPatterns(suite)) {
    if (!GlobMatch(pattern.glob, model)) continue;
    for (const std::string& setting : pattern.settings) {
      const std::pair<std::string, std::string> parts = absl::StrSplit(setting, absl::MaxSplits('=', 1));
      int64_t value = 0;
      if (parts.first == "stage") {
        settings.stages.insert(parts.second);
      } else if (absl::SimpleAtoi(parts.second, &value) && value >= 1) {
        settings.sizes[parts.first] = parts.second;
      } else {
        return absl::InvalidArgumentError(absl::StrCat("'", setting, "' after the model '", pattern.glob,
                                                       "' is not NAME=SIZE with a size of at least 1, nor "
                                                       "stage=NAME"));
      }
    }
  }
  return settings;
}

// The model with the calls of these stages alone.
absl::Status LimitToStages(const std::set<std::string>& stages, Model* model) {
  std::set<std::string> known;
  for (const ModelCall& call : model->calls) known.insert(call.stage);
  for (const std::string& stage : stages) {
    if (known.contains(stage)) continue;
    known.erase("");
    return absl::NotFoundError(absl::StrCat("the model '", model->name, "' has no stage '", stage,
                                            "'; it has ",
                                            known.empty() ? "none" : absl::StrJoin(known, ", ")));
  }
  if (!stages.empty())
    std::erase_if(model->calls, [&](const ModelCall& call) { return !stages.contains(call.stage); });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<const ModelText*>> Catalog::FindModels(const std::string& suite) const {
  if (!absl::StartsWith(suite, kModelSuites)) {
    return absl::InvalidArgumentError(absl::StrCat("'", suite, "' is no suite of models"));
  }
  std::vector<std::string> known;
  known.reserve(models_.size());
  for (const ModelText& model : models_) known.emplace_back(model.name);
  std::set<std::string> wanted;
  for (const ModelPattern& each : ModelPatterns(suite)) {
    const std::string& pattern = each.glob;
    bool any = false;
    for (const std::string& name : known) {
      if (!GlobMatch(pattern, name)) continue;
      wanted.insert(name);
      any = true;
    }
    if (any) continue;
    return absl::NotFoundError(absl::StrCat("there is no suite for a model '", pattern, "'",
                                            Suggestion(Nearest(pattern, known, 3))));
  }
  if (wanted.empty()) return absl::InvalidArgumentError(absl::StrCat("'", suite, "' names no model"));
  std::vector<const ModelText*> found;
  for (const ModelText& model : models_) {
    if (wanted.contains(std::string(model.name))) found.push_back(&model);
  }
  return found;
}

absl::StatusOr<std::vector<std::string>> Catalog::ModelsOf(const std::string& suite) const {
  ASSIGN_OR_RETURN(const std::vector<const ModelText*> texts, FindModels(suite));
  std::vector<std::string> names;
  names.reserve(texts.size());
  for (const ModelText* text : texts) names.emplace_back(text->name);
  return names;
}

absl::Status Catalog::VisitModels(const v1::Selection& selection, VisitCall visit) const {
  return VisitCalls(
      selection, [](const std::string&) { return true; }, visit);
}

absl::Status Catalog::VisitCalls(const v1::Selection& selection,
                                 absl::FunctionRef<bool(const std::string&)> takes_operator,
                                 VisitCall visit) const {
  ASSIGN_OR_RETURN(const std::vector<const ModelText*> texts, FindModels(selection.suite()));
  const int64_t bound = selection.max_tensor_bytes() > 0 ? selection.max_tensor_bytes() : kModelTensorBytes;
  for (const ModelText* text : texts) {
    ASSIGN_OR_RETURN(const ModelSettings settings, SettingsOf(selection.suite(), std::string(text->name)));
    ASSIGN_OR_RETURN(Model model, ParseModel(*text, model_parts_, settings.sizes));
    RETURN_IF_ERROR(LimitToStages(settings.stages, &model));
    std::vector<std::string> findings;
    for (const ModelCall& call : model.calls) {
      const v1::OperatorFile* op = OperatorOf(call, operators_);
      if (op != nullptr && !takes_operator(op->operator_())) continue;
      absl::StatusOr<CallCases> cases =
          absl::InvalidArgumentError(absl::StrCat("no operator '", call.name, "'"));
      if (op != nullptr) cases = BuildCall(*op, call, bound);
      if (!cases.ok()) {
        findings.push_back(absl::StrCat(call.place, ": ", cases.status().message()));
        continue;
      }
      RETURN_IF_ERROR(visit(model, call, *std::move(cases)));
    }
    if (!findings.empty()) return absl::InvalidArgumentError(absl::StrJoin(findings, "\n"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, std::vector<v1::Case>>> Catalog::ModelCases(
    const v1::Selection& selection, const std::set<std::string>& operators, GoOn go_on) const {
  std::map<std::string, std::vector<v1::Case>> cases;  // by operator
  std::set<std::string> ids;
  absl::Status status = VisitCalls(
      selection, [&](const std::string& name) { return operators.contains(name); },
      [&](const Model&, const ModelCall&, CallCases of_call) {
        for (v1::Case& c : of_call.cases) {
          if (ids.insert(c.id()).second) cases[c.operator_()].push_back(std::move(c));
        }
        return go_on();
      });
  if (!status.ok()) return status;
  return cases;
}

std::string Catalog::SuiteHash(const std::vector<v1::Case>& cases) {
  SuiteHasher hasher;
  for (const v1::Case& c : cases) hasher.Add(c.id(), c.hash());
  return std::move(hasher).Finish();
}

void SuiteHasher::Add(const std::string& id, const std::string& hash) {
  lines_.push_back(absl::StrCat(id, " ", hash));
}

std::string SuiteHasher::Finish() && {
  std::sort(lines_.begin(), lines_.end());
  return Xxh128Hex(absl::StrJoin(lines_, "\n"));
}

}  // namespace diopi::cases
