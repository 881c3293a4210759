#include "server/http/api_parameters.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

absl::Status AddOutcome(const std::string& name, std::vector<v1::Outcome>* outcomes) {
  std::vector<std::string> known = {"failed"};
  for (int number = 1; number <= v1::Outcome_MAX; ++number) {
    const auto outcome = static_cast<v1::Outcome>(number);
    known.push_back(OutcomeName(outcome));
    if (name == known.back() || (name == "failed" && IsFailure(outcome))) outcomes->push_back(outcome);
  }
  if (std::find(known.begin(), known.end(), name) != known.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("outcome: unknown outcome '", name, "'; expected some of ", absl::StrJoin(known, ", ")));
}

}  // namespace

absl::Status Parameters::Only(std::initializer_list<const char*> names) const {
  for (const auto& [name, value] : request_.query) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown parameter '", name, "'; ",
                       names.size() == 0 ? "this address takes none"
                                         : absl::StrCat("expected some of ", absl::StrJoin(names, ", "))));
    }
    if (request_.query.count(name) > 1) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' is given twice"));
    }
  }
  return absl::OkStatus();
}

std::string Parameters::Text(const std::string& name) const {
  const auto found = request_.query.find(name);
  return found == request_.query.end() ? std::string() : found->second;
}

absl::StatusOr<std::string> Parameters::Required(const std::string& name) const {
  std::string text = Text(name);
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' is required"));
  return text;
}

absl::StatusOr<int64_t> Parameters::Number(const std::string& name, int64_t low, int64_t high,
                                           int64_t otherwise) const {
  if (!Has(name)) return otherwise;
  int64_t number = 0;
  if (!absl::SimpleAtoi(Text(name), &number) || number < low || number > high) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected a whole number from ", low, " to ", high, ", got '", Text(name), "'"));
  }
  return number;
}

absl::StatusOr<std::string> Parameters::Time(const std::string& name) const {
  const std::string text = Text(name);
  if (text.empty()) return "";
  absl::Time time;
  std::string ignored;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &ignored) &&
      !absl::ParseTime("%Y-%m-%d", text, &time, &ignored)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": expected a time such as 2026-11-20T08:00:00Z, or a day such as 2026-11-20, got '", text,
        "'"));
  }
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());  // as the database writes them
}

absl::StatusOr<TimeRange> Parameters::Range() const {
  ASSIGN_OR_RETURN(std::string from, Time("from"));
  ASSIGN_OR_RETURN(std::string to, Time("to"));
  return TimeRange{std::move(from), std::move(to)};
}

std::vector<std::string> Parameters::List(const std::string& name) const {
  return absl::StrSplit(Text(name), ',', absl::SkipEmpty());
}

absl::StatusOr<CaseFilter> Parameters::Cases() const {
  CaseFilter filter;
  for (const std::string& name : List("outcome")) {
    RETURN_IF_ERROR(AddOutcome(name, &filter.outcomes));
  }
  for (const std::string& name : List("dtype")) {
    const absl::StatusOr<Dtype> dtype = ParseDtype(name);
    if (!dtype.ok()) return absl::InvalidArgumentError(absl::StrCat("dtype: ", dtype.status().message()));
    filter.dtypes.push_back(*dtype);
  }
  filter.operators = List("operator");
  return filter;
}

}  // namespace diopi::server
