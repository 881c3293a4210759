#include "client/testing/vendors/spoil.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace diopi::testing {
namespace {

// 0.09 %: one element in this many.
constexpr int64_t kOneIn = 1111;

// A float32 or float64 tensor in host memory; has no elements for other dtypes.
class View {
 public:
  explicit View(diopiConstTensorHandle_t tensor) {
    if (tensor == nullptr) return;
    diopiDtype_t dtype = diopi_dtype_unsupported;
    diopiGetTensorDtype(tensor, &dtype);
    is_double_ = dtype == diopi_dtype_float64;
    if (!is_double_ && dtype != diopi_dtype_float32) return;
    const void* data = nullptr;
    diopiGetTensorDataConst(tensor, &data);
    if (data == nullptr) return;  // no elements, or a sparse matrix
    // On purpose: this library writes where it must not.
    data_ = static_cast<unsigned char*>(const_cast<void*>(data));
    diopiGetTensorShape(tensor, &shape_);
    diopiGetTensorStride(tensor, &stride_);
    diopiGetTensorNumel(tensor, &count_);
  }

  int64_t count() const { return count_; }
  double Get(int64_t index) const {
    float single = 0;
    double value = 0;
    if (is_double_) {
      std::memcpy(&value, At(index), sizeof(value));
      return value;
    }
    std::memcpy(&single, At(index), sizeof(single));
    return static_cast<double>(single);
  }
  // The value rounded to the tensor's dtype.
  double Rounded(double value) const {
    return is_double_ ? value : static_cast<double>(static_cast<float>(value));
  }
  // Sets the element; returns whether the stored value changed.
  bool Set(int64_t index, double value) {
    const double before = Get(index);
    const auto single = static_cast<float>(value);
    if (is_double_) {
      std::memcpy(At(index), &value, sizeof(value));
    } else {
      std::memcpy(At(index), &single, sizeof(single));
    }
    const double after = Get(index);
    return after != before && !(std::isnan(before) && std::isnan(after));
  }

 private:
  // The index-th element in row-major order.
  unsigned char* At(int64_t index) const {
    int64_t offset = 0;
    for (int64_t d = shape_.len - 1; d >= 0; --d) {
      offset += index % shape_.data[d] * stride_.data[d];
      index /= shape_.data[d];
    }
    return data_ + offset * static_cast<int64_t>(is_double_ ? sizeof(double) : sizeof(float));
  }

  bool is_double_ = false;
  unsigned char* data_ = nullptr;
  diopiSize_t shape_{nullptr, 0};
  diopiSize_t stride_{nullptr, 0};
  int64_t count_ = 0;
};

// The element of the largest magnitude that can be doubled; -1 when all are zero, or none is finite.
int64_t Largest(const View& view) {
  int64_t largest = -1;
  double magnitude = 0;
  for (int64_t i = 0; i < view.count(); ++i) {
    const double value = std::fabs(view.Get(i));
    if (std::isfinite(view.Rounded(4 * value)) && value > magnitude) {
      magnitude = value;
      largest = i;
    }
  }
  return largest;
}

}  // namespace

Spoil SpoilFromEnvironment() {
  const char* name = std::getenv("DIOPI_TEST_SPOIL");
  const std::pair<std::string_view, Spoil> names[] = {
      {"input_off", Spoil::kInputOff},       {"input_doubled", Spoil::kInputDoubled},
      {"computed_off", Spoil::kComputedOff}, {"output_doubled", Spoil::kOutputDoubled},
      {"output_nan", Spoil::kOutputNan},     {"topk_reversed", Spoil::kTopkReversed},
  };
  for (const auto& [known, spoil] : names) {
    if (name != nullptr && known == name) return spoil;
  }
  return Spoil::kNothing;
}

bool ScaleInputs(const Inputs& inputs, double by) {
  bool changed = false;
  for (const diopiConstTensorHandle_t input : inputs) {
    View view(input);
    for (int64_t i = 0; i < view.count(); ++i) changed = view.Set(i, view.Get(i) * (1 + by)) || changed;
    by *= -2;  // so that neither a product nor a quotient cancels it
  }
  return changed;
}

bool DoubleSome(const std::vector<diopiConstTensorHandle_t>& tensors) {
  bool changed = false;
  for (const diopiConstTensorHandle_t tensor : tensors) {
    View view(tensor);
    const int64_t largest = Largest(view);
    if (largest < 0) continue;
    for (int64_t i = largest % kOneIn; i < view.count(); i += kOneIn)
      changed = view.Set(i, view.Get(i) * 2) || changed;
  }
  return changed;
}

bool MakeOneNan(const Outputs& outputs) {
  bool changed = false;
  for (const diopiTensorHandle_t output : outputs) {
    View view(output);
    const int64_t largest = Largest(view);
    if (largest < 0) continue;
    changed = view.Set(largest, std::numeric_limits<double>::quiet_NaN()) || changed;
  }
  return changed;
}

bool Reverse(diopiTensorHandle_t tensor, int64_t dim) {
  diopiSize_t shape{nullptr, 0};
  diopiSize_t stride{nullptr, 0};
  int64_t count = 0;
  int64_t bytes = 0;
  void* data = nullptr;
  diopiGetTensorShape(tensor, &shape);
  diopiGetTensorStride(tensor, &stride);
  diopiGetTensorNumel(tensor, &count);
  diopiGetTensorElemSize(tensor, &bytes);
  diopiGetTensorData(tensor, &data);
  if (dim < 0) dim += shape.len;
  if (shape.len == 0 || count == 0 || shape.data[dim] < 2) return false;
  const int64_t size = shape.data[dim];
  bool changed = false;
  std::vector<unsigned char> kept(static_cast<size_t>(bytes));
  for (int64_t index = 0; index < count; ++index) {
    int64_t offset = 0;
    int64_t rest = index;
    int64_t place = 0;
    for (int64_t d = shape.len - 1; d >= 0; --d) {
      if (d == dim) place = rest % shape.data[d];
      offset += rest % shape.data[d] * stride.data[d];
      rest /= shape.data[d];
    }
    if (place >= size - 1 - place) continue;
    unsigned char* a = static_cast<unsigned char*>(data) + offset * bytes;
    unsigned char* b = a + (size - 1 - 2 * place) * stride.data[dim] * bytes;
    changed = changed || std::memcmp(a, b, kept.size()) != 0;
    std::memcpy(kept.data(), a, kept.size());
    std::memcpy(a, b, kept.size());
    std::memcpy(b, kept.data(), kept.size());
  }
  return changed;
}

InputsKept::InputsKept(const Inputs& inputs) {
  for (const diopiConstTensorHandle_t input : inputs) {
    if (input == nullptr) continue;
    int64_t offset = 0;
    int64_t element = 0;
    size_t bytes = 0;
    const void* data = nullptr;
    diopiGetTensorDataConst(input, &data);
    diopiGetTensorStorageOffset(input, &offset);
    diopiGetTensorStorageNbytes(input, &bytes);
    diopiGetTensorElemSize(input, &element);
    if (data == nullptr || bytes == 0) continue;
    auto* start = static_cast<unsigned char*>(const_cast<void*>(data)) - offset * element;
    kept_.push_back({start, {start, start + bytes}});
  }
}

InputsKept::~InputsKept() {
  // In reverse: a tensor that was given twice was first copied unchanged.
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept)
    std::memcpy(kept->data, kept->bytes.data(), kept->bytes.size());
}

}  // namespace diopi::testing
