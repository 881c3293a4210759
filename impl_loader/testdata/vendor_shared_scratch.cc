// All calls go through one scratch buffer: two at once spoil each other.
#include <sched.h>

#include <cstring>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  static float scratch[1 << 16];
  if (add.count > (1 << 16)) return diopiErrorOccurred;
  for (int64_t i = 0; i < add.count; ++i) scratch[i] = add.input[i];
  for (int i = 0; i < 20; ++i) sched_yield();
  AddArguments from_scratch = add;
  from_scratch.input = scratch;
  Add(from_scratch);
  return diopiSuccess;
}
