// Lines are read once, in order: HELP starts a family, TYPE must follow it, and samples belong to the family
// in progress, so a family that is split is found at its second HELP. What needs several lines, such as a
// bucket +Inf equal to its count, is checked at the end.
#include "server/telemetry/exposition.h"

#include <limits>
#include <regex>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

absl::Status Wrong(const std::string& line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", line));
}

const std::regex& SeriesPattern() {
  static const auto* const pattern = new std::regex(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)( -?\d+)?)re");
  return *pattern;
}

bool ParseValue(const std::string& text, double* value) {
  if (text == "NaN" || text == "Nan") {
    *value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  return absl::SimpleAtod(text == "+Inf" ? "inf" : text, value);
}

class Parser {
 public:
  absl::Status Line(const std::string& line);
  absl::Status Finish();
  std::map<std::string, double> series;

 private:
  struct Bucket {
    double last = 0;
    double infinite = -1;
  };
  absl::Status Comment(const std::string& line);
  absl::Status Series(const std::string& line);
  absl::Status AddBucket(const std::string& line, const std::string& labels, double value);

  std::string name_;  // of the current family
  std::string type_;
  bool has_samples_ = false;
  std::set<std::string> helped_;
  std::set<std::string> typed_;
  std::map<std::string, Bucket> buckets_;  // by count series
};

absl::Status Parser::Comment(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 3));
  if (words.size() < 4 || words[3].empty()) return Wrong(line, "no text");
  if (words[1] == "HELP") {
    if (!helped_.insert(words[2]).second) return Wrong(line, "a second HELP: the family is not together");
    name_ = words[2];
    type_.clear();
    has_samples_ = false;
    return absl::OkStatus();
  }
  if (words[1] != "TYPE") return Wrong(line, "neither HELP nor TYPE");
  if (words[2] != name_ || has_samples_) return Wrong(line, "TYPE does not follow its HELP");
  if (!typed_.insert(words[2]).second) return Wrong(line, "a second TYPE");
  type_ = words[3];
  if (type_ != "counter" && type_ != "gauge" && type_ != "histogram") return Wrong(line, "unknown type");
  if (type_ == "counter" && !absl::EndsWith(name_, "_total")) return Wrong(line, "a counter without _total");
  if (type_ != "counter" && absl::EndsWith(name_, "_total")) return Wrong(line, "_total, but no counter");
  return absl::OkStatus();
}

absl::Status Parser::AddBucket(const std::string& line, const std::string& labels, double value) {
  std::vector<std::string> others;
  std::string bound;
  for (const auto& label : absl::StrSplit(labels, ',', absl::SkipEmpty())) {
    if (absl::StartsWith(label, "le=")) {
      bound = std::string(label);
    } else {
      others.emplace_back(label);
    }
  }
  if (bound.empty()) return Wrong(line, "a bucket without le");
  std::string key = absl::StrCat(name_, "_count");
  std::string joined;
  for (const std::string& other : others) absl::StrAppend(&joined, joined.empty() ? "" : ",", other);
  if (!joined.empty()) absl::StrAppend(&key, "{", joined, "}");
  Bucket& bucket = buckets_[key];
  if (value < bucket.last) return Wrong(line, "buckets fall");
  bucket.last = value;
  if (bound == "le=\"+Inf\"") bucket.infinite = value;
  return absl::OkStatus();
}

absl::Status Parser::Series(const std::string& line) {
  std::smatch match;
  if (!std::regex_match(line, match, SeriesPattern())) return Wrong(line, "not a sample");
  const std::string name = match[1];
  double value = 0;
  if (!ParseValue(match[4], &value)) return Wrong(line, "not a number");
  if (type_.empty()) return Wrong(line, "a sample without HELP and TYPE");
  const std::string suffix = absl::StartsWith(name, name_) ? name.substr(name_.size()) : "other";
  const bool histogram = type_ == "histogram";
  if (histogram ? suffix != "_bucket" && suffix != "_sum" && suffix != "_count" : !suffix.empty()) {
    return Wrong(line, "a sample outside its family");
  }
  if (type_ == "counter" && !(value >= 0)) return Wrong(line, "a counter that is negative");
  const std::string labels = match[3];
  const std::string key = labels.empty() ? name : absl::StrCat(name, "{", labels, "}");
  if (!series.emplace(key, value).second) return Wrong(line, "a series twice");
  has_samples_ = true;
  return histogram && suffix == "_bucket" ? AddBucket(line, labels, value) : absl::OkStatus();
}

absl::Status Parser::Line(const std::string& line) {
  if (line.empty()) return Wrong(line, "an empty line");
  return line[0] == '#' ? Comment(line) : Series(line);
}

absl::Status Parser::Finish() {
  for (const auto& [count, bucket] : buckets_) {
    const auto found = series.find(count);
    if (found == series.end() || found->second != bucket.infinite) {
      return Wrong(count, "the +Inf bucket is not the count");
    }
  }
  for (const std::string& name : helped_) {
    if (!typed_.contains(name)) return Wrong(name, "HELP without TYPE");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::map<std::string, double>> ParseExposition(const std::string& text) {
  if (text.empty() || text.back() != '\n') return absl::InvalidArgumentError("the last line has no end");
  Parser parser;
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  lines.pop_back();
  for (const std::string& line : lines) {
    RETURN_IF_ERROR(parser.Line(line));
  }
  RETURN_IF_ERROR(parser.Finish());
  return parser.series;
}

}  // namespace diopi::server
