// Takes from the worker process what a vendor's library does not need, for good. The only user of libseccomp.
#ifndef IMPL_LOADER_WORKER_SANDBOX_H_
#define IMPL_LOADER_WORKER_SANDBOX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "impl_loader/worker/keeper.h"

namespace diopi::loader {

enum class SandboxMode {
  kOff,
  // Drivers work: every device node, ioctl, mmap, threads, Unix sockets, files as the user may.
  // Refused with EPERM: sockets to any network, connections to Unix sockets, exec, ptrace and reading other
  // processes, signals to them, their limits and priorities, leaving the process group, typing into a
  // terminal, namespaces, io_uring, bpf, mounts, kernel modules, keys, setting the clock.
  kDefault,
  // As the default, but for connections to Unix sockets: some drivers have a daemon.
  kSockets,
  // As the default, and: no sockets at all, no capabilities, no change of a file's owner, mode or times, no
  // file outside /dev and SandboxOptions.own_folder is written, made or removed, and none is read outside the
  // system's folders and SandboxOptions.readable (EACCES, by Landlock, where the kernel has it). System calls
  // that we do not know to be harmless do not exist (ENOSYS).
  kStrict,
};

// "off", "default", "sockets", "strict"; InvalidArgument for another word.
absl::StatusOr<SandboxMode> ParseSandboxMode(std::string_view word);

struct SandboxOptions {
  SandboxMode mode = SandboxMode::kDefault;
  uint64_t memory_bytes = 0;  // of address space (RLIMIT_AS); 0: no limit. GPU drivers reserve very much.
  std::vector<std::string> readable;  // folders that the strict mode lets the library read
  std::string own_folder;             // that it may do anything in; empty: none
  Keeping keeping;                    // words empty: nobody keeps it
};

struct SandboxReport {
  std::string mode;
  std::vector<std::string> dropped;   // in force
  std::vector<std::string> retained;  // wanted and not had, each with the reason

  // "default: no new privileges, ...; could not drop: WHAT (WHY)". One line.
  std::string Text() const;
};

// Call it before the library is loaded, while the process has one thread. Never fails; reports what it could
// not do.
SandboxReport EnterSandbox(const SandboxOptions& options);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SANDBOX_H_
