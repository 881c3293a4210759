// vendor_slow: the CPU reference, deliberately slow in three functions, which compute their result five
// times. A performance test must find these, and no other.
#include "baselines/planted/planted.h"

namespace {

constexpr int kTimes = 5;

}  // namespace

DIOPI_OVERRIDE(diopiSoftmax, a) {
  for (int i = 0; i < kTimes; ++i) Good(a);
}

DIOPI_OVERRIDE(diopiLayerNorm, a) {
  for (int i = 0; i < kTimes; ++i) Good(a);
}

DIOPI_OVERRIDE(diopiSort, a) {
  for (int i = 0; i < kTimes; ++i) Good(a);
}
