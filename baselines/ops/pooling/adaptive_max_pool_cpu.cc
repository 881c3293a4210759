// The greatest elements of windows that divide the plane into a given number of parts along each dimension.
#include "baselines/ops/pooling/pooling_host.h"

using namespace diopi::ops::host;  // NOLINT: this file is nothing else

DIOPI_FORMS(Pool1dCalls::AdaptiveMax, diopiAdaptiveMaxPool1d, diopiAdaptiveMaxPool1dWithIndices)
DIOPI_FORMS(Pool2dCalls::AdaptiveMax, diopiAdaptiveMaxPool2d, diopiAdaptiveMaxPool2dWithIndices)
DIOPI_FORMS(Pool3dCalls::AdaptiveMax, diopiAdaptiveMaxPool3d, diopiAdaptiveMaxPool3dWithIndices)
DIOPI_FORMS(Pool1dCalls::AdaptiveMaxBackward, diopiAdaptiveMaxPool1dBackward)
DIOPI_FORMS(Pool2dCalls::AdaptiveMaxBackward, diopiAdaptiveMaxPool2dBackward)
DIOPI_FORMS(Pool3dCalls::AdaptiveMaxBackward, diopiAdaptiveMaxPool3dBackward)
