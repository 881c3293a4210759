#include "baselines/compare/contraction.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "baselines/compare/contraction_kernel.h"
#include "cases/base/half.h"
#include "cases/base/layout.h"
#include "cases/core/random.h"

namespace diopi::baselines {
namespace {

using cases::Letters;

// Reads neighbours.
void LoadRun(const TensorView& tensor, int64_t from, int64_t count, double* out) {
  const char* data = tensor.data.data() + from * ElementSize(tensor.dtype);
  const auto elements = static_cast<size_t>(count);
  switch (tensor.dtype) {
    case v1::Dtype::float32:
      return WidenFloat32(data, elements, out);
    case v1::Dtype::bfloat16:
      return WidenBfloat16(data, elements, out);
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

// Elements of which the values and their sums stay in the processor's first cache.
constexpr size_t kPart = 1024;

// Calls `f(at, count)` for parts of a list, each of a part of one run or of whole runs.
template <typename F>
void ForParts(const Offsets& offsets, F&& f) {
  const auto run = static_cast<size_t>(offsets.run);
  const size_t size = offsets.at.size();
  for (size_t begin = 0; begin < size;) {
    const size_t in_run = run - begin % run;
    const size_t part = run >= kPart ? std::min(kPart, in_run) : kPart / run * run;
    const size_t count = std::min(part, size - begin);
    f(begin, count);
    begin += count;
  }
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
                                   const TensorView* tensor) {
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

void Operand::Load(int64_t base, const Offsets& offsets, size_t at, size_t count, double* out) const {
  for (size_t i = 0; i < count; i += static_cast<size_t>(offsets.run)) {
    const auto run = std::min(offsets.run, static_cast<int64_t>(count - i));
    LoadRun(*tensor_, base + offsets.at[at + i], run, out + i);
  }
}

std::vector<double> Operand::Contract(int64_t base, const Offsets& kept, const Offsets& summed,
                                      const std::vector<double>& weights) const {
  std::vector<double> sums(kept.at.size(), 0.0);
  std::vector<double> values(kPart);
  if (summed.run >= kept.run) {
    for (size_t a = 0; a < sums.size(); ++a) {
      ForParts(summed, [&](size_t at, size_t count) {
        Load(base + kept.at[a], summed, at, count, values.data());
        sums[a] += Dot(weights.data() + at, values.data(), count);
      });
    }
    return sums;
  }
  ForParts(kept, [&](size_t at, size_t count) {
    for (size_t b = 0; b < summed.at.size(); ++b) {
      Load(base + summed.at[b], kept, at, count, values.data());
      AddScaled(weights[b], values.data(), count, sums.data() + at);
    }
  });
  return sums;
}

std::vector<double> RandomSigns(uint64_t key, size_t count) {
  std::vector<double> signs;
  signs.reserve(count);
  for (size_t i = 0; i < count; ++i) signs.push_back((RandomBits(key, i, 0) & 1) != 0 ? 1.0 : -1.0);
  return signs;
}

}  // namespace diopi::baselines
