#include "impl_loader/caller/stream_delay.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace diopi::loader {
namespace {

// A device on which a copy takes a while, and the host's way to it and back much longer. Its clock moves only
// with them.
struct Device {
  double copy = 0, way = 0;
  double host = 0, busy_until = 0;
  int copies = 0;
};
Device device;  // the functions have no handle

double Now() {
  return device.host;
}
int32_t Copy(void*, void*, const void*, uint64_t) {
  device.busy_until = std::max(device.busy_until, device.host) + device.copy;
  ++device.copies;
  return 0;
}
int32_t Wait(void*) {
  device.host = std::max(device.host, device.busy_until) + device.way;
  return 0;
}
int32_t Make(void**) {
  return 0;
}
void* Allocate(uint64_t) {
  return &device;
}

TEST(StreamDelay, LastsAsLongAsAskedWhateverTheHostsWayToTheDeviceTakes) {
  const struct {
    double copy, way, wanted, least;  // seconds
  } rows[] = {{20e-6, 0, 1e-3, 1e-3},
              {20e-6, 300e-6, 1e-3, 1e-3},  // divided by 320 microseconds, four copies would do
              {11e-6, 40e-6, 0, 0.2e-3},
              {11e-6, 40e-6, 1, 2.5e-3},  // no more than the driver's queue takes
              {4e-3, 40e-6, 1e-3, 4e-3}};
  for (const auto& row : rows) {
    device = {row.copy, row.way};
    runtime::DeviceFunctions functions;
    functions.stream_create = Make;
    functions.stream_synchronize = Wait;
    functions.memory_malloc = Allocate;
    functions.copy_d2d = Copy;
    StreamDelay delay(functions, Now);
    ASSERT_TRUE(delay.Hold(&device, row.wanted));
    const double start = std::max(device.host, device.busy_until);
    device.copies = 0;
    ASSERT_TRUE(delay.Hold(&device, row.wanted));
    const double held = device.busy_until - start;
    EXPECT_GE(held, row.least * 0.999) << row.copy << " " << row.way;
    EXPECT_LE(held, std::max(row.wanted, row.least) + 2 * row.copy) << row.copy << " " << row.way;
    EXPECT_LE(device.copies, 256);
  }
}

}  // namespace
}  // namespace diopi::loader
