#include "baselines/ops/elementwise/unary.h"

// clang-format off
DIOPI_UNARY(Abs, NumericUnary, Abs(x))
DIOPI_UNARY(Ceil, NumericUnary, Ceil(x))
DIOPI_UNARY(Erf, FloatUnary, erf(AsGiven(x)))
DIOPI_UNARY(Exp, FloatUnary, exp(x))
DIOPI_UNARY(Expm1, FloatUnary, expm1(x))
DIOPI_UNARY(Floor, NumericUnary, Floor(x))
DIOPI_UNARY(Hardswish, FloatUnary, Hardswish(x))
DIOPI_UNARY_INPUT_GRAD(Hardswish, HardswishGrad(g, x))
DIOPI_UNARY(Neg, NumericUnary, WrapNeg(x))
DIOPI_UNARY(Reciprocal, FloatUnary, C(1) / x)
DIOPI_UNARY(Relu, NumericUnary, Relu(x))
DIOPI_UNARY(Rsqrt, FloatUnary, C(1) / sqrt(x))
DIOPI_UNARY(Sigmoid, FloatUnary, Sigmoid(x))
DIOPI_UNARY_GRAD(Sigmoid, g * (C(1) - y) * y)
DIOPI_UNARY(Silu, FloatUnary, Silu(x))
DIOPI_UNARY_INPUT_GRAD(Silu, SiluGrad(g, x))
DIOPI_UNARY(Sqrt, FloatUnary, sqrt(x))
// clang-format on
