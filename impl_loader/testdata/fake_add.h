// Add on the fake device. Writes past the end of the output when alpha is 3.
#ifndef IMPL_LOADER_TESTDATA_FAKE_ADD_H_
#define IMPL_LOADER_TESTDATA_FAKE_ADD_H_

#include "impl_loader/testdata/fake_device.h"
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  AddArguments host = add;
  host.out = FromDevice(add.out);
  host.input = FromDevice(add.input);
  host.other = FromDevice(add.other);
  diopiStreamHandle_t stream = nullptr;
  diopiGetStream(ctx, &stream);
  // Neither host memory nor a missing stream may reach a device library.
  if (host.out == add.out || host.input == add.input || !IsStream(stream)) return diopiErrorOccurred;
  Add(host);
  if (add.alpha == 3) host.out[add.count] = 0;
  return diopiSuccess;
}

#endif  // IMPL_LOADER_TESTDATA_FAKE_ADD_H_
