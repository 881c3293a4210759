// Calls are grouped by cause first, and one call of each group is shrunk, because shrinking makes hundreds of
// calls. If calls may be made again, a file states that a call fails alone, or after certain others, only
// after it did so in a process that made nothing else: the search itself may have left something in its
// process.
#include "client/explore/findings.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cases/base/case_parts.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/user/operator_text.h"
#include "client/shrink/shrink_point.h"

namespace diopi::explore {
namespace {

constexpr char kRepeat[] = "# Repeat: ";
constexpr int kTriesBeside = 5;  // two calls at once do not always meet in the same way

int64_t Elements(const v1::Case& c) {
  int64_t sum = 0;
  for (const v1::Argument& arg : c.args()) {
    for (const v1::TensorSpec* spec : SpecsOf(arg)) sum += spec->storage_elements();
  }
  return sum;
}

v1::OperatorFile FileOf(const Call& call) {
  return cases::OnePointFile(*call.op, call.point, call.c.function(), call.c.dtype());
}

// The file of several calls of one function, in order.
v1::OperatorFile FileOf(const std::vector<Call>& calls) {
  v1::OperatorFile file = FileOf(calls.front());
  for (size_t i = 1; i < calls.size(); ++i) *file.add_grid() = FileOf(calls[i]).grid(0);
  return file;
}

v1::OperatorFile WithPoint(const v1::OperatorFile& file, const v1::Point& point) {
  v1::OperatorFile changed = file;
  *changed.mutable_grid(0)->mutable_point(0) = point;
  return changed;
}

// Causes that say little of where the fault is: calls of several operators, or of several outputs, that have
// one of them need not have one bug.
bool IsGeneric(const v1::Verdict& verdict) {
  if (!verdict.has_cause()) return verdict.outcome() == v1::OUTCOME_FAIL;
  switch (verdict.cause().code()) {
    case v1::Finding::NAN_NOT_PROPAGATED:
    case v1::Finding::NEVER_COMPUTED:
    case v1::Finding::SIGN_WRONG:
    case v1::Finding::TAIL_LEFT_OUT:
    case v1::Finding::TAIL_WRONG:
    case v1::Finding::TIE_BROKEN:
      return true;
    default:
      return false;
  }
}

// The output that a verdict accuses first; empty: none.
std::string OutputOf(const v1::Verdict& verdict) {
  for (const v1::Finding& finding : verdict.findings()) {
    if (!finding.name().empty()) return finding.name();
  }
  return "";
}

std::vector<reports::FailureGroup> GroupsOf(const std::vector<FailedCall>& failures) {
  std::vector<const v1::Verdict*> others;
  std::map<std::pair<std::string, std::string>, std::vector<const v1::Verdict*>> generic;
  for (const FailedCall& failed : failures) {
    const v1::Verdict& v = failed.verdict;
    (IsGeneric(v) ? generic[{v.operator_(), OutputOf(v)}] : others).push_back(&v);
  }
  std::vector<reports::FailureGroup> groups = reports::GroupVerdicts(others);
  for (const auto& [place, verdicts] : generic) {
    for (reports::FailureGroup& group : reports::GroupVerdicts(verdicts)) {
      if (!place.second.empty()) absl::StrAppend(&group.key, "_", place.second);
      groups.push_back(std::move(group));
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.cases.size() > b.cases.size(); });
  return groups;
}

class Writer {
 public:
  Writer(const std::string& folder, const FindingLimits& limits, shrink::CaseTrial* trial,
         const std::function<RepeatCommands(const v1::Verdict&)>& commands)
      : folder_(folder), limits_(limits), trial_(*trial), commands_(commands) {}

  // The calls whose causes are sought, with their verdicts.
  std::vector<FailedCall> Diagnose(const std::vector<FailedCall>& failures, agent::CaseJudge* judge) {
    std::map<std::pair<std::string, v1::Outcome>, int> taken;
    std::vector<FailedCall> diagnosed;
    for (const FailedCall& failed : failures) {
      int& count = taken[{failed.call.c.function(), failed.verdict.outcome()}];
      if (count++ >= limits_.calls_per_function) continue;
      diagnosed.push_back(failed);
      if (!limits_.call_again) continue;
      absl::StatusOr<v1::Verdict> verdict = trial_.Run(failed.call.c, judge);
      // A failure that does not repeat itself is one nevertheless.
      if (verdict.ok() && verdict->outcome() == failed.verdict.outcome())
        diagnosed.back().verdict = *std::move(verdict);
    }
    return diagnosed;
  }

  absl::StatusOr<Finding> Write(const reports::FailureGroup& group, const std::vector<FailedCall>& failures) {
    const FailedCall* smallest = nullptr;
    for (const FailedCall& failed : failures) {
      const auto& ids = group.cases;
      if (std::find(ids.begin(), ids.end(), failed.call.c.id()) == ids.end()) continue;
      if (smallest == nullptr || Elements(failed.call.c) < Elements(smallest->call.c)) smallest = &failed;
    }
    Finding finding;
    finding.group = group;
    finding.verdict = smallest->verdict;
    const std::string name = absl::StrCat(folder_, "/", smallest->call.c.operator_(), "_", group.key);
    finding.path = name + ".textproto";
    for (int next = 2; std::filesystem::exists(finding.path); ++next) {
      if (IsKnown(&finding)) return finding;
      finding.path = absl::StrCat(name, "_", next, ".textproto");
    }
    const v1::OperatorFile file = FileOf(*smallest, &finding);
    RETURN_IF_ERROR(cases::WriteFileWhole(finding.path, Text(file, finding)));
    return finding;
  }

 private:
  // Whether the calls of the existing file still fail as the finding did, of which they are then the example.
  bool IsKnown(Finding* finding) {
    if (!limits_.call_again) return false;
    const std::string text = TextOf(finding->path);
    const absl::StatusOr<v1::OperatorFile> file = cases::ParseOperatorFile(text, finding->path);
    if (!file.ok()) return false;
    const absl::StatusOr<std::vector<v1::Case>> calls = cases::Expand(*file, finding->path);
    if (!calls.ok()) return false;
    const RepeatCommands commands = CommandsIn(text);
    const bool beside = absl::StrContains(commands.portable, " --beside");
    for (int tries = beside ? kTriesBeside : 1; tries > 0; --tries) {
      absl::StatusOr<v1::Verdict> verdict = trial_.RunInOrder(*calls, beside);
      if (!verdict.ok() || !shrink::FailsAlike(finding->verdict, *verdict) ||
          OutputOf(finding->verdict) != OutputOf(*verdict)) {
        continue;
      }
      finding->known = true;
      finding->verdict = *std::move(verdict);
      // Somebody may have removed them from the file.
      finding->commands = commands.portable.empty() ? commands_(finding->verdict) : commands;
      return true;
    }
    return false;
  }

  // Sets how the finding is repeated, too.
  v1::OperatorFile FileOf(const FailedCall& failed, Finding* finding) {
    const bool search = limits_.call_again && searched_++ < limits_.most_shrunk;
    if (!search || Fails(failed, {})) {
      v1::OperatorFile file = explore::FileOf(failed.call);
      if (search) file = Shrink(file, finding);
      finding->commands = commands_(finding->verdict);
      return file;
    }
    const std::optional<std::vector<Call>> before = CallsNeeded(failed);
    finding->commands = commands_(finding->verdict);
    if (!before.has_value()) {
      finding->condition = "did not fail again, neither alone nor after the calls before it";
      return explore::FileOf(failed.call);
    }
    std::vector<std::string> ids;
    for (const Call& call : *before) ids.push_back(call.c.id());
    const std::string after =
        absl::StrCat(" --after ", absl::StrJoin(ids, ","), failed.beside ? " --beside" : "");
    finding->commands.portable += after;
    finding->commands.local += after;
    finding->condition = failed.beside
                             ? absl::StrCat("fails only while ", ids.back(), " runs on another thread")
                             : absl::StrCat("fails only after ", absl::StrJoin(ids, ", "), " in one process");
    std::vector<Call> calls = *before;
    calls.push_back(failed.call);
    return explore::FileOf(calls);
  }

  // Whether the call fails in a process that has made only the calls `before` it.
  bool Fails(const FailedCall& failed, const std::vector<Call>& before) {
    std::vector<v1::Case> cases;
    cases.reserve(before.size() + 1);
    for (const Call& call : before) cases.push_back(call.c);
    cases.push_back(failed.call.c);
    const bool beside = failed.beside && !before.empty();
    for (int tries = beside ? kTriesBeside : 1; tries > 0; --tries) {
      const absl::StatusOr<v1::Verdict> verdict = trial_.RunInOrder(cases, beside);
      if (!verdict.ok()) continue;
      // Two calls at once fail in one way or another.
      if (beside ? IsListed(verdict->outcome()) : shrink::FailsAlike(failed.verdict, *verdict)) return true;
    }
    return false;
  }

  // The fewest of the calls before it after which the call fails. None: it does not fail after all of them.
  std::optional<std::vector<Call>> CallsNeeded(const FailedCall& failed) {
    std::vector<Call> before;
    before.reserve(failed.before.size());
    for (const std::shared_ptr<const Call>& call : failed.before) before.push_back(*call);
    if (before.empty() || !Fails(failed, before)) return std::nullopt;
    // Leaves out half of them, quarters, and so on to single ones. The call beside it is the last one, and
    // stays.
    const size_t last = failed.beside ? 1 : 0;
    for (size_t size = (before.size() + 1) / 2; size > 0; size = size == 1 ? 0 : (size + 1) / 2) {
      for (size_t begin = 0; begin + last < before.size();) {
        const size_t end = std::min(begin + size, before.size() - last);
        std::vector<Call> fewer = before;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        if (Fails(failed, fewer)) {
          before = std::move(fewer);
        } else {
          begin = end;
        }
      }
    }
    return before;
  }

  v1::OperatorFile Shrink(const v1::OperatorFile& file, Finding* finding) {
    const absl::StatusOr<v1::Verdict> first = trial_.Run(file);
    if (!first.ok() || !shrink::FailsAlike(finding->verdict, *first)) return file;
    const std::string id = first->case_id();
    const v1::Verdict whole = finding->verdict;
    const shrink::ShrinkResult result = shrink::ShrinkPoint(
        file.grid(0).point(0),
        [&](const v1::Point& point) {
          const absl::StatusOr<v1::Verdict> verdict = trial_.Run(WithPoint(file, point));
          const bool same = verdict.ok() && shrink::FailsAlike(*first, *verdict);
          if (same) finding->verdict = *verdict;
          return same;
        },
        [](const std::string& /*what*/) {}, {limits_.most_tries, limits_.most_time});
    if (result.steps == 0) return file;
    v1::Point point = result.point;
    point.set_label(absl::StrCat(point.label(), "_shrunk"));
    point.set_reveals(absl::StrCat("shrunk from ", id, " (", file.grid(0).point(0).reveals(),
                                   "): ", OutcomeName(finding->verdict.outcome())));
    v1::OperatorFile small = WithPoint(file, point);
    const absl::StatusOr<v1::Case> c = cases::ExpandOne(small);
    if (!c.ok()) return file;
    // The calls of the search may have left something in the process that it needs.
    const absl::StatusOr<v1::Verdict> alone = trial_.RunInOrder({*c}, /*beside=*/false);
    if (!alone.ok() || !shrink::FailsAlike(*first, *alone)) {
      finding->verdict = whole;
      return file;
    }
    finding->verdict.set_case_id(c->id());
    return small;
  }

  static std::string Text(const v1::OperatorFile& file, const Finding& finding) {
    const auto line = [](const std::string& text) {
      return absl::StrCat("# ", absl::StrReplaceAll(text, {{"\n", " "}}), "\n");
    };
    const std::string cause = absl::StrCat(OutcomeName(finding.group.outcome), ": ", finding.group.cause);
    const std::string condition =
        finding.condition.empty() ? "" : line(absl::StrCat("The last case ", finding.condition, "."));
    return absl::StrCat(line(cause), line(finding.verdict.reason()), condition, kRepeat,
                        finding.commands.portable, "\n", kRepeatHere, finding.commands.local, "\n",
                        cases::OperatorText(file));
  }
  static std::string TextOf(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // That an earlier exploration wrote into the file; empty where somebody has removed them.
  static RepeatCommands CommandsIn(const std::string& text) {
    RepeatCommands commands;
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
      if (absl::StartsWith(line, kRepeat)) commands.portable = line.substr(sizeof(kRepeat) - 1);
      if (absl::StartsWith(line, kRepeatHere)) commands.local = line.substr(sizeof(kRepeatHere) - 1);
    }
    if (commands.local.empty()) commands.local = commands.portable;
    return commands;
  }

  const std::string folder_;
  const FindingLimits limits_;
  shrink::CaseTrial& trial_;
  const std::function<RepeatCommands(const v1::Verdict&)>& commands_;
  int searched_ = 0;
};

}  // namespace

absl::Status WriteFindings(const std::vector<FailedCall>& failures, const std::string& folder,
                           const FindingLimits& limits, agent::CaseJudge* diagnosing,
                           shrink::CaseTrial* trial,
                           const std::function<RepeatCommands(const v1::Verdict&)>& commands,
                           const std::function<bool(const Finding&)>& found) {
  Writer writer(folder, limits, trial, commands);
  const std::vector<FailedCall> diagnosed = writer.Diagnose(failures, diagnosing);
  for (const reports::FailureGroup& group : GroupsOf(diagnosed)) {
    ASSIGN_OR_RETURN(const Finding finding, writer.Write(group, diagnosed));
    if (!found(finding)) break;
  }
  return absl::OkStatus();
}

}  // namespace diopi::explore
