#include "client/agent/machine_state.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/agent/machine.h"

namespace diopi::agent {
namespace {

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

}  // namespace

std::string ProcessorName() {
  const std::string model = ProcessorModel();
  const int count = Processors();
  return absl::StrCat(model.empty() ? "unnamed processor" : model, ", ", count,
                      count == 1 ? " processor" : " processors");
}

std::vector<std::string> MachineState() {
  std::vector<std::string> state;
  double low = 0, high = 0, throttled = 0;
  for (const std::filesystem::path& cpu : Entries("/sys/devices/system/cpu", "cpu")) {
    const std::optional<double> khz = Number(cpu / "cpufreq" / "scaling_cur_freq");
    if (khz.has_value()) {
      low = low > 0 ? std::min(low, *khz) : *khz;
      high = std::max(high, *khz);
    }
    throttled += Number(cpu / "thermal_throttle" / "core_throttle_count").value_or(0);
  }
  if (high > 0) state.push_back(absl::StrFormat("processor clock %.2f to %.2f GHz", low * 1e-6, high * 1e-6));
  for (const std::filesystem::path& zone : Entries("/sys/class/thermal", "thermal_zone")) {
    const std::optional<double> millidegrees = Number(zone / "temp");
    if (!millidegrees.has_value()) continue;
    state.push_back(
        absl::StrFormat("thermal zone %s %.0f C", FirstLine(zone / "type"), *millidegrees * 1e-3));
  }
  if (throttled > 0) state.push_back(absl::StrFormat("throttled %.0f times since it was started", throttled));
  return state;
}

}  // namespace diopi::agent
