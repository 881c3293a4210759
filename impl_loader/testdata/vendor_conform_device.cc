// Dialect conform_test: operators and device functions in one library.
#include "impl_loader/testdata/conform_device.h"
#include "impl_loader/testdata/fake_add.h"
