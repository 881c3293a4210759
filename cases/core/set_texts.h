// The texts of cases/sets/*.textproto, as the build embeds them.
#ifndef CASES_CORE_SET_TEXTS_H_
#define CASES_CORE_SET_TEXTS_H_

#include <string_view>
#include <vector>

namespace diopi::cases {

struct SetText {
  std::string_view name;  // of the file, without ".textproto"
  std::string_view text;
};

std::vector<SetText> SetTexts();

}  // namespace diopi::cases

#endif  // CASES_CORE_SET_TEXTS_H_
