// Averages of windows that divide the plane into a given number of parts along each dimension.
#include "baselines/ops/pooling/pooling_host.h"

using namespace diopi::ops::host;  // NOLINT: this file is nothing else

DIOPI_FORMS(Pool1dCalls::AdaptiveAvg, diopiAdaptiveAvgPool1d)
DIOPI_FORMS(Pool2dCalls::AdaptiveAvg, diopiAdaptiveAvgPool2d)
DIOPI_FORMS(Pool3dCalls::AdaptiveAvg, diopiAdaptiveAvgPool3d)
DIOPI_FORMS(Pool1dCalls::AdaptiveAvgBackward, diopiAdaptiveAvgPool1dBackward)
DIOPI_FORMS(Pool2dCalls::AdaptiveAvgBackward, diopiAdaptiveAvgPool2dBackward)
DIOPI_FORMS(Pool3dCalls::AdaptiveAvgBackward, diopiAdaptiveAvgPool3dBackward)
