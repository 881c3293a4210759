// Puts something into the CPU reference: a bug that the tests must find, or another correct way to compute
// that they must not accuse. The build finds every DIOPI_OVERRIDE(diopiX, a) in a library's sources, renames
// the reference's diopiX to good_diopiX, and links both: the override may call the good function with other
// arguments or change its results. There is no list to edit.
//
//   BUG(add_alpha_ignored, 51, "diopiAdd diopiAddInp", "", "alpha is taken as 1");
//   DIOPI_OVERRIDE(diopiAdd, a) {
//     const diopiScalar_t one = ...;
//     if (add_alpha_ignored) a.alpha = &one;
//     Good(a);
//   }
//
// The environment of a process switches one name on: DIOPI_MUTANT=add_alpha_ignored or DIOPI_VARIANT=...,
// depending on the library.
#ifndef BASELINES_INJECTED_INJECTED_H_
#define BASELINES_INJECTED_INJECTED_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/op.h"
#include "baselines/ops/support/shape.h"

// Defines diopiX; the body of its replacement follows, in which `a` is a copy of the arguments (diopiXArgs).
// Good(a) there calls the reference's function, and ends the replacement when that fails. A failure
// (support/op.h) becomes an error code; any other exception leaves the library.
#define DIOPI_OVERRIDE(function, a)                                            \
  extern "C" diopiError_t good_##function(DIOPI_PARAMETERS_##function);        \
  [[maybe_unused]] static void Good(const function##Args& args) {              \
    const auto& [DIOPI_ARGUMENTS_##function] = args;                           \
    ::diopi::injected::OrFail(good_##function(DIOPI_ARGUMENTS_##function));    \
  }                                                                            \
  static void function##Override(function##Args a);                            \
  extern "C" diopiError_t function(DIOPI_PARAMETERS_##function) {              \
    return ::diopi::injected::Run(#function, function##Override,               \
                                  function##Args{DIOPI_ARGUMENTS_##function}); \
  }                                                                            \
  static void function##Override([[maybe_unused]] function##Args a)

// The same, where the replacement is a template: kernel(a).
#define DIOPI_OVERRIDE_FORM(function, kernel) \
  DIOPI_OVERRIDE(function, a) {               \
    kernel(a);                                \
  }

// The function is left out of the library.
#define DIOPI_OVERRIDE_MISSING(function) static_assert(true, "")

// Declares the switch NAME of a bug. CATALOGUE: its number in the catalogue of bugs, or 0. FUNCTIONS: the ABI
// functions that it changes, separated by spaces; "*": all, "!NAME": except NAME. CONTRACTS: what a device
// that computes like this must declare ("tf32"), or "".
#define BUG(name, catalogue, functions, contracts, text) \
  static const ::diopi::injected::Switch name {          \
#name, catalogue, functions, contracts, text         \
  }
// That of a correct variant.
#define VARIANT(name, functions, contracts, text) BUG(name, 0, functions, contracts, text)

namespace diopi::injected {

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

template <typename Args>
diopiError_t Run(const char* function, void (*replacement)(Args), const Args& args) {
  try {
    replacement(args);
    return diopiSuccess;
  } catch (const ops::Failure& failure) {
    return ops::Report(function, failure);
  }
}

// Ends the function with another function's error, whose text stays the last-error string.
inline void OrFail(diopiError_t error) {
  if (error != diopiSuccess) ops::FailWith(error, "");
}

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

// The strides, in elements.
inline std::vector<int64_t> StrideOf(diopiConstTensorHandle_t tensor) {
  diopiSize_t size{nullptr, 0};
  diopiGetTensorStride(tensor, &size);
  return {size.data, size.data + size.len};
}

inline bool IsDense(diopiConstTensorHandle_t tensor) {
  return StrideOf(tensor) == ops::DenseStrides(ShapeOf(tensor));
}

}  // namespace diopi::injected

// All switches of the library, one per line: name, catalogue number, functions, contracts, text, separated by
// tabs. The text lives as long as the library.
extern "C" const char* diopiInjected();

#endif  // BASELINES_INJECTED_INJECTED_H_
