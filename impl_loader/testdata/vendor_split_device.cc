// The device functions for vendor_split_ops.
#include "impl_loader/testdata/conform_device.h"
