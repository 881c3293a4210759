// Operators on a device with memory and streams of its own; DIOPI_TEST_FAULT selects their fault.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

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

// The stream that a kernel goes to: the given one, unless the fault is to ignore it. Null: none.
Stream* Launch(diopiContextHandle_t ctx, const std::function<void()>& kernel) {
  Stream* given = GivenStream(ctx);
  if (given == nullptr) return nullptr;
  if (Fault("newest_stream")) {
    Streams::Get().newest()->Queue(kernel);
  } else if (Fault("own_stream_late")) {
    Streams::Get().RunBeforeNextDestroy(kernel);  // long after the host has read the outputs
  } else if (Fault("own_stream") || Fault("own_stream_required")) {
    // Fast enough to end before the host reads the outputs: the only fault is the missing order.
    Streams::Get().own()->Queue(kernel);
    Streams::Get().own()->Wait();
  } else {
    given->Queue(kernel);
  }
  return given;
}

// Remembers the first thread that called.
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

extern "C" __attribute__((visibility("default"))) int async_device_uploads() {
  return uploads.exchange(0);
}

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
  static int adds = 0;
  const bool second = Fault("second_add_loses_device") || Fault("second_add_fails") ? ++adds % 2 == 0 : false;
  if (second && Fault("second_add_fails")) return diopiErrorOccurred;
  if (second || Fault("loses_device")) lost = true;
  if (Fault("leaks")) {
    auto* volatile leaked = new char[8 << 20];
    if (leaked == nullptr) return diopiErrorOccurred;
  }
  diopiSize_t strides{nullptr, 0};
  diopiGetTensorStride(out, &strides);
  const int64_t step = strides.len == 1 && !Fault("ignores_strides") ? strides.data[0] : 1;
  float* required = nullptr;
  if (Fault("required_past_end") || Fault("own_stream_required")) {
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
    if (Fault("required_past_end")) required[16] = 1;
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
    // The handle belongs to one thread; another thread's work is lost.
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

namespace {

// A tensor's native memory format: 0 is plain, 1 is stored like plain but marked on the tensor itself, 2 is a
// new tensor with the elements in reverse order and spare room behind them.
struct Native {
  int64_t format = 0;
  std::vector<int64_t> shape;
};
constexpr int64_t kRoom = 13;

// Keyed by the address of the data.
std::map<const void*, Native>& Natives() {
  static auto* natives = new std::map<const void*, Native>;
  return *natives;
}

const float* DataOf(diopiConstTensorHandle_t tensor) {
  const void* data = nullptr;
  diopiGetTensorDataConst(tensor, &data);
  return static_cast<const float*>(data);
}

Native NativeOf(diopiConstTensorHandle_t tensor) {
  if (const auto at = Natives().find(DataOf(tensor)); at != Natives().end()) return at->second;
  diopiSize_t shape{nullptr, 0};
  diopiGetTensorShape(tensor, &shape);
  return {0, std::vector<int64_t>(shape.data, shape.data + shape.len)};
}

diopiError_t Unknown(diopiTensorHandle_t* out, diopiTensorHandle_t in, int64_t format) {
  const std::string text = "no native memory format " + std::to_string(format);
  if (Fault("unknown_crashes")) std::abort();
  if (Fault("unknown_throws")) throw std::runtime_error(text);
  if (Fault("unknown_marks_input")) Natives()[DataOf(in)] = {1, NativeOf(in).shape};
  if (Fault("unknown_is_plain")) *out = in;
  if (!Fault("unknown_without_text")) LastErrorText() = text;
  return Fault("unknown_is_plain") ? diopiSuccess : diopiErrorOccurred;
}

// A new tensor of that many elements, in reverse or in the same order.
diopiError_t Rearrange(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiTensorHandle_t in,
                       const std::vector<int64_t>& shape, bool backwards) {
  const diopiSize_t size{shape.data(), static_cast<int64_t>(shape.size())};
  const diopiDtype_t dtype = Fault("cast_halves") ? diopi_dtype_int32 : diopi_dtype_float32;
  const diopiError_t error = diopiRequireTensor(ctx, out, &size, nullptr, dtype, diopi_device);
  if (error != diopiSuccess) return error;
  int64_t room = 0;
  diopiGetTensorNumel(*out, &room);
  int64_t count = 1;
  for (const int64_t length : NativeOf(in).shape) count *= length;
  auto* to = const_cast<float*>(DeviceMemory::Get().Behind(DataOf(*out)));
  auto* from = const_cast<float*>(DeviceMemory::Get().Behind(DataOf(in)));
  const Stream* given = Launch(ctx, [=] {
    const int64_t copied = Fault("cast_loses_last") ? count - 1 : count;
    for (int64_t i = 0; i < copied; ++i) to[i] = from[backwards ? count - 1 - i : i];
    if (Fault("cast_past_end")) to[room] = 1;
    if (Fault("cast_changes_input")) from[0] = 7;
  });
  return given == nullptr ? diopiErrorOccurred : diopiSuccess;
}

}  // namespace

diopiError_t diopiGetNativeMemoryFormat(diopiContextHandle_t ctx, diopiConstTensorHandle_t input,
                                        int64_t* format) {
  if (Fault("format_fails")) return diopiErrorOccurred;
  if (Fault("format_unwritten")) return diopiSuccess;
  auto* first = const_cast<float*>(DeviceMemory::Get().Behind(DataOf(input)));
  if (Fault("format_changes_input")) Launch(ctx, [first] { *first = 7; });
  diopiSize_t shape{nullptr, 0};
  diopiGetTensorShape(input, &shape);
  if (Fault("format_changes_shape") && shape.len > 0) const_cast<int64_t*>(shape.data)[0] = 1;
  static int64_t calls = 0;
  const int64_t found = Fault("format_wanders")      ? calls++
                        : Fault("format_by_address") ? reinterpret_cast<int64_t>(first)
                                                     : NativeOf(input).format;
  std::memcpy(format, &found, Fault("format_of_four_bytes") ? 4 : 8);
  return diopiSuccess;
}

diopiError_t diopiNativeMemoryFormatCast(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                         diopiTensorHandle_t in, int64_t format) {
  if (Fault("cast_noimplement")) return diopiNoImplement;
  if (Fault("cast_returns_nothing")) return diopiSuccess;
  if (Fault("cast_returns_garbage")) {
    *out = reinterpret_cast<diopiTensorHandle_t>(&Natives());
    return diopiSuccess;
  }
  if (format < 0 || format > 2) return Unknown(out, in, format);
  const Native from = NativeOf(in);
  const bool turns = (from.format == 2) != (format == 2);
  if (turns && format != 2 && Fault("cast_without_way_back")) {
    LastErrorText() = "no way back";
    return diopiErrorOccurred;
  }
  int64_t count = 1;
  for (const int64_t length : from.shape) count *= length;
  if (turns || Fault("cast_flattens") || Fault("cast_halves")) {
    const std::vector<int64_t> flat = {format == 2 ? count + kRoom : count};
    const bool keeps = format != 2 && !Fault("cast_flattens");
    if (const diopiError_t error = Rearrange(ctx, out, in, keeps ? from.shape : flat, turns)) return error;
  } else {
    *out = in;
  }
  const int64_t told = Fault("cast_told_wrong") && format == 2 ? 1 : format;
  if (!Fault("cast_not_told")) Natives()[DataOf(*out)] = {told, from.shape};
  return diopiSuccess;
}

diopiError_t diopiTensorDestructionHook(diopiContextHandle_t ctx, void* ptr) {
  const bool known = Natives().contains(ptr);
  if (Fault("hook_fails") && !known && ptr != nullptr) return diopiErrorOccurred;
  if (Fault("hook_fails_on_casts") && known) return diopiErrorOccurred;
  if (Fault("hook_frees")) std::free(ptr);
  if (Fault("hook_marks") && ptr != nullptr) Natives()[ptr] = {1, {}};
  if ((Fault("hook_clears_memory") && ptr != nullptr) || (Fault("hook_clears_casts") && known)) {
    auto* first = static_cast<float*>(DeviceMemory::Get().Behind(ptr));
    Launch(ctx, [first] { *first = 0; });
  }
  if (Fault("hook_marks") || Fault("hook_forgets_nothing")) return diopiSuccess;
  if (Fault("hook_forgets_all")) Natives().clear();
  Natives().erase(ptr);
  return diopiSuccess;
}
