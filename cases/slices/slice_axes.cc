#include "cases/slices/slice_axes.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cases/base/status_macros.h"

namespace diopi::slices {
namespace {

bool IsLetter(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c));
  });
}

absl::Status BadAxes(const std::string& text, const std::string& expected) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not ", expected));
}

absl::StatusOr<AxisTerm> ParseTerm(std::string_view text) {
  AxisTerm term;
  const size_t dots = text.find("..");
  term.letter = std::string(text.substr(0, dots));
  if (dots != std::string_view::npos) {
    term.many = true;
    const std::string_view rest = text.substr(dots + 2);
    if (!rest.empty() && rest.front() == '-') term.without = std::string(rest.substr(1));
    if (!rest.empty() && term.without.empty()) term.letter.clear();
  }
  if (!IsLetter(term.letter))
    return BadAxes(std::string(text),
                   "an axis: lower-case letters, then '..' for several axes, then '-ATTRIBUTE'");
  return term;
}

// "n", "d..", "(g c)".
absl::StatusOr<TermGroup> ParseGroup(std::string_view text) {
  TermGroup group;
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  for (const auto part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ' ', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(AxisTerm term, ParseTerm({part.data(), part.size()}));
    group.push_back(std::move(term));
  }
  const bool several =
      group.size() > 1 && std::any_of(group.begin(), group.end(), [](const AxisTerm& t) { return t.many; });
  if (group.empty() || several) return BadAxes(std::string(text), "one axis");
  return group;
}

// Reads "name[axes]" or "name{axes}" off the front of `text`.
absl::StatusOr<NamedAxes> TakeNamed(std::string_view* text, bool* attribute) {
  NamedAxes named;
  const size_t open = text->find_first_of("[{");
  if (open == std::string_view::npos || open == 0)
    return BadAxes(std::string(*text), "NAME[AXES] or NAME{AXES}");
  *attribute = (*text)[open] == '{';
  const size_t close = text->find(*attribute ? '}' : ']', open);
  if (close == std::string_view::npos) return BadAxes(std::string(*text), "closed");
  named.name = std::string(text->substr(0, open));
  const std::string_view inside = text->substr(open + 1, close - open - 1);
  text->remove_prefix(close + 1);
  for (const auto part :
       absl::StrSplit(absl::string_view(inside.data(), inside.size()), ',', absl::SkipWhitespace())) {
    const auto stripped = absl::StripAsciiWhitespace(part);
    ASSIGN_OR_RETURN(TermGroup group, ParseGroup({stripped.data(), stripped.size()}));
    named.axes.push_back(std::move(group));
  }
  return named;
}

absl::StatusOr<std::vector<AxisTerm>> ParseTerms(absl::string_view text) {
  std::vector<AxisTerm> terms;
  for (const auto part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(AxisTerm term, ParseTerm({part.data(), part.size()}));
    terms.push_back(std::move(term));
  }
  return terms;
}

absl::Status ParseFree(const std::string& text, SliceAxes* axes) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 2 || parts[0].empty()) return BadAxes(text, "OUTPUT: LETTERS");
  ASSIGN_OR_RETURN(std::vector<AxisTerm> letters, ParseTerms(parts[1]));
  axes->free.push_back({std::string(absl::StripAsciiWhitespace(parts[0])), std::move(letters)});
  return absl::OkStatus();
}

absl::Status ParseWindow(const std::string& text, SliceAxes* axes) {
  const std::vector<std::string> parts = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (parts.size() < 2 || parts.size() > 3 || !std::all_of(parts.begin(), parts.end(), IsLetter))
    return BadAxes(text, "two or three letters: of the output, the input and the kernel");
  axes->windows.push_back({parts[0], parts[1], parts.size() == 3 ? parts[2] : ""});
  return absl::OkStatus();
}

absl::Status ParseGathered(const std::string& text, SliceAxes* axes) {
  const std::vector<std::string> parts = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (parts.empty() || parts.size() > 2 || !IsLetter(parts[0]))
    return BadAxes(text, "an axis, then the tensor whose values pick its positions, if one does");
  axes->gathered.push_back({parts[0], parts.size() == 2 ? parts[1] : ""});
  return absl::OkStatus();
}

bool IsTensorParam(const abi::Param& param) {
  return param.kind() == abi::TENSOR || param.kind() == abi::CONST_TENSOR;
}

std::set<std::string> LettersIn(const NamedAxes& named) {
  std::set<std::string> letters;
  for (const TermGroup& group : named.axes) {
    for (const AxisTerm& term : group) letters.insert(term.letter);
  }
  return letters;
}

// Every tensor has axes, and every name is an argument.
void CheckNames(const SliceAxes& axes, const abi::Function& function, std::vector<std::string>* errors) {
  for (const std::vector<NamedAxes>& list : {axes.tensors, axes.attributes}) {
    for (const NamedAxes& named : list) {
      if (abi::FindParam(function, named.name) == nullptr)
        errors->push_back(absl::StrCat(function.name(), " has no argument '", named.name, "'"));
    }
  }
  for (const abi::Param& param : function.param()) {
    if (param.kind() == abi::CONTEXT) continue;
    if (param.kind() == abi::TENSOR_ARRAY || param.kind() == abi::CONST_TENSOR_ARRAY ||
        param.kind() == abi::TENSOR_POINTER)
      errors->push_back(
          absl::StrCat("only `elementwise` fits lists of tensors, and '", param.name(), "' is one"));
    if (IsTensorParam(param) && axes.Tensor(param.name()) == nullptr)
      errors->push_back(absl::StrCat("the axes of '", param.name(), "' are missing"));
  }
}

}  // namespace

bool GatheredAxis::Has(std::string_view axis) const {
  if (!axis.starts_with(letter)) return false;
  axis.remove_prefix(letter.size());
  return std::all_of(axis.begin(), axis.end(),
                     [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
}

const NamedAxes* SliceAxes::Tensor(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const NamedAxes& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

const FreeAxes* SliceAxes::Free(std::string_view output) const {
  const auto found =
      std::find_if(free.begin(), free.end(), [&](const FreeAxes& f) { return f.output == output; });
  return found == free.end() ? nullptr : &*found;
}

absl::StatusOr<SliceAxes> ParseSliceAxes(const v1::Slices& slices) {
  SliceAxes axes;
  axes.elementwise = slices.elementwise();
  std::string_view text = slices.axes();
  while (!text.empty()) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    bool attribute = false;
    ASSIGN_OR_RETURN(NamedAxes named, TakeNamed(&text, &attribute));
    (attribute ? axes.attributes : axes.tensors).push_back(std::move(named));
  }
  for (const std::string& free : slices.free()) {
    RETURN_IF_ERROR(ParseFree(free, &axes));
  }
  for (const std::string& window : slices.window()) {
    RETURN_IF_ERROR(ParseWindow(window, &axes));
  }
  for (const std::string& gathered : slices.gathered()) {
    RETURN_IF_ERROR(ParseGathered(gathered, &axes));
  }
  axes.reduced = slices.reduced();
  if (!axes.reduced.empty() && !IsLetter(axes.reduced)) return BadAxes(axes.reduced, "an axis");
  return axes;
}

std::vector<std::string> SliceErrors(const v1::Slices& slices, const abi::Function& function) {
  const absl::StatusOr<SliceAxes> axes = ParseSliceAxes(slices);
  if (!axes.ok()) return {std::string(axes.status().message())};
  std::vector<std::string> errors;
  if (axes->elementwise) return errors;
  CheckNames(*axes, function, &errors);
  std::set<std::string> known;
  for (const NamedAxes& tensor : axes->tensors) known.merge(LettersIn(tensor));
  for (const NamedAxes& attribute : axes->attributes) {
    for (const std::string& letter : LettersIn(attribute)) {
      if (!known.contains(letter))
        errors.push_back(absl::StrCat("no tensor has the axis '", letter, "' of '", attribute.name, "'"));
    }
  }
  for (const WindowAxes& window : axes->windows) {
    for (const std::string& letter : {window.out, window.in, window.kernel}) {
      if (!letter.empty() && !known.contains(letter))
        errors.push_back(absl::StrCat("no tensor has the axis '", letter, "' of a window"));
    }
  }
  for (const GatheredAxis& gathered : axes->gathered) {
    if (!known.contains(gathered.letter) || (!gathered.by.empty() && axes->Tensor(gathered.by) == nullptr))
      errors.push_back(absl::StrCat("no tensor has the gathered axis '", gathered.letter,
                                    "', or no argument is '", gathered.by, "'"));
  }
  if (!axes->reduced.empty() && !known.contains(axes->reduced))
    errors.push_back(absl::StrCat("no tensor has the reduced axis '", axes->reduced, "'"));
  for (const FreeAxes& free : axes->free) {
    const abi::Param* param = abi::FindParam(function, free.output);
    const NamedAxes* tensor = axes->Tensor(free.output);
    if (param == nullptr || param->kind() != abi::TENSOR || tensor == nullptr) {
      errors.push_back(absl::StrCat("'", free.output, "' is not an output of ", function.name()));
      continue;
    }
    for (const AxisTerm& term : free.letters) {
      if (!known.contains(term.letter))
        errors.push_back(absl::StrCat("no tensor has the axis '", term.letter, "', which '", free.output,
                                      "' is free along"));
    }
  }
  return errors;
}

}  // namespace diopi::slices
