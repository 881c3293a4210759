// contiguous: a copy that is dense in the order of a memory format.
#include <algorithm>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// Strides in which dimension 1 is the innermost one.
Shape ChannelsLastStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  int64_t stride = shape[1];
  for (size_t d = shape.size(); d-- > 2; stride *= std::max<int64_t>(shape[d], 1)) strides[d] = stride;
  strides[0] = stride;
  return strides;
}

Shape StridesIn(diopiMemoryFormat_t format, const Shape& shape) {
  if (format == Contiguous || format == Preserve) return DenseStrides(shape);
  const size_t rank = format == ChannelsLast ? 4 : format == ChannelsLast3d ? 5 : 3;
  Check(format == ChannelsLast || format == ChannelsLast3d || format == ChannelsLast1d,
        "unknown memory format ", static_cast<int>(format));
  Check(shape.size() == rank, "this memory format wants ", rank, " dimensions, got shape ", ShapeText(shape));
  return ChannelsLastStrides(shape);
}

}  // namespace

DIOPI_KERNEL(diopiContiguous, a) {
  const Tensor x(a.input);
  const Shape strides = StridesIn(a.memoryFormat, x.shape());
  const auto rank = static_cast<int64_t>(strides.size());
  const diopiSize_t size{x.shape().data(), rank}, stride{strides.data(), rank};
  const diopiError_t error = diopiRequireTensor(a.ctx, a.out, &size, &stride, x.dtype(), diopi_device);
  Check(error == diopiSuccess && *a.out != nullptr, "the host could not allocate a tensor of shape ",
        ShapeText(x.shape()));
  DispatchAny(x.dtype(), [&]<typename C>() { MapTo<C>(Queue(a.ctx), Tensor(*a.out), Same(), x); });
}

}  // namespace diopi::ops::both
