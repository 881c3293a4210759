// Options that change what a library gets: a device profile and the modes that convert tensors. One place for
// diopi-agent and for diopi-cli repro, so that both do the same.
#ifndef CLIENT_SETUP_PROFILE_OPTIONS_H_
#define CLIENT_SETUP_PROFILE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/applied.h"
#include "client/setup/modes.h"

namespace diopi::agent {

void AddProfileOption(CLI::App* app, std::string* path);  // --profile

// --nhwc --nhwc-min-dim --four-bytes
void AddModeFlags(CLI::App* app, Modes* modes);

// --sandbox --worker-memory
void AddWorkerFlags(CLI::App* app, std::string* sandbox, uint64_t* memory_bytes);

// Reads a profile as ReadProfile does; empty path: no profile. Waivers expire by today's date.
absl::StatusOr<profile::AppliedProfile> LoadProfile(const std::string& path);

// The profile's variables for the workers, NAME=VALUE.
std::vector<std::string> EnvironmentOf(const profile::AppliedProfile& profile);

// An adaptor with the profile's rules, followed by those of the modes.
absl::StatusOr<profile::Adaptor> MakeAdaptor(const profile::AppliedProfile& profile, const Modes& modes);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_PROFILE_OPTIONS_H_
