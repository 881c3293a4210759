// Operators on a device with memory and streams of its own; DIOPI_TEST_FAULT names what is wrong with them.
#include <string>

#include "impl_loader/testdata/async_device.h"
#include "impl_loader/testdata/vendor_common.h"

namespace {

bool Fault(const char* name) {
  const char* fault = std::getenv("DIOPI_TEST_FAULT");
  return fault != nullptr && std::string(fault) == name;
}

std::string& LastErrorText() {
  static std::string* text = new std::string;
  return *text;
}

Stream* GivenStream(diopiContextHandle_t ctx) {
  diopiStreamHandle_t handle = nullptr;
  diopiGetStream(ctx, &handle);
  return Streams::Get().Find(handle);
}

// Where a kernel goes: the given stream, unless the fault is to ignore it. Null: there is none.
Stream* Launch(diopiContextHandle_t ctx, const std::function<void()>& kernel) {
  Stream* given = GivenStream(ctx);
  if (given == nullptr) return nullptr;
  if (Fault("own_stream_late")) {
    Streams::Get().RunBeforeNextDestroy(kernel);  // the host has long looked at the outputs
  } else if (Fault("own_stream")) {
    // Quick enough to end before anybody looks: all that is wrong is the order it was not given.
    Streams::Get().own()->Queue(kernel);
    Streams::Get().own()->Wait();
  } else {
    given->Queue(kernel);
  }
  return given;
}

float* ScratchCell() {
  static float* cell = static_cast<float*>(device_malloc(sizeof(float)));
  return DeviceMemory::Get().Behind(cell);
}

}  // namespace

const char* diopiGetVendorName() {
  return "async device";
}
const char* diopiGetImplVersion() {
  return "2.0";
}
const char* diopiGetLastErrorString() {
  return LastErrorText().c_str();
}

DIOPI_SPOILT_ADD {
  AddArguments on = add;  // as the kernel sees it
  on.out = DeviceMemory::Get().Behind(add.out);
  on.input = DeviceMemory::Get().Behind(add.input);
  on.other = DeviceMemory::Get().Behind(add.other);
  if (add.count > 0 && (on.out == nullptr || on.input == nullptr || on.other == nullptr)) {
    return diopiErrorOccurred;
  }
  if (Fault("touches_device_memory")) add.out[0] = 0;
  diopiSize_t strides{nullptr, 0};
  diopiGetTensorStride(out, &strides);
  const int64_t step = strides.len == 1 && !Fault("ignores_strides") ? strides.data[0] : 1;
  float* required = nullptr;
  if (Fault("required_past_end")) {
    diopiTensorHandle_t buffer = nullptr;
    void* data = nullptr;
    if (diopiRequireBuffer(ctx, &buffer, 64, diopi_device) != diopiSuccess) return diopiErrorOccurred;
    diopiGetTensorData(buffer, &data);
    required = static_cast<float*>(DeviceMemory::Get().Behind(data));
  }
  const Stream* given = Launch(ctx, [on, step, required] {
    const int64_t count = Fault("unwritten") ? on.count - 1 : on.count;
    for (int64_t i = 0; i < count; ++i) on.out[i * step] = on.input[i] + on.alpha * on.other[i];
    if (Fault("past_end")) on.out[on.count] = 1;
    if (Fault("before_start")) on.out[-1] = 1;
    if (Fault("changed_input")) const_cast<float*>(on.other)[1] = 7;
    if (Fault("leftover_state")) on.out[0] += (*ScratchCell())++;
    if (required != nullptr) required[16] = 1;
  });
  return given == nullptr ? diopiErrorOccurred : diopiSuccess;
}

diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return diopiAdd(ctx, input, input, other, alpha);
}
