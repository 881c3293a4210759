// clamp with one bound or two, as numbers or tensors; hardtanh, threshold and leaky_relu.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

// If the bounds are in the wrong order, the upper one; NaN if any of the three is NaN.
struct ClampedTo {
  bool low, high;
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& least, const C& most) const {
    C y = AsGiven(x);
    if (low && y == y && !(y >= least)) y = AsGiven(least);
    if (high && y == y && !(y <= most)) y = AsGiven(most);
    return y;
  }
};

// A bound that is missing is a null handle or a null scalar.
template <typename Args>
void ClampTo(const Args& a, const Operand& least, const Operand& most) {
  const Tensor out(OutOf(a)), x(a.input);
  CheckShape(out, x.shape(), "out");
  const auto given = [](const Operand& bound) { return bound.scalar != nullptr || bound.tensor; };
  const ClampedTo between{given(least), given(most)};
  DispatchNumeric(x.dtype(), [&]<typename C>() {
    const auto bound = [&](const Operand& operand) {
      return given(operand) ? OperandAt<C>(operand, x.shape()) : In<C>::Constant(C(0));
    };
    Map(Queue(a.ctx), out.numel(), Out<C>(out), between, In<C>(x), bound(least), bound(most));
  });
}

const diopiScalar_t* const kNoBound = nullptr;

template <typename Args>
void Clamp(const Args& a) {
  ClampTo(a, a.min, a.max);
}
template <typename Args>
void ClampMax(const Args& a) {
  ClampTo(a, kNoBound, a.max);
}
template <typename Args>
void ClampMin(const Args& a) {
  ClampTo(a, a.min, kNoBound);
}
template <typename Args>
void Hardtanh(const Args& a) {
  ClampTo(a, a.min_val, a.max_val);
}

template <typename C>
struct HardtanhGrad {
  C least, most;
  DIOPI_HD C operator()(const C& grad, const C& x) const {
    return x <= least || x >= most ? C(0) : AsGiven(grad);
  }
};

template <typename C>
struct ThresholdAt {
  C threshold, value;
  DIOPI_HD C operator()(const C& x) const { return x <= threshold ? value : AsGiven(x); }
};
template <typename Args>
void Threshold(const Args& a) {
  const Tensor out(OutOf(a)), x(a.input);
  DispatchNumeric(ResultType(out, {x}), [&]<typename C>() {
    MapTo<C>(Queue(a.ctx), out, ThresholdAt<C>{ScalarAs<C>(a.threshold), ScalarAs<C>(a.value)}, x);
  });
}
template <typename C>
struct ThresholdGrad {
  C threshold;
  DIOPI_HD C operator()(const C& grad, const C& x) const { return x <= threshold ? C(0) : AsGiven(grad); }
};

template <typename C>
struct Leaky {
  C slope;
  DIOPI_HD C operator()(const C& x) const { return x > C(0) ? x : x * slope; }
};
template <typename C>
struct LeakyGrad {
  C slope;
  DIOPI_HD C operator()(const C& grad, const C& x) const { return x > C(0) ? grad : grad * slope; }
};
template <typename Args>
void LeakyRelu(const Args& a) {
  const Tensor out(OutOf(a)), x(a.input);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    MapTo<C>(Queue(a.ctx), out, Leaky<C>{ScalarAs<C>(a.negative_slope)}, x);
  });
}

}  // namespace

DIOPI_FORMS(Clamp, diopiClamp, diopiClampInp, diopiClampScalar, diopiClampInpScalar)
DIOPI_FORMS(ClampMax, diopiClampMax, diopiClampMaxInp, diopiClampMaxScalar, diopiClampMaxInpScalar)
DIOPI_FORMS(ClampMin, diopiClampMin, diopiClampMinInp, diopiClampMinScalar, diopiClampMinInpScalar)
DIOPI_FORMS(Hardtanh, diopiHardtanh, diopiHardtanhInp)
DIOPI_FORMS(Threshold, diopiThreshold, diopiThresholdInp)
DIOPI_FORMS(LeakyRelu, diopiLeakyRelu, diopiLeakyReluInp)

DIOPI_KERNEL(diopiHardtanhBackward, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), x(a.input);
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    MapTo<C>(Queue(a.ctx), out, HardtanhGrad<C>{ScalarAs<C>(a.min_val), ScalarAs<C>(a.max_val)}, grad, x);
  });
}

DIOPI_KERNEL(diopiThresholdBackward, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), x(a.input);
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    MapTo<C>(Queue(a.ctx), out, ThresholdGrad<C>{ScalarAs<C>(a.threshold)}, grad, x);
  });
}

DIOPI_KERNEL(diopiLeakyReluBackward, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), x(a.input);
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    MapTo<C>(Queue(a.ctx), out, LeakyGrad<C>{ScalarAs<C>(a.negative_slope)}, grad, x);
  });
}

}  // namespace diopi::ops::both
