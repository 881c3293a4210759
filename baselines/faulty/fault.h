// Planting a fault in the CPU reference. The build takes every DIOPI_FAULT(diopiX) it finds in this folder,
// renames the reference's diopiX to good_diopiX, and links both into libdiopi_faulty.so: the fault may call
// the good function and spoil what it did. Adding a fault edits no list.
#ifndef BASELINES_FAULTY_FAULT_H_
#define BASELINES_FAULTY_FAULT_H_

#include <cstdint>
#include <vector>

#include "diopi/functions.h"

// Declares good_diopiX with diopiX's own type. The definition of diopiX follows.
#define DIOPI_FAULT(function) extern "C" decltype(function) good_##function

// The function is left out of the library.
#define DIOPI_FAULT_MISSING(function) static_assert(true, "")

namespace diopi::faulty {

inline int64_t NumElements(diopiConstTensorHandle_t tensor) {
  int64_t count = 0;
  diopiGetTensorNumel(tensor, &count);
  return count;
}

inline diopiDtype_t DtypeOf(diopiConstTensorHandle_t tensor) {
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiGetTensorDtype(tensor, &dtype);
  return dtype;
}

inline int64_t BytesPerElement(diopiConstTensorHandle_t tensor) {
  int64_t bytes = 0;
  diopiGetTensorElemSize(tensor, &bytes);
  return bytes;
}

inline unsigned char* Bytes(diopiTensorHandle_t tensor) {
  void* data = nullptr;
  diopiGetTensorData(tensor, &data);
  return static_cast<unsigned char*>(data);
}

inline const unsigned char* Bytes(diopiConstTensorHandle_t tensor) {
  const void* data = nullptr;
  diopiGetTensorDataConst(tensor, &data);
  return static_cast<const unsigned char*>(data);
}

inline std::vector<int64_t> ShapeOf(diopiConstTensorHandle_t tensor) {
  diopiSize_t size{nullptr, 0};
  diopiGetTensorShape(tensor, &size);
  return {size.data, size.data + size.len};
}

}  // namespace diopi::faulty

#endif  // BASELINES_FAULTY_FAULT_H_
