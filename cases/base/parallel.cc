// Threads are made with pthreads alone: they allocate nothing, so that no heap of theirs stays behind.
#include "cases/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace diopi {
namespace {

constexpr int64_t kMostThreads = 8;      // more than the memory of most machines keeps busy
constexpr int64_t kGrainsPerThread = 2;  // for fewer, a thread costs more than it does
constexpr int kMostYields = 10000;

int64_t Processors() {
  static const int64_t processors = [] {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? int64_t{CPU_COUNT(&set)} : 1;
  }();
  return processors;
}

struct Work {
  int64_t count;
  int64_t grain;
  absl::FunctionRef<void(int64_t begin, int64_t end)> part;
  std::atomic<int64_t> next{0};

  void Run() {
    for (int64_t begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
      part(begin, std::min(count, begin + grain));
  }
};

struct Helper {
  Work* work = nullptr;
  pthread_t thread{};
  pid_t id = 0;
};

void* Help(void* argument) {
  auto* const helper = static_cast<Helper*>(argument);
  helper->id = static_cast<pid_t>(syscall(SYS_gettid));
  helper->work->Run();
  return nullptr;
}

// A thread that has been joined is listed among the process's threads for a moment yet.
void AwaitEnd(const Helper& helper) {
  for (int i = 0; i < kMostYields && syscall(SYS_tgkill, getpid(), helper.id, 0) == 0; ++i) sched_yield();
}

}  // namespace

void ForRanges(int64_t count, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> work) {
  Work all{count, grain, work};
  std::array<Helper, kMostThreads> helpers;
  const auto wanted = static_cast<size_t>(std::clamp<int64_t>(count / (grain * kGrainsPerThread) - 1, 0,
                                                              std::min(Processors(), kMostThreads) - 1));
  size_t made = 0;
  if (wanted > 0) {
    sigset_t every;
    sigset_t before;
    sigfillset(&every);  // but for what a thread does to itself: a library's handlers run on other threads
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP}) sigdelset(&every, own);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    for (; made < wanted; ++made) {
      helpers[made].work = &all;
      if (pthread_create(&helpers[made].thread, nullptr, Help, &helpers[made]) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  all.Run();
  for (size_t i = 0; i < made; ++i) pthread_join(helpers[i].thread, nullptr);
  for (size_t i = 0; i < made; ++i) AwaitEnd(helpers[i]);
}

}  // namespace diopi
