// Functions of one operand whose result is a truth value or a sign: sign, isnan, logical_not, bitwise_not.
#include "baselines/ops/elementwise/unary.h"

namespace diopi::ops::both {
namespace {

struct Sign {
  template <typename C>
  DIOPI_HD C operator()(const C& x) const {
    return C((x > C(0)) - (x < C(0)));
  }
};
template <typename Result>
struct IsZero {
  template <typename C>
  DIOPI_HD Result operator()(const C& x) const {
    return Result(x == C(0) ? 1 : 0);
  }
};
struct IsNan {
  template <typename C>
  DIOPI_HD int64_t operator()(const C& x) const {
    return x != x ? 1 : 0;
  }
};
struct Complement {
  bool truth;
  DIOPI_HD int64_t operator()(int64_t x) const { return truth ? x == 0 : ~x; }
};

// out = f(input), where out holds truth values.
template <typename F>
void Predicate(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const F& f) {
  CheckShape(out, x.shape(), "out");
  Check(IsBool(out.dtype()), "out must be bool, got ", DtypeName(out.dtype()));
  DispatchAny(x.dtype(), [&]<typename C>() { Map(Queue(ctx), out.numel(), Out<int64_t>(out), f, In<C>(x)); });
}

template <typename Args>
void BitwiseNot(const Args& a) {
  const Tensor out(OutOf(a)), x(a.input);
  CheckShape(out, x.shape(), "out");
  Check(!IsFloating(x.dtype()), "input must be an integer or bool, got ", DtypeName(x.dtype()));
  Map(Queue(a.ctx), out.numel(), Out<int64_t>(out), Complement{IsBool(x.dtype())}, In<int64_t>(x));
}

}  // namespace

DIOPI_KERNEL(diopiSign, a) {
  AnyUnary(a.ctx, a.out, a.input, Sign());
}

DIOPI_KERNEL(diopiIsNan, a) {
  Predicate(a.ctx, a.out, a.input, IsNan());
}

DIOPI_KERNEL(diopiLogicalNot, a) {
  Predicate(a.ctx, a.out, a.input, IsZero<int64_t>());
}

DIOPI_KERNEL(diopiLogicalNotInp, a) {
  const Tensor x(a.input);
  DispatchAny(x.dtype(),
              [&]<typename C>() { Map(Queue(a.ctx), x.numel(), Out<C>(x), IsZero<C>(), In<C>(x)); });
}

DIOPI_FORMS(BitwiseNot, diopiBitwiseNot, diopiBitwiseNotInp)

}  // namespace diopi::ops::both
