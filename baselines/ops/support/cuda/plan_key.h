// What a plan or an algorithm of NVIDIA's libraries is kept by: numbers alone, so that finding it costs less
// than a kernel's launch.
#ifndef BASELINES_OPS_SUPPORT_CUDA_PLAN_KEY_H_
#define BASELINES_OPS_SUPPORT_CUDA_PLAN_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "baselines/ops/support/op.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops::cuda {

// The greatest power of two, at most `most`, that the address is a multiple of.
inline int64_t AlignmentOf(const void* data, uint64_t most) {
  const uint64_t bits = reinterpret_cast<uint64_t>(data) | most;
  return static_cast<int64_t>(bits & (~bits + 1));
}

class PlanKey {
 public:
  template <typename... Numbers>
  explicit PlanKey(Numbers... numbers) {
    (Add(static_cast<int64_t>(numbers)), ...);
  }

  void Add(int64_t number) {
    Check(count_ < numbers_.size(), "a plan depends on more than ", numbers_.size(), " numbers");
    numbers_[count_++] = number;
  }
  // Dtype, sizes, strides, and the address's alignment to at most `alignment` bytes.
  void Add(const Tensor& tensor, uint64_t alignment) {
    if (!tensor) return Add(-1);
    Add(tensor.dtype());
    Add(tensor.rank());
    for (const int64_t size : tensor.shape()) Add(size);
    for (const int64_t stride : tensor.strides()) Add(stride);
    Add(AlignmentOf(tensor.data(), alignment));
  }

  bool operator==(const PlanKey&) const = default;

  struct Hash {
    size_t operator()(const PlanKey& key) const {
      uint64_t hash = key.count_;
      for (size_t i = 0; i < key.count_; ++i) {
        hash = (hash ^ static_cast<uint64_t>(key.numbers_[i])) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };

 private:
  size_t count_ = 0;
  std::array<int64_t, 48> numbers_{};
};

// Values by key. When there are too many, all are dropped. Not thread-safe.
template <typename Value>
class KeptByKey {
 public:
  // Null: not known. Valid until the next Keep.
  Value* Find(const PlanKey& key) {
    const auto known = values_.find(key);
    return known == values_.end() ? nullptr : &known->second;
  }
  Value* Keep(const PlanKey& key, Value value) {
    if (values_.size() >= kMost) values_.clear();
    return &values_.insert_or_assign(key, std::move(value)).first->second;
  }

 private:
  static constexpr size_t kMost = 1000;

  std::unordered_map<PlanKey, Value, PlanKey::Hash> values_;
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_PLAN_KEY_H_
