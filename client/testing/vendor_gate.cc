// Stops inside a call until the test lets it continue: opens the FIFO that DIOPI_TEST_GATE names, which waits
// until the test opens it, too, and reads it to its end. Every call then returns an error, so that each case
// gives a line. Without the variable it only returns the error.
#define DIOPI_STRONG
#include <diopi/functions.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void WaitAtGate() {
  const char* gate = std::getenv("DIOPI_TEST_GATE");
  if (gate == nullptr || *gate == '\0') return;
  const int fd = open(gate, O_RDONLY | O_CLOEXEC);
  char c = 0;
  while (fd >= 0 && read(fd, &c, 1) > 0) {
  }
  if (fd >= 0) close(fd);
}

}  // namespace

extern "C" {

const char* diopiGetVendorName() {
  return "gate";
}
const char* diopiGetImplVersion() {
  return "1";
}
const char* diopiGetLastErrorString() {
  return "the gate is open";
}

diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t) {
  WaitAtGate();
  return diopiErrorOccurred;
}

}  // extern "C"
