#include "client/agent/devices.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace diopi::agent {
namespace {

bool ParseCard(absl::string_view text, int* card) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  return digits && absl::SimpleAtoi(text, card) && *card <= kMaxDevice;
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseDevices(const std::string& text) {
  std::vector<int> devices;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !ParseCard(ends.front(), &first) || !ParseCard(ends.back(), &last) ||
        last < first) {
      return absl::InvalidArgumentError(absl::StrCat("--devices ", text, ": '", part,
                                                     "' is no card number or range of such, from 0 to ",
                                                     kMaxDevice, ": 0-7 or 0,2,5-7"));
    }
    for (int card = first; card <= last; ++card) {
      if (std::find(devices.begin(), devices.end(), card) != devices.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--devices ", text, ": card ", card, " is there twice"));
      }
      devices.push_back(card);
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
