// Throws a std::runtime_error, or an int when alpha is 2.
#include <stdexcept>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  if (add.alpha == 2) throw 42;
  throw std::runtime_error("the accelerator is on fire");
}
