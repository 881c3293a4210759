// The cards of a machine that one agent drives: a worker process each.
#ifndef CLIENT_AGENT_DEVICES_H_
#define CLIENT_AGENT_DEVICES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::agent {

// "0-7", "0,2,5-7": the numbers in the order given. InvalidArgument for anything else, a number twice, or one
// above kMaxDevice.
absl::StatusOr<std::vector<int>> ParseDevices(const std::string& text);

// The ABI's device index has 8 bits with a sign.
inline constexpr int kMaxDevice = 127;

// What a worker's environment says so that it sees this card alone: NAME=CARD for each of `variables`. The
// runtime then serves index 0, as the card is the only one; without variables it serves the card's own number
// (DIOPI_DEVICE_INDEX), and the library chooses the card by that.
std::vector<std::string> DeviceEnvironment(int device, const std::vector<std::string>& variables);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_DEVICES_H_
