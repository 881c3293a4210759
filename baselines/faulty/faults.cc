// The injected bugs of libdiopi_faulty.so, the demo's bad library: real libraries had each of them, and each
// shows in its own way. Everything else in the library is the CPU reference.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "baselines/injected/injected.h"

using diopi::injected::Bytes;
using diopi::injected::BytesPerElement;
using diopi::injected::DtypeOf;
using diopi::injected::IsDense;
using diopi::injected::NumElements;
using diopi::injected::OrFail;
using diopi::injected::ShapeOf;

// Real vendor libraries keep counters like this one.
static std::atomic<uint32_t> call_count{0};

// 1. Ignored alpha: a + b instead of a + alpha * b.
DIOPI_OVERRIDE(diopiAdd, a) {
  diopiScalar_t one = *a.alpha;
  if (one.stype <= diopi_dtype_uint64 || one.stype == diopi_dtype_bool) {
    one.ival = 1;
  } else {
    one.fval = 1.0;
  }
  a.alpha = &one;
  Good(a);
}

// 2. Wrong tail: a loop over whole vectors of four forgets the rest. Outputs with strides have another loop.
DIOPI_OVERRIDE(diopiSub, a) {
  Good(a);
  const int64_t count = NumElements(a.out);
  if (count >= 4 && count % 4 != 0 && IsDense(a.out)) {
    const int64_t bytes = BytesPerElement(a.out);
    for (int64_t i = count - count % 4; i < count; ++i) std::memset(Bytes(a.out) + i * bytes, 0, bytes);
  }
}

// 3. Crash: a null pointer is read for tensors of more than 1,000 elements.
DIOPI_OVERRIDE(diopiTanh, a) {
  if (NumElements(a.input) > 1000) {
    volatile const float* table = nullptr;
    if (table[0] > 0) return;
  }
  Good(a);
}

// 4. Hang: waits for a flag that nobody sets, in float32 at 1,003 elements.
DIOPI_OVERRIDE(diopiSigmoid, a) {
  static std::atomic<bool> done{false};
  if (DtypeOf(a.input) == diopi_dtype_float32 && NumElements(a.input) == 1003) {
    while (!done.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Good(a);
}

// 5. Out of bounds: one vector of 16 bytes too many.
DIOPI_OVERRIDE(diopiMul, a) {
  Good(a);
  int64_t offset = 0;
  int64_t storage_bytes = 0;
  size_t bytes = 0;
  diopiGetTensorStorageOffset(a.out, &offset);
  diopiGetTensorStorageNbytes(a.out, &bytes);
  storage_bytes = static_cast<int64_t>(bytes) - offset * BytesPerElement(a.out);
  if (NumElements(a.out) > 0) std::memset(Bytes(a.out) + storage_bytes, 0, 16);
}

// 6. Unwritten output: returns before it stores anything.
DIOPI_OVERRIDE(diopiRelu, a) {
  return;
}

// 7. Changed input: works in place on a const tensor.
DIOPI_OVERRIDE(diopiSqrt, a) {
  Good(a);
  if (NumElements(a.input) > 0) const_cast<unsigned char*>(Bytes(a.input))[0] ^= 1;
}

// 8. Missing function.
DIOPI_OVERRIDE_MISSING(diopiGelu);

// 9. Wrong dtype error: float64 is documented and refused.
DIOPI_OVERRIDE(diopiSoftmax, a) {
  if (DtypeOf(a.input) == diopi_dtype_float64) return OrFail(diopiDtypeNotSupported);
  Good(a);
}

// 10. NaN in one element of many: below the 0.1 % that the public rule tolerates.
DIOPI_OVERRIDE(diopiBmm, a) {
  Good(a);
  if (NumElements(a.out) > 0) std::memset(Bytes(a.out), 0xFF, BytesPerElement(a.out));
}

// 11. Ignored strides: reads every input as if it were contiguous.
DIOPI_OVERRIDE(diopiExp, a) {
  const std::vector<int64_t> shape = ShapeOf(a.input);
  const diopiSize_t size{shape.data(), static_cast<int64_t>(shape.size())};
  diopiTensorHandle_t dense = nullptr;
  OrFail(diopiRequireTensor(a.ctx, &dense, &size, nullptr, DtypeOf(a.input), diopi_device));
  int64_t offset = 0;
  size_t storage_bytes = 0;
  diopiGetTensorStorageOffset(a.input, &offset);
  diopiGetTensorStorageNbytes(a.input, &storage_bytes);
  const size_t readable = storage_bytes - static_cast<size_t>(offset * BytesPerElement(a.input));
  const size_t wanted = static_cast<size_t>(NumElements(a.input) * BytesPerElement(a.input));
  if (wanted > 0) {
    std::memset(Bytes(dense), 0, wanted);
    std::memcpy(Bytes(dense), Bytes(a.input), wanted < readable ? wanted : readable);
  }
  a.input = dense;
  Good(a);
}

// 12. Non-determinism: the last bit depends on the call.
DIOPI_OVERRIDE(diopiMean, a) {
  Good(a);
  if (NumElements(a.out) > 0 && call_count.fetch_add(1) % 2 == 1) Bytes(a.out)[0] ^= 1;
}

// 13. Leak: a workspace of 1 MiB that no call frees.
DIOPI_OVERRIDE(diopiCumsum, a) {
  static std::vector<std::vector<char>*> workspaces;
  workspaces.push_back(new std::vector<char>(1 << 20, 1));
  Good(a);
}

// 14. Ends the process on what it does not support.
DIOPI_OVERRIDE(diopiLogSoftmax, a) {
  if (DtypeOf(a.input) == diopi_dtype_float16) _exit(0);
  Good(a);
}

// 15. An exception leaves the library.
DIOPI_OVERRIDE(diopiMaskedFill, a) {
  throw std::runtime_error("masked_fill: not supported on this device");
}

// 16. Returns before its work is done, and no synchronisation waits for it.
DIOPI_OVERRIDE(diopiSigmoidInp, a) {
  return;
}
