#include "baselines/ops/elementwise/unary.h"

// clang-format off
DIOPI_UNARY(Abs, NumericUnary, Abs(x))
DIOPI_UNARY(Cos, FloatUnary, cos(AsGiven(x)))
DIOPI_UNARY(Exp, FloatUnary, exp(x))
DIOPI_UNARY(Expm1, FloatUnary, expm1(x))
DIOPI_UNARY(Neg, NumericUnary, WrapNeg(x))
DIOPI_UNARY(Relu, NumericUnary, Relu(x))
DIOPI_UNARY(Sigmoid, FloatUnary, Sigmoid(x))
DIOPI_UNARY_GRAD(Sigmoid, g * (C(1) - y) * y)
DIOPI_UNARY(Sin, FloatUnary, sin(AsGiven(x)))
DIOPI_UNARY(Sqrt, FloatUnary, sqrt(x))
DIOPI_UNARY(Tanh, FloatUnary, tanh(x))
DIOPI_UNARY_GRAD(Tanh, g * (C(1) - y * y))
// clang-format on
