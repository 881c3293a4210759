// Average and maximum pooling in 1, 2 and 3 dimensions, adaptive pooling, and pooling whose kind is an
// argument.
#include "baselines/ops/pooling/pooling_calls.h"

using namespace diopi::ops::both;  // NOLINT: the functions of the ABI follow

DIOPI_FORMS(Pool1d::Avg, diopiAvgPool1d)
DIOPI_FORMS(Pool2d::Avg, diopiAvgPool2d)
DIOPI_FORMS(Pool3d::Avg, diopiAvgPool3d)
DIOPI_FORMS(Pool1d::AvgBackward, diopiAvgPool1dBackward)
DIOPI_FORMS(Pool2d::AvgBackward, diopiAvgPool2dBackward)
DIOPI_FORMS(Pool3d::AvgBackward, diopiAvgPool3dBackward)

DIOPI_FORMS(Pool1d::Max, diopiMaxPool1d, diopiMaxPool1dWithIndices)
DIOPI_FORMS(Pool2d::Max, diopiMaxPool2d, diopiMaxPool2dWithIndices)
DIOPI_FORMS(Pool3d::Max, diopiMaxPool3d, diopiMaxPool3dWithIndices)
DIOPI_FORMS(Pool1d::MaxBackward, diopiMaxPool1dBackward)
DIOPI_FORMS(Pool2d::MaxBackward, diopiMaxPool2dBackward)
DIOPI_FORMS(Pool3d::MaxBackward, diopiMaxPool3dBackward)

DIOPI_FORMS(Pool1d::AdaptiveAvg, diopiAdaptiveAvgPool1d)
DIOPI_FORMS(Pool2d::AdaptiveAvg, diopiAdaptiveAvgPool2d)
DIOPI_FORMS(Pool3d::AdaptiveAvg, diopiAdaptiveAvgPool3d)
DIOPI_FORMS(Pool1d::AdaptiveAvgBackward, diopiAdaptiveAvgPool1dBackward)
DIOPI_FORMS(Pool2d::AdaptiveAvgBackward, diopiAdaptiveAvgPool2dBackward)
DIOPI_FORMS(Pool3d::AdaptiveAvgBackward, diopiAdaptiveAvgPool3dBackward)

DIOPI_FORMS(Pool1d::AdaptiveMax, diopiAdaptiveMaxPool1d, diopiAdaptiveMaxPool1dWithIndices)
DIOPI_FORMS(Pool2d::AdaptiveMax, diopiAdaptiveMaxPool2d, diopiAdaptiveMaxPool2dWithIndices)
DIOPI_FORMS(Pool3d::AdaptiveMax, diopiAdaptiveMaxPool3d, diopiAdaptiveMaxPool3dWithIndices)
DIOPI_FORMS(Pool1d::AdaptiveMaxBackward, diopiAdaptiveMaxPool1dBackward)
DIOPI_FORMS(Pool2d::AdaptiveMaxBackward, diopiAdaptiveMaxPool2dBackward)
DIOPI_FORMS(Pool3d::AdaptiveMaxBackward, diopiAdaptiveMaxPool3dBackward)

DIOPI_FORMS(Pool1d::Any, diopiPool1d)
DIOPI_FORMS(Pool2d::Any, diopiPool2d)
DIOPI_FORMS(Pool3d::Any, diopiPool3d)
DIOPI_FORMS(Pool1d::AnyBackward, diopiPool1dBackward)
DIOPI_FORMS(Pool2d::AnyBackward, diopiPool2dBackward)
DIOPI_FORMS(Pool3d::AnyBackward, diopiPool3dBackward)
