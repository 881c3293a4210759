// The devices of a machine that one agent drives, with a worker process for each.
#ifndef CLIENT_AGENT_DEVICES_H_
#define CLIENT_AGENT_DEVICES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::agent {

// Parses "0-7" or "0,2,5-7" into numbers, in the order given. InvalidArgument for anything else, a repeated
// number, or one above kMaxDevice.
absl::StatusOr<std::vector<int>> ParseDevices(const std::string& text);

// The ABI's device index is a signed 8-bit integer.
inline constexpr int kMaxDevice = 127;

// The environment that makes only this device visible to a worker: NAME=DEVICE for each of `variables`. The
// runtime then uses index 0, because it sees no other device. Without variables it uses the device's own
// number (DIOPI_DEVICE_INDEX), by which the library chooses the device.
std::vector<std::string> DeviceEnvironment(int device, const std::vector<std::string>& variables);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_DEVICES_H_
