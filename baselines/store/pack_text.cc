#include "baselines/store/pack_text.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace diopi::baselines {
namespace {

// All rows have the length of the longest line, so a reason must not be long.
constexpr size_t kMaxReason = 400;

using Words = std::vector<absl::string_view>;

absl::Status Damaged(absl::string_view line) {
  return absl::DataLossError(absl::StrCat("damaged: line '", line.substr(0, 80), "'"));
}

bool TakeDouble(absl::string_view word, absl::string_view name, double* value) {
  return absl::ConsumePrefix(&word, name) && absl::SimpleAtod(word, value);
}
bool TakeInt(absl::string_view word, absl::string_view name, int64_t* value) {
  return absl::ConsumePrefix(&word, name) && absl::SimpleAtoi(word, value) && *value >= 0;
}

bool ParseShapeWord(absl::string_view word, std::vector<int64_t>* shape) {
  if (word == "-") return true;
  for (const absl::string_view part : absl::StrSplit(word, 'x')) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 0 || shape->size() == 32) return false;
    shape->push_back(size);
  }
  return true;
}

bool ParseTensorLine(const Words& words, int64_t samples, PackTensor* tensor, PackPlace* place) {
  tensor->sampled = words[0] == "sampled";
  if (words.size() != (tensor->sampled ? 12U : 6U)) return false;
  tensor->key = std::string(words[1]);
  const absl::StatusOr<Dtype> dtype = ParseDtype(std::string_view(words[2].data(), words[2].size()));
  if (!dtype.ok() || !ParseShapeWord(words[3], &tensor->shape) || !TakeInt(words[4], "", &place->first)) {
    return false;
  }
  tensor->values.dtype = *dtype;
  place->checksum = std::string(words[5]);
  if (!ByteSize(*dtype, tensor->shape).has_value()) return false;
  tensor->values.shape = tensor->sampled ? std::vector<int64_t>{samples} : tensor->shape;
  if (!tensor->sampled) return true;
  TensorStatistics& s = tensor->statistics;
  return NumElements(tensor->shape) > samples && TakeInt(words[6], "nan=", &s.nans) &&
         TakeInt(words[7], "inf=", &s.infinities) && TakeDouble(words[8], "min=", &s.min) &&
         TakeDouble(words[9], "max=", &s.max) && TakeDouble(words[10], "mean=", &s.mean) &&
         TakeDouble(words[11], "std=", &s.deviation);
}

}  // namespace

std::string PackCaseLine(const PackCase& c) {
  return absl::StrCat("case ", c.id, " ", c.hash, " ", c.inputs);
}

std::string PackReasonLine(const char* word, const std::string& reason) {
  std::string text =
      reason.size() <= kMaxReason ? reason : absl::StrCat(reason.substr(0, kMaxReason - 3), "...");
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return absl::StrCat(word, " ", text);
}

std::string PackTensorLine(const PackTensor& tensor, const PackPlace& place) {
  const std::string_view dtype = DtypeName(tensor.values.dtype);
  std::string line = absl::StrCat(tensor.sampled ? "sampled " : "full ", tensor.key, " ",
                                  absl::string_view(dtype.data(), dtype.size()), " ",
                                  tensor.shape.empty() ? "-" : absl::StrJoin(tensor.shape, "x"), " ",
                                  place.first, " ", place.checksum);
  if (!tensor.sampled) return line;
  const TensorStatistics& s = tensor.statistics;
  return absl::StrFormat("%s nan=%d inf=%d min=%.17g max=%.17g mean=%.17g std=%.17g", line, s.nans,
                         s.infinities, s.min, s.max, s.mean, s.deviation);
}

absl::StatusOr<std::vector<PackCase>> ParsePackLines(const std::vector<std::string>& lines, int64_t samples,
                                                     std::vector<PackPlace>* places) {
  std::vector<PackCase> cases;
  for (const std::string& line : lines) {
    const Words words = absl::StrSplit(line, ' ');
    if (words[0] == "case" && words.size() == 4) {
      cases.push_back({std::string(words[1]), std::string(words[2]), std::string(words[3]), "", "", {}});
      continue;
    }
    if (cases.empty()) return Damaged(line);
    PackCase& c = cases.back();
    if (words[0] == "quarantined" && words.size() >= 2) {
      c.quarantined = line.substr(words[0].size() + 1);
    } else if (words[0] == "without" && words.size() >= 2) {
      c.without = line.substr(words[0].size() + 1);
    } else if (words[0] == "full" || words[0] == "sampled") {
      if (!ParseTensorLine(words, samples, &c.tensors.emplace_back(), &places->emplace_back())) {
        return Damaged(line);
      }
    } else {
      return Damaged(line);
    }
  }
  return cases;
}

std::string FormatPackFooter(const PackFooter& footer) {
  std::string text = absl::StrCat("\ndiopi-pack ", footer.format_version, " ", footer.generator_version, " ",
                                  footer.bytes, " ", footer.checksum);
  text.resize(kPackFooterBytes - 1, ' ');
  return text + "\n";
}

bool ParsePackFooter(std::string_view text, PackFooter* footer) {
  const Words words =
      absl::StrSplit(absl::string_view(text.data(), text.size()), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  if (words.size() != 5 || words[0] != "diopi-pack" || !absl::SimpleAtoi(words[1], &footer->format_version) ||
      !absl::SimpleAtoi(words[2], &footer->generator_version) ||
      !absl::SimpleAtoi(words[3], &footer->bytes)) {
    return false;
  }
  footer->checksum = std::string(words[4]);
  return FormatPackFooter(*footer) == text;
}

}  // namespace diopi::baselines
