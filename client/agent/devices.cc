#include "client/agent/devices.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace diopi::agent {
namespace {

bool ParseDevice(absl::string_view text, int* device) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  return digits && absl::SimpleAtoi(text, device) && *device <= kMaxDevice;
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseDevices(const std::string& text) {
  std::vector<int> devices;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !ParseDevice(ends.front(), &first) || !ParseDevice(ends.back(), &last) ||
        last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("--devices ", text, ": '", part,
                       "' is not a device number or a range of them; device numbers go from 0 to ",
                       kMaxDevice, ": 0-7 or 0,2,5-7"));
    }
    for (int device = first; device <= last; ++device) {
      if (std::find(devices.begin(), devices.end(), device) != devices.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--devices ", text, ": device ", device, " is listed twice"));
      }
      devices.push_back(device);
    }
  }
  return devices;
}

std::vector<std::string> DeviceEnvironment(int device, const std::vector<std::string>& variables) {
  std::vector<std::string> environment;
  environment.reserve(variables.size() + 1);
  for (const std::string& variable : variables) environment.push_back(absl::StrCat(variable, "=", device));
  environment.push_back(absl::StrCat("DIOPI_DEVICE_INDEX=", variables.empty() ? device : 0));
  return environment;
}

}  // namespace diopi::agent
