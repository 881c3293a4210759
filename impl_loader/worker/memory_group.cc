// Version 1 lets root make a group below any other. In version 2 a group that has processes cannot pass its
// controllers on, so that the new group goes beside this process's own one; but only if the folder around
// both is this process's to manage, since others may count on its staying where they put it.
#include "impl_loader/worker/memory_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/descriptor.h"
#include "cases/base/status_macros.h"
#include "impl_loader/worker/mounts.h"

namespace diopi::loader {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "diopi-worker-";

// This process's own group, where it is mounted; empty: it is not. `version1`: of the memory controller.
std::string OwnFolder(bool version1) {
  std::string path;
  std::ifstream groups("/proc/self/cgroup");  // ID:CONTROLLERS:PATH
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (words.size() != 3) continue;
    const std::vector<std::string> controllers = absl::StrSplit(words[1], ',');
    const std::string wanted = version1 ? "memory" : "";
    if (std::find(controllers.begin(), controllers.end(), wanted) != controllers.end()) path = words[2];
  }
  std::ifstream mounts("/proc/self/mountinfo");  // ID PARENT DEVICE ROOT POINT ... - TYPE SOURCE OPTIONS
  for (std::string line; std::getline(mounts, line) && !path.empty();) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    const size_t dash = std::find(words.begin(), words.end(), "-") - words.begin();
    if (words.size() < 5 || dash + 3 >= words.size()) continue;
    const std::vector<std::string> options = absl::StrSplit(words[dash + 3], ',');
    const bool fits = version1 ? words[dash + 1] == "cgroup" &&
                                     std::find(options.begin(), options.end(), "memory") != options.end()
                               : words[dash + 1] == "cgroup2";
    if (!fits || !IsWithin(path, words[3])) continue;
    return words[4] + path.substr(words[3] == "/" ? 0 : words[3].size());
  }
  return "";
}

absl::Status Write(const std::string& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.valid() && WriteAll(file.get(), text) ? absl::OkStatus() : Refused(path);
}

bool IsDelegated(const std::string& folder) {
  char value = '0';
  return getxattr(folder.c_str(), "user.delegate", &value, 1) == 1 && value == '1';
}

void RemoveAbandoned(const std::string& around) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(around, error)) {
    const std::string name = entry.path().filename();
    pid_t keeper = 0;
    if (!absl::StartsWith(name, kPrefix) || !absl::SimpleAtoi(name.substr(sizeof(kPrefix) - 1), &keeper))
      continue;
    if (kill(keeper, 0) != 0 && errno == ESRCH) rmdir(entry.path().c_str());
  }
}

}  // namespace

absl::StatusOr<MemoryGroup> MemoryGroup::Make(uint64_t bytes) {
  std::string around = OwnFolder(/*version1=*/true);
  const bool version1 = !around.empty();
  if (!version1) {
    around = OwnFolder(/*version1=*/false);
    if (around.empty()) return absl::UnavailableError("no memory cgroups");
    around = fs::path(around).parent_path();
    if (!IsDelegated(around)) return absl::PermissionDeniedError("the cgroup is not delegated");
    RETURN_IF_ERROR(Write(around + "/cgroup.subtree_control", "+memory"));
  }
  RemoveAbandoned(around);
  MemoryGroup group(absl::StrCat(around, "/", kPrefix, getpid()));
  if (mkdir(group.folder_.c_str(), 0755) != 0) return Refused("no memory cgroup");
  const std::string limit = group.folder_ + (version1 ? "/memory.limit_in_bytes" : "/memory.max");
  absl::Status status = Write(limit, absl::StrCat(bytes));
  // Swap beyond the limit would be no limit. Not all kernels count it.
  if (version1) {
    Write(group.folder_ + "/memory.memsw.limit_in_bytes", absl::StrCat(bytes)).IgnoreError();
  } else {
    Write(group.folder_ + "/memory.swap.max", "0").IgnoreError();
    Write(group.folder_ + "/memory.oom.group", "1").IgnoreError();
  }
  if (status.ok()) return group;
  group.Remove();
  return status;
}

absl::Status MemoryGroup::Enter() const {
  return Write(folder_ + "/cgroup.procs", "0");
}

void MemoryGroup::Remove() const {
  rmdir(folder_.c_str());
}

}  // namespace diopi::loader
