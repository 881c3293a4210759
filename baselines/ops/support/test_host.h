// A minimal host for tests of kernels: tensors in host memory, and the host functions that the library
// imports (the ones tests need). Linked into test programs only; libdiopirt is the real one.
#ifndef BASELINES_OPS_SUPPORT_TEST_HOST_H_
#define BASELINES_OPS_SUPPORT_TEST_HOST_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/tensor.h"

struct diopiTensor {
  diopiDtype_t dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;         // elements
  std::vector<char> storage;  // with bytes in front
  int64_t front = 1;          // how many; with an odd number nothing is aligned
};
struct diopiContext {
  std::vector<std::unique_ptr<diopiTensor>> required;
};
struct diopiGenerator {  // a null handle reads as this too
  uint64_t seed = 42;
  uint64_t offset = 0;
};

namespace diopi::ops {

constexpr diopiDtype_t kFloat = diopi_dtype_float32;
constexpr double kInf = std::numeric_limits<double>::infinity();

// Valid as long as `sizes`.
inline diopiSize_t View(const Shape& sizes) {
  return {sizes.data(), static_cast<int64_t>(sizes.size())};
}

// An owned tensor. Converts to the handles that functions take.
class TestTensor {
 public:
  // Contiguous, filled with `values` (cycled; nothing: zeros).
  TestTensor(diopiDtype_t dtype, const Shape& shape, const std::vector<double>& values = {});
  // A tensor with strides and an offset in elements; the gaps hold 0x55 bytes.
  TestTensor(diopiDtype_t dtype, Shape shape, Shape strides, int64_t offset,
             const std::vector<double>& values = {});

  operator diopiTensorHandle_t() { return &tensor_; }             // NOLINT
  operator diopiConstTensorHandle_t() const { return &tensor_; }  // NOLINT
  Tensor view() { return Tensor(&tensor_); }

  // The elements, dense.
  std::vector<double> values() const;
  std::vector<Noise<double>> noise() const;
  std::vector<int64_t> ints() const;
  int gap_bytes_intact() const;  // how many 0x55 bytes are left in the storage

 private:
  diopiTensor tensor_;
};

inline diopiScalar_t Scalar(double x) {
  diopiScalar_t s;
  s.stype = diopi_dtype_float64;
  s.fval = x;
  return s;
}
inline diopiScalar_t IntScalar(int64_t x) {
  diopiScalar_t s;
  s.stype = diopi_dtype_int64;
  s.ival = x;
  return s;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_TEST_HOST_H_
