#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/gemm.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/reduce.h"

#if defined(DIOPI_CUDA_EMULATED)
#include <vector>

#include "baselines/ops/support/gemm.h"
#else
#include <cublasLt.h>

#include <mutex>
#include <optional>
#include <utility>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/handles.h"
#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/plan_key.h"
#include "baselines/ops/support/cuda/recovery.h"
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

// Our own product, where cuBLASLt has none: one row of reduce.h for each element.
template <typename C>
struct SumProducts {
  using State = C;
  In<C> a, b;
  Out<C> c;
  int64_t m, n, k;
  C alpha, beta;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const {
    return a[row / n * k + j] * b[(row / n / m * k + j) * n + row % n];
  }
  DIOPI_HD State Combine(State x, State y) const { return x + y; }
  DIOPI_HD void Finish(int64_t row, State sum) const {
    const C product = alpha * sum;
    c.Set(row, beta == C(0) ? product : product + beta * c[row]);
  }
};
template <typename C>
void MultiplyBySums(const Queue& queue, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m,
                    int64_t n, int64_t k, const Matrices& a, const Matrices& b, const Matrices& c, C alpha,
                    C beta) {
  ReduceRows(queue, batches * m * n, k,
             SumProducts<C>{InOf<C>(a, dtype, PlaceOf(a, batches, m, k)),
                            InOf<C>(b, dtype, PlaceOf(b, batches, k, n)),
                            OutOf<C>(c, result, PlaceOf(c, batches, m, n)), m, n, k, alpha, beta},
             ReadOrder::kAcrossRows);
}

// False where the environment has DIOPI_CUDA_LT=0.
bool LtAllowed() {
  const char* wish = std::getenv("DIOPI_CUDA_LT");
  return wish == nullptr || std::strcmp(wish, "0") != 0;
}

#if defined(DIOPI_CUDA_EMULATED)

// In cuBLASLt's place, and wrong where the environment has DIOPI_CUDA_EMULATED_FAULT=lt.
template <typename C>
bool Multiply(const Queue&, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m, int64_t n,
              int64_t k, const Matrices& a, const Matrices& b, const Matrices& c, C alpha, C beta) {
  const DeviceMemoryOpen open;
  const In<C> left = InOf<C>(a, dtype, PlaceOf(a, batches, m, k));
  const In<C> right = InOf<C>(b, dtype, PlaceOf(b, batches, k, n));
  const Out<C> out = OutOf<C>(c, result, PlaceOf(c, batches, m, n));
  const char* fault = std::getenv("DIOPI_CUDA_EMULATED_FAULT");
  if (fault != nullptr && std::strcmp(fault, "lt") == 0) alpha *= 2;
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
  return true;
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

cudaDataType_t ElementType(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return CUDA_R_16F;
    case diopi_dtype_bfloat16:
      return CUDA_R_16BF;
    case diopi_dtype_float64:
      return CUDA_R_64F;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t ComputeType(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float64) return CUBLAS_COMPUTE_64F;
  return dtype == diopi_dtype_float32 && Tf32Wanted() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
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
void Describe(MatrixLayout* layout, const View& view, diopiDtype_t dtype, int64_t batches, int64_t rows,
              int64_t columns, int64_t batch_stride) {
  const auto height = static_cast<uint64_t>(view.row_major ? columns : rows);
  const auto width = static_cast<uint64_t>(view.row_major ? rows : columns);
  CheckLt(cublasLtMatrixLayoutCreate(layout->out(), ElementType(dtype), height, width, view.leading),
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
  const auto bits = reinterpret_cast<uint64_t>(x.data) | static_cast<uint64_t>(x.batch_stride * element_size);
  return static_cast<uint32_t>(AlignmentOf(reinterpret_cast<const void*>(bits), 256));
}

constexpr int64_t kWorkspace = int64_t{32} << 20;

void Restrict(Preference* preference, diopiDtype_t dtype, diopiDtype_t result, const Matrices& a,
              const Matrices& b, const Matrices& c) {
  CheckLt(cublasLtMatmulPreferenceCreate(preference->out()), "choosing a product");
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    CheckLt(cublasLtMatmulPreferenceSetAttribute(preference->get(), attribute, &value, sizeof(value)),
            "choosing a product");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<uint64_t>(kWorkspace));
  // Parts of a split sum are added up in a fixed order, in the workspace; never by atomics in the result.
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Alignment(a, ElementSize(dtype)));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Alignment(b, ElementSize(dtype)));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Alignment(c, ElementSize(result)));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Alignment(c, ElementSize(result)));
}

// An algorithm, or none, by what it was asked for. Asking takes longer than a small product.
class Algorithms {
 public:
  using Found = std::optional<cublasLtMatmulHeuristicResult_t>;

  template <typename Ask>
  static Found Get(const PlanKey& key, const Ask& ask) {
    static auto* mutex = new std::mutex;
    static auto* kept = new KeptByKey<Found>;
    const std::lock_guard<std::mutex> lock(*mutex);
    const Found* known = kept->Find(key);
    return known != nullptr ? *known : *kept->Keep(key, ask());
  }
};

PlanKey ProductKey(int device, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m, int64_t n,
                   int64_t k, const Matrices& a, const Matrices& b, const Matrices& c) {
  PlanKey key(device, dtype, result, Tf32Wanted(), batches, m, n, k);
  for (const auto& [x, type] : {std::pair(a, dtype), std::pair(b, dtype), std::pair(c, result)}) {
    for (const int64_t stride : {x.row_stride, x.column_stride, x.batch_stride}) key.Add(stride);
    key.Add(Alignment(x, ElementSize(type)));
  }
  return key;
}

bool TakenByLt(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  if (!DeviceWorks()) CheckLt(status, what);
  NoteFallback(what, cublasLtGetStatusName(status));
  return false;
}

// All three have views. cuBLASLt's own order is column-major; a row-major c is had as b' a' = c'. False: it
// has no algorithm for these, or that failed.
template <typename S>
bool CallLt(const Queue& queue, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m,
            int64_t n, int64_t k, const Matrices& a, const Matrices& b, const Matrices& c, S alpha, S beta) {
  const View a_view = ViewOf(a, m, k), b_view = ViewOf(b, k, n), c_view = ViewOf(c, m, n);
  const bool swapped = c_view.row_major;
  Operation operation;
  CheckLt(cublasLtMatmulDescCreate(operation.out(), ComputeType(dtype),
                                   dtype == diopi_dtype_float64 ? CUDA_R_64F : CUDA_R_32F),
          "describing a product");
  SetTransposed(operation, swapped ? CUBLASLT_MATMUL_DESC_TRANSB : CUBLASLT_MATMUL_DESC_TRANSA,
                a_view.row_major != c_view.row_major);
  SetTransposed(operation, swapped ? CUBLASLT_MATMUL_DESC_TRANSA : CUBLASLT_MATMUL_DESC_TRANSB,
                b_view.row_major != c_view.row_major);
  MatrixLayout a_layout, b_layout, c_layout;
  Describe(&a_layout, a_view, dtype, batches, m, k, a.batch_stride);
  Describe(&b_layout, b_view, dtype, batches, k, n, b.batch_stride);
  Describe(&c_layout, c_view, result, batches, m, n, c.batch_stride);
  const Matrices &first = swapped ? b : a, &second = swapped ? a : b;
  const MatrixLayout &first_layout = swapped ? b_layout : a_layout,
                     &second_layout = swapped ? a_layout : b_layout;
  const Borrowed<cublasLtHandle_t> handle(MakeHandle);
  const auto ask = [&]() -> Algorithms::Found {
    Preference preference;
    Restrict(&preference, dtype, result, first, second, c);
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle.get(), operation.get(), first_layout.get(), second_layout.get(),
                                       c_layout.get(), c_layout.get(), preference.get(), 1, &found, &count);
    if (!TakenByLt(status, "choosing a product") || count == 0) return std::nullopt;
    return found;
  };
  const Algorithms::Found found =
      Algorithms::Get(ProductKey(handle.device(), dtype, result, batches, m, n, k, a, b, c), ask);
  if (!found) return false;
  void* workspace = queue.Buffer<char>(static_cast<int64_t>(found->workspaceSize));
  return TakenByLt(
      cublasLtMatmul(handle.get(), operation.get(), &alpha, first.data, first_layout.get(), second.data,
                     second_layout.get(), &beta, c.data, c_layout.get(), c.data, c_layout.get(), &found->algo,
                     workspace, found->workspaceSize, StreamOf(queue)),
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
bool Multiply(const Queue& queue, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m,
              int64_t n, int64_t k, const Matrices& a, const Matrices& b, const Matrices& c, C alpha,
              C beta) {
  Matrices left = a, right = b, out = c;
  if (!ViewOf(a, m, k).possible) left = Dense<C>(queue, dtype, a, batches, m, k, true);
  if (!ViewOf(b, k, n).possible) right = Dense<C>(queue, dtype, b, batches, k, n, true);
  const bool direct = ViewOf(c, m, n).possible;
  if (!direct) out = Dense<C>(queue, result, c, batches, m, n, beta != C(0));
  if (!CallLt<C>(queue, dtype, result, batches, m, n, k, left, right, out, alpha, beta)) return false;
  if (direct) return true;
  Copy(queue, batches * m * n, OutOf<C>(c, result, PlaceOf(c, batches, m, n)),
       InOf<C>(out, result, PlaceOf(out, batches, m, n)));
  return true;
}

#endif

}  // namespace

void Gemm(const Queue& queue, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m, int64_t n,
          int64_t k, const Matrices& a, const Matrices& b, const Matrices& c, double alpha, double beta) {
  const int64_t size = batches * m * n;
  DispatchFloating(dtype, [&]<typename C>() {
    if (size == 0) return;
    if (k == 0) {
      const Place place = PlaceOf(c, batches, m, n);
      return Map(queue, size, OutOf<C>(c, result, place), Scale<C>{static_cast<C>(beta)},
                 InOf<C>(c, result, place));
    }
    const C factor = static_cast<C>(alpha), share = static_cast<C>(beta);
    if (LtAllowed() && Multiply<C>(queue, dtype, result, batches, m, n, k, a, b, c, factor, share)) return;
    MultiplyBySums<C>(queue, dtype, result, batches, m, n, k, a, b, c, factor, share);
  });
}

}  // namespace diopi::ops::cuda
