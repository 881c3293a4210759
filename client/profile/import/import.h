// Converts the public harness's files for one device into a device profile. import_profile.py does the work,
// run by python3 as a tool: it parses the vendor's Python and executes none of it.
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
  std::string issue;           // --issue, for the waivers made from tolerances; empty: makes none
  std::string expires;         // --expires, likewise
  std::string chip;            // --chip
  bool verbose = false;        // --verbose: list all that was left out, not one example per reason
};

// Returns the report: what was imported, and a table of what was not, by reason, with a line "FILE:LINE:
// WHAT: WHY" as an example. The written profile passes ReadProfile. Statuses of RunPython
// (cases/import/python.h), ReadError and WriteError; InvalidArgument for a file that is not the harness's: it
// has no device_configs, or names no function of the ABI.
absl::StatusOr<std::string> ImportProfile(const ImportOptions& options);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_IMPORT_IMPORT_H_
