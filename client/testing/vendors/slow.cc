// vendor_slow: the CPU reference, deliberately slow in three functions. A performance test must find these,
// and no other. DIOPI_SLOW=slow makes them compute their result five times; DIOPI_SLOW=very_slow is beyond
// the noise of any machine, for tests that must not depend on one. Without it nothing is slow: the same file
// is then what to compare with, because in libdiopi_cpu.so the same code lies at other addresses, which alone
// has changed the time of loops over rows of two elements by a factor of 2.6.
#include "baselines/injected/injected.h"

namespace {

BUG(slow, 0, "diopiSoftmax diopiLayerNorm diopiSort", "", "the result is computed 5 times");
BUG(very_slow, 0, "diopiSoftmax diopiLayerNorm diopiSort", "", "the result is computed 40 times");

int Times() {
  return very_slow ? 40 : slow ? 5 : 1;
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
