#include "baselines/ops/linear/products_cuda.h"
#include "baselines/ops/support/cuda/gemm.h"
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {
namespace {

bool IsDense(const Tensor& tensor, diopiDtype_t dtype) {
  const Layout layout = MakeLayout(tensor.shape(), tensor.strides());
  return tensor.dtype() == dtype && (layout.rank == 0 || (layout.rank == 1 && layout.strides[0] == 1));
}

void* NewDense(const Queue& queue, const Shape& shape, diopiDtype_t dtype) {
  return queue.Buffer<char>(Numel(shape) * ElementSize(dtype));
}

// The elements row-major in `dtype`: in place, or a copy.
const void* DenseOf(const Queue& queue, const Tensor& tensor, diopiDtype_t dtype) {
  if (IsDense(tensor, dtype)) return tensor.data();
  void* dense = NewDense(queue, tensor.shape(), dtype);
  DispatchFloating(dtype, [&]<typename C>() {
    const Shape& shape = tensor.shape();
    Copy(queue, tensor.numel(), Out<C>(dense, dtype, shape, DenseStrides(shape)), In<C>(tensor));
  });
  return dense;
}

bool IsCount(const std::vector<int64_t>& index) {
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// How many products from `first` on form one batch: each is the same number of matrices after the previous
// one, and writes its own place.
struct Run {
  int64_t length = 1;
  int64_t a = 0, b = 0, out = 0;  // matrices a step
};
Run RunAt(size_t first, const std::vector<int64_t>& a, const std::vector<int64_t>& b,
          const std::vector<int64_t>& out) {
  if (first + 1 >= out.size()) return {};
  Run run{1, a[first + 1] - a[first], b[first + 1] - b[first], out[first + 1] - out[first]};
  if (run.a < 0 || run.b < 0 || run.out <= 0) return {};
  for (size_t i = first + 1; i < out.size(); ++i, ++run.length) {
    if (a[i] - a[i - 1] != run.a || b[i] - b[i - 1] != run.b || out[i] - out[i - 1] != run.out) break;
  }
  return run;
}

// Dense matrices as gemm.h sees them: rows and columns are those of the product.
struct Stack {
  const void* data;
  int64_t rows, columns;
  bool transposed;
  int64_t element_size;

  Matrices At(int64_t matrix, int64_t step) const {
    const int64_t size = rows * columns;
    return MatricesOf(static_cast<const char*>(data) + matrix * size * element_size, transposed ? 1 : columns,
                      transposed ? rows : 1, step * size);
  }
};

}  // namespace

void Products(const Queue& queue, diopiDtype_t dtype, int64_t m, int64_t n, int64_t k, const Factor& a,
              const Factor& b, const Tensor& out, const std::vector<int64_t>& index, const Tensor& bias) {
  const bool whole = IsCount(index) && static_cast<int64_t>(index.size()) * m * n == out.numel();
  // Sums of products are made in the accumulator's type and rounded once.
  const diopiDtype_t used = whole || dtype == diopi_dtype_float64 ? dtype : diopi_dtype_float32;
  // So are the bias and what is added to it.
  const diopiDtype_t summed = bias && dtype != diopi_dtype_float64 ? diopi_dtype_float32 : used;
  const bool direct = whole && IsDense(out, summed);
  void* const result = direct ? out.writable() : NewDense(queue, out.shape(), summed);
  const int64_t size = ElementSize(used);
  const Stack left{DenseOf(queue, a.tensor, used), m, k, a.trans == Trans::kYes, size};
  const Stack right{DenseOf(queue, b.tensor, used), k, n, b.trans == Trans::kYes, size};
  const Stack to{result, m, n, false, ElementSize(summed)};
  DispatchFloating(used, [&]<typename C>() {
    const Out<C> sums(result, summed, out.shape(), DenseStrides(out.shape()));
    if (bias) Copy(queue, out.numel(), sums, In<C>(bias, out.shape()));
    if (!bias && !whole) queue.Zero(result, out.numel() * ElementSize(summed));
    for (size_t i = 0; i < index.size();) {
      const Run run = RunAt(i, a.index, b.index, index);
      Gemm(queue, used, summed, run.length, m, n, k, left.At(a.index[i], run.a), right.At(b.index[i], run.b),
           to.At(index[i], run.out), 1, bias || !whole ? 1 : 0);
      i += static_cast<size_t>(run.length);
    }
    if (!direct)
      Copy(queue, out.numel(), Out<C>(out), In<C>(result, summed, out.shape(), DenseStrides(out.shape())));
  });
}

}  // namespace diopi::ops::cuda
