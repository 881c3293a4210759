// What both.h is built on in the CPU reference: the names and meanings of support/cuda's access.h,
// for_each.h and map.h, over dense copies of the tensors in the compute type, the oracle's numbers included.
#ifndef BASELINES_OPS_SUPPORT_HOST_H_
#define BASELINES_OPS_SUPPORT_HOST_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops::host {

// The CPU works at once: there is nothing to queue.
struct Queue {
  Queue() = default;
  explicit Queue(diopiContextHandle_t) {}
};

template <typename C>
class In {
 public:
  In() = default;
  explicit In(const Tensor& tensor) : In(tensor, tensor.shape()) {}
  // Broadcast to `shape`.
  In(const Tensor& tensor, const Shape& shape)
      : values_(std::make_shared<const std::vector<C>>(LoadAs<C>(tensor, shape))) {}
  // Reads as a tensor of this value, of any shape.
  static In Constant(const C& value) {
    In in;
    in.constant_ = value;
    return in;
  }

  const C& operator[](int64_t index) const {
    return values_ == nullptr ? constant_ : (*values_)[static_cast<size_t>(index)];
  }

 private:
  std::shared_ptr<const std::vector<C>> values_;
  C constant_ = C(0);
};

// The tensor is written when the last copy is gone.
template <typename C>
class Out {
 public:
  Out() = default;
  explicit Out(const Tensor& tensor) : elements_(std::make_shared<Elements>(tensor)) {
    Check(static_cast<bool>(tensor), "a required tensor is null");
    Check(tensor.writable() != nullptr || tensor.numel() == 0, "the output cannot be written");
    DispatchAny(tensor.dtype(),
                []<typename>() {});  // what cannot be stored fails here, not when it is stored
  }

  void Set(int64_t index, const C& value) const {
    elements_->Values()[static_cast<size_t>(index)] = value;
    elements_->changed = true;
  }
  void SetAll(std::vector<C> values) const {
    elements_->values = std::move(values);
    elements_->changed = true;
  }
  // The present value, for functions that update.
  const C& operator[](int64_t index) const { return elements_->Values()[static_cast<size_t>(index)]; }

 private:
  struct Elements {
    explicit Elements(const Tensor& of) : tensor(of) {}
    ~Elements() {
      if (changed) Store(tensor, values);
    }
    Elements(const Elements&) = delete;
    Elements& operator=(const Elements&) = delete;
    std::vector<C>& Values() {
      if (values.empty()) values = Load<C>(tensor);
      return values;
    }

    Tensor tensor;
    std::vector<C> values;
    bool changed = false;
  };

  std::shared_ptr<Elements> elements_;
};

template <typename F>
void ForEach(const Queue&, int64_t n, const F& f) {
  for (int64_t i = 0; i < n; ++i) f(i);
}

// out[i] = f(x[i], ...) for i below n; if f fails, `out` stays unchanged.
template <typename C, typename F, typename... X>
void Map(const Queue&, int64_t n, const Out<C>& out, const F& f, const X&... x) {
  std::vector<C> values;
  values.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) values.push_back(f(x[i]...));
  out.SetAll(std::move(values));
}

// No integer is the result.
[[noreturn]] inline int64_t IntegerDividedByZero() {
  Fail("integer division by zero");
}

}  // namespace diopi::ops::host

#endif  // BASELINES_OPS_SUPPORT_HOST_H_
