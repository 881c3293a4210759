// A device profile, read and checked. client/profile/GUIDE.md describes its contents.
#ifndef CLIENT_PROFILE_PROFILE_H_
#define CLIENT_PROFILE_PROFILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/operator.pb.h"
#include "diopi/v1/profile.pb.h"

namespace diopi::profile {

// A value type.
struct Profile {
  v1::DeviceProfile rules;
  std::string file;  // without folders; empty: there is no profile
  std::string hash;  // 32 hex digits over the text
  // Where the rules begin, as "FILE:LINE", in their order.
  std::vector<std::string> skip_at;
  std::vector<std::string> waiver_at;
  std::vector<std::string> timeout_at;
  std::vector<std::string> adaptor_at;
};

// Rules may use the names in `operators`. InvalidArgument lists every finding on a line "FILE:LINE:COLUMN:
// FIELD: what is wrong, what was expected", with the nearest names where there are some.
absl::StatusOr<Profile> ParseProfile(std::string_view text, std::string_view file_name,
                                     const std::vector<v1::OperatorFile>& operators);

// Reads a file, with the built-in operators. InvalidArgument also when the file cannot be read.
absl::StatusOr<Profile> ReadProfile(const std::string& path);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_PROFILE_H_
