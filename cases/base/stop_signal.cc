#include "cases/base/stop_signal.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace diopi {

absl::StatusOr<StopSignal> StopSignal::Block() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0)
    return absl::InternalError("signals cannot be blocked");
  Descriptor descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (descriptor.get() < 0) return absl::InternalError("signalfd failed");
  return StopSignal(std::move(descriptor));
}

int StopSignal::Take() const {
  signalfd_siginfo info{};
  const ssize_t got = read(descriptor_.get(), &info, sizeof(info));
  return got == static_cast<ssize_t>(sizeof(info)) ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace diopi
