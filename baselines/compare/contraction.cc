// Three loops serve all orders of axes, each reading memory in runs of neighbours: along runs, where what is
// summed is contiguous; across runs, with all sums in the cache; and part by part, where there are too many
// sums for that. Chunks of terms depend on sizes alone and are added in order, so threads change no bit.
#include "baselines/compare/contraction.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "baselines/compare/contraction_kernel.h"
#include "cases/base/half.h"
#include "cases/base/layout.h"
#include "cases/base/parallel.h"
#include "cases/fill/random.h"

namespace diopi::baselines {
namespace {

using slices::Letters;

constexpr size_t kPart = 1024;  // elements whose values and sums stay in the processor's first cache
constexpr size_t kFewSums = size_t{1} << 13;  // stay in its second one
constexpr int64_t kMostChunks = 64;

bool HasKernel(Dtype dtype) {
  return dtype == v1::Dtype::float32 || dtype == v1::Dtype::bfloat16 || dtype == v1::Dtype::float64;
}

// `count` neighbours, no more than kPart, as float64.
const char* Widen(const TensorView& tensor, int64_t from, size_t count, double (&values)[kPart]) {
  const char* data = tensor.data.data() + from * ElementSize(tensor.dtype);
  for (size_t i = 0; i < count; ++i) {
    if (tensor.dtype != v1::Dtype::float16) {
      values[i] = ElementAsDouble(tensor.dtype, data, static_cast<int64_t>(i));
      continue;
    }
    uint16_t bits;
    std::memcpy(&bits, data + 2 * i, 2);
    // The exponent's bias differs by 112; subnormal numbers come out right as well.
    const float size = std::bit_cast<float>((uint32_t{bits} & 0x7fffU) << 13) * 0x1p112F;
    values[i] = static_cast<double>((bits & 0x8000U) != 0 ? -size : size);
    if ((bits & 0x7c00U) == 0x7c00U) values[i] = Float16ToDouble(bits);
  }
  return reinterpret_cast<const char*>(values);
}

double DotOf(const TensorView& tensor, int64_t from, const double* weights, size_t count) {
  if (HasKernel(tensor.dtype))
    return Dot(tensor.dtype, tensor.data.data() + from * ElementSize(tensor.dtype), weights, count);
  double values[kPart];
  double sum = 0;
  for (size_t at = 0; at < count; at += kPart) {
    const size_t part = std::min(kPart, count - at);
    const char* widened = Widen(tensor, from + static_cast<int64_t>(at), part, values);
    sum += Dot(v1::Dtype::float64, widened, weights + at, part);
  }
  return sum;
}

void AddTo(const TensorView& tensor, int64_t from, double weight, size_t count, double* sums) {
  if (HasKernel(tensor.dtype))
    return AddScaled(tensor.dtype, weight, tensor.data.data() + from * ElementSize(tensor.dtype), count,
                     sums);
  double values[kPart];
  for (size_t at = 0; at < count; at += kPart) {
    const size_t part = std::min(kPart, count - at);
    const char* widened = Widen(tensor, from + static_cast<int64_t>(at), part, values);
    AddScaled(v1::Dtype::float64, weight, widened, part, sums + at);
  }
}

// Items that make a part of a pass worth a thread, where each takes so many elements.
int64_t GrainOf(const TensorView& tensor, size_t elements) {
  const int64_t bytes = static_cast<int64_t>(std::max<size_t>(elements, 1)) * ElementSize(tensor.dtype);
  return std::max<int64_t>(1, kParallelBytes / bytes);
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

std::optional<Operand> Operand::Of(const slices::ResolvedAxes& axes, const std::string& name,
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

// Sums along runs.
void Operand::SumRuns(int64_t base, const Offsets& kept, const Offsets& summed,
                      const std::vector<double>& weights, std::vector<double>* sums) const {
  const auto run = static_cast<size_t>(summed.run);
  const auto count = static_cast<int64_t>(sums->size());
  ForRanges(count, GrainOf(*tensor_, summed.at.size()), [&](int64_t begin, int64_t end) {
    for (auto a = static_cast<size_t>(begin); a < static_cast<size_t>(end); ++a) {
      for (size_t at = 0; at < summed.at.size(); at += run)
        (*sums)[a] += DotOf(*tensor_, base + kept.at[a] + summed.at[at], weights.data() + at, run);
    }
  });
}

// Sums across runs that are few elements, in chunks whose sums are added up in order.
void Operand::AddFewRuns(int64_t base, const Offsets& kept, const Offsets& summed,
                         const std::vector<double>& weights, std::vector<double>* sums) const {
  const auto run = static_cast<size_t>(kept.run);
  const auto terms = static_cast<int64_t>(summed.at.size());
  const int64_t grain = std::max(GrainOf(*tensor_, kept.at.size()), (terms + kMostChunks - 1) / kMostChunks);
  std::vector<std::vector<double>> chunks(static_cast<size_t>((terms + grain - 1) / grain));
  ForRanges(terms, grain, [&](int64_t begin, int64_t end) {
    std::vector<double>& own = chunks[static_cast<size_t>(begin / grain)];
    own.resize(kept.at.size());
    for (auto b = static_cast<size_t>(begin); b < static_cast<size_t>(end); ++b) {
      for (size_t at = 0; at < kept.at.size(); at += run)
        AddTo(*tensor_, base + summed.at[b] + kept.at[at], weights[b], run, own.data() + at);
    }
  });
  if (!chunks.empty()) *sums = std::move(chunks[0]);
  for (size_t chunk = 1; chunk < chunks.size(); ++chunk) {
    for (size_t i = 0; i < sums->size(); ++i) (*sums)[i] += chunks[chunk][i];
  }
}

// Sums across runs that are many elements, part by part.
void Operand::AddManyRuns(int64_t base, const Offsets& kept, const Offsets& summed,
                          const std::vector<double>& weights, std::vector<double>* sums) const {
  const auto run = static_cast<size_t>(kept.run);
  const size_t parts = (run + kPart - 1) / kPart;  // of a run
  const auto count = static_cast<int64_t>(kept.at.size() / run * parts);
  const int64_t grain = GrainOf(*tensor_, std::min(run, kPart) * summed.at.size());
  ForRanges(count, grain, [&](int64_t begin, int64_t end) {
    for (auto part = static_cast<size_t>(begin); part < static_cast<size_t>(end); ++part) {
      const size_t in_run = part % parts * kPart;
      const size_t at = part / parts * run + in_run;
      const size_t elements = std::min(kPart, run - in_run);
      for (size_t b = 0; b < summed.at.size(); ++b)
        AddTo(*tensor_, base + summed.at[b] + kept.at[at], weights[b], elements, sums->data() + at);
    }
  });
}

std::vector<double> Operand::Contract(int64_t base, const Offsets& kept, const Offsets& summed,
                                      const std::vector<double>& weights) const {
  std::vector<double> sums(kept.at.size(), 0.0);
  if (summed.run >= kept.run) {
    SumRuns(base, kept, summed, weights, &sums);
  } else if (kept.at.size() <= kFewSums) {
    AddFewRuns(base, kept, summed, weights, &sums);
  } else {
    AddManyRuns(base, kept, summed, weights, &sums);
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
