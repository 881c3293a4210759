// A dense tensor that somebody else holds: in shared memory, or as a HostTensor.
#ifndef CASES_BASE_TENSOR_VIEW_H_
#define CASES_BASE_TENSOR_VIEW_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases/base/tensor.h"

namespace diopi {

// As HostTensor, but does not own its elements.
struct TensorView {
  Dtype dtype = v1::Dtype::float32;
  std::vector<int64_t> shape;
  std::string_view data;

  TensorView() = default;
  TensorView(Dtype type, std::vector<int64_t> sizes, std::string_view elements)
      : dtype(type), shape(std::move(sizes)), data(elements) {}
  TensorView(const HostTensor& tensor) : TensorView(tensor.dtype, tensor.shape, tensor.data) {}  // NOLINT

  HostTensor Copy() const { return {dtype, shape, std::string(data)}; }
};

// Keyed like TensorMap.
using TensorViews = std::map<std::string, TensorView>;

// Null: there is none.
inline const TensorView* FindView(const TensorViews& tensors, const std::string& key) {
  const auto found = tensors.find(key);
  return found == tensors.end() ? nullptr : &found->second;
}

inline TensorViews ViewsOf(const TensorMap& tensors) {
  return {tensors.begin(), tensors.end()};
}

}  // namespace diopi

#endif  // CASES_BASE_TENSOR_VIEW_H_
