// Numbers that an evaluation holds in a 16-bit type between its steps: operands of matrix units, workspaces.
#ifndef BASELINES_OPS_SUPPORT_OPERANDS_H_
#define BASELINES_OPS_SUPPORT_OPERANDS_H_

#include <algorithm>
#include <cmath>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/noise.h"

namespace diopi::ops {

// The type: its roundoff, and half its smallest step, by which a subnormal number is rounded.
struct Operands {
  double unit = 0, least = 0;  // 0: another type, which rounds nothing
  DIOPI_HD explicit Operands(diopiDtype_t dtype) {
    if (dtype == diopi_dtype_float16) {
      unit = 0x1p-11;
      least = 0x1p-25;
    } else if (dtype == diopi_dtype_bfloat16) {
      unit = 0x1p-8;
      least = 0x1p-134;
    }
  }

  // Adds the noise of that rounding.
  template <typename C>
  DIOPI_HD C Rounded(const C& x) const {
    if constexpr (kIsNoise<C>) {
      if (unit == 0 || x.v == 0) return x;
      const auto error = std::max<decltype(C::v)>(unit * std::fabs(x.v), least);
      return C::Clean(x.v, x.s2 + error * error / 3);
    } else {
      return x;
    }
  }
};

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_OPERANDS_H_
