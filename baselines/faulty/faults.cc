// The faults of libdiopi_faulty.so, the demo's bad vendor: each is one that real libraries had, and shows
// in its own way. Everything else in the library is the CPU reference.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "baselines/planted/planted.h"

using diopi::planted::Bytes;
using diopi::planted::BytesPerElement;
using diopi::planted::DtypeOf;
using diopi::planted::NumElements;
using diopi::planted::ShapeOf;

// Vendor libraries of the field keep counters like this one.
static std::atomic<uint32_t> call_count{0};

// 1. Ignored alpha: a + b instead of a + alpha * b.
DIOPI_OVERRIDE(diopiAdd);
extern "C" diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  diopiScalar_t one = *alpha;
  if (one.stype <= diopi_dtype_uint64 || one.stype == diopi_dtype_bool) {
    one.ival = 1;
  } else {
    one.fval = 1.0;
  }
  return good_diopiAdd(ctx, out, input, other, &one);
}

// 2. Wrong tail: a loop over whole vectors of four forgets the rest.
DIOPI_OVERRIDE(diopiSub);
extern "C" diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  const diopiError_t error = good_diopiSub(ctx, out, input, other, alpha);
  const int64_t count = NumElements(out);
  if (error == diopiSuccess && count >= 4 && count % 4 != 0) {
    const int64_t bytes = BytesPerElement(out);
    for (int64_t i = count - count % 4; i < count; ++i) std::memset(Bytes(out) + i * bytes, 0, bytes);
  }
  return error;
}

// 3. Crash: a null pointer is read for tensors of more than 1,000 elements.
DIOPI_OVERRIDE(diopiTanh);
extern "C" diopiError_t diopiTanh(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input) {
  if (NumElements(input) > 1000) {
    volatile const float* table = nullptr;
    if (table[0] > 0) return diopiErrorOccurred;
  }
  return good_diopiTanh(ctx, out, input);
}

// 4. Hang: waits for a flag that nobody sets, in float32 at 1,003 elements.
DIOPI_OVERRIDE(diopiSigmoid);
extern "C" diopiError_t diopiSigmoid(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input) {
  static std::atomic<bool> done{false};
  if (DtypeOf(input) == diopi_dtype_float32 && NumElements(input) == 1003) {
    while (!done.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return good_diopiSigmoid(ctx, out, input);
}

// 5. Out of bounds: one vector of 16 bytes too many.
DIOPI_OVERRIDE(diopiMul);
extern "C" diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  const diopiError_t error = good_diopiMul(ctx, out, input, other);
  int64_t offset = 0;
  int64_t storage_bytes = 0;
  size_t bytes = 0;
  diopiGetTensorStorageOffset(out, &offset);
  diopiGetTensorStorageNbytes(out, &bytes);
  storage_bytes = static_cast<int64_t>(bytes) - offset * BytesPerElement(out);
  if (error == diopiSuccess && NumElements(out) > 0) std::memset(Bytes(out) + storage_bytes, 0, 16);
  return error;
}

// 6. Unwritten output: returns before anything is stored.
DIOPI_OVERRIDE(diopiRelu);
extern "C" diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t) {
  return diopiSuccess;
}

// 7. Changed input: works in place on what is const.
DIOPI_OVERRIDE(diopiSqrt);
extern "C" diopiError_t diopiSqrt(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input) {
  const diopiError_t error = good_diopiSqrt(ctx, out, input);
  if (error == diopiSuccess && NumElements(input) > 0) const_cast<unsigned char*>(Bytes(input))[0] ^= 1;
  return error;
}

// 8. Missing function.
DIOPI_OVERRIDE_MISSING(diopiGelu);

// 9. Wrong dtype error: float64 is documented and refused.
DIOPI_OVERRIDE(diopiSoftmax);
extern "C" diopiError_t diopiSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, int64_t dim) {
  if (DtypeOf(input) == diopi_dtype_float64) return diopiDtypeNotSupported;
  return good_diopiSoftmax(ctx, out, input, dim);
}

// 10. NaN in one element of many: under the 0.1 % that the public rule lets pass.
DIOPI_OVERRIDE(diopiBmm);
extern "C" diopiError_t diopiBmm(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t mat2) {
  const diopiError_t error = good_diopiBmm(ctx, out, input, mat2);
  if (error == diopiSuccess && NumElements(out) > 0) std::memset(Bytes(out), 0xFF, BytesPerElement(out));
  return error;
}

// 11. Ignored strides: reads every input as if it were contiguous.
DIOPI_OVERRIDE(diopiExp);
extern "C" diopiError_t diopiExp(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input) {
  const std::vector<int64_t> shape = ShapeOf(input);
  const diopiSize_t size{shape.data(), static_cast<int64_t>(shape.size())};
  diopiTensorHandle_t dense = nullptr;
  const diopiError_t error = diopiRequireTensor(ctx, &dense, &size, nullptr, DtypeOf(input), diopi_device);
  if (error != diopiSuccess) return error;
  int64_t offset = 0;
  size_t storage_bytes = 0;
  diopiGetTensorStorageOffset(input, &offset);
  diopiGetTensorStorageNbytes(input, &storage_bytes);
  const size_t readable = storage_bytes - static_cast<size_t>(offset * BytesPerElement(input));
  const size_t wanted = static_cast<size_t>(NumElements(input) * BytesPerElement(input));
  if (wanted > 0) {
    std::memset(Bytes(dense), 0, wanted);
    std::memcpy(Bytes(dense), Bytes(input), wanted < readable ? wanted : readable);
  }
  return good_diopiExp(ctx, out, dense);
}

// 12. Non-determinism: the last bit depends on the call.
DIOPI_OVERRIDE(diopiMean);
extern "C" diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input, diopiSize_t dim) {
  const diopiError_t error = good_diopiMean(ctx, out, input, dim);
  if (error == diopiSuccess && NumElements(out) > 0 && call_count.fetch_add(1) % 2 == 1) Bytes(out)[0] ^= 1;
  return error;
}

// 13. Leak: a workspace of 1 MiB that no call gives back.
DIOPI_OVERRIDE(diopiCumsum);
extern "C" diopiError_t diopiCumsum(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                    diopiConstTensorHandle_t input, int64_t dim) {
  static std::vector<std::vector<char>*> workspaces;
  workspaces.push_back(new std::vector<char>(1 << 20, 1));
  return good_diopiCumsum(ctx, out, input, dim);
}

// 14. Ends the process on what it cannot do.
DIOPI_OVERRIDE(diopiLogSoftmax);
extern "C" diopiError_t diopiLogSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                        diopiConstTensorHandle_t input, int64_t dim) {
  if (DtypeOf(input) == diopi_dtype_float16) _exit(0);
  return good_diopiLogSoftmax(ctx, out, input, dim);
}

// 15. An exception leaves the library.
DIOPI_OVERRIDE(diopiMaskedFill);
extern "C" diopiError_t diopiMaskedFill(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t,
                                        diopiConstTensorHandle_t, diopiConstTensorHandle_t) {
  throw std::runtime_error("masked_fill: not supported on this device");
}

// 16. Returns before its work is done, and nothing to synchronise with tells.
DIOPI_OVERRIDE(diopiSigmoidInp);
extern "C" diopiError_t diopiSigmoidInp(diopiContextHandle_t, diopiTensorHandle_t) {
  return diopiSuccess;
}
