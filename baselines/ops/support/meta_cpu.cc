// The functions by which a library tells about itself.
#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/op.h"

const char* diopiGetVendorName() {
  return "diopi-conformance CPU reference";
}
const char* diopiGetImplVersion() {
  return DIOPI_CPU_VERSION;
}
const char* diopiGetLastErrorString() {
  return diopi::ops::LastErrorText();
}
