// Leaves the last element of its output unwritten.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  AddArguments short_by_one = add;
  if (short_by_one.count > 0) --short_by_one.count;
  Add(short_by_one);
  return diopiSuccess;
}
