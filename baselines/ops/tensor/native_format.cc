// Native memory formats: these devices have one, the plain order that a tensor's strides give.
#include "baselines/ops/support/op.h"

namespace diopi::ops::both {
namespace {
constexpr int64_t kPlain = 0;
}  // namespace

DIOPI_KERNEL(diopiGetNativeMemoryFormat, a) {
  Check(a.format != nullptr, "argument 'format' is null");
  *a.format = kPlain;
}

DIOPI_KERNEL(diopiNativeMemoryFormatCast, a) {
  Check(a.format == kPlain, "the only native memory format is ", kPlain, ", got ", a.format);
  *a.out = a.in;
}

DIOPI_KERNEL(diopiTensorDestructionHook, a) {
  static_cast<void>(a);  // there is nothing to forget
}

}  // namespace diopi::ops::both
