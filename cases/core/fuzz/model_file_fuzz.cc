// Files of models' calls (*.calls), the parts that they include (*.layers), and values for their variables.
// Three texts, separated by a line "---": the file, the part "part", and NAME=NUMBER a line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "cases/core/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace cases = diopi::cases;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> texts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), "\n---\n");
  std::vector<cases::ModelText> parts;
  if (texts.size() > 1) parts.push_back({"part", texts[1]});
  cases::Variables sizes;
  if (texts.size() > 2) {
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(texts[2], '\n'))) {
      const std::pair<std::string, std::string> sides = absl::StrSplit(line, absl::MaxSplits('=', 1));
      int64_t number = 0;
      if (absl::SimpleAtoi(sides.second, &number)) sizes[sides.first] = number;
    }
  }
  cases::ParseModel({"model", texts[0]}, parts, sizes).status().IgnoreError();
  return 0;
}
