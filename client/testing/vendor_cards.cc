// A library on a machine with several devices: its only function fails and names the device that it sees and
// its index, so that each case gives a line. The device in DIOPI_TEST_DEAD_CARD cannot be initialised. The
// first call of a process writes a byte to the FIFO DIOPI_TEST_ARRIVALS and waits at the FIFO
// DIOPI_TEST_GATE, so that a test can wait until every device is at work.
#define DIOPI_STRONG
#include <diopi/diopirt.h>
#include <diopi/functions.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void ArriveAndWait() {
  const int arrivals = open(Variable("DIOPI_TEST_ARRIVALS"), O_WRONLY | O_CLOEXEC);
  if (arrivals < 0) return;
  if (write(arrivals, "x", 1) != 1) std::abort();
  close(arrivals);
  const int gate = open(Variable("DIOPI_TEST_GATE"), O_RDONLY | O_CLOEXEC);
  char c = 0;
  while (gate >= 0 && read(gate, &c, 1) > 0) {
  }
  if (gate >= 0) close(gate);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int32_t initLibrary() {
  const char* dead = std::getenv("DIOPI_TEST_DEAD_CARD");
  return dead != nullptr && std::strcmp(dead, Variable("CUDA_VISIBLE_DEVICES")) == 0 ? 7 : 0;
}
const char* diopiGetVendorName() {
  return "cards";
}
const char* diopiGetImplVersion() {
  return "1";
}
const char* diopiGetLastErrorString() {
  static std::string text;
  diopiDeviceIndex_t index = -1;
  diopiGetCurrentDeviceIndex(&index);
  text = std::string("device ") + Variable("CUDA_VISIBLE_DEVICES") + " index " + std::to_string(index);
  return text.c_str();
}

diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t) {
  static const bool arrived = (ArriveAndWait(), true);
  (void)arrived;
  return diopiErrorOccurred;
}

}  // extern "C"
