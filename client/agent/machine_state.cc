#include "client/agent/machine_state.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cases/findings/finding.h"
#include "client/agent/machine.h"

namespace diopi::agent {
namespace {

constexpr double kTicks = 100;      // of /proc in a second
constexpr double kRounding = 3;     // ticks
constexpr double kShortest = 0.05;  // seconds

std::string FirstLine(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<double> Number(const std::filesystem::path& path) {
  double value = 0;
  if (!absl::SimpleAtod(FirstLine(path), &value)) return std::nullopt;
  return value;
}

// The entries of a folder whose names start with `prefix` and go on with a number or nothing.
std::vector<std::filesystem::path> Entries(const std::string& folder, const std::string& prefix) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool numbered =
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(std::min(prefix.size(), name.size())),
                    name.end(), [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
    if (absl::StartsWith(name, prefix) && numbered) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Seconds that a process has computed; 0: it has none, or /proc does not tell.
double ProcessSeconds(const std::string& root, int pid) {
  const std::string line = FirstLine(absl::StrCat(root, "/proc/", pid, "/stat"));
  // The name in brackets may have blanks. User and system time are the 14th and 15th field.
  const std::vector<std::string> fields =
      absl::StrSplit(line.substr(std::min(line.size(), line.rfind(')') + 1)), ' ', absl::SkipEmpty());
  double user = 0, system = 0;
  if (fields.size() < 13 || !absl::SimpleAtod(fields[11], &user) || !absl::SimpleAtod(fields[12], &system))
    return 0;
  return (user + system) / kTicks;
}

// Seconds that all processors have computed, for anybody, guests of this machine included.
double MachineSeconds(const std::string& root) {
  const std::vector<std::string> fields =
      absl::StrSplit(FirstLine(root + "/proc/stat"), ' ', absl::SkipEmpty());
  double ticks = 0;
  for (const size_t at : {1, 2, 3, 6, 7, 8}) {  // user, nice, system, interrupts, soft ones, stolen
    double value = 0;
    if (at < fields.size() && absl::SimpleAtod(fields[at], &value)) ticks += value;
  }
  return ticks / kTicks;
}

}  // namespace

double OtherWork::Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

OtherWork::OtherWork(int worker, std::string root, double (*now)())
    : root_(std::move(root)),
      now_(now),
      worker_(worker),
      begin_seconds_(now_()),
      begin_(MachineSeconds(root_) - ProcessSeconds(root_, getpid())),
      begin_worker_(ProcessSeconds(root_, worker)) {}

double OtherWork::Processors(int worker) const {
  const double seconds = now_() - begin_seconds_;
  if (seconds < kShortest || worker < 0) return 0;
  const double of_worker = ProcessSeconds(root_, worker) - (worker == worker_ ? begin_worker_ : 0);
  const double others =
      MachineSeconds(root_) - ProcessSeconds(root_, getpid()) - begin_ - of_worker - kRounding / kTicks;
  return std::max(0.0, others / seconds);
}

std::string ProcessorName() {
  const std::string model = ProcessorModel();
  const int count = Processors();
  return absl::StrCat(model.empty() ? "unnamed processor" : model, ", ", count,
                      count == 1 ? " processor" : " processors");
}

std::vector<v1::Finding> MachineState() {
  std::vector<v1::Finding> state;
  double low = 0, high = 0, throttled = 0;
  for (const std::filesystem::path& cpu : Entries("/sys/devices/system/cpu", "cpu")) {
    const std::optional<double> khz = Number(cpu / "cpufreq" / "scaling_cur_freq");
    if (khz.has_value()) {
      low = low > 0 ? std::min(low, *khz) : *khz;
      high = std::max(high, *khz);
    }
    throttled += Number(cpu / "thermal_throttle" / "core_throttle_count").value_or(0);
  }
  if (high > 0) {
    state.push_back(Found(v1::Finding::CLOCKS)
                        .Got(absl::StrFormat("%.2f", low * 1e-6))
                        .Limit(absl::StrFormat("%.2f", high * 1e-6)));
  }
  for (const std::filesystem::path& zone : Entries("/sys/class/thermal", "thermal_zone")) {
    const std::optional<double> millidegrees = Number(zone / "temp");
    if (!millidegrees.has_value()) continue;
    state.push_back(Found(v1::Finding::TEMPERATURE)
                        .Name(FirstLine(zone / "type"))
                        .Got(absl::StrFormat("%.0f", *millidegrees * 1e-3)));
  }
  if (throttled > 0) state.push_back(Found(v1::Finding::THROTTLED).Count(static_cast<int64_t>(throttled)));
  return state;
}

}  // namespace diopi::agent
