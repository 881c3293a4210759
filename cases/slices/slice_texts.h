// The texts of cases/slices/*.textproto, as the build embeds them.
#ifndef CASES_SLICES_SLICE_TEXTS_H_
#define CASES_SLICES_SLICE_TEXTS_H_

#include <string_view>
#include <vector>

namespace diopi::slices {

struct SliceText {
  std::string_view name;  // of the file, without ".textproto"
  std::string_view text;
};

std::vector<SliceText> SliceTexts();

}  // namespace diopi::slices

#endif  // CASES_SLICES_SLICE_TEXTS_H_
