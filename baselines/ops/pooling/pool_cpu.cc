// Pooling whose kind is an argument: `mode` and `adaptive`.
#include "baselines/ops/pooling/pooling_host.h"

using namespace diopi::ops::host;  // NOLINT: this file is nothing else

DIOPI_FORMS(Pool1dCalls::Any, diopiPool1d)
DIOPI_FORMS(Pool2dCalls::Any, diopiPool2d)
DIOPI_FORMS(Pool3dCalls::Any, diopiPool3d)
DIOPI_FORMS(Pool1dCalls::AnyBackward, diopiPool1dBackward)
DIOPI_FORMS(Pool2dCalls::AnyBackward, diopiPool2dBackward)
DIOPI_FORMS(Pool3dCalls::AnyBackward, diopiPool3dBackward)
