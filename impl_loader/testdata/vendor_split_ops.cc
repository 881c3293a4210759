// The operators of a library whose device functions are in a second one (vendor_split_device).
#include "impl_loader/testdata/fake_add.h"
