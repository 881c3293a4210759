// Trigonometric, hyperbolic and logarithmic functions: accurate over their whole range, so the oracle takes
// their argument as exact.
#include "baselines/ops/elementwise/unary.h"

// clang-format off
DIOPI_UNARY(Acos, FloatUnary, acos(AsGiven(x)))
DIOPI_UNARY(Acosh, FloatUnary, acosh(AsGiven(x)))
DIOPI_UNARY(Asin, FloatUnary, asin(AsGiven(x)))
DIOPI_UNARY(Asinh, FloatUnary, asinh(AsGiven(x)))
DIOPI_UNARY(Atan, FloatUnary, atan(AsGiven(x)))
DIOPI_UNARY(Atanh, FloatUnary, atanh(AsGiven(x)))
DIOPI_UNARY(Cos, FloatUnary, cos(AsGiven(x)))
DIOPI_UNARY(Cosh, FloatUnary, cosh(AsGiven(x)))
DIOPI_UNARY(Log, FloatUnary, log(AsGiven(x)))
DIOPI_UNARY(Log10, FloatUnary, log10(AsGiven(x)))
DIOPI_UNARY(Log1p, FloatUnary, log1p(AsGiven(x)))
DIOPI_UNARY(Log2, FloatUnary, log2(AsGiven(x)))
DIOPI_UNARY(Sin, FloatUnary, sin(AsGiven(x)))
DIOPI_UNARY(Sinh, FloatUnary, sinh(AsGiven(x)))
DIOPI_UNARY(Tan, FloatUnary, tan(AsGiven(x)))
DIOPI_UNARY(Tanh, FloatUnary, tanh(x))
DIOPI_UNARY_GRAD(Tanh, g * (C(1) - y * y))
// clang-format on
