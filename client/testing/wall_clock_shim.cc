// Preloaded into a program: its wall clock is off by as many seconds as the int64_t at the beginning of the
// file DIOPI_TEST_WALL_OFFSET says, from one moment to the next. Clocks that only count are left alone. A
// futex that waits until a moment of the wall clock, which is how Abseil and gRPC wait, waits until that
// moment even if the offset changes meanwhile: as when a machine's clock is set, the wait becomes longer or
// shorter.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>

namespace {

using SystemCall = long (*)(long, ...);

// No static variable of the function: what guards one waits by syscall.
std::atomic<SystemCall> real_syscall{nullptr};

SystemCall Real() {
  SystemCall real = real_syscall;
  if (real == nullptr) real_syscall = real = reinterpret_cast<SystemCall>(dlsym(RTLD_NEXT, "syscall"));
  return real;
}

int64_t Offset() {
  static const volatile int64_t* const shared = []() -> const volatile int64_t* {
    const char* path = std::getenv("DIOPI_TEST_WALL_OFFSET");
    const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* map = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return map == MAP_FAILED ? nullptr : static_cast<const volatile int64_t*>(map);
  }
  ();
  return shared == nullptr ? 0 : *shared;
}

// How late a wait notices that the offset has changed.
constexpr long kStepNs = 20'000'000;

timespec StepFromNow() {
  timespec moment{};
  Real()(SYS_clock_gettime, CLOCK_REALTIME, &moment);
  moment.tv_nsec += kStepNs;
  if (moment.tv_nsec >= 1'000'000'000) {
    moment.tv_nsec -= 1'000'000'000;
    ++moment.tv_sec;
  }
  return moment;
}

bool Later(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

}  // namespace

extern "C" {

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  const auto call = [&] {
    return Real()(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  };
  if (number != SYS_futex || (arguments[1] & FUTEX_CLOCK_REALTIME) == 0 || arguments[3] == 0) return call();
  const timespec until = *reinterpret_cast<const timespec*>(arguments[3]);
  timespec step{};
  arguments[3] = reinterpret_cast<long>(&step);
  for (;;) {
    step = until;
    step.tv_sec -= Offset();
    if (step.tv_sec < 0) step = timespec{};  // long past; a time before the epoch would be an error
    const bool last = !Later(step, StepFromNow());
    if (!last) step = StepFromNow();
    const long result = call();
    if (result == 0 || errno != ETIMEDOUT || (last && step.tv_sec + Offset() >= until.tv_sec)) return result;
  }
}

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  const long result = Real()(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += Offset();
  return static_cast<int>(result);
}

int gettimeofday(struct timeval* now, void*) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* now) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
