// The name of a chip: people type it, read it in tables and find its page at /chips/NAME.
#ifndef SERVER_STORE_CHIP_NAME_H_
#define SERVER_STORE_CHIP_NAME_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/text.h"

namespace diopi::server {

inline constexpr size_t kMaxChipNameBytes = 64;

// InvalidArgument says what is wrong with the name. An empty one is allowed: the chip without a name.
inline absl::Status CheckChipName(const std::string& name) {
  if (name.size() > kMaxChipNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the name of a chip has at most ", kMaxChipNameBytes,
                                                   " bytes; this one has ", name.size()));
  }
  if (!IsPrintableName(name)) {
    return absl::InvalidArgumentError("the name of a chip must have printable characters only");
  }
  if (name == "." || name == "..") {
    // A browser removes such a part from an address, however it is encoded.
    return absl::InvalidArgumentError(absl::StrCat("a chip cannot be named '", name, "'"));
  }
  return absl::OkStatus();
}

}  // namespace diopi::server

#endif  // SERVER_STORE_CHIP_NAME_H_
