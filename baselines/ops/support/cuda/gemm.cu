#include <algorithm>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/gemm.h"
#include "baselines/ops/support/cuda/map.h"

#if defined(DIOPI_CUDA_EMULATED)
#include <vector>

#include "baselines/ops/support/gemm.h"
#else
#include <cublasLt.h>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/handles.h"
#include "baselines/ops/support/cuda/launch.h"
#endif

namespace diopi::ops::cuda {
namespace {

// One matrix or a batch as a tensor of three dimensions.
struct Place {
  Shape shape;
  Shape strides;
};
Place PlaceOf(const Matrices& x, int64_t batches, int64_t rows, int64_t columns) {
  return {{batches, rows, columns}, {x.batch_stride, x.row_stride, x.column_stride}};
}
template <typename C>
In<C> InOf(const Matrices& x, diopiDtype_t dtype, const Place& place) {
  return In<C>(x.data, dtype, place.shape, place.strides);
}
template <typename C>
Out<C> OutOf(const Matrices& x, diopiDtype_t dtype, const Place& place) {
  return Out<C>(x.data, dtype, place.shape, place.strides);
}

template <typename C>
struct Scale {
  C factor;
  DIOPI_HD C operator()(C x) const { return factor == C(0) ? C(0) : factor * x; }
};

#if defined(DIOPI_CUDA_EMULATED)

template <typename C>
void Multiply(diopiDtype_t dtype, int64_t batches, int64_t m, int64_t n, int64_t k, const Matrices& a,
              const Matrices& b, const Matrices& c, C alpha, C beta) {
  const DeviceMemoryOpen open;
  const In<C> left = InOf<C>(a, dtype, PlaceOf(a, batches, m, k));
  const In<C> right = InOf<C>(b, dtype, PlaceOf(b, batches, k, n));
  const Out<C> out = OutOf<C>(c, dtype, PlaceOf(c, batches, m, n));
  std::vector<C> x(static_cast<size_t>(m * k)), y(static_cast<size_t>(k * n)), z(static_cast<size_t>(m * n));
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t i = 0; i < m * k; ++i) x[static_cast<size_t>(i)] = left[batch * m * k + i];
    for (int64_t i = 0; i < k * n; ++i) y[static_cast<size_t>(i)] = right[batch * k * n + i];
    ops::Gemm(Trans::kNo, Trans::kNo, m, n, k, x.data(), y.data(), z.data());
    for (int64_t i = 0; i < m * n; ++i) {
      const C product = alpha * z[static_cast<size_t>(i)];
      out.Set(batch * m * n + i, beta == C(0) ? product : product + beta * out[batch * m * n + i]);
    }
  }
}

#else

void CheckLt(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    Fail(what, ": cuBLASLt's ", cublasLtGetStatusName(status), ", ", cublasLtGetStatusString(status));
}

cublasLtHandle_t MakeHandle() {
  cublasLtHandle_t handle = nullptr;
  CheckLt(cublasLtCreate(&handle), "cublasLtCreate");
  return handle;
}

// Descriptors that end with the call.
template <typename T, cublasStatus_t (*kDestroy)(T)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (value_ != nullptr) kDestroy(value_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* out() { return &value_; }
  T get() const { return value_; }

 private:
  T value_ = nullptr;
};
using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using MatrixLayout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

struct Types {
  cudaDataType_t element;
  cudaDataType_t scale;
  cublasComputeType_t compute;
};
Types TypesFor(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case diopi_dtype_bfloat16:
      return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case diopi_dtype_float64:
      return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    default:
      return {CUDA_R_32F, CUDA_R_32F, Tf32Wanted() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
  }
}

// How cuBLASLt sees one of the three: row-major or column-major without gaps in the fast dimension.
struct View {
  bool possible = false;
  bool row_major = false;
  int64_t leading = 1;
};
View ViewOf(const Matrices& x, int64_t rows, int64_t columns) {
  const bool one_row = rows == 1, one_column = columns == 1;
  if ((x.column_stride == 1 || one_column) && (x.row_stride >= columns || one_row))
    return {true, true, one_row ? columns : x.row_stride};
  if ((x.row_stride == 1 || one_row) && (x.column_stride >= rows || one_column))
    return {true, false, one_column ? rows : x.column_stride};
  return {};
}

// As it is stored, column-major: a row-major matrix is its own transpose.
void Describe(MatrixLayout* layout, const View& view, const Types& types, int64_t batches, int64_t rows,
              int64_t columns, int64_t batch_stride) {
  const auto height = static_cast<uint64_t>(view.row_major ? columns : rows);
  const auto width = static_cast<uint64_t>(view.row_major ? rows : columns);
  CheckLt(cublasLtMatrixLayoutCreate(layout->out(), types.element, height, width, view.leading),
          "describing a matrix");
  const auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto& value) {
    CheckLt(cublasLtMatrixLayoutSetAttribute(layout->get(), attribute, &value, sizeof(value)),
            "describing a matrix");
  };
  set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(batches));
  set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, batch_stride);
}

void SetTransposed(const Operation& operation, cublasLtMatmulDescAttributes_t which, bool transposed) {
  const cublasOperation_t value = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  CheckLt(cublasLtMatmulDescSetAttribute(operation.get(), which, &value, sizeof(value)),
          "describing a product");
}

// The greatest power of two, up to 256, that the addresses of all matrices are multiples of.
uint32_t Alignment(const Matrices& x, int64_t element_size) {
  const auto bits =
      reinterpret_cast<uint64_t>(x.data) | static_cast<uint64_t>(x.batch_stride * element_size) | 256;
  return static_cast<uint32_t>(bits & (~bits + 1));
}

constexpr int64_t kWorkspace = int64_t{32} << 20;

void Restrict(Preference* preference, const Matrices& a, const Matrices& b, const Matrices& c,
              int64_t element_size) {
  CheckLt(cublasLtMatmulPreferenceCreate(preference->out()), "choosing a product");
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    CheckLt(cublasLtMatmulPreferenceSetAttribute(preference->get(), attribute, &value, sizeof(value)),
            "choosing a product");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<uint64_t>(kWorkspace));
  // Parts of a split sum are added up in a fixed order, in the workspace; never by atomics in the result.
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Alignment(a, element_size));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Alignment(b, element_size));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Alignment(c, element_size));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Alignment(c, element_size));
}

// All three have views. cuBLASLt's own order is column-major; a row-major c is had as b' a' = c'.
template <typename S>
void CallLt(const Queue& queue, diopiDtype_t dtype, int64_t batches, int64_t m, int64_t n, int64_t k,
            const Matrices& a, const Matrices& b, const Matrices& c, S alpha, S beta) {
  const Types types = TypesFor(dtype);
  const View a_view = ViewOf(a, m, k), b_view = ViewOf(b, k, n), c_view = ViewOf(c, m, n);
  const bool swapped = c_view.row_major;
  Operation operation;
  CheckLt(cublasLtMatmulDescCreate(operation.out(), types.compute, types.scale), "describing a product");
  SetTransposed(operation, swapped ? CUBLASLT_MATMUL_DESC_TRANSB : CUBLASLT_MATMUL_DESC_TRANSA,
                a_view.row_major != c_view.row_major);
  SetTransposed(operation, swapped ? CUBLASLT_MATMUL_DESC_TRANSA : CUBLASLT_MATMUL_DESC_TRANSB,
                b_view.row_major != c_view.row_major);
  MatrixLayout a_layout, b_layout, c_layout;
  Describe(&a_layout, a_view, types, batches, m, k, a.batch_stride);
  Describe(&b_layout, b_view, types, batches, k, n, b.batch_stride);
  Describe(&c_layout, c_view, types, batches, m, n, c.batch_stride);
  const Matrices &first = swapped ? b : a, &second = swapped ? a : b;
  const MatrixLayout &first_layout = swapped ? b_layout : a_layout,
                     &second_layout = swapped ? a_layout : b_layout;
  Preference preference;
  Restrict(&preference, first, second, c, ElementSize(dtype));
  const Borrowed<cublasLtHandle_t> handle(MakeHandle);
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  CheckLt(
      cublasLtMatmulAlgoGetHeuristic(handle.get(), operation.get(), first_layout.get(), second_layout.get(),
                                     c_layout.get(), c_layout.get(), preference.get(), 1, &found, &count),
      "choosing a product");
  Check(count == 1, "cuBLASLt has no product for '", DtypeName(dtype), "' of ", m, "x", k, " and ", k, "x", n,
        " on this device");
  void* workspace = queue.Buffer<char>(static_cast<int64_t>(found.workspaceSize));
  CheckLt(cublasLtMatmul(handle.get(), operation.get(), &alpha, first.data, first_layout.get(), second.data,
                         second_layout.get(), &beta, c.data, c_layout.get(), c.data, c_layout.get(),
                         &found.algo, workspace, found.workspaceSize, StreamOf(queue)),
          "a matrix product");
}

// A dense copy, row-major.
template <typename C>
Matrices Dense(const Queue& queue, diopiDtype_t dtype, const Matrices& x, int64_t batches, int64_t rows,
               int64_t columns, bool copy) {
  const int64_t n = batches * rows * columns;
  const Matrices dense{queue.Buffer<char>(n * ElementSize(dtype)), columns, 1, rows * columns};
  if (copy) {
    Copy(queue, n, OutOf<C>(dense, dtype, PlaceOf(dense, batches, rows, columns)),
         InOf<C>(x, dtype, PlaceOf(x, batches, rows, columns)));
  }
  return dense;
}

template <typename C>
void Multiply(const Queue& queue, diopiDtype_t dtype, int64_t batches, int64_t m, int64_t n, int64_t k,
              const Matrices& a, const Matrices& b, const Matrices& c, C alpha, C beta) {
  Matrices left = a, right = b, out = c;
  if (!ViewOf(a, m, k).possible) left = Dense<C>(queue, dtype, a, batches, m, k, true);
  if (!ViewOf(b, k, n).possible) right = Dense<C>(queue, dtype, b, batches, k, n, true);
  const bool direct = ViewOf(c, m, n).possible;
  if (!direct) out = Dense<C>(queue, dtype, c, batches, m, n, beta != C(0));
  CallLt<C>(queue, dtype, batches, m, n, k, left, right, out, alpha, beta);
  if (direct) return;
  Copy(queue, batches * m * n, OutOf<C>(c, dtype, PlaceOf(c, batches, m, n)),
       InOf<C>(out, dtype, PlaceOf(out, batches, m, n)));
}

#endif

}  // namespace

void Gemm(const Queue& queue, diopiDtype_t dtype, int64_t batches, int64_t m, int64_t n, int64_t k,
          const Matrices& a, const Matrices& b, const Matrices& c, double alpha, double beta) {
  const int64_t size = batches * m * n;
  DispatchFloating(dtype, [&]<typename C>() {
    if (size == 0) return;
    if (k == 0) {
      const Place place = PlaceOf(c, batches, m, n);
      return Map(queue, size, OutOf<C>(c, dtype, place), Scale<C>{static_cast<C>(beta)},
                 InOf<C>(c, dtype, place));
    }
#if defined(DIOPI_CUDA_EMULATED)
    Multiply<C>(dtype, batches, m, n, k, a, b, c, static_cast<C>(alpha), static_cast<C>(beta));
#else
    Multiply<C>(queue, dtype, batches, m, n, k, a, b, c, static_cast<C>(alpha), static_cast<C>(beta));
#endif
  });
}

}  // namespace diopi::ops::cuda
