// Tensors and contexts for tests of kernels, in host memory. The host's functions are those of libdiopirt.
// Unlike the arenas' buffers, a tensor's storage begins at an odd address unless a test aligns it: a kernel
// that assumes more than the ABI promises then fails.
#ifndef BASELINES_OPS_SUPPORT_TEST_HOST_H_
#define BASELINES_OPS_SUPPORT_TEST_HOST_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/tensor.h"
#include "impl_loader/runtime/host.h"

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
  // With strides and an offset in elements; the gaps hold 0x55 bytes.
  TestTensor(diopiDtype_t dtype, const Shape& shape, const Shape& strides, int64_t offset,
             const std::vector<double>& values = {});
  TestTensor(TestTensor&&) = default;

  // Moves the storage, whose contents are lost, to `bytes` (at most 16) after a multiple of 16.
  TestTensor& AlignTo(int64_t bytes);

  operator diopiTensorHandle_t() { return &tensor_; }             // NOLINT
  operator diopiConstTensorHandle_t() const { return &tensor_; }  // NOLINT
  Tensor view() { return Tensor(&tensor_); }

  // The elements, dense.
  std::vector<double> values() const;
  std::vector<Noise<double>> noise() const;
  std::vector<int64_t> ints() const;
  int gap_bytes_intact() const;  // how many 0x55 bytes are left in the storage

 private:
  std::vector<char> bytes_;
  diopiTensor tensor_;
};

// A context whose required memory lives as long as it does.
class TestContext {
 public:
  diopiContextHandle_t operator&() { return &context_; }  // NOLINT: what functions take

 private:
  runtime::Arena arena_;
  diopiContext context_{&arena_, nullptr, {}};
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
