#include "baselines/compare/contraction.h"

#include <bit>
#include <cstring>

#include "cases/base/half.h"
#include "cases/base/layout.h"
#include "cases/core/random.h"

namespace diopi::baselines {
namespace {

using cases::Letters;

// Reads neighbours.
void LoadRun(const HostTensor& tensor, int64_t from, int64_t count, double* out) {
  const char* data = tensor.data.data() + from * ElementSize(tensor.dtype);
  const auto elements = static_cast<size_t>(count);
  switch (tensor.dtype) {
    case v1::Dtype::float32:
      for (size_t i = 0; i < elements; ++i) {
        float value;
        std::memcpy(&value, data + 4 * i, 4);
        out[i] = static_cast<double>(value);
      }
      return;
    case v1::Dtype::bfloat16:
      for (size_t i = 0; i < elements; ++i) {
        uint16_t bits;
        std::memcpy(&bits, data + 2 * i, 2);
        out[i] = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
      }
      return;
    case v1::Dtype::float16:
      for (size_t i = 0; i < elements; ++i) {
        uint16_t bits;
        std::memcpy(&bits, data + 2 * i, 2);
        // The exponent's bias differs by 112; subnormal numbers come out right as well.
        const float size = std::bit_cast<float>((uint32_t{bits} & 0x7fffU) << 13) * 0x1p112F;
        out[i] = static_cast<double>((bits & 0x8000U) != 0 ? -size : size);
        if ((bits & 0x7c00U) == 0x7c00U) out[i] = Float16ToDouble(bits);
      }
      return;
    default:
      for (int64_t i = 0; i < count; ++i)
        out[i] = ElementAsDouble(tensor.dtype, tensor.data.data(), from + i);
  }
}

// In eight sums, which the processor adds up side by side.
double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr size_t kSums = 8;
  double sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums <= a.size(); i += kSums) {
    for (size_t k = 0; k < kSums; ++k) sums[k] += a[i + k] * b[i + k];
  }
  double all = 0;
  for (; i < a.size(); ++i) all += a[i] * b[i];
  for (const double sum : sums) all += sum;
  return all;
}

int64_t RunOf(const std::vector<int64_t>& at) {
  size_t run = 1;
  while (run < at.size() && at[run] == at[0] + static_cast<int64_t>(run)) ++run;
  if (at.size() % run != 0) return 1;
  for (size_t i = 0; i < at.size(); ++i) {
    if (i % run != 0 && at[i] != at[i - 1] + 1) return 1;
  }
  return static_cast<int64_t>(run);
}

}  // namespace

std::optional<Operand> Operand::Of(const cases::ResolvedAxes& axes, const std::string& name,
                                   const HostTensor* tensor) {
  const auto found = axes.tensors.find(name);
  if (found == axes.tensors.end() || tensor == nullptr || tensor->shape.size() != found->second.size())
    return std::nullopt;
  Operand operand;
  operand.tensor_ = tensor;
  operand.axes_ = found->second;
  operand.sizes_ = &axes.sizes;
  const std::vector<int64_t> strides = ContiguousStrides(tensor->shape);
  for (size_t i = 0; i < strides.size(); ++i) {
    const Letters& letters = found->second[i];
    int64_t stride = tensor->shape[i] == 1 ? 0 : strides[i];
    for (size_t k = letters.size(); k-- > 0; stride *= axes.sizes.at(letters[k])) {
      operand.strides_[letters[k]] = stride;
    }
  }
  return operand;
}

bool Operand::IsWhole() const {
  int64_t elements = 1;
  for (const auto& [letter, stride] : strides_) elements *= sizes_->at(letter);
  return elements == NumElements(tensor_->shape);
}

Offsets Operand::Of(const Letters& letters) const {
  Offsets offsets{{0}, 1};
  for (const std::string& letter : letters) {
    const auto stride = strides_.find(letter);
    const int64_t size = sizes_->at(letter);
    std::vector<int64_t> next;
    next.reserve(offsets.at.size() * static_cast<size_t>(size));
    for (const int64_t before : offsets.at) {
      for (int64_t i = 0; i < size; ++i)
        next.push_back(before + (stride == strides_.end() ? 0 : i * stride->second));
    }
    offsets.at = std::move(next);
  }
  offsets.run = RunOf(offsets.at);
  return offsets;
}

void Operand::Load(int64_t base, const Offsets& offsets, double* out) const {
  for (size_t i = 0; i < offsets.at.size(); i += static_cast<size_t>(offsets.run))
    LoadRun(*tensor_, base + offsets.at[i], offsets.run, out + i);
}

std::vector<double> Operand::Contract(int64_t base, const Offsets& kept, const Offsets& summed,
                                      const std::vector<double>& weights) const {
  std::vector<double> sums(kept.at.size(), 0.0);
  if (summed.run >= kept.run) {
    std::vector<double> values(summed.at.size());
    for (size_t a = 0; a < sums.size(); ++a) {
      Load(base + kept.at[a], summed, values.data());
      sums[a] = Dot(weights, values);
    }
    return sums;
  }
  std::vector<double> values(kept.at.size());
  for (size_t b = 0; b < summed.at.size(); ++b) {
    Load(base + summed.at[b], kept, values.data());
    const double weight = weights[b];
    for (size_t a = 0; a < sums.size(); ++a) sums[a] += weight * values[a];
  }
  return sums;
}

std::vector<double> RandomSigns(uint64_t key, size_t count) {
  std::vector<double> signs;
  signs.reserve(count);
  for (size_t i = 0; i < count; ++i) signs.push_back((RandomBits(key, i, 0) & 1) != 0 ? 1.0 : -1.0);
  return signs;
}

}  // namespace diopi::baselines
