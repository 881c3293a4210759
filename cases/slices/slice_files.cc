#include "cases/slices/slice_files.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/base/textproto.h"
#include "cases/slices/slice_axes.h"
#include "proto/abi/abi.h"

namespace diopi::slices {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
#include "cases/slices/slice_texts.inc"
};

// "FILE:LINE: " of the i-th text in quotation marks; a list's elements have no lines of their own in the
// parser's tree.
std::string QuotedLine(std::string_view text, const std::string& file, int i) {
  size_t at = text.find('"');
  for (; i > 0 && at != std::string_view::npos; --i) at = text.find('"', text.find('"', at + 1) + 1);
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n');
  return absl::StrCat(file, ":", line + 1, ": ");
}

// Adds a function's entry; says what is wrong with it.
std::vector<std::string> AddSlices(const v1::Slices& slices, SlicesByFunction* all) {
  const abi::Function* function = abi::FindFunction(slices.name());
  if (function == nullptr) return {absl::StrCat("the ABI has no function '", slices.name(), "'")};
  if (!all->emplace(slices.name(), slices).second) return {absl::StrCat(slices.name(), " is given twice")};
  return SliceErrors(slices, *function);
}

}  // namespace

absl::StatusOr<SlicesByFunction> ParseSliceFile(std::string_view text, std::string_view file_name) {
  const std::string file_path(file_name);
  v1::SliceFile file;
  ASSIGN_OR_RETURN(const SourceLines lines, ParseTextproto(text, file_path, &file));
  SlicesByFunction all;
  std::vector<std::string> errors;
  for (int i = 0; i < file.elementwise_size(); ++i) {
    v1::Slices slices;
    slices.set_name(file.elementwise(i));
    slices.set_elementwise(true);
    for (const std::string& error : AddSlices(slices, &all))
      errors.push_back(absl::StrCat(QuotedLine(text, file_path, i), error));
  }
  for (int i = 0; i < file.function_size(); ++i) {
    for (const std::string& error : AddSlices(file.function(i), &all))
      errors.push_back(absl::StrCat(lines.At({{"function", i}}), error));
  }
  if (!errors.empty()) return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
  return all;
}

const SlicesByFunction& AllSlices() {
  static const auto* const all = [] {
    auto* const slices = new SlicesByFunction();
    for (const auto& [name, text] : kTexts) {  // checked by the build
      absl::StatusOr<SlicesByFunction> file = ParseSliceFile(text, name);
      if (file.ok()) slices->merge(*file);
    }
    return slices;
  }();
  return *all;
}

const v1::Slices& BuiltinSlices(const std::string& function) {
  const auto found = AllSlices().find(function);
  return found == AllSlices().end() ? v1::Slices::default_instance() : found->second;
}

}  // namespace diopi::slices
