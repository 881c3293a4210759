// Finds a verdict's cause: its likely cause, or else its first finding. Of several explanations of a likely
// cause, the one that fits most cases of its operator counts, so that cases with fewer hints join the others.
// Verdicts of agents up to 0.9 have texts alone: their first phrases are compared.
#include "reports/model/failure_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "reports/model/group_facts.h"

namespace diopi::reports {
namespace {

constexpr size_t kLongestCause = 200;
constexpr double kMainShare = 0.9;  // of an operator's diagnosed failures: its main cause
constexpr size_t kOfAnyDtype = 3;   // a cause that shows in so many dtypes is not one dtype's

// A case's cause: `key` is equal for cases that belong together, `finding` and `text` are this case's own.
struct Cause {
  std::string key;
  v1::Finding finding;
  std::string text;  // of a verdict without findings
  bool diagnosed = false;
  // Whether cases of several operators belong together.
  enum class Reach { kOperator, kWhereShared, kAlways } reach = Reach::kWhereShared;
};

// Makes one line of limited length, cut between clauses where that leaves at least half of it.
std::string OneLineOf(absl::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); },
      ' ');
  absl::RemoveExtraAsciiWhitespace(&line);
  if (line.size() <= kLongestCause) return line;
  const size_t clause = line.rfind("; ", kLongestCause - 2);
  if (clause != std::string::npos && clause >= kLongestCause / 2) return line.substr(0, clause) + "; ...";
  size_t end = kLongestCause;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // whole UTF-8 characters
  return absl::StrCat(line.substr(0, end), "...");
}

bool IsNamePart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The dtype that a framework's error text calls unsupported, as the text spells it; empty: none.
std::string UnsupportedDtype(absl::string_view text) {
  constexpr std::array<absl::string_view, 27> kNames = {
      "BFloat16", "bfloat16",    "bf16",         "Half",          "float16",   "fp16",      "Double",
      "float64",  "Float",       "float32",      "Long",          "int64",     "Int",       "int32",
      "Short",    "int16",       "Char",         "int8",          "Byte",      "uint8",     "Bool",
      "bool",     "ComplexHalf", "ComplexFloat", "ComplexDouble", "complex64", "complex128"};
  const std::string lower = absl::AsciiStrToLower(text);
  const bool refused = absl::StrContains(lower, "not implemented") ||
                       absl::StrContains(lower, "not support") || absl::StrContains(lower, "unsupported");
  if (!refused) return "";
  std::string found;
  size_t last = 0;
  for (const absl::string_view name : kNames) {
    for (size_t at = text.find(name); at != absl::string_view::npos; at = text.find(name, at + 1)) {
      const bool word = (at == 0 || !IsNamePart(text[at - 1])) &&
                        (at + name.size() == text.size() || !IsNamePart(text[at + name.size()]));
      if (!word || (!found.empty() && at < last)) continue;
      last = at;  // the last one: operators may be named after types
      found = std::string(name);
    }
  }
  return found;
}

// What was done before comparing, and what would have helped, says nothing of the failure.
bool IsTelling(const v1::Finding& finding) {
  return finding.code() < v1::Finding::ACCEPTED_AS || finding.code() > v1::Finding::DEVICE_OFF_BY;
}

const v1::Finding* FirstTelling(const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(), IsTelling);
  return found == findings.end() ? nullptr : &*found;
}

std::string FirstPhrase(absl::string_view text) {
  for (const absl::string_view end : {", ", "; ", ": "}) text = text.substr(0, text.find(end));
  return OneLineOf(text);
}

// The part of the library's or a check's own words that tells kinds of the finding apart.
std::string KindOfSaid(const v1::Finding& finding) {
  switch (finding.code()) {
    case v1::Finding::THREW:  // "c10::Error: "cos_vml_cpu" not implemented for 'Half'"
      return finding.said().substr(0, finding.said().find(": "));
    case v1::Finding::LIBRARY_CHECK:
    case v1::Finding::HARNESS:
      return FirstPhrase(finding.said());
    default:
      return "";
  }
}

// The finding, and of what belongs to it only the first that tells something.
v1::Finding Essence(const v1::Finding& finding) {
  v1::Finding essence = finding;
  essence.clear_parts();
  essence.set_said(OneLineOf(finding.said()));
  const bool details = finding.code() == v1::Finding::READS_OUTSIDE;
  const v1::Finding* part = details ? nullptr : FirstTelling(finding.parts());
  if (part != nullptr) *essence.add_parts() = Essence(*part);
  return essence;
}

std::string KeyOf(const v1::Finding& essence) {
  std::string key = absl::StrCat(essence.code(), ",", essence.word(), ",", KindOfSaid(essence));
  for (const v1::Finding& part : essence.parts()) absl::StrAppend(&key, "(", KeyOf(part), ")");
  return key;
}

// Wrong numbers belong to one operator; missing outputs do not, nor does how a call ended or used memory.
Cause::Reach ReachOf(const v1::Finding& essence) {
  if (!essence.parts().empty()) return ReachOf(essence.parts(0));
  const v1::Finding::Code code = essence.code();
  const bool numbers = (code < v1::Finding::CONSISTENT_WITH && code != v1::Finding::OUTPUT_MISSING) ||
                       (code >= v1::Finding::EXCEEDS && code < v1::Finding::NOT_WRITTEN);
  return numbers ? Cause::Reach::kOperator : Cause::Reach::kWhereShared;
}

// Clears what the two do not share.
void KeepShared(const v1::Finding& other, v1::Finding* finding) {
  if (finding->name() != other.name()) finding->clear_name();
  if (finding->count() != other.count() || finding->of() != other.of()) {
    finding->clear_count();
    finding->clear_of();
  }
  const auto values = [](const v1::Finding& of) {
    return std::tuple(of.place().SerializeAsString(), of.index(), of.got(), of.expected(), of.off());
  };
  if (values(*finding) != values(other)) {
    finding->clear_place();
    finding->clear_index();
    finding->clear_got();
    finding->clear_expected();
    finding->clear_off();
  }
  if (finding->limit() != other.limit()) finding->clear_limit();
  if (finding->exact() != other.exact()) finding->clear_exact();
  if (finding->said() != other.said()) finding->set_said(KindOfSaid(*finding));
  for (int i = 0; i < std::min(finding->parts_size(), other.parts_size()); ++i)
    KeepShared(other.parts(i), finding->mutable_parts(i));
}

Cause ObservedCause(const v1::Verdict& verdict) {
  const v1::Finding* telling = FirstTelling(verdict.findings());
  Cause cause;
  cause.finding = Essence(telling == nullptr ? verdict.findings(0) : *telling);
  cause.reach = ReachOf(cause.finding);
  if (cause.finding.code() == v1::Finding::THREW) {
    cause.finding.set_word(UnsupportedDtype(cause.finding.said()));
    if (!cause.finding.word().empty()) {
      cause.finding.set_said(KindOfSaid(cause.finding));
      cause.reach = Cause::Reach::kAlways;
    }
  }
  cause.key = KeyOf(cause.finding);
  return cause;
}

// The cause of a verdict that has only texts.
Cause RecordedCause(const v1::Verdict& verdict) {
  Cause cause;
  cause.diagnosed = !verdict.likely_cause().empty();
  cause.text = OneLineOf(cause.diagnosed ? verdict.likely_cause() : verdict.reason());
  if (cause.text.empty()) cause.text = OutcomeName(verdict.outcome());
  cause.key = FirstPhrase(cause.text);
  if (!cause.diagnosed && verdict.outcome() == v1::OUTCOME_FAIL) cause.reach = Cause::Reach::kOperator;
  return cause;
}

using OperatorOutcome = std::pair<std::string, v1::Outcome>;

class Grouping {
 public:
  explicit Grouping(const std::vector<const v1::Verdict*>& verdicts) : verdicts_(verdicts) {
    for (const v1::Verdict* verdict : verdicts) {
      for (const v1::Finding& part : verdict->cause().parts())
        ++fits_[PlaceOf(*verdict)][part.SerializeAsString()];
    }
  }

  std::vector<FailureGroup> Make(bool join) {
    Gather();
    if (join) Join();
    std::vector<FailureGroup> groups;
    for (const auto& [kind, by_operator] : parts_) {
      const Cause::Reach reach = by_operator.begin()->second.front().cause.reach;
      const bool together = reach == Cause::Reach::kAlways ||
                            (reach == Cause::Reach::kWhereShared && by_operator.size() > kSharedBy);
      std::vector<Member> all;
      for (const auto& [op, members] : by_operator) {
        if (!together) groups.push_back(GroupOf(members, op));
        all.insert(all.end(), members.begin(), members.end());
      }
      if (together) groups.push_back(GroupOf(all, ""));
    }
    std::stable_sort(groups.begin(), groups.end(), [](const FailureGroup& a, const FailureGroup& b) {
      return a.cases.size() != b.cases.size() ? a.cases.size() > b.cases.size()
                                              : std::tie(a.operators, a.key) < std::tie(b.operators, b.key);
    });
    return groups;
  }

 private:
  struct Member {
    size_t place = 0;  // in case order
    const v1::Verdict* verdict = nullptr;
    Cause cause;
    bool explained = true;  // false: joined to the cause of others
  };
  // Members by outcome and the cause's key, then by operator.
  using Parts = std::map<std::pair<v1::Outcome, std::string>, std::map<std::string, std::vector<Member>>>;

  static OperatorOutcome PlaceOf(const v1::Verdict& verdict) {
    return {verdict.operator_(), verdict.outcome()};
  }

  Cause CauseOf(const v1::Verdict& verdict) const {
    if (!verdict.has_cause())
      return verdict.findings().empty() ? RecordedCause(verdict) : ObservedCause(verdict);
    Cause cause;
    cause.diagnosed = true;
    cause.finding = verdict.cause();
    // What may be declared follows from the explanation, and makes no other cause of it.
    if (cause.finding.code() == v1::Finding::DECLARE) {
      cause.finding.set_code(v1::Finding::CONSISTENT_WITH);
      cause.finding.clear_word();
    }
    if (const auto& parts = verdict.cause().parts(); !parts.empty()) {
      cause.finding.clear_parts();
      *cause.finding.add_parts() = BestOf(parts, fits_.at(PlaceOf(verdict)));
    }
    cause.key = absl::StrCat(cause.finding.code(), ",", cause.finding.word());
    for (const v1::Finding& part : cause.finding.parts())
      absl::StrAppend(&cause.key, ",", part.SerializeAsString());
    return cause;
  }

  static const v1::Finding& BestOf(const google::protobuf::RepeatedPtrField<v1::Finding>& explanations,
                                   const std::map<std::string, int>& fits) {
    return *std::max_element(explanations.begin(), explanations.end(),
                             [&fits](const v1::Finding& a, const v1::Finding& b) {
                               return fits.at(a.SerializeAsString()) < fits.at(b.SerializeAsString());
                             });
  }

  void Gather() {
    for (size_t i = 0; i < verdicts_.size(); ++i) {
      const v1::Verdict& verdict = *verdicts_[i];
      Cause cause = CauseOf(verdict);
      parts_[{verdict.outcome(), cause.key}][verdict.operator_()].push_back({i, &verdict, std::move(cause)});
    }
  }

  // A cause that says what was computed, rather than only which inputs show it.
  static bool IsSpecific(const Cause& cause) {
    return cause.diagnosed && cause.finding.code() != v1::Finding::NAN_NOT_PROPAGATED;
  }

  static bool MayJoin(const Cause& cause) {
    const bool recorded = cause.finding.code() == v1::Finding::CODE_UNSPECIFIED;
    return !recorded && (cause.diagnosed ? !IsSpecific(cause) : cause.reach == Cause::Reach::kOperator);
  }

  // Moves wrong numbers without a specific cause to the main specific one of their operator.
  void Join() {
    struct Specific {
      std::vector<Member>* main = nullptr;  // the most frequent cause
      size_t cases = 0;                     // of all
    };
    std::map<OperatorOutcome, Specific> specific;
    for (auto& [kind, by_operator] : parts_) {
      for (auto& [op, members] : by_operator) {
        if (!IsSpecific(members.front().cause)) continue;
        Specific& found = specific[{op, kind.first}];
        found.cases += members.size();
        if (found.main == nullptr || members.size() > found.main->size()) found.main = &members;
      }
    }
    for (auto& [kind, by_operator] : parts_) {
      for (auto& [op, members] : by_operator) {
        const auto found = specific.find({op, kind.first});
        if (found == specific.end() || !MayJoin(members.front().cause)) continue;
        const auto& [main, cases] = found->second;
        const auto explained =
            std::count_if(main->begin(), main->end(), [](const Member& member) { return member.explained; });
        if (static_cast<double>(explained) >= kMainShare * static_cast<double>(cases)) JoinTo(main, &members);
      }
      std::erase_if(by_operator, [](const auto& part) { return part.second.empty(); });
    }
    std::erase_if(parts_, [](const auto& part) { return part.second.empty(); });
  }

  static void JoinTo(std::vector<Member>* explained, std::vector<Member>* others) {
    std::set<v1::Dtype::Code> dtypes;
    for (const Member& member : *explained) {
      if (member.explained) dtypes.insert(member.verdict->dtype());
    }
    const Cause cause = explained->front().cause;
    std::erase_if(*others, [&](Member& member) {
      const bool joins = dtypes.size() >= kOfAnyDtype || dtypes.contains(member.verdict->dtype());
      if (joins) explained->push_back({member.place, member.verdict, cause, false});
      return joins;
    });
  }

  // The first of the least unusual ones that have the cause, if any has it.
  static const Member& PlainestOf(const std::vector<Member>& members) {
    const Member* plainest = nullptr;
    std::tuple<bool, std::pair<size_t, bool>> least;
    for (const Member& member : members) {
      std::tuple rank(!member.explained, UnusualnessOf(member.verdict->case_id()));
      if (plainest != nullptr && least <= rank) continue;
      plainest = &member;
      least = std::move(rank);
    }
    return *plainest;
  }

  // `op`: empty for a group of several operators.
  static FailureGroup GroupOf(std::vector<Member> members, const std::string& op) {
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return std::tuple(!a.explained, a.place) < std::tuple(!b.explained, b.place);
    });
    const v1::Verdict& example = *PlainestOf(members).verdict;
    const Cause& cause = members.front().cause;
    FailureGroup group;
    group.outcome = example.outcome();
    group.diagnosed = cause.diagnosed;
    group.finding = cause.finding;
    std::set<std::string> operators, functions, texts;
    std::set<v1::Dtype::Code> dtypes;
    int explained = 0;
    for (const auto& [place, verdict, said, is_explained] : members) {
      explained += is_explained ? 1 : 0;
      operators.insert(verdict->operator_());
      if (!verdict->function().empty()) functions.insert(verdict->function());
      dtypes.insert(verdict->dtype());
      texts.insert(said.text);
      KeepShared(said.finding, &group.finding);
      group.cases.push_back(verdict->case_id());
    }
    if (const auto all = static_cast<int64_t>(members.size()); explained < all)
      group.finding = Found(v1::Finding::EXPLAINS_SOME).Count(explained).Of(all).Part(group.finding);
    group.cause = texts.size() == 1 ? cause.text : absl::StrCat(cause.key, "...");  // of texts alone
    group.cause = CauseText(group, Language::kEnglish);
    group.operators.assign(operators.begin(), operators.end());
    group.functions.assign(functions.begin(), functions.end());
    group.dtypes.assign(dtypes.begin(), dtypes.end());
    group.example = example;
    group.example.clear_outputs();
    group.reason = ExampleReason(group, Language::kEnglish);
    group.key = HashOf(absl::StrCat(OutcomeName(group.outcome), "\n", cause.key, "\n", op));
    return group;
  }

  // FNV-1a, 32 bits.
  static std::string HashOf(const std::string& text) {
    uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return absl::StrCat(absl::Hex(hash, absl::kZeroPad8));
  }

  const std::vector<const v1::Verdict*>& verdicts_;
  std::map<OperatorOutcome, std::map<std::string, int>> fits_;  // how many cases each explanation fits
  Parts parts_;
};

}  // namespace

std::vector<FailureGroup> GroupVerdicts(const std::vector<const v1::Verdict*>& verdicts) {
  return Grouping(verdicts).Make(false);
}

std::vector<FailureGroup> GroupFailures(const std::vector<v1::Verdict>& verdicts) {
  std::vector<const v1::Verdict*> listed;
  for (const v1::Verdict& verdict : verdicts) {
    if (IsListed(verdict.outcome())) listed.push_back(&verdict);
  }
  return Grouping(listed).Make(true);
}

std::string CauseText(const FailureGroup& group, Language language) {
  const bool found = group.finding.code() != v1::Finding::CODE_UNSPECIFIED;
  std::string text = found ? FindingText(group.finding, language) : group.cause;
  return text.empty() ? OutcomeName(group.outcome) : text;
}

std::string ExampleReason(const FailureGroup& group, Language language) {
  return OneLineOf(ReasonText(group.example, language));
}

void ShareCause(const FailureGroup& other, FailureGroup* group) {
  // How many cases a cause explains is said of one run alone.
  const auto cause = [](const FailureGroup& of) {
    return of.finding.code() == v1::Finding::EXPLAINS_SOME ? of.finding.parts(0) : of.finding;
  };
  group->finding = cause(*group);
  KeepShared(cause(other), &group->finding);
  group->cause = CauseText(*group, Language::kEnglish);
}

std::string OperatorsText(const FailureGroup& group, const Translator& t) {
  constexpr size_t kNamed = 3;
  const std::vector<std::string>& names = group.operators;
  const size_t shown = names.size() > kNamed + 1 ? kNamed : names.size();
  const std::string text =
      absl::StrJoin(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", ");
  return shown < names.size() ? t("$0 and $1 more", text, names.size() - shown) : text;
}

std::string DtypesText(const FailureGroup& group) {
  return absl::StrJoin(group.dtypes, ", ", [](std::string* out, v1::Dtype::Code dtype) {
    absl::StrAppend(out, std::string(DtypeName(dtype)));
  });
}

absl::StatusOr<RunFailures> LoadFailures(server::Queries& queries, const std::string& run_id) {
  ASSIGN_OR_RETURN(v1::RunInfo run, queries.Describe(run_id));
  ASSIGN_OR_RETURN(std::vector<v1::Verdict> verdicts, queries.FailedVerdicts(run.run_id()));
  RunFailures failures;
  failures.run = std::move(run);
  failures.groups = GroupFailures(verdicts);
  std::set<std::string> operators;
  for (const FailureGroup& group : failures.groups) {
    failures.cases += static_cast<int64_t>(group.cases.size());
    if (MayBeSeparated(group)) operators.insert(group.operators.front());
  }
  std::vector<std::string> passing;
  if (!operators.empty()) {
    const server::CaseFilter filter{{v1::OUTCOME_PASS}, {operators.begin(), operators.end()}, {}, false};
    ASSIGN_OR_RETURN(const std::vector<server::CaseRow> rows, queries.Cases(failures.run.run_id(), filter));
    for (const server::CaseRow& row : rows) passing.push_back(row.case_id);
  }
  AddGroupFacts(passing, &failures.groups);
  return failures;
}

}  // namespace diopi::reports
