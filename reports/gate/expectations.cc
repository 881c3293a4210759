// The parser goes on after a mistake, so that all mistakes are reported at once, each with its column. All
// lines are kept as written, because --update changes only lines that no longer hold. A line without an end,
// an issue or a reason is a mistake: an excuse that nobody has to renew would hide failures for ever.
#include "reports/gate/expectations.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/match.h"
#include "cases/base/outcome.h"

namespace diopi::reports {
namespace {

constexpr size_t kMostErrors = 20;
constexpr size_t kLongestLine = 4096;

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}

bool IsGlob(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("._-*?", c);
  });
}

bool IsLink(std::string_view text) {
  return (text.starts_with("https://") && text.size() > 8) ||
         (text.starts_with("http://") && text.size() > 7);
}

// Outcomes that a line of this kind may name.
const std::vector<v1::Outcome>& AllowedOutcomes(Expectation::Kind kind) {
  static const auto& failures =
      *new std::vector<v1::Outcome>{v1::OUTCOME_FAIL,    v1::OUTCOME_ERROR,  v1::OUTCOME_CRASH,
                                    v1::OUTCOME_TIMEOUT, v1::OUTCOME_MEMORY, v1::OUTCOME_NONDETERMINISTIC};
  return kind == Expectation::Kind::kSkip ? DefaultOutcomes(kind) : failures;
}

struct Word {
  size_t column = 0;  // from 1
  std::string text;
  bool quoted = false;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text) { result_.file = std::string(file); }

  absl::StatusOr<Expectations> Parse() {
    std::string_view text = text_;
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (!text.empty()) {
      for (absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
        if (absl::EndsWith(line, "\r")) line.remove_suffix(1);
        result_.lines.emplace_back(line);
      }
    }
    for (const std::string& line : result_.lines) {
      ++number_;
      Line(line);
    }
    if (errors_.empty()) return std::move(result_);
    const size_t shown = std::min(errors_.size(), kMostErrors);
    std::string all =
        absl::StrJoin(errors_.begin(), errors_.begin() + static_cast<std::ptrdiff_t>(shown), "\n");
    if (errors_.size() > shown) absl::StrAppend(&all, "\nand ", errors_.size() - shown, " more");
    return absl::InvalidArgumentError(all);
  }

 private:
  void AddError(size_t column, const std::string& what) {
    errors_.push_back(absl::StrCat(result_.file, ":", number_, ":", column, ": ", what));
  }

  void Line(const std::string& line);
  bool Split(const std::string& line);
  bool Quoted(const std::string& line, size_t* at);
  void Chip();
  void Coverage();
  void Case(Expectation::Kind kind);
  void Attribute(const Word& word, Expectation* expectation, std::set<std::string>* given);
  void Outcomes(const Word& word, std::string_view value, Expectation* expectation);

  const std::string_view text_;
  Expectations result_;
  int number_ = 0;
  std::vector<Word> words_;  // of the line
  std::string comment_;
  size_t end_ = 1;  // the column after the last word
  std::map<std::string, int> seen_;
  std::vector<std::string> errors_;
};

// Reads a quoted text; sets `at` to the place after the closing quote.
bool Parser::Quoted(const std::string& line, size_t* at) {
  Word word{*at + 1, "", true};
  for (size_t i = *at + 1; i < line.size(); ++i) {
    if (line[i] == '"') {
      *at = i + 1;
      words_.push_back(std::move(word));
      return true;
    }
    if (line[i] == '\\') {
      if (++i == line.size()) break;
      if (line[i] != '"' && line[i] != '\\') {
        AddError(i, "a backslash stands before \" or another backslash only");
        return false;
      }
    }
    word.text += line[i];
  }
  AddError(*at + 1, "the text has no closing \"");
  return false;
}

bool Parser::Split(const std::string& line) {
  words_.clear();
  comment_.clear();
  end_ = 1;
  if (line.size() > kLongestLine) {
    AddError(kLongestLine + 1, absl::StrCat("the line is longer than ", kLongestLine, " bytes"));
    return false;
  }
  for (size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) < 0x20 && line[i] != '\t') || line[i] == 0x7f) {
      AddError(i + 1, "a control character");
      return false;
    }
  }
  for (size_t at = 0; at < line.size();) {
    if (IsBlank(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') {
      comment_ = line.substr(at);
      return true;
    }
    if (line[at] == '"') {
      if (!Quoted(line, &at)) return false;
      if (at < line.size() && !IsBlank(line[at])) {
        AddError(at + 1, "expected a blank after the text");
        return false;
      }
    } else {
      size_t end = at;
      while (end < line.size() && !IsBlank(line[end])) ++end;
      words_.push_back({at + 1, line.substr(at, end - at), false});
      at = end;
    }
    end_ = at + 1;
  }
  return true;
}

void Parser::Line(const std::string& line) {
  if (!Split(line) || words_.empty()) return;
  const Word& first = words_.front();
  if (first.quoted) {
    AddError(first.column, "expected fail, flake, skip, coverage or chip");
  } else if (first.text == "chip") {
    Chip();
  } else if (first.text == "coverage") {
    Coverage();
  } else if (first.text == "fail") {
    Case(Expectation::Kind::kFail);
  } else if (first.text == "flake") {
    Case(Expectation::Kind::kFlake);
  } else if (first.text == "skip") {
    Case(Expectation::Kind::kSkip);
  } else {
    AddError(first.column,
             absl::StrCat("unknown word '", first.text, "', expected fail, flake, skip, coverage or chip",
                          NearestText(first.text, {"fail", "flake", "skip", "coverage", "chip"})));
  }
}

void Parser::Chip() {
  if (words_.size() < 2) return AddError(end_, "expected the chip's name");
  if (words_.size() > 2)
    return AddError(words_[2].column, "expected the end of the line after the chip's name");
  if (words_[1].text.empty()) return AddError(words_[1].column, "expected the chip's name");
  if (!result_.chip.empty()) return AddError(words_[0].column, "the chip is given twice");
  result_.chip = words_[1].text;
}

void Parser::Coverage() {
  if (result_.floor.has_value()) {
    return AddError(words_[0].column,
                    absl::StrCat("coverage is given twice, first in line ", result_.floor->line));
  }
  CoverageFloor floor;
  floor.line = number_;
  if (words_.size() < 2) return AddError(end_, "expected passing=N, implemented=N, tested=N or cases=N");
  for (size_t i = 1; i < words_.size(); ++i) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(words_[i].text, absl::MaxSplits('=', 1));
    std::optional<int64_t>* field = parts.first == "passing"       ? &floor.passing
                                    : parts.first == "implemented" ? &floor.implemented
                                    : parts.first == "tested"      ? &floor.tested
                                    : parts.first == "cases"       ? &floor.cases
                                                                   : nullptr;
    if (field == nullptr || words_[i].quoted) {
      return AddError(
          words_[i].column,
          absl::StrCat("expected passing=N, implemented=N, tested=N or cases=N, found '", words_[i].text, "'",
                       NearestText(parts.first, {"passing", "implemented", "tested", "cases"})));
    }
    int64_t value = 0;
    if (!absl::SimpleAtoi(parts.second, &value) || value < 0) {
      return AddError(words_[i].column, absl::StrCat(parts.first, "= takes a number of at least 0, found '",
                                                     parts.second, "'"));
    }
    if (field->has_value()) return AddError(words_[i].column, absl::StrCat(parts.first, "= is given twice"));
    *field = value;
  }
  result_.floor = floor;
}

void Parser::Outcomes(const Word& word, std::string_view value, Expectation* expectation) {
  std::vector<std::string> allowed;
  for (const v1::Outcome outcome : AllowedOutcomes(expectation->kind))
    allowed.push_back(OutcomeName(outcome));
  const std::vector<std::string> names = absl::StrSplit(absl::string_view(value.data(), value.size()), ',');
  for (const std::string& name : names) {
    const auto at = std::find(allowed.begin(), allowed.end(), name);
    if (at == allowed.end()) {
      return AddError(word.column, absl::StrCat("a line '", KindName(expectation->kind),
                                                "' cannot name the outcome '", name, "', expected some of ",
                                                absl::StrJoin(allowed, ","), NearestText(name, allowed)));
    }
    const v1::Outcome outcome = AllowedOutcomes(expectation->kind)[static_cast<size_t>(at - allowed.begin())];
    if (std::count(expectation->outcomes.begin(), expectation->outcomes.end(), outcome) > 0) {
      return AddError(word.column, absl::StrCat("the outcome ", name, " is given twice"));
    }
    expectation->outcomes.push_back(outcome);
  }
}

void Parser::Attribute(const Word& word, Expectation* expectation, std::set<std::string>* given) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(word.text, absl::MaxSplits('=', 1));
  const auto& [key, value] = parts;
  const std::vector<std::string> known = {"expires", "issue", "outcome"};
  if (std::count(known.begin(), known.end(), key) == 0 || !absl::StrContains(word.text, '=')) {
    return AddError(word.column,
                    absl::StrCat("expected expires=, issue=, outcome= or the \"reason\", found '", word.text,
                                 "'", NearestText(key, known)));
  }
  if (!given->insert(key).second) return AddError(word.column, absl::StrCat(key, "= is given twice"));
  if (key == "outcome") return Outcomes(word, value, expectation);
  if (key == "issue") {
    if (!IsLink(value) && value != kIssuePlaceholder) {
      return AddError(word.column, absl::StrCat("issue= takes a link, http(s)://..., found '", value, "'"));
    }
    expectation->issue = value;
    return;
  }
  const std::optional<Day> day = ParseDay(value);
  if (!day.has_value()) {
    return AddError(word.column,
                    absl::StrCat("expires= takes a valid date such as 2027-01-31, found '", value, "'"));
  }
  expectation->expires = *day;
}

void Parser::Case(Expectation::Kind kind) {
  const size_t errors = errors_.size();
  if (words_.size() < 2)
    return AddError(end_, "expected a case id or a glob of case ids, as add.*.float16.*");
  Expectation expectation;
  expectation.line = number_;
  expectation.kind = kind;
  expectation.glob = words_[1].text;
  expectation.comment = comment_;
  if (words_[1].quoted || !IsGlob(expectation.glob)) {
    return AddError(
        words_[1].column,
        absl::StrCat("expected a case id or a glob of case ids (letters, digits, . _ - * ?), found '",
                     words_[1].text, "'"));
  }
  std::set<std::string> given;
  for (size_t i = 2; i < words_.size(); ++i) {
    if (!words_[i].quoted) {
      Attribute(words_[i], &expectation, &given);
    } else if (!given.insert("the \"reason\"").second) {
      AddError(words_[i].column, "the \"reason\" is given twice");
    } else if (words_[i].text.empty()) {
      AddError(words_[i].column, "the \"reason\" is empty");
    } else {
      expectation.reason = words_[i].text;
    }
  }
  if (errors_.size() > errors) return;  // a missing part may be one that was wrong
  for (const char* needed : {"expires", "issue", "the \"reason\""}) {
    if (!given.contains(needed)) {
      AddError(end_, absl::StrCat("the line lacks ", needed, needed[0] == 't' ? "" : "=", ", expected: ",
                                  KindName(kind), " GLOB expires=YYYY-MM-DD issue=LINK \"reason\""));
    }
  }
  const auto [first, fresh] = seen_.emplace(absl::StrCat(KindName(kind), " ", expectation.glob), number_);
  if (!fresh)
    AddError(words_[1].column,
             absl::StrCat("'", first->first, "' is given twice, first in line ", first->second));
  if (errors_.size() == errors) result_.cases.push_back(std::move(expectation));
}

}  // namespace

bool Expectation::Excuses(v1::Outcome outcome) const {
  const std::vector<v1::Outcome>& excused = outcomes.empty() ? DefaultOutcomes(kind) : outcomes;
  return std::find(excused.begin(), excused.end(), outcome) != excused.end();
}

const std::vector<v1::Outcome>& DefaultOutcomes(Expectation::Kind kind) {
  static const auto& numbers =
      *new std::vector<v1::Outcome>{v1::OUTCOME_FAIL, v1::OUTCOME_ERROR, v1::OUTCOME_NONDETERMINISTIC};
  static const auto& not_called = *new std::vector<v1::Outcome>{
      v1::OUTCOME_NOT_IMPLEMENTED, v1::OUTCOME_UNSUPPORTED_DTYPE, v1::OUTCOME_SKIPPED};
  return kind == Expectation::Kind::kSkip ? not_called : numbers;
}

std::string KindName(Expectation::Kind kind) {
  switch (kind) {
    case Expectation::Kind::kFail:
      return "fail";
    case Expectation::Kind::kFlake:
      return "flake";
    case Expectation::Kind::kSkip:
      return "skip";
  }
  return "fail";
}

absl::StatusOr<Expectations> ParseExpectations(std::string_view text, std::string_view file) {
  return Parser(text, file).Parse();
}

std::string FormatExpectation(const Expectation& expectation) {
  std::string out = absl::StrCat(KindName(expectation.kind), " ", expectation.glob);
  if (!expectation.outcomes.empty()) {
    absl::StrAppend(&out, " outcome=",
                    absl::StrJoin(expectation.outcomes, ",", [](std::string* text, v1::Outcome outcome) {
                      text->append(OutcomeName(outcome));
                    }));
  }
  absl::StrAppend(&out, " expires=", DayText(expectation.expires), " issue=", expectation.issue, " \"");
  for (const char c : expectation.reason) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
  if (!expectation.comment.empty()) absl::StrAppend(&out, "  ", expectation.comment);
  return out;
}

}  // namespace diopi::reports
