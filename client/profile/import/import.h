// The public harness's files of one device as a device profile. The work is done by import_profile.py, which
// python3 runs as a tool: it parses the vendor's Python, and executes nothing of it.
#ifndef CLIENT_PROFILE_IMPORT_IMPORT_H_
#define CLIENT_PROFILE_IMPORT_IMPORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::profile {

struct ImportOptions {
  std::string device_configs;  // --device-configs, device_configs.py; empty: none
  std::string convert_config;  // --convert-config, convert_config.yaml; empty: none
  std::string output;          // --output, required: the profile
  std::string issue;           // --issue, of the waivers that tolerances become; empty: they are left out
  std::string expires;         // --expires, likewise
  std::string chip;            // --chip
  bool verbose = false;        // --verbose: all that was left out, not an example of each reason
};

// The report: what was carried over, and a table of what was not by reason, with a line "FILE:LINE: WHAT:
// WHY" as an example. The profile that is written passes ReadProfile. InvalidArgument for a file that cannot
// be read or is not valid Python or YAML; Internal without python3.
absl::StatusOr<std::string> ImportProfile(const ImportOptions& options);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_IMPORT_IMPORT_H_
