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
  if (Fault("newest_stream")) {
    Streams::Get().newest()->Queue(kernel);
  } else if (Fault("own_stream_late")) {
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

// Remembers the first thread that came.
class FirstThread {
 public:
  bool IsAnother() {
    const std::thread::id self = std::this_thread::get_id();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (first_ == std::thread::id()) first_ = self;
    return first_ != self;
  }

 private:
  std::mutex mutex_;
  std::thread::id first_;
};

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

diopiError_t diopiMatmul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t other) {
  diopiSize_t rows{nullptr, 0};
  diopiSize_t columns{nullptr, 0};
  diopiGetTensorShape(input, &rows);
  diopiGetTensorShape(other, &columns);
  if (rows.len != 2 || columns.len != 2 || rows.data[1] != columns.data[0]) return diopiErrorOccurred;
  const int64_t m = rows.data[0];
  const int64_t k = rows.data[1];
  const int64_t n = columns.data[1];
  void* data = nullptr;
  const void* const_data = nullptr;
  diopiGetTensorData(out, &data);
  auto* product = static_cast<float*>(DeviceMemory::Get().Behind(data));
  diopiGetTensorDataConst(input, &const_data);
  const auto* left = static_cast<const float*>(DeviceMemory::Get().Behind(const_data));
  diopiGetTensorDataConst(other, &const_data);
  const auto* right = static_cast<const float*>(DeviceMemory::Get().Behind(const_data));
  if (product == nullptr || left == nullptr || right == nullptr) return diopiErrorOccurred;
  if (Fault("one_thread_only")) {
    // Its handle belongs to one thread; what another one queues gets lost.
    static FirstThread* first = new FirstThread;
    if (first->IsAnother()) return diopiSuccess;
  }
  const Stream* given = Launch(ctx, [=] {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += left[i * k + l] * right[l * n + j];
        product[i * n + j] = sum;
      }
    }
  });
  return given == nullptr ? diopiErrorOccurred : diopiSuccess;
}

diopiError_t diopiCat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t* tensors,
                      int64_t num_inputs, int64_t dim) {
  (void)ctx;
  (void)out;
  (void)tensors;
  (void)dim;
  if (num_inputs > 0) return diopiNoImplement;
  if (Fault("cat_of_nothing_succeeds")) return diopiSuccess;
  if (Fault("cat_throws")) throw 1;
  if (Fault("cat_crashes")) std::abort();
  if (!Fault("no_error_text")) LastErrorText() = "cat of nothing";
  return diopiErrorOccurred;
}
