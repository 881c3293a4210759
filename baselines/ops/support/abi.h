// The whole ABI, for the kernels.
#ifndef BASELINES_OPS_SUPPORT_ABI_H_
#define BASELINES_OPS_SUPPORT_ABI_H_

#include "diopi/diopirt.h"
#include "proto/abi/kernels.h"

#endif  // BASELINES_OPS_SUPPORT_ABI_H_
