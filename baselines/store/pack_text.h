// The lines of a pack's /OPERATOR/cases and its last line: pack.h has their form.
#ifndef BASELINES_STORE_PACK_TEXT_H_
#define BASELINES_STORE_PACK_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/store/pack.h"

namespace diopi::baselines {

// The place of a tensor's values in /OPERATOR/DTYPE.
struct PackPlace {
  int64_t first = 0;
  std::string checksum;
};

std::string PackCaseLine(const PackCase& c);
// "quarantined REASON" or "without REASON".
std::string PackReasonLine(const char* word, const std::string& reason);
std::string PackTensorLine(const PackTensor& tensor, const PackPlace& place);

// The cases, their tensors without values; `places` has one entry per tensor, in order. DataLoss for anything
// that the functions above do not write; messages do not name the file.
absl::StatusOr<std::vector<PackCase>> ParsePackLines(const std::vector<std::string>& lines, int64_t samples,
                                                     std::vector<PackPlace>* places);

inline constexpr size_t kPackFooterBytes = 80;
struct PackFooter {
  int64_t format_version = 0;
  int64_t generator_version = 0;
  uint64_t bytes = 0;    // of the file before the footer
  std::string checksum;  // of those
};
std::string FormatPackFooter(const PackFooter& footer);
bool ParsePackFooter(std::string_view text, PackFooter* footer);

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_PACK_TEXT_H_
