#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {
namespace {

std::string ReadText(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The second number of statm: resident pages. proc(5).
double ResidentBytes() {
  const std::vector<std::string> words = absl::StrSplit(ReadText("/proc/self/statm"), ' ');
  int64_t pages = 0;
  if (words.size() < 2 || !absl::SimpleAtoi(words[1], &pages)) return 0;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double OpenDescriptors() {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  double count = 0;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  return count > 0 ? count - 1 : 0;  // without the descriptor that this loop uses
}

double Seconds(const timeval& time) {
  constexpr double kMicrosecond = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicrosecond;
}

}  // namespace

std::vector<Sample> ProcessSamples() {
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {
      {"process_resident_memory_bytes", "Resident memory.", Sample::Kind::kGauge, {}, ResidentBytes()},
      {"process_open_fds", "Open file descriptors.", Sample::Kind::kGauge, {}, OpenDescriptors()},
      {"process_max_fds",
       "Maximum number of open file descriptors.",
       Sample::Kind::kGauge,
       {},
       static_cast<double>(descriptors.rlim_cur)},
      {"process_cpu_seconds_total",
       "User and system processor time.",
       Sample::Kind::kCounter,
       {},
       Seconds(usage.ru_utime) + Seconds(usage.ru_stime)},
  };
}

}  // namespace diopi::server
