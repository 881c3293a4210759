// The whole ABI, as the kernels include it.
#ifndef BASELINES_OPS_SUPPORT_ABI_H_
#define BASELINES_OPS_SUPPORT_ABI_H_

#include "diopi/diopirt.h"
#include "diopi/functions.h"
#include "diopi/functions_ext.h"
#include "diopi/functions_lmdeploy.h"
#include "diopi/functions_mmcv.h"
#include "diopi/functions_sparse.h"

#endif  // BASELINES_OPS_SUPPORT_ABI_H_
