#include "impl_loader/worker/crash_handler.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace diopi::loader {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTERM};
constexpr unsigned kHandlerSeconds = 2;  // in case unwinding gets stuck

// Globals, because a signal handler cannot be given data.
std::atomic<CrashReport*> g_report{nullptr};
std::atomic<pid_t> g_process{0};                          // forked copies must not write the report
alignas(16) std::array<char, size_t{256} << 10> g_stack;  // usable after a stack overflow

uint64_t ProgramCounter(const void* context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

void CopyMaps(CrashReport* report) {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  size_t total = 0;
  while (total < sizeof(report->maps)) {
    const ssize_t got = read(fd, report->maps + total, sizeof(report->maps) - total);
    if (got <= 0) break;
    total += static_cast<size_t>(got);
    report->maps_bytes = total;
  }
  close(fd);
}

// Calls only what is safe in a handler; backtrace() is safe once it has been called before.
void Handle(int signal, siginfo_t* info, void* context) {
  const bool copy = getpid() != g_process.load();  // a fork's end is not reported
  CrashReport* report = copy ? nullptr : g_report.exchange(nullptr);
  if (report != nullptr) {
    alarm(kHandlerSeconds);
    report->code = info->si_code;
    report->address = signal == SIGTERM ? 0 : reinterpret_cast<uint64_t>(info->si_addr);
    report->pc = ProgramCounter(context);
    report->main_thread = syscall(SYS_gettid) == getpid() ? 1 : 0;
    report->signal = signal;
    CopyMaps(report);
    std::array<void*, kMaxFrames> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    for (int i = 0; i < count; ++i) {
      report->frames[i] = reinterpret_cast<uint64_t>(frames[static_cast<size_t>(i)]);
      report->frame_count = static_cast<uint32_t>(i) + 1;
    }
  } else if (!copy && signal != SIGTERM) {
    alarm(kHandlerSeconds);
    for (;;) pause();  // another thread is writing the report and ends the process
  }
  raise(signal);  // with the default action (SA_RESETHAND), as soon as the handler returns
}

}  // namespace

void InstallCrashHandler(CrashReport* report) {
  std::array<void*, 2> preload{};
  backtrace(preload.data(), static_cast<int>(preload.size()));  // loads the unwinder now
  g_process.store(getpid());
  g_report.store(report);
  stack_t stack{};
  stack.ss_sp = g_stack.data();
  stack.ss_size = g_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace diopi::loader
