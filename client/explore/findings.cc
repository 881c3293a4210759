#include "client/explore/findings.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/user/operator_text.h"
#include "client/shrink/shrink_point.h"
#include "reports/model/outcome.h"

namespace diopi::explore {
namespace {

constexpr char kRepeat[] = "# Repeat: ";

int64_t Elements(const v1::Case& c) {
  int64_t sum = 0;
  for (const v1::Argument& arg : c.args()) {
    if (arg.has_tensor()) sum += arg.tensor().storage_elements();
    for (const v1::TensorSpec& spec : arg.tensors().tensors()) sum += spec.storage_elements();
  }
  return sum;
}

v1::OperatorFile FileOf(const Call& call) {
  return cases::OnePointFile(*call.op, call.point, call.c.function(), call.c.dtype());
}

v1::OperatorFile WithPoint(const v1::OperatorFile& file, const v1::Point& point) {
  v1::OperatorFile changed = file;
  *changed.mutable_grid(0)->mutable_point(0) = point;
  return changed;
}

class Writer {
 public:
  Writer(const std::string& folder, const FindingLimits& limits, shrink::CaseTrial* trial,
         const std::function<std::string(const v1::Verdict&)>& command)
      : folder_(folder), limits_(limits), trial_(*trial), command_(command) {}

  // The calls whose causes are sought, with their verdicts.
  std::vector<FailedCall> Diagnose(const std::vector<FailedCall>& failures, agent::CaseJudge* judge) {
    std::map<std::pair<std::string, v1::Outcome>, int> taken;
    std::vector<FailedCall> diagnosed;
    for (const FailedCall& failed : failures) {
      int& count = taken[{failed.call.c.function(), failed.verdict.outcome()}];
      if (count++ >= limits_.calls_per_function) continue;
      FailedCall again = failed;
      absl::StatusOr<v1::Verdict> verdict = trial_.Run(failed.call.c, judge);
      // A failure that does not repeat itself is one nevertheless.
      if (verdict.ok() && verdict->outcome() == failed.verdict.outcome()) again.verdict = *std::move(verdict);
      diagnosed.push_back(std::move(again));
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
    finding.path = absl::StrCat(folder_, "/", smallest->call.c.operator_(), "_", group.key, ".textproto");
    finding.known = std::filesystem::exists(finding.path);
    if (finding.known) {
      finding.command = CommandIn(finding.path);
      return finding;
    }
    const v1::OperatorFile file =
        shrunk_++ < limits_.most_shrunk ? Shrink(FileOf(smallest->call), &finding) : FileOf(smallest->call);
    finding.command = command_(finding.verdict);
    absl::Status written = cases::WriteFileWhole(finding.path, Text(file, finding));
    if (!written.ok()) return written;
    return finding;
  }

 private:
  v1::OperatorFile Shrink(const v1::OperatorFile& file, Finding* finding) {
    const absl::StatusOr<v1::Verdict> first = trial_.Run(file);
    if (!first.ok() || !shrink::FailsAlike(finding->verdict, *first)) return file;
    const std::string id = first->case_id();
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
                                   "): ", reports::OutcomeName(finding->verdict.outcome())));
    v1::OperatorFile small = WithPoint(file, point);
    const absl::StatusOr<v1::Case> c = cases::ExpandOne(small);
    if (!c.ok()) return file;
    finding->verdict.set_case_id(c->id());
    return small;
  }

  static std::string Text(const v1::OperatorFile& file, const Finding& finding) {
    const auto line = [](const std::string& text) {
      return absl::StrCat("# ", absl::StrReplaceAll(text, {{"\n", " "}}), "\n");
    };
    const std::string cause =
        absl::StrCat(reports::OutcomeName(finding.group.outcome), ": ", finding.group.cause);
    return absl::StrCat(line(cause), line(finding.verdict.reason()), kRepeat, finding.command, "\n",
                        cases::OperatorText(file));
  }
  // That an earlier exploration wrote into the file; empty where somebody has removed it.
  static std::string CommandIn(const std::string& path) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      if (absl::StartsWith(line, kRepeat)) return line.substr(sizeof(kRepeat) - 1);
    }
    return "";
  }

  const std::string folder_;
  const FindingLimits limits_;
  shrink::CaseTrial& trial_;
  const std::function<std::string(const v1::Verdict&)>& command_;
  int shrunk_ = 0;
};

}  // namespace

absl::Status WriteFindings(const std::vector<FailedCall>& failures, const std::string& folder,
                           const FindingLimits& limits, agent::CaseJudge* diagnosing,
                           shrink::CaseTrial* trial,
                           const std::function<std::string(const v1::Verdict&)>& command,
                           const std::function<bool(const Finding&)>& found) {
  Writer writer(folder, limits, trial, command);
  const std::vector<FailedCall> diagnosed = writer.Diagnose(failures, diagnosing);
  std::vector<const v1::Verdict*> verdicts;
  verdicts.reserve(diagnosed.size());
  for (const FailedCall& failed : diagnosed) verdicts.push_back(&failed.verdict);
  for (const reports::FailureGroup& group : reports::GroupVerdicts(verdicts)) {
    const absl::StatusOr<Finding> finding = writer.Write(group, diagnosed);
    if (!finding.ok()) return finding.status();
    if (!found(*finding)) break;
  }
  return absl::OkStatus();
}

}  // namespace diopi::explore
