#include "baselines/ops/elementwise/unary.h"

DIOPI_UNARY(Sgn, AnyUnary, C((x > C(0)) - (x < C(0))))
