#include "client/setup/profile_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "client/profile/waivers.h"

namespace diopi::agent {

void AddProfileOption(CLI::App* app, std::string* path) {
  app->add_option("--profile", *path,
                  "The chip's device profile: skips, waivers, contracts, time limits, variables, adaptor");
}

void AddModeFlags(CLI::App* app, Modes* modes) {
  CLI::Option* nhwc = app->add_flag("--nhwc", modes->nhwc,
                                    "Pass tensors in channels-last layout to convolutions, batch_norm, "
                                    "poolings, interpolate, pad and roi_align");
  app->add_option("--nhwc-min-dim", modes->nhwc_min_dim,
                  "Only for tensors of at least this many dimensions (default: 3)")
      ->check(CLI::Range(3, 5))
      ->needs(nhwc);
  app->add_flag("--four-bytes", modes->four_bytes, "Pass int64 as int32 and float64 as float32");
}

void AddWorkerFlags(CLI::App* app, std::string* sandbox, uint64_t* memory_bytes) {
  app->add_option(
         "--sandbox", *sandbox,
         "Restrictions on workers: strict (no sockets; reads only the folders of the system and of the "
         "library, writes none; only accelerators' device files), default (no network, no programs, no data "
         "folder, no terminals, no other program's shared memory), sockets (default, but a driver may "
         "connect "
         "to its daemon's Unix socket and share memory with it), off; docs/untrusted-libraries.md says what "
         "each prevents")
      ->check(CLI::IsMember({"strict", "default", "sockets", "off"}));
  app->add_option(
         "--worker-memory", *memory_bytes,
         "Limit on a worker's address space, such as 8GiB (GPU drivers reserve much of it); also limits "
         "memory if the agent can create a memory cgroup (default: no limit)")
      ->transform(CLI::AsSizeValue(false));
}

absl::StatusOr<profile::AppliedProfile> LoadProfile(const std::string& path) {
  if (path.empty()) return profile::AppliedProfile();
  ASSIGN_OR_RETURN(profile::Profile read, profile::ReadProfile(path));
  return profile::AppliedProfile(std::move(read), profile::Today());
}

std::vector<std::string> EnvironmentOf(const profile::AppliedProfile& profile) {
  std::vector<std::string> environment;
  for (const v1::Variable& variable : profile.rules().environment()) {
    environment.push_back(absl::StrCat(variable.name(), "=", variable.value()));
  }
  return environment;
}

absl::StatusOr<profile::Adaptor> MakeAdaptor(const profile::AppliedProfile& profile, const Modes& modes) {
  std::vector<v1::AdaptorRule> rules(profile.rules().adaptor().begin(), profile.rules().adaptor().end());
  ASSIGN_OR_RETURN(std::vector<v1::AdaptorRule> added, AdaptorRules(modes));
  rules.insert(rules.end(), added.begin(), added.end());
  return profile::Adaptor::Make(rules);
}

}  // namespace diopi::agent
