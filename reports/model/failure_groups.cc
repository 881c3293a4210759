// Finds a verdict's cause. A diagnosis ("consistent with alpha taken as 1") is used unchanged; of several
// that fit a case, the one that fits most cases of its operator, so that cases with fewer hints join the
// others. Any other text is generalised: only its first finding, with names of functions and tensors replaced
// by words and numbers by N. The result is equal for cases that fail in the same way.
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
#include "absl/strings/str_replace.h"
#include "cases/base/dtype.h"
#include "reports/model/outcome.h"

namespace diopi::reports {
namespace {

constexpr absl::string_view kConsistent = "consistent with ";
constexpr size_t kLongestCause = 200;

// A case's cause: `key` is equal for cases that belong together, `text` is this case's own.
struct Cause {
  std::string key;
  std::string text;
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

// "12 of 4800 elements" -> "N of N elements"; digits of a name ("float32", "conv2d") stay.
std::string WithoutNumbers(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool starts =
        absl::ascii_isdigit(static_cast<unsigned char>(text[i])) && (i == 0 || !IsNamePart(text[i - 1]));
    if (!starts) {
      out.push_back(text[i++]);
      continue;
    }
    if (!out.empty() && out.back() == '-') out.pop_back();
    out.push_back('N');
    // 1.5e-07, 0x7f3c, 300
    while (i < text.size() && (IsNamePart(text[i]) ||
                               (text[i] == '.' && i + 1 < text.size() &&
                                absl::ascii_isdigit(static_cast<unsigned char>(text[i + 1]))) ||
                               ((text[i] == '-' || text[i] == '+') && text[i - 1] == 'e'))) {
      ++i;
    }
  }
  return out;
}

// Replaces the word after `before` where it occurs: the name of a tensor.
void ReplaceWordAfter(absl::string_view before, absl::string_view replacement, std::string* text) {
  const size_t found = text->find(before.data(), 0, before.size());
  if (found == std::string::npos) return;
  const size_t from = found + before.size();
  const size_t to = std::min(text->find_first_of(" ,;", from), text->size());
  text->replace(from, to - from, replacement.data(), replacement.size());
}

// The first finding of a reason, without the parts that differ from case to case.
std::string General(const v1::Verdict& verdict, absl::string_view reason) {
  for (const absl::string_view detail :
       {", first at ", ", the first ", " (tolerance ", "; besides, ", "; by itself, ",
        "; it printed: ", " at address ", " (exit status "}) {
    reason = reason.substr(0, reason.find(detail));
  }
  std::string text = OneLineOf(reason);
  if (!verdict.function().empty()) {
    text = absl::StrReplaceAll(text, {{verdict.function(), "the function"}});
  }
  text = WithoutNumbers(text);
  for (const absl::string_view before : {"N elements of the input ", "N element of the input "})
    ReplaceWordAfter(before, "tensor", &text);
  if (!absl::StrContains(text, "of the input ")) {
    for (const absl::string_view before :
         {"elements of ", "element of ", "written outside ", "bytes outside ", "storage of "})
      ReplaceWordAfter(before, "a tensor", &text);
  }
  return absl::StrReplaceAll(text, {{"N element ", "N elements "},
                                    {" was not ", " were not "},
                                    {" elements differs", " elements differ"}});
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

// "c10::Error: "cos_vml_cpu" not implemented for 'Half'".
Cause ExceptionCause(const v1::Verdict& verdict, absl::string_view exception) {
  Cause cause;
  const std::string line = OneLineOf(exception);
  const std::string type = line.substr(0, line.find(": "));
  cause.text = absl::StrCat("exception ", line);
  const std::string dtype = UnsupportedDtype(line);
  if (!dtype.empty()) {
    cause.key = cause.text = absl::StrCat("exception ", type, ": ", dtype, " is not supported");
    cause.reach = Cause::Reach::kAlways;
    return cause;
  }
  cause.key = General(verdict, cause.text);
  return cause;
}

// The cause of a verdict without a diagnosis: the observation.
Cause SeenCause(const v1::Verdict& verdict) {
  if (verdict.threw()) return ExceptionCause(verdict, verdict.error_text());
  const std::string& reason = verdict.reason();
  Cause cause;
  cause.key = General(verdict, reason);
  cause.text = OneLineOf(reason);
  if (cause.key.empty()) cause.key = cause.text = OutcomeName(verdict.outcome());
  // Wrong numbers belong to one operator; missing outputs do not.
  if (verdict.outcome() == v1::OUTCOME_FAIL && verdict.outputs_size() > 0)
    cause.reach = Cause::Reach::kOperator;
  return cause;
}

using OperatorOutcome = std::pair<std::string, v1::Outcome>;

class Grouping {
 public:
  explicit Grouping(const std::vector<const v1::Verdict*>& verdicts) : verdicts_(verdicts) {
    for (const v1::Verdict* verdict : verdicts) {
      for (const std::string& diagnosis : verdict->consistent_with()) ++fits_[PlaceOf(*verdict)][diagnosis];
    }
  }

  std::vector<FailureGroup> Make() {
    Gather();
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
      const auto in_case_order = [](const Member& a, const Member& b) { return a.place < b.place; };
      std::sort(all.begin(), all.end(), in_case_order);
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
  };

  static OperatorOutcome PlaceOf(const v1::Verdict& verdict) {
    return {verdict.operator_(), verdict.outcome()};
  }

  Cause CauseOf(const v1::Verdict& verdict) const {
    const auto& diagnoses = verdict.consistent_with();
    if (!diagnoses.empty()) {
      const std::map<std::string, int>& fits = fits_.at(PlaceOf(verdict));
      const auto best = std::max_element(
          diagnoses.begin(), diagnoses.end(),
          [&fits](const std::string& a, const std::string& b) { return fits.at(a) < fits.at(b); });
      const std::string text = absl::StrCat(kConsistent, *best);
      return {.key = text, .text = text, .diagnosed = true};
    }
    if (verdict.likely_cause().empty()) return SeenCause(verdict);
    const std::string text = OneLineOf(verdict.likely_cause());
    return {.key = WithoutNumbers(text), .text = text, .diagnosed = true};
  }

  void Gather() {
    for (size_t i = 0; i < verdicts_.size(); ++i) {
      const v1::Verdict& verdict = *verdicts_[i];
      Cause cause = CauseOf(verdict);
      parts_[{verdict.outcome(), cause.key}][verdict.operator_()].push_back({i, &verdict, std::move(cause)});
    }
  }

  // `op`: empty for a group of several operators.
  static FailureGroup GroupOf(const std::vector<Member>& members, const std::string& op) {
    const v1::Verdict& example = *members.front().verdict;
    const Cause& cause = members.front().cause;
    FailureGroup group;
    group.outcome = example.outcome();
    group.diagnosed = cause.diagnosed;
    std::set<std::string> operators, functions, texts;
    std::set<v1::Dtype::Code> dtypes;
    for (const auto& [place, verdict, said] : members) {
      operators.insert(verdict->operator_());
      if (!verdict->function().empty()) functions.insert(verdict->function());
      dtypes.insert(verdict->dtype());
      texts.insert(said.text);
      group.cases.push_back(verdict->case_id());
    }
    group.cause = texts.size() == 1 ? cause.text : cause.key;
    group.operators.assign(operators.begin(), operators.end());
    group.functions.assign(functions.begin(), functions.end());
    group.dtypes.assign(dtypes.begin(), dtypes.end());
    group.reason = OneLineOf(example.reason());
    group.example = example;
    group.example.clear_outputs();
    group.key = KeyOf(absl::StrCat(OutcomeName(group.outcome), "\n", cause.key, "\n", op));
    return group;
  }

  // FNV-1a, 32 bits.
  static std::string KeyOf(const std::string& text) {
    uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return absl::StrCat(absl::Hex(hash, absl::kZeroPad8));
  }

  const std::vector<const v1::Verdict*>& verdicts_;
  std::map<OperatorOutcome, std::map<std::string, int>> fits_;  // number of cases that each diagnosis fits
  // By outcome and the cause's key, then by operator.
  std::map<std::pair<v1::Outcome, std::string>, std::map<std::string, std::vector<Member>>> parts_;
};

}  // namespace

std::vector<FailureGroup> GroupVerdicts(const std::vector<const v1::Verdict*>& verdicts) {
  return Grouping(verdicts).Make();
}

std::vector<FailureGroup> GroupFailures(const std::vector<v1::Verdict>& verdicts) {
  std::vector<const v1::Verdict*> listed;
  for (const v1::Verdict& verdict : verdicts) {
    if (IsListed(verdict.outcome())) listed.push_back(&verdict);
  }
  return GroupVerdicts(listed);
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
  absl::StatusOr<v1::RunInfo> run = queries.Describe(run_id);
  if (!run.ok()) return run.status();
  absl::StatusOr<std::vector<v1::Verdict>> verdicts = queries.FailedVerdicts(run->run_id());
  if (!verdicts.ok()) return verdicts.status();
  RunFailures failures;
  failures.run = *std::move(run);
  failures.groups = GroupFailures(*verdicts);
  for (const FailureGroup& group : failures.groups)
    failures.cases += static_cast<int64_t>(group.cases.size());
  return failures;
}

}  // namespace diopi::reports
