// A dense tensor in host memory, as generator, store, server, agent and worker exchange it.
#ifndef CASES_BASE_TENSOR_H_
#define CASES_BASE_TENSOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cases/base/dtype.h"

namespace diopi {

// Row-major elements without gaps, in the machine's (little-endian) byte order. A value type.
struct HostTensor {
  Dtype dtype = v1::Dtype::float32;
  std::vector<int64_t> shape;  // empty: a 0-d tensor with one element
  std::string data;            // NumElements(shape) * ElementSize(dtype) bytes
};

// Tensors of one case by key: an argument's name, with ".i" for the i-th of a list ("input", "tensors.0").
using TensorMap = std::map<std::string, HostTensor>;

// The product of the sizes; 1 for a 0-d tensor; INT64_MAX where it does not fit.
int64_t NumElements(const std::vector<int64_t>& shape);

// NumElements(shape) * ElementSize(dtype), for untrusted shapes: nothing where a size is negative or the
// product does not fit.
std::optional<int64_t> ByteSize(Dtype dtype, const std::vector<int64_t>& shape);

// Reads one element as a number. Exact for every type but int64/uint64 beyond 2^53. `data` points to the
// tensor's first element; no alignment is needed.
double ElementAsDouble(Dtype dtype, const void* data, int64_t index);

// The same of a tensor.
inline double ElementAsDouble(const HostTensor& tensor, int64_t index) {
  return ElementAsDouble(tensor.dtype, tensor.data.data(), index);
}

// Rounds to nearest, ties to even, into a floating type; wraps modulo 2^k into an integer type (NaN and
// values beyond int64 become 0); nonzero (NaN too) becomes 1 in bool.
void StoreDouble(Dtype dtype, void* data, int64_t index, double value);

// "(2, 3)", "(4,)", "()": the shape in Python's notation.
std::string ShapeText(const std::vector<int64_t>& shape);

}  // namespace diopi

#endif  // CASES_BASE_TENSOR_H_
