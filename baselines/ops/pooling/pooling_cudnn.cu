#include "baselines/ops/pooling/pooling_dnn.h"
#include "baselines/ops/support/cuda/dnn.h"

namespace diopi::ops::cuda {
namespace {

class PoolingWindows {
 public:
  PoolingWindows(cudnnPoolingMode_t mode, const PoolAxis& rows, const PoolAxis& columns) {
    CheckDnn(cudnnCreatePoolingDescriptor(&descriptor_), "cudnnCreatePoolingDescriptor");
    status_ = cudnnSetPooling2dDescriptor(descriptor_, mode, CUDNN_PROPAGATE_NAN,
                                          static_cast<int>(rows.kernel), static_cast<int>(columns.kernel),
                                          static_cast<int>(rows.pad), static_cast<int>(columns.pad),
                                          static_cast<int>(rows.stride), static_cast<int>(columns.stride));
  }
  ~PoolingWindows() { cudnnDestroyPoolingDescriptor(descriptor_); }
  PoolingWindows(const PoolingWindows&) = delete;
  PoolingWindows& operator=(const PoolingWindows&) = delete;
  cudnnStatus_t status() const { return status_; }
  cudnnPoolingDescriptor_t get() const { return descriptor_; }

 private:
  cudnnPoolingDescriptor_t descriptor_ = nullptr;
  cudnnStatus_t status_;
};

// The axis without special cases, if cuDNN supports it: it must have as many windows as cuDNN itself would
// make.
bool PlainAxis(const PoolAxis& axis, PoolAxis* plain) {
  *plain = axis;
  if (axis.adaptive) {
    if (axis.count == 0 || axis.size % axis.count != 0) return false;
    plain->kernel = plain->stride = axis.size / axis.count;
  }
  const int64_t room = axis.size + 2 * plain->pad - plain->kernel, limit = int64_t{1} << 30;
  return plain->dilation == 1 && room >= 0 && room / plain->stride + 1 == axis.count &&
         plain->kernel < limit && plain->stride < limit;
}

bool TryPool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool,
             cudnnPoolingMode_t mode) {
  PoolAxis rows, columns;
  if (pool.dims != 2 || !DnnWanted() || !DnnTakes(x.dtype(), {x, out})) return false;
  if (!PlainAxis(pool.rows, &rows) || !PlainAxis(pool.columns, &columns)) return false;
  const Dnn dnn(queue);
  const PoolingWindows windows(mode, rows, columns);
  if (!TakenByDnn(windows.status(), "cudnnSetPooling2dDescriptor")) return false;
  const int64_t channels = x.size(-3), batch = pool.planes() / channels;
  const DnnTensor from(x.dtype(), batch, channels, rows.size, columns.size);
  const DnnTensor to(x.dtype(), batch, channels, rows.count, columns.count);
  const DnnScale one(x.dtype(), 1), zero(x.dtype(), 0);
  return TakenByDnn(cudnnPoolingForward(dnn.handle(), windows.get(), one.get(), from.get(), x.data(),
                                        zero.get(), to.get(), out.writable()),
                    "cudnnPoolingForward");
}

}  // namespace

bool TryMaxPool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool) {
  return TryPool(queue, out, x, pool, CUDNN_POOLING_MAX_DETERMINISTIC);
}

bool TryAveragePool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool,
                    const Divisor& divisor) {
  if (divisor.override_value != 0) return false;
  return TryPool(queue, out, x, pool,
                 divisor.include_pad ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                     : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING);
}

}  // namespace diopi::ops::cuda
