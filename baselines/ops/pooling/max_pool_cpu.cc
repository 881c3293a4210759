// The greatest element of each window and its index in the plane; the first of equal ones, NaN above all.
#include "baselines/ops/pooling/pooling_host.h"

using namespace diopi::ops::host;  // NOLINT: this file is nothing else

DIOPI_FORMS(Pool1dCalls::Max, diopiMaxPool1d, diopiMaxPool1dWithIndices)
DIOPI_FORMS(Pool2dCalls::Max, diopiMaxPool2d, diopiMaxPool2dWithIndices)
DIOPI_FORMS(Pool3dCalls::Max, diopiMaxPool3d, diopiMaxPool3dWithIndices)
DIOPI_FORMS(Pool1dCalls::MaxBackward, diopiMaxPool1dBackward)
DIOPI_FORMS(Pool2dCalls::MaxBackward, diopiMaxPool2dBackward)
DIOPI_FORMS(Pool3dCalls::MaxBackward, diopiMaxPool3dBackward)
