#include "reports/gate/update.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "reports/document/escape.h"
#include "reports/gate/gate.h"
#include "reports/gate/line_matches.h"
#include "reports/model/outcome.h"

namespace diopi::reports {
namespace {

constexpr size_t kLongestReason = 120;  // bytes

std::string OperatorOf(const std::string& glob) {
  return glob.substr(0, glob.find('.'));
}

std::string ReasonOf(const v1::Verdict& verdict) {
  std::string reason = PrintableLine(verdict.reason(), kLongestReason);
  return reason.empty() ? OutcomeName(verdict.outcome()) : reason;
}

// The id as a glob that matches it.
std::string GlobOf(const std::string& case_id) {
  std::string glob = case_id;
  std::replace_if(
      glob.begin(), glob.end(),
      [](char c) {
        return !absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("._-", c);
      },
      '?');
  return glob;
}

bool IsSkip(v1::Outcome outcome) {
  const std::vector<v1::Outcome>& skips = DefaultOutcomes(Expectation::Kind::kSkip);
  return std::find(skips.begin(), skips.end(), outcome) != skips.end();
}

class Updater {
 public:
  Updater(const Expectations& old, const RunReport& run, const UpdateOptions& options)
      : old_(old), run_(run), options_(options), matches_(MatchLines(&old, run)) {}

  UpdateResult Update() {
    std::map<int, size_t> by_number;
    for (size_t i = 0; i < old_.cases.size(); ++i) by_number[old_.cases[i].line] = i;
    for (size_t i = 0; i < old_.lines.size(); ++i) {
      const auto at = by_number.find(static_cast<int>(i) + 1);
      if (at == by_number.end()) {
        lines_.emplace_back("", old_.lines[i]);
      } else {
        CarryOver(old_.cases[at->second], matches_[at->second], old_.lines[i]);
      }
    }
    AddNew();
    for (const auto& [op, text] : lines_) absl::StrAppend(&result_.text, text, "\n");
    return std::move(result_);
  }

 private:
  void CarryOver(const Expectation& line, const std::vector<size_t>& matched, const std::string& text);
  void AddNew();
  void Add(const Expectation& line);
  std::optional<std::string> SkipGlob(const v1::Verdict& verdict) const;

  const Expectations& old_;
  const RunReport& run_;
  const UpdateOptions& options_;
  const std::vector<std::vector<size_t>> matches_;
  std::set<size_t> excused_;                                // results
  std::vector<std::pair<std::string, std::string>> lines_;  // a new line's operator, and the line
  UpdateResult result_;
};

void Updater::CarryOver(const Expectation& line, const std::vector<size_t>& matched,
                        const std::string& text) {
  std::vector<size_t> holding;
  for (const size_t result : matched) {
    if (line.Excuses(run_.results[result].outcome())) holding.push_back(result);
  }
  excused_.insert(holding.begin(), holding.end());
  const bool flake = line.kind == Expectation::Kind::kFlake;
  const bool unknown =
      matched.empty() && (line.kind == Expectation::Kind::kSkip || !IsWhole(run_.run.options()));
  if (unknown || (flake && !matched.empty()) || (!matched.empty() && holding.size() == matched.size())) {
    ++result_.kept;
    lines_.emplace_back(OperatorOf(line.glob), text);
  } else if (holding.empty()) {
    ++result_.deleted;
  } else {
    ++result_.narrowed;
    for (const size_t result : holding) {
      Expectation narrow = line;
      narrow.glob = GlobOf(run_.results[result].case_id());
      lines_.emplace_back(OperatorOf(narrow.glob), FormatExpectation(narrow));
    }
  }
}

// The widest PREFIX.* of which no case in the run was called, all for the same reason; nullopt when the run
// does not have all cases.
std::optional<std::string> Updater::SkipGlob(const v1::Verdict& verdict) const {
  if (!IsWhole(run_.run.options())) return std::nullopt;
  const std::string& id = verdict.case_id();
  for (size_t dot = id.find('.'); dot != std::string::npos; dot = id.find('.', dot + 1)) {
    const std::string prefix = id.substr(0, dot + 1);
    const bool all = std::all_of(run_.results.begin(), run_.results.end(), [&](const v1::Verdict& other) {
      return !absl::StartsWith(other.case_id(), prefix) || other.outcome() == verdict.outcome();
    });
    if (all) return absl::StrCat(GlobOf(prefix), "*");
  }
  return std::nullopt;
}

void Updater::Add(const Expectation& line) {
  ++result_.added;
  const std::string op = OperatorOf(line.glob);
  const auto last =
      std::find_if(lines_.rbegin(), lines_.rend(), [&op](const auto& entry) { return entry.first == op; });
  lines_.emplace(last == lines_.rend() ? lines_.end() : last.base(), op, FormatExpectation(line));
}

void Updater::AddNew() {
  std::set<std::string> globs;
  for (size_t i = 0; i < run_.results.size(); ++i) {
    const v1::Verdict& verdict = run_.results[i];
    const v1::Outcome outcome = verdict.outcome();
    const bool skip = IsSkip(outcome);
    if (excused_.contains(i) || (!skip && !IsFailure(outcome))) continue;
    Expectation line;
    line.kind = skip ? Expectation::Kind::kSkip : Expectation::Kind::kFail;
    line.glob = GlobOf(verdict.case_id());
    if (skip) {
      line.glob = SkipGlob(verdict).value_or(line.glob);
    }
    if (!line.Excuses(outcome) || skip) line.outcomes = {outcome};
    line.expires = options_.expires;
    line.issue = kIssuePlaceholder;
    line.reason = ReasonOf(verdict);
    if (globs.insert(absl::StrCat(KindName(line.kind), " ", line.glob)).second) Add(line);
  }
}

}  // namespace

UpdateResult UpdateExpectations(const Expectations& old, const RunReport& run, const UpdateOptions& options) {
  return Updater(old, run, options).Update();
}

std::string NewExpectations(const RunReport& run) {
  std::string chip = PrintableText(run.run.options().chip());
  std::erase_if(chip, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\';
  });
  std::string out = "# Known failures. diopi-cli gate reads this file; --update rewrites it.\n";
  if (!chip.empty()) absl::StrAppend(&out, "chip \"", chip, "\"\n");
  absl::StrAppend(&out, "coverage passing=", run.coverage.passing(),
                  " implemented=", run.coverage.implemented(), " tested=", run.coverage.tested(),
                  " cases=", run.cases, "\n\n");
  return out;
}

}  // namespace diopi::reports
