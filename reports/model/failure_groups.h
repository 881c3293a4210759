// Groups failures that look alike, so that people read groups before single cases. One defect of a library
// makes tens or hundreds of cases fail; a list of cases hides how few defects there are.
#ifndef REPORTS_MODEL_FAILURE_GROUPS_H_
#define REPORTS_MODEL_FAILURE_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "reports/document/language.h"
#include "server/store/queries.h"

namespace diopi::reports {

// Cases with the same outcome and the same cause. The cause is the likely cause where one is known, otherwise
// the first finding. Codes and words tell causes apart, as do a likely cause's explanations and an
// exception's type; numbers, places and names of tensors do not.
//
// A group covers one operator, unless more than kSharedBy operators have the same cause: then the cause lies
// in something that they share, and they are one group. A dtype that an exception names as unsupported is
// always one group. Wrong numbers without a likely cause are never grouped across operators.
//
// Diagnosis needs cases that show the defect clearly, which few do. Where nine in ten of the diagnosed
// failures of an operator have one cause, its wrong numbers without a cause are counted to that cause, in the
// dtypes that show it or, if three do, in all; the group's finding says how many cases it explains
// (EXPLAINS_SOME).
struct FailureGroup {
  std::string key;  // 8 hex digits over outcome, cause and (where it is one) operator: the same in every run
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  v1::Finding
      finding;        // the cause, with the fields that all cases share; no code: the cases have texts alone
  std::string cause;  // its text in English, or what agents up to 0.9 recorded; one line, never empty
  bool diagnosed = false;               // the cause explains the failure; false: it is an observation
  std::vector<std::string> operators;   // by name
  std::vector<std::string> functions;   // by name; empty: checks of the library as a whole
  std::vector<v1::Dtype::Code> dtypes;  // by code
  std::vector<std::string> cases;       // case ids: those that have the cause first, each part in case order
  v1::Verdict example;  // of the plainest case (group_facts.h) that has the cause, without its outputs
  std::string reason;   // its reason in English, one line
  // Filled in by AddGroupFacts.
  std::string reveals;     // the defect that the example was written for; empty: not known
  v1::Finding separation;  // SEPARATED_BY; no code: nothing separates its cases from those that pass
};

// The group's cause and its example's reason in a language; of older verdicts, what was recorded. One line.
std::string CauseText(const FailureGroup& group, Language language);
std::string ExampleReason(const FailureGroup& group, Language language);

// Makes the group's cause that of both groups, which have the same key.
void ShareCause(const FailureGroup& other, FailureGroup* group);

inline constexpr size_t kSharedBy = 3;

// Groups the verdicts that IsListed; the largest group comes first. The verdicts must be in case order.
std::vector<FailureGroup> GroupFailures(const std::vector<v1::Verdict>& verdicts);

// Groups these verdicts, whatever their outcomes; wrong numbers without a cause stay apart.
std::vector<FailureGroup> GroupVerdicts(const std::vector<const v1::Verdict*>& verdicts);

// "add", "add, sub, mul", "add, sub, mul and 40 more".
std::string OperatorsText(const FailureGroup& group, const Translator& t = English());
// "float16, bfloat16".
std::string DtypesText(const FailureGroup& group);

struct RunFailures {
  v1::RunInfo run;
  int64_t cases = 0;  // in all groups
  std::vector<FailureGroup> groups;
};

// `run_id` may be "latest". Errors are those of Queries.
absl::StatusOr<RunFailures> LoadFailures(server::Queries& queries, const std::string& run_id);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_FAILURE_GROUPS_H_
