// The average of each window: its sum over the number of its elements, padding included where
// count_include_pad says so, or over divisor_override.
#include "baselines/ops/pooling/pooling_host.h"

using namespace diopi::ops::host;  // NOLINT: this file is nothing else

DIOPI_FORMS(Pool1dCalls::Avg, diopiAvgPool1d)
DIOPI_FORMS(Pool2dCalls::Avg, diopiAvgPool2d)
DIOPI_FORMS(Pool3dCalls::Avg, diopiAvgPool3d)
DIOPI_FORMS(Pool1dCalls::AvgBackward, diopiAvgPool1dBackward)
DIOPI_FORMS(Pool2dCalls::AvgBackward, diopiAvgPool2dBackward)
DIOPI_FORMS(Pool3dCalls::AvgBackward, diopiAvgPool3dBackward)
