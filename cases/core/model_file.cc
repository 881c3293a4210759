// One line is one statement, and every error names its file and line, also within a part that the file uses.
// Variables are kept as text and evaluated where they are used. A size given on the command line replaces the
// file's `let`, and one that the file does not have is an error.
#include "cases/core/model_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cases/base/status_macros.h"
#include "cases/findings/finding.h"

namespace diopi::cases {
namespace {

constexpr char kPartExtension[] = ".layers";
constexpr int kMostDepth = 4;

std::string Trimmed(std::string_view text) {
  return std::string(absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size())));
}

absl::Status Bad(std::string_view what) {
  return absl::InvalidArgumentError(std::string(what));
}

// The position of the bracket that closes the one at `open`; npos where none does.
size_t Closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

// Splits at spaces outside brackets.
std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size())
      depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    if (i < text.size() && (text[i] != ' ' || depth > 0)) continue;
    if (i > start) words.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  return words;
}

class ModelParser {
 public:
  ModelParser(const std::vector<ModelText>& parts, const Variables& sizes) : parts_(parts), sizes_(sizes) {}

  absl::StatusOr<Model> Run(const ModelText& text) {
    model_.name = std::string(text.name);
    RETURN_IF_ERROR(File(text, ".calls"));
    for (const auto& [name, value] : sizes_) {
      if (given_.contains(name)) continue;
      return absl::NotFoundError(absl::StrCat("model ", model_.name, " has no size '", name, "'"));
    }
    if (model_.calls.empty())
      return Bad(absl::StrCat(model_.name, ".calls: a model makes at least one call"));
    Finish();
    return std::move(model_);
  }

 private:
  absl::Status File(const ModelText& text, std::string_view extension) {
    int number = 0;
    const absl::string_view whole(text.text.data(), text.text.size());
    for (const absl::string_view each : absl::StrSplit(whole, '\n')) {
      const std::string place = absl::StrCat(std::string(text.name), std::string(extension), ":", ++number);
      const absl::Status status = Line(Trimmed({each.data(), each.size()}), place);
      if (status.ok()) continue;
      const bool placed = absl::StrContains(status.message(), kPartExtension);
      return placed ? status : absl::InvalidArgumentError(absl::StrCat(place, ": ", status.message()));
    }
    return absl::OkStatus();
  }

  absl::Status Line(std::string_view line, const std::string& place) {
    if (line.empty()) return absl::OkStatus();
    if (line[0] == '#') return absl::OkStatus();
    const std::vector<std::string_view> words = Words(line);
    if (words[0] == "about") return About(Trimmed(line.substr(words[0].size())));
    if (words[0] == "let" || words[0] == "default") return Let(words);
    if (words[0] == "use" && words.size() == 2) return Use(words[1]);
    if (words[0] == "stage" && words.size() == 2) {
      stage_ = std::string(words[1]);
      times_ = 1;
      return absl::OkStatus();
    }
    if (words[0] == "times" && words.size() == 2) {
      ASSIGN_OR_RETURN(const int64_t times, Number(words[1]));
      if (times < 0) return Bad("'times' takes a number of at least 0");
      times_ = times;
      return absl::OkStatus();
    }
    // Calls that a step never makes, with these sizes, are no calls of the model.
    return times_ == 0 ? absl::OkStatus() : Call(line, words, place);
  }

  // about NAME[; TASK][; N pixels]
  absl::Status About(std::string_view line) {
    v1::Finding& about = model_.about;
    for (const absl::string_view part : absl::StrSplit(absl::string_view(line.data(), line.size()), "; ")) {
      absl::string_view number = part;
      int64_t pixels = 0;
      if (about.name().empty()) {
        about.set_name(std::string(part));
      } else if (absl::ConsumeSuffix(&number, " pixels") && absl::SimpleAtoi(number, &pixels)) {
        about.set_count(pixels);
      } else if (about.word().empty()) {
        about.set_word(std::string(part));
      } else {
        return Bad("expected 'about NAME; TASK; N pixels', the latter two where they apply");
      }
    }
    return absl::OkStatus();
  }

  // A model with stages states its calls by its configuration.
  void Finish() {
    v1::Finding& about = model_.about;
    if (about.name().empty()) return;
    std::set<std::string> stages;
    for (const ModelCall& call : model_.calls) {
      if (!call.stage.empty() && stages.insert(call.stage).second)
        *about.add_parts() = Found(v1::Finding::TERM).Word(call.stage);
    }
    about.set_code(stages.empty() ? v1::Finding::MODEL_CAPTURED : v1::Finding::MODEL_PUBLISHED);
  }

  absl::Status Let(const std::vector<std::string_view>& words) {
    if (words.size() != 4 || words[2] != "=")
      return Bad(
          absl::StrCat("expected '", std::string(words[0]), " NAME = VALUE', the value without spaces"));
    const std::string name(words[1]);
    if (words[0] == "default" && variables_.contains(name)) return absl::OkStatus();
    const auto other = sizes_.find(name);
    given_.insert(name);
    variables_[name] = other == sizes_.end() ? std::string(words[3]) : other->second;
    return absl::OkStatus();
  }

  absl::Status Use(std::string_view name) {
    const auto part =
        std::find_if(parts_.begin(), parts_.end(), [&](const ModelText& each) { return each.name == name; });
    if (part == parts_.end()) return Bad(absl::StrCat("there is no '", std::string(name), "' to use"));
    if (++depth_ > kMostDepth) return Bad(absl::StrCat(std::string(name), kPartExtension, " uses itself"));
    const absl::Status status = File(*part, kPartExtension);
    --depth_;
    return status;
  }

  absl::Status Call(std::string_view line, const std::vector<std::string_view>& words,
                    const std::string& place) {
    if (words.size() < 2) return Bad("expected an operator, a dtype and arguments");
    ModelCall call;
    call.place = place;
    call.text = std::string(line);
    call.stage = stage_;
    call.times = times_;
    absl::string_view name(words[0].data(), words[0].size());
    call.backward = absl::ConsumeSuffix(&name, "+backward");
    call.in_place = absl::ConsumeSuffix(&name, "_");
    call.name = std::string(name);
    ASSIGN_OR_RETURN(const Dtype dtype, ParseDtype(std::string(words[1])));
    call.dtype = dtype;
    for (size_t i = 2; i < words.size(); ++i) {
      const absl::Status status = Argument(words[i], &call.point);
      if (!status.ok()) return Bad(absl::StrCat("'", std::string(words[i]), "': ", status.message()));
    }
    model_.calls.push_back(std::move(call));
    return absl::OkStatus();
  }

  absl::Status Argument(std::string_view word, v1::Point* point) {
    const size_t bracket = word.find('[');
    const size_t equals = word.find('=');
    if (bracket != std::string_view::npos && bracket < equals) return Tensor(word, bracket, point);
    if (equals == std::string_view::npos) return Bad("expected name[sizes] or name=value");
    v1::PointAttribute* attribute = point->add_attr();
    attribute->set_name(std::string(word.substr(0, equals)));
    return Value(word.substr(equals + 1), attribute);
  }

  // name[sizes], and perhaps :dtype, ~fill and *count, in this order.
  absl::Status Tensor(std::string_view word, size_t bracket, v1::Point* point) {
    const size_t end = Closing(word, bracket);
    if (end == std::string_view::npos) return Bad("a bracket is not closed");
    v1::PointTensor tensor;
    tensor.set_name(std::string(word.substr(0, bracket)));
    const std::string_view sizes = word.substr(bracket + 1, end - bracket - 1);
    if (sizes == "null") {
      tensor.set_null(true);
    } else if (!sizes.empty()) {
      ASSIGN_OR_RETURN(const std::vector<int64_t> shape, EvaluateList(sizes, variables_));
      if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) {
        return Bad("a size is at least 0");
      }
      tensor.mutable_shape()->Assign(shape.begin(), shape.end());
    }
    std::string_view rest = word.substr(end + 1);
    int64_t count = 1;
    // A product in a range ("0..batch*seq") ends in no plain number.
    int64_t number = 0;
    const size_t star = rest.rfind('*');
    const bool counted =
        star != std::string_view::npos &&
        absl::SimpleAtoi(absl::string_view(rest.data() + star + 1, rest.size() - star - 1), &number);
    if (counted && number < 1) return Bad("a tensor stands at least once in its list");
    if (counted) {
      count = number;
      rest = rest.substr(0, star);
    }
    RETURN_IF_ERROR(TypeAndFill(rest, &tensor));
    for (int64_t i = 0; i < count; ++i) *point->add_in() = tensor;
    return absl::OkStatus();
  }

  absl::Status TypeAndFill(std::string_view rest, v1::PointTensor* tensor) {
    const size_t tilde = std::min(rest.find('~'), rest.size());
    if (tilde > 0) {
      if (rest[0] != ':') return Bad("expected :dtype, ~fill or *count after the sizes");
      const std::string name(rest.substr(1, tilde - 1));
      RETURN_IF_ERROR(ParseDtype(name).status());
      tensor->set_dtype(name);
    }
    return tilde == rest.size() ? absl::OkStatus() : Fill(rest.substr(tilde + 1), tensor->mutable_fill());
  }

  // low..high, or kind(number,...).
  absl::Status Fill(std::string_view text, v1::Fill* fill) {
    const size_t open = text.find('(');
    if (const size_t dots = text.find("..");
        open == std::string_view::npos && dots != std::string_view::npos) {
      const absl::StatusOr<int64_t> low = Number(text.substr(0, dots));
      const absl::StatusOr<int64_t> high = Number(text.substr(dots + 2));
      if (!low.ok() || !high.ok()) return low.ok() ? high.status() : low.status();
      fill->mutable_integers()->set_low(*low);
      fill->mutable_integers()->set_high(*high);
      return absl::OkStatus();
    }
    if (open == std::string_view::npos || text.back() != ')')
      return Bad("expected ~low..high or ~kind(numbers)");
    std::vector<double> numbers;
    const std::string inside(text.substr(open + 1, text.size() - open - 2));
    for (const absl::string_view part : absl::StrSplit(inside, ',', absl::SkipEmpty())) {
      if (!absl::SimpleAtod(part, &numbers.emplace_back())) return Bad(absl::StrCat("not a number: ", part));
    }
    return KindOfFill(text.substr(0, open), numbers, fill);
  }

  static absl::Status KindOfFill(std::string_view kind, const std::vector<double>& numbers, v1::Fill* fill) {
    const size_t count = numbers.size();
    if (kind == "uniform" && count == 2) {
      fill->mutable_uniform()->set_low(numbers[0]);
      fill->mutable_uniform()->set_high(numbers[1]);
    } else if (kind == "normal" && count == 2) {
      fill->mutable_normal()->set_mean(numbers[0]);
      fill->mutable_normal()->set_std(numbers[1]);
    } else if (kind == "constant" && count == 1) {
      fill->mutable_constant()->set_value(numbers[0]);
    } else if (kind == "values" && count > 0) {
      fill->mutable_values()->mutable_values()->Assign(numbers.begin(), numbers.end());
    } else if (kind == "permutation" && count == 1) {
      fill->mutable_permutation()->set_start(static_cast<int64_t>(numbers[0]));
    } else if (kind == "range" && count == 2) {
      fill->mutable_range()->set_start(numbers[0]);
      fill->mutable_range()->set_step(numbers[1]);
    } else {
      return Bad(
          "known fills: uniform(low,high), normal(mean,std), constant(value), values(v,...), "
          "range(start,step)");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Number(std::string_view text) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, Evaluate(text, variables_));
    if (value.has_value()) return *value;
    return Bad(absl::StrCat("'", std::string(text), "' has a variable without a value"));
  }

  // What a variable stands for that is no whole number ("let scale = 0.125"); all other texts are their own.
  absl::string_view Resolved(std::string_view text) const {
    const auto variable = variables_.find(text);
    int64_t whole = 0;
    const bool is_number = variable != variables_.end() && !absl::SimpleAtoi(variable->second, &whole);
    return is_number ? absl::string_view(variable->second) : absl::string_view(text.data(), text.size());
  }

  absl::Status Value(std::string_view text, v1::PointAttribute* attribute) {
    int64_t whole = 0;
    double number = 0;
    const absl::string_view word(text.data(), text.size());
    if (text.empty()) return Bad("the value is missing");
    if (text == "null") {
      attribute->set_null(true);
    } else if (text == "true" || text == "false") {
      attribute->set_b(text == "true");
    } else if (text[0] == '"') {
      if (text.size() < 2 || text.back() != '"') return Bad("a quotation mark is missing");
      attribute->set_s(std::string(text.substr(1, text.size() - 2)));
    } else if (text[0] == '(') {
      if (text.back() != ')') return Bad("a parenthesis is not closed");
      attribute->mutable_sizes();
      if (text.size() == 2) return absl::OkStatus();
      ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                       EvaluateList(text.substr(1, text.size() - 2), variables_));
      attribute->mutable_sizes()->mutable_values()->Assign(sizes.begin(), sizes.end());
    } else if (absl::SimpleAtoi(word, &whole)) {
      attribute->set_i(whole);
    } else if (absl::SimpleAtod(Resolved(text), &number)) {
      attribute->set_f(number);
    } else {
      ASSIGN_OR_RETURN(const int64_t value, Number(text));
      attribute->set_i(value);
    }
    return absl::OkStatus();
  }

  const std::vector<ModelText>& parts_;
  const Variables& sizes_;
  int depth_ = 0;
  Variables variables_;
  std::set<std::string> given_;
  std::string stage_;
  int64_t times_ = 1;
  Model model_;
};

}  // namespace

absl::StatusOr<Model> ParseModel(const ModelText& text, const std::vector<ModelText>& parts,
                                 const Variables& sizes) {
  return ModelParser(parts, sizes).Run(text);
}

}  // namespace diopi::cases
