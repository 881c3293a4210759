// New lines are a greedy cover: candidate globs are beginnings and ends of the failing ids themselves, those
// that match any other case of the run are dropped, and each time the one that matches most of the rest is
// taken. Globs are used only when the run has whole operators; otherwise they would excuse cases that were
// never called.
#include "reports/gate/update.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "reports/gate/gate.h"
#include "reports/gate/line_matches.h"

namespace diopi::reports {
namespace {

constexpr size_t kLongestReason = 120;  // bytes

std::string OperatorOf(const std::string& glob) {
  return glob.substr(0, glob.find('.'));
}

std::string LineReason(const v1::Verdict& verdict) {
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

// Globs that match the case: its beginnings, its ends after the operator, and the id. Each matches just those
// cases of the operator among whose globs it is.
std::vector<std::string> GlobsOf(const std::string& id) {
  std::vector<std::string> globs = {GlobOf(id)};
  const size_t op = id.find('.');
  for (size_t i = op; i + 1 < id.size(); ++i) {
    globs.push_back(GlobOf(id.substr(0, i + 1)) + "*");
    if (id[i] == '.' && i > op)
      globs.push_back(absl::StrCat(GlobOf(id.substr(0, op)), ".*", GlobOf(id.substr(i))));
  }
  return globs;
}

// Whether the run has all cases of each of its operators: then a glob excuses no case that was not called.
bool HasWholeOperators(const v1::RunOptions& options) {
  const v1::Selection& selection = options.selection();
  return selection.cases().empty() && selection.dtypes().empty() && selection.suite().empty() &&
         options.shard_count() <= 1 &&
         std::none_of(selection.functions().begin(), selection.functions().end(),
                      [](const std::string& name) { return absl::StartsWith(name, "diopi"); });
}

using Glob = std::pair<const std::string, std::set<size_t>>;  // with the results that it is to cover

// The one that covers more is better, then an id to a glob for it alone, a glob that ends at a word, and a
// shorter one.
bool IsBetter(const Glob& a, const Glob& b) {
  const auto rank = [](const Glob& glob) {
    const std::string& text = glob.first;
    const bool star = text.back() == '*';
    const bool at_word = !star || absl::EndsWith(text, ".*") || absl::EndsWith(text, "_*");
    return std::tuple(glob.second.size(), glob.second.size() > 1 || !star, at_word, -std::ssize(text));
  };
  return rank(a) > rank(b);
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
  std::map<std::string, std::vector<size_t>> New() const;
  std::vector<std::pair<std::string, size_t>> Cover(const std::vector<size_t>& uncovered) const;

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

void Updater::Add(const Expectation& line) {
  ++result_.added;
  const std::string op = OperatorOf(line.glob);
  const auto last =
      std::find_if(lines_.rbegin(), lines_.rend(), [&op](const auto& entry) { return entry.first == op; });
  lines_.emplace(last == lines_.rend() ? lines_.end() : last.base(), op, FormatExpectation(line));
}

// Results without a line, by operator and outcome.
std::map<std::string, std::vector<size_t>> Updater::New() const {
  const bool counted = old_.floor.has_value() && old_.floor->implemented.has_value();
  std::map<std::string, std::vector<size_t>> found;
  for (size_t i = 0; i < run_.results.size(); ++i) {
    const v1::Verdict& verdict = run_.results[i];
    const v1::Outcome outcome = verdict.outcome();
    if (excused_.contains(i) || (!IsSkip(outcome) && !IsFailure(outcome))) continue;
    if (counted && IsNotExported(run_, verdict)) continue;
    found[absl::StrCat(OperatorOf(verdict.case_id()), " ", outcome)].push_back(i);
  }
  return found;
}

// The fewest globs that match these results, all of one operator and outcome, and no other case of the run:
// each time the one that matches most of those left. With each, the first result that it matches.
std::vector<std::pair<std::string, size_t>> Updater::Cover(const std::vector<size_t>& uncovered) const {
  const std::string op = OperatorOf(run_.results[uncovered.front()].case_id());
  const bool whole = HasWholeOperators(run_.run.options());
  const std::set<size_t> wanted(uncovered.begin(), uncovered.end());
  std::map<std::string, std::set<size_t>> globs;
  std::set<std::string> too_wide;
  std::set<std::string> own;  // which always serve
  for (size_t i = 0; i < run_.results.size(); ++i) {
    const std::string& id = run_.results[i].case_id();
    if (OperatorOf(id) != op) continue;
    for (const std::string& glob : whole ? GlobsOf(id) : std::vector<std::string>{GlobOf(id)}) {
      if (wanted.contains(i)) globs[glob].insert(i);
      if (wanted.contains(i) && glob == GlobOf(id)) own.insert(glob);
      if (!wanted.contains(i)) too_wide.insert(glob);
    }
  }
  std::erase_if(globs,
                [&](const Glob& glob) { return too_wide.contains(glob.first) && !own.contains(glob.first); });
  std::vector<std::pair<std::string, size_t>> chosen;
  while (!globs.empty()) {
    const Glob best = *std::min_element(globs.begin(), globs.end(), IsBetter);
    chosen.emplace_back(best.first, *best.second.begin());
    for (auto& [glob, results] : globs) {
      for (const size_t i : best.second) results.erase(i);
    }
    std::erase_if(globs, [](const Glob& glob) { return glob.second.empty(); });
  }
  return chosen;
}

void Updater::AddNew() {
  std::map<size_t, Expectation> lines;  // by the first case, the run's order
  for (const auto& [op, results] : New()) {
    for (const auto& [glob, first] : Cover(results)) {
      const v1::Verdict& verdict = run_.results[first];
      Expectation line;
      line.kind = IsSkip(verdict.outcome()) ? Expectation::Kind::kSkip : Expectation::Kind::kFail;
      line.glob = glob;
      if (!line.Excuses(verdict.outcome()) || IsSkip(verdict.outcome())) line.outcomes = {verdict.outcome()};
      line.expires = options_.expires;
      line.issue = kIssuePlaceholder;
      line.reason = LineReason(verdict);
      lines.emplace(first, line);
    }
  }
  for (const auto& [first, line] : lines) Add(line);
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
