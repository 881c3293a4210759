// The checker collects all findings with their places before it returns, so that a profile can be corrected
// in one pass. A rule that changes verdicts must have a condition, or it would hide every failure, and a
// waiver must have an end and an issue. Names of operators are completed by the operator's own name here,
// once, so that matching a case needs no list of names.
#include "client/profile/profile.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/compare/contract.h"
#include "cases/base/hash.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/match.h"
#include "client/profile/names.h"
#include "client/profile/source.h"
#include "client/profile/waivers.h"

namespace diopi::profile {
namespace {

constexpr double kMaxTimeout = 86'400;
constexpr uint32_t kMaxDevices = 256;
constexpr double kMaxMismatchRatio = 0.1;
constexpr size_t kMaxBytes = 4 << 20;

FieldPath Join(FieldPath path, const FieldStep& step) {
  path.push_back(step);
  return path;
}

std::vector<std::string> List(const google::protobuf::RepeatedPtrField<std::string>& field) {
  return {field.begin(), field.end()};
}

class Checker {
 public:
  Checker(const Source& source, const Names& names)
      : profile_(source.message()), names_(names), findings_(source) {}

  absl::Status Run() {
    for (int i = 0; i < profile_.contract_size(); ++i) {
      const auto one = baselines::ParseContracts({profile_.contract(i)});
      if (!one.ok()) {
        findings_.Add({{"contract", i}}, std::string(one.status().message()));
        continue;
      }
      for (const std::string& name : one->Operators())
        AddError({{"contract", i}}, names_.CheckOperator(name));
    }
    for (int i = 0; i < profile_.skip_size(); ++i) CheckSkip(profile_.skip(i), {{"skip", i}});
    for (int i = 0; i < profile_.waiver_size(); ++i) CheckWaiver(profile_.waiver(i), {{"waiver", i}});
    if (profile_.timeout_s() != 0) CheckSeconds(profile_.timeout_s(), {{"timeout_s"}});
    for (int i = 0; i < profile_.timeout_size(); ++i) {
      const FieldPath at = {{"timeout", i}};
      CheckMatch(profile_.timeout(i).match(), Join(at, {"match"}));
      CheckSeconds(profile_.timeout(i).seconds(), Join(at, {"seconds"}));
    }
    CheckEnvironment();
    if (profile_.devices() > kMaxDevices) {
      findings_.Add({{"devices"}}, absl::StrCat(profile_.devices(), " devices; expected 1 to ", kMaxDevices));
    }
    for (int i = 0; i < profile_.adaptor_size(); ++i) CheckAdaptor(profile_.adaptor(i), {{"adaptor", i}});
    return findings_.status();
  }

 private:
  void Need(const std::string& text, const FieldPath& at, const std::string& expected) {
    if (text.empty()) findings_.Add(at, absl::StrCat("missing; expected ", expected));
  }

  void AddError(const FieldPath& at, const std::string& what) {
    if (!what.empty()) findings_.Add(at, what);
  }

  void CheckNames(const google::protobuf::RepeatedPtrField<std::string>& operators,
                  const google::protobuf::RepeatedPtrField<std::string>& functions, const FieldPath& at) {
    for (int i = 0; i < operators.size(); ++i) {
      AddError(Join(at, {"operator", i}), names_.CheckOperator(operators[i]));
    }
    for (int i = 0; i < functions.size(); ++i) {
      AddError(Join(at, {"function", i}), Names::CheckFunction(functions[i]));
    }
  }

  void CheckMatch(const v1::CaseMatch& match, const FieldPath& at) {
    CheckNames(match.operator_(), match.function(), at);
    for (int i = 0; i < match.case__size(); ++i)
      AddError(Join(at, {"case", i}), names_.CheckCase(match.case_(i)));
    const auto parameter = [&](const std::string& name, const FieldPath& where) {
      AddError(where, names_.CheckParameter(name, List(match.operator_()), List(match.function())));
    };
    for (int i = 0; i < match.tensor_size(); ++i) {
      const FieldPath tensor = Join(at, {"tensor", i});
      for (int j = 0; j < match.tensor(i).argument_size(); ++j) {
        parameter(match.tensor(i).argument(j), Join(tensor, {"argument", j}));
      }
      CheckTensor(match.tensor(i), tensor);
    }
    for (int i = 0; i < match.parameter_size(); ++i) {
      const FieldPath where = Join(at, {"parameter", i});
      parameter(match.parameter(i).name(), Join(where, {"name"}));
      if (match.parameter(i).value().empty()) {
        findings_.Add(where,
                      "no value; expected at least one, such as \"0.5\", \"true\", \"none\" or \"[2, 2]\"");
      }
    }
  }

  void CheckTensor(const v1::TensorMatch& tensor, const FieldPath& at) {
    for (int i = 0; i < tensor.shape_size(); ++i) {
      if (!ParseShape(tensor.shape(i)).has_value()) {
        findings_.Add(
            Join(at, {"shape", i}),
            absl::StrCat("'", tensor.shape(i),
                         "' is not a shape; expected sizes and *, such as \"2,3\", \"4,*,7\" or \"()\""));
      }
    }
    CheckBounds(tensor.rank(), Join(at, {"rank"}));
    CheckBounds(tensor.elements(), Join(at, {"elements"}));
    for (int i = 0; i < tensor.dim_size(); ++i)
      CheckBounds(tensor.dim(i).size(), Join(Join(at, {"dim", i}), {"size"}));
    if (tensor.ByteSizeLong() == 0)
      findings_.Add(at, "sets nothing; expected a dtype, rank, elements, shape, dim or contiguous");
  }

  void CheckBounds(const v1::Bounds& bounds, const FieldPath& at) {
    if (bounds.has_min() && bounds.has_max() && bounds.min() > bounds.max()) {
      findings_.Add(at, absl::StrCat("min ", bounds.min(), " is above max ", bounds.max()));
    }
  }

  // Requires a condition, so that a rule cannot hide all failures.
  void CheckAbout(const v1::CaseMatch& match, const FieldPath& at) {
    CheckMatch(match, Join(at, {"match"}));
    if (match.ByteSizeLong() == 0) {
      findings_.Add(
          at,
          "match: sets nothing; expected at least one of operator, function, case, dtype, tensor, parameter");
    }
  }

  void CheckSkip(const v1::Skip& skip, const FieldPath& at) {
    CheckAbout(skip.match(), at);
    Need(skip.reason(), Join(at, {"reason"}), "the reason, in words");
  }

  void CheckWaiver(const v1::ToleranceWaiver& waiver, const FieldPath& at) {
    CheckAbout(waiver.match(), at);
    Need(waiver.reason(), Join(at, {"reason"}), "the reason, in words");
    Need(waiver.issue(), Join(at, {"issue"}), "a link to the issue");
    if (!ParseDay(waiver.expires()).has_value()) {
      findings_.Add(
          Join(at, {"expires"}),
          absl::StrCat(
              waiver.expires().empty() ? "missing" : absl::StrCat("'", waiver.expires(), "' is not a date"),
              "; expected the last day on which it holds, such as 2026-12-31"));
    }
    const v1::Tolerance& tolerance = waiver.tolerance();
    const FieldPath where = Join(at, {"tolerance"});
    const auto bad = [](double value) { return !(value >= 0) || std::isinf(value); };
    if (bad(tolerance.atol())) findings_.Add(Join(where, {"atol"}), "expected a number of at least 0");
    if (bad(tolerance.rtol())) findings_.Add(Join(where, {"rtol"}), "expected a number of at least 0");
    if (bad(tolerance.mismatch_ratio()) || tolerance.mismatch_ratio() > kMaxMismatchRatio) {
      findings_.Add(Join(where, {"mismatch_ratio"}),
                    absl::StrCat("expected a share from 0 to ", kMaxMismatchRatio));
    }
    if (tolerance.atol() == 0 && tolerance.rtol() == 0 && tolerance.mismatch_ratio() == 0) {
      findings_.Add(where, "sets nothing; expected atol, rtol or mismatch_ratio");
    }
  }

  void CheckSeconds(double seconds, const FieldPath& at) {
    if (!(seconds > 0) || seconds > kMaxTimeout)
      findings_.Add(at, absl::StrCat(seconds, " is not a time limit in seconds; at most ", kMaxTimeout));
  }

  void CheckEnvironment() {
    std::set<std::string> seen;
    for (int i = 0; i < profile_.environment_size(); ++i) {
      const std::string& name = profile_.environment(i).name();
      const FieldPath at = {{"environment", i}, {"name"}};
      const bool fits =
          !name.empty() && name.find('=') == std::string::npos && name.find('\0') == std::string::npos;
      if (!fits) findings_.Add(at, absl::StrCat("'", name, "' is not the name of a variable"));
      if (fits && !seen.insert(name).second) findings_.Add(at, absl::StrCat(name, " is set twice"));
      if (profile_.environment(i).value().find('\0') != std::string::npos)
        findings_.Add({{"environment", i}, {"value"}}, "holds a zero byte");
    }
  }

  void CheckAdaptor(const v1::AdaptorRule& rule, const FieldPath& at) {
    CheckNames(rule.operator_(), rule.function(), at);
    const std::vector<std::string> operators = List(rule.operator_());
    const std::vector<std::string> functions = List(rule.function());
    for (int i = 0; i < rule.argument_size(); ++i) {
      AddError(Join(at, {"argument", i}), names_.CheckParameter(rule.argument(i), operators, functions));
    }
    if (rule.dtype().empty() && rule.layout().empty())
      findings_.Add(at, "sets nothing; expected dtype or layout");
    if (!rule.dtype().empty()) {
      const absl::Status dtypes = ParseDtypeRules(rule.dtype()).status();
      if (!dtypes.ok()) findings_.Add(Join(at, {"dtype"}), std::string(dtypes.message()));
    }
    if (rule.layout().empty()) return;
    const absl::StatusOr<std::vector<LayoutRule>> layouts = ParseLayoutRules(rule.layout());
    if (!layouts.ok()) return findings_.Add(Join(at, {"layout"}), std::string(layouts.status().message()));
    for (const LayoutRule& layout : *layouts) {
      if (!layout.argument.empty())
        AddError(Join(at, {"layout"}), names_.CheckParameter(layout.argument, operators, functions));
    }
  }

  const v1::DeviceProfile& profile_;
  const Names& names_;
  Findings findings_;
};

// Rules may use any of an operator's names; cases have one.
void AddOwnNames(const Names& names, google::protobuf::RepeatedPtrField<std::string>* operators) {
  for (const std::string& name : names.OwnNames(List(*operators))) *operators->Add() = name;
}

}  // namespace

absl::StatusOr<Profile> ParseProfile(std::string_view text, std::string_view file_name,
                                     const std::vector<v1::OperatorFile>& operators) {
  const std::string file(file_name);
  ASSIGN_OR_RETURN(const Source source, Source::Parse(text, file));
  const Names names(operators);
  RETURN_IF_ERROR(Checker(source, names).Run());
  Profile profile;
  profile.rules = source.message();
  profile.file = std::filesystem::path(file).filename().string();
  profile.hash = Xxh128Hex(text);
  v1::DeviceProfile& rules = profile.rules;
  const auto place = [&](const FieldPath& path) {
    return absl::StrCat(profile.file, ":", source.LineOf(path));
  };
  for (int i = 0; i < rules.skip_size(); ++i) {
    profile.skip_at.push_back(place({{"skip", i}}));
    AddOwnNames(names, rules.mutable_skip(i)->mutable_match()->mutable_operator_());
  }
  for (int i = 0; i < rules.waiver_size(); ++i) {
    profile.waiver_at.push_back(place({{"waiver", i}}));
    AddOwnNames(names, rules.mutable_waiver(i)->mutable_match()->mutable_operator_());
  }
  for (int i = 0; i < rules.timeout_size(); ++i) {
    profile.timeout_at.push_back(place({{"timeout", i}}));
    AddOwnNames(names, rules.mutable_timeout(i)->mutable_match()->mutable_operator_());
  }
  for (int i = 0; i < rules.adaptor_size(); ++i) {
    profile.adaptor_at.push_back(place({{"adaptor", i}}));
    AddOwnNames(names, rules.mutable_adaptor(i)->mutable_operator_());
  }
  return profile;
}

absl::StatusOr<Profile> ReadProfile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxBytes);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat(text.status().message(), "; expected a device profile"));
  }
  absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return absl::InternalError(catalog.status().message());
  ASSIGN_OR_RETURN(Profile profile, ParseProfile(*text, path, (*catalog)->operators()));
  return profile;
}

}  // namespace diopi::profile
