// A library to copy: everything a vendor's library needs to be loaded, and nothing else.
//
// How to make it yours:
//   1. Include diopi/functions.h with DIOPI_STRONG defined, and define the operators you have. An operator
//      that is not defined counts as not implemented; that is better than one that does nothing.
//   2. Read the tensors through diopi/diopirt.h. Outputs are already allocated, except those that the ABI
//      passes as diopiTensorHandle_t*; get these from diopiRequireTensor.
//   3. Queue the work on the stream that diopiGetStream gives you; the host synchronises before it reads.
//   4. If your tensors live in device memory, define the functions of diopi/diopi_device.h too, here or in a
//      second library (--device-lib).
//   5. Do not link against the host: its functions are found when the library is loaded.
//
// As it stands, its functions do nothing and return success. No case may pass on it.
#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions.h"

const char* diopiGetVendorName() {
  return "null";
}
const char* diopiGetImplVersion() {
  return "0.0.0";
}
const char* diopiGetLastErrorString() {
  return "";
}

diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  (void)ctx;
  (void)out;
  (void)input;
  (void)other;
  (void)alpha;
  return diopiSuccess;
}

diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  (void)ctx;
  (void)input;
  (void)other;
  (void)alpha;
  return diopiSuccess;
}

diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                          diopiConstTensorHandle_t input) {
  (void)ctx;
  (void)out;
  (void)input;
  return diopiSuccess;
}
