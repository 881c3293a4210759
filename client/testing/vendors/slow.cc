// vendor_slow: the CPU reference, deliberately slow in three functions, which compute their result five
// times. A performance test must find these, and no other. With DIOPI_SLOW=very_slow the factor is beyond
// the noise of any machine, for tests that must not depend on one.
#include "baselines/planted/planted.h"

namespace {

PLANT(very_slow, 0, "diopiSoftmax diopiLayerNorm diopiSort", "", "the result is computed 40 times");

int Times() {
  return very_slow ? 40 : 5;
}

}  // namespace

DIOPI_OVERRIDE(diopiSoftmax, a) {
  for (int i = 0; i < Times(); ++i) Good(a);
}

DIOPI_OVERRIDE(diopiLayerNorm, a) {
  for (int i = 0; i < Times(); ++i) Good(a);
}

DIOPI_OVERRIDE(diopiSort, a) {
  for (int i = 0; i < Times(); ++i) Good(a);
}
