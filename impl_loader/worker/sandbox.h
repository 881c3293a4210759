// Drops the rights that a vendor's library does not need, for good. The only user of libseccomp.
#ifndef IMPL_LOADER_WORKER_SANDBOX_H_
#define IMPL_LOADER_WORKER_SANDBOX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/finding.pb.h"
#include "impl_loader/worker/keeper.h"

namespace diopi::loader {

// In all modes except kOff, WorkerOptions::hidden is covered (hidden_files.h), /proc is read-only, and the
// kernel ends the worker before all others when memory runs out.
enum class SandboxMode {
  kOff,
  // Allows what drivers need: ioctl, mmap, threads, Unix sockets with connections, the user's files, and all
  // device files except those known to do harm (DeviceChoice::kNotHarmful). Has a /dev/shm, IPC objects and a
  // network of its own. Refuses with EPERM: sockets to any network, connections to Unix sockets, datagrams,
  // message queues, exec, ptrace and reading other processes, signals to them, their limits and priorities,
  // leaving the process group, typing into a terminal, namespaces, io_uring, bpf, mounts, kernel modules,
  // keys, setting the clock.
  kDefault,
  // As the default, but allows connections to Unix sockets and datagrams, and shares /dev/shm, IPC objects
  // and abstract sockets with the machine's other programs: some drivers have a daemon.
  kSockets,
  // As the default, and refuses all sockets but connected pairs, capabilities, and changes of a file's owner,
  // mode or times. Has only the device files of accelerators. Files can be written, made and removed only in
  // /dev/shm and SandboxOptions.own_folder, and read only in the system's folders and SandboxOptions.readable
  // (EACCES, by Landlock, where the kernel has it). System calls that we do not know to be harmless seem
  // missing (ENOSYS).
  kStrict,
};

// "off", "default", "sockets", "strict"; InvalidArgument for another word.
absl::StatusOr<SandboxMode> ParseSandboxMode(std::string_view word);

struct SandboxOptions {
  SandboxMode mode = SandboxMode::kDefault;
  // Limits a process's address space (RLIMIT_AS), of which GPU drivers reserve very much, and, where there
  // are cgroups for it (memory_group.h), the memory of all its processes. 0: no limit.
  uint64_t memory_bytes = 0;
  std::vector<std::string> readable;  // folders that the strict mode lets the library read
  std::string own_folder;             // where the strict mode lets it do anything; empty: none
  Keeping keeping;                    // `kept` empty: no keeper
};

// What a worker's keeper does for it.
KeeperOptions KeeperOptionsOf(const SandboxOptions& options, HiddenFiles files);

// Call it before the library is loaded, while the process has one thread. Never fails. Returns the rights
// that the library no longer has (SANDBOX) and, where there are any, those that could not be dropped, each
// with the reason (NOT_DROPPED): "default: new privileges, ...; could not drop: WHAT (WHY)".
v1::Finding EnterSandbox(const SandboxOptions& options);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SANDBOX_H_
