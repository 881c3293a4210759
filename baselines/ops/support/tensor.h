// Views of the host's tensors for kernels: Load gives dense row-major numbers of a compute type, Store puts
// them back. Only this file handles strides, misalignment and element types.
#ifndef BASELINES_OPS_SUPPORT_TENSOR_H_
#define BASELINES_OPS_SUPPORT_TENSOR_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/dtype.h"
#include "baselines/ops/support/shape.h"

namespace diopi::ops {

// A view of a handle, valid as long as the host's tensor. Null handles (optional arguments) make a view that
// is false; any other use of it is an error of the call.
class Tensor {
 public:
  Tensor() = default;
  Tensor(diopiTensorHandle_t handle);       // NOLINT: handles turn into views where kernels expect them
  Tensor(diopiConstTensorHandle_t handle);  // NOLINT

  explicit operator bool() const { return given_; }
  diopiDtype_t dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t numel() const { return Numel(shape_); }
  // Fails for a tensor without dimensions.
  int64_t size(int64_t dim) const { return SizeAlong(shape_, dim); }
  // The same elements; dimension i is dimension order[i] of this view. `order` has every dimension once.
  Tensor Permuted(const Shape& order) const;
  const char* data() const { return static_cast<const char*>(data_); }
  char* writable() const { return static_cast<char*>(writable_); }

 private:
  template <typename Handle>
  void Describe(Handle handle);

  bool given_ = false;
  diopiDtype_t dtype_ = diopi_dtype_unsupported;
  Shape shape_;
  Shape strides_;
  const void* data_ = nullptr;
  void* writable_ = nullptr;  // null for views of const handles
};

// All elements, row-major, as C: float, double, Noise<double>, Noise<long double>, int64_t. Integers become
// floating numbers rounded to C; floating ones become integers by truncation (0 when NaN or beyond int64).
template <typename C>
std::vector<C> Load(const Tensor& tensor);

// The same, broadcast to `shape`.
template <typename C>
std::vector<C> LoadAs(const Tensor& tensor, const Shape& shape);

// Fail unless the tensor is given, has an element type that Load knows, and can be broadcast to `shape`.
void CheckReadable(const Tensor& tensor, const Shape& shape);

// Elements [begin, end), in row-major order, of a tensor that CheckReadable has accepted.
template <typename C>
void LoadPart(const Tensor& tensor, const Shape& shape, int64_t begin, int64_t end, C* to);

// Truth of every element, broadcast to `shape`.
std::vector<uint8_t> LoadBool(const Tensor& tensor, const Shape& shape);

// The single element of a one-element tensor.
template <typename C>
C LoadItem(const Tensor& tensor) {
  Check(tensor.numel() == 1, "expected a tensor of one element, got shape ", ShapeText(tensor.shape()));
  return Load<C>(tensor)[0];
}

// Rounds (nearest, ties to even), wraps (integers) or tests for nonzero (bool) into the tensor. Fail when the
// count differs from the tensor's, or the tensor is a const one.
template <typename C>
void Store(const Tensor& tensor, const std::vector<C>& values);

// The same for elements [begin, end) of a tensor that can be written.
template <typename C>
void StorePart(const Tensor& tensor, int64_t begin, int64_t end, const C* from);

// Whether the tensors have bytes in common, except as the same view of the same elements.
bool Overlap(const Tensor& a, const Tensor& b);

// Fail unless the tensor has this shape: "expected out of shape (2, 3), got (3, 2)".
void CheckShape(const Tensor& tensor, const Shape& shape, const char* name);

// Element type in which PyTorch evaluates an operation on these operands: tensors with dimensions decide
// before 0-d ones, these before host scalars, within the same kind of number; a floating scalar makes an
// integer operation float32. A noise type among the tensors or in `out` makes a floating result that one.
diopiDtype_t ResultType(const Tensor& out, std::initializer_list<Tensor> tensors,
                        std::initializer_list<const diopiScalar_t*> scalars = {});

// Element type for an operation that only makes floating numbers (exp, mean, true division): ResultType, or
// where that is not floating, the output's if it is, else float32. FloatFor is that second step.
diopiDtype_t FloatFor(diopiDtype_t result, const Tensor& out);
diopiDtype_t FloatResultType(const Tensor& out, std::initializer_list<Tensor> tensors,
                             std::initializer_list<const diopiScalar_t*> scalars = {});

// PyTorch refuses to put a floating result into an integer tensor (in-place true division): Fail.
void CheckStorable(diopiDtype_t result, const Tensor& out);

// A new tensor of the host, contiguous, for library-allocated outputs.
diopiTensorHandle_t RequireTensor(diopiContextHandle_t ctx, const Shape& shape, diopiDtype_t dtype);

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_TENSOR_H_
