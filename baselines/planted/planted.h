// Planting something in the CPU reference: a bug that the tests must find, or another correct way to compute
// that they must not accuse. The build takes every DIOPI_OVERRIDE(diopiX) it finds in a library's sources,
// renames the reference's diopiX to good_diopiX, and links both: the override may call the good function,
// with other arguments or to spoil what it did. Planting something edits no list.
//
//   PLANT(add_alpha_ignored, 51, "diopiAdd diopiAddInp", "", "alpha is taken as 1");
//   DIOPI_OVERRIDE(diopiAdd);
//   extern "C" diopiError_t diopiAdd(...) { if (add_alpha_ignored) ...; return good_diopiAdd(...); }
//
// The switch of one name is on in a process whose environment has it: DIOPI_MUTANT=add_alpha_ignored or
// DIOPI_VARIANT=..., whichever the library is built with.
#ifndef BASELINES_PLANTED_PLANTED_H_
#define BASELINES_PLANTED_PLANTED_H_

#include <cstdint>
#include <vector>

#include "diopi/functions.h"

// Declares good_diopiX with diopiX's own type. The definition of diopiX follows.
#define DIOPI_OVERRIDE(function) extern "C" decltype(function) good_##function

// The function is left out of the library.
#define DIOPI_OVERRIDE_MISSING(function) static_assert(true, "")

// Declares the switch NAME. CATALOGUE: the number in the catalogue of bugs, 0 when it is not one of them.
// FUNCTIONS: the ABI functions it changes, separated by spaces; "*": all, "!NAME": but not NAME. CONTRACTS:
// what a device that computes so has to declare ("tf32"), or "".
#define PLANT(name, catalogue, functions, contracts, text) \
  static const ::diopi::planted::Switch name {             \
#name, catalogue, functions, contracts, text           \
  }

namespace diopi::planted {

// Lives for the whole process. Thread-safe.
class Switch {
 public:
  Switch(const char* name, int catalogue, const char* functions, const char* contracts, const char* text);
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;
  explicit operator bool() const { return on_; }

 private:
  bool on_;
};

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

// In elements.
inline std::vector<int64_t> StrideOf(diopiConstTensorHandle_t tensor) {
  diopiSize_t size{nullptr, 0};
  diopiGetTensorStride(tensor, &size);
  return {size.data, size.data + size.len};
}

}  // namespace diopi::planted

// Everything that is planted in the library, one a line: name, catalogue number, functions, contracts, text,
// separated by tabs. The text lives as long as the library.
extern "C" const char* diopiPlanted();

#endif  // BASELINES_PLANTED_PLANTED_H_
