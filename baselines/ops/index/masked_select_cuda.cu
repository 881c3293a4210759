// masked_select: see masked_select_cpu.cc. The calls wait for the number of elements that the mask chooses,
// which is a size.
#include "baselines/ops/index/index_cuda.h"

namespace diopi::ops::cuda {
namespace {

struct FlagChosen {
  In<int64_t> mask;
  uint8_t* flags;
  DIOPI_HD void operator()(int64_t i) const { flags[i] = mask[i] != 0 ? 1 : 0; }
};

// The positions of the true elements of a mask, in order.
struct Chosen {
  int64_t* positions = nullptr;
  int64_t count = 0;

  Chosen(const Queue& queue, const Tensor& mask, const Shape& shape) {
    Check(IsMask(mask), "mask must be bool or uint8, got ", DtypeName(mask.dtype()));
    const int64_t n = Numel(shape);
    if (n == 0) return;
    uint8_t* const flags = queue.Buffer<uint8_t>(n);
    positions = queue.Buffer<int64_t>(n);
    ForEach(queue, n, FlagChosen{In<int64_t>(mask, shape), flags});
    count = Select(queue, flags, n, positions);
  }
};

template <typename C>
struct TakeChosen {
  In<C> x;
  const int64_t* positions;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, x[positions[i]]); }
};

template <typename C>
struct PutChosen {
  In<C> grad;
  const int64_t* positions;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(positions[i], grad[i]); }
};

void MaskedSelect(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& x, const Tensor& mask) {
  const Queue queue(ctx);
  const Shape shape = BroadcastShapes(x.shape(), mask.shape());
  const Chosen chosen(queue, mask, shape);
  *out = RequireTensor(ctx, Shape{chosen.count}, x.dtype());
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(queue, chosen.count, TakeChosen<C>{In<C>(x, shape), chosen.positions, Out<C>(Tensor(*out))});
  });
}

void MaskedSelectBackward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& grad, const Tensor& x,
                          const Tensor& mask) {
  const Queue queue(ctx);
  const Shape shape = BroadcastShapes(x.shape(), mask.shape());
  CheckShape(out, shape, "grad_input");
  const Chosen chosen(queue, mask, shape);
  Check(chosen.count <= grad.numel(), "grad_output has fewer elements than the mask chooses");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Out<C> result(out);
    Copy(queue, out.numel(), result, In<C>::Constant(C(0)));
    ForEach(queue, chosen.count, PutChosen<C>{In<C>(grad), chosen.positions, result});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiMaskedSelect, a) {
  using namespace diopi::ops;
  cuda::MaskedSelect(a.ctx, a.out, a.input, a.mask);
}

DIOPI_KERNEL(diopiMaskedSelectBackward, a) {
  using namespace diopi::ops;
  cuda::MaskedSelectBackward(a.ctx, a.grad_input, a.grad_output, a.input, a.mask);
}
