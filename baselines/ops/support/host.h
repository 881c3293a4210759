// What both.h is built on in the CPU reference: the names and meanings of support/cuda's access.h,
// for_each.h and map.h, over dense copies of the tensors in the compute type, the oracle's numbers included.
#ifndef BASELINES_OPS_SUPPORT_HOST_H_
#define BASELINES_OPS_SUPPORT_HOST_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops::host {

// The CPU works at once: there is nothing to queue.
struct Queue {
  Queue() = default;
  explicit Queue(diopiContextHandle_t) {}
};

// Elements are copied when the first one is read.
template <typename C>
class In {
 public:
  In() = default;
  explicit In(const Tensor& tensor) : In(tensor, tensor.shape()) {}
  // Broadcast to `shape`.
  In(const Tensor& tensor, const Shape& shape) : elements_(std::make_shared<Elements>(tensor, shape)) {
    CheckReadable(tensor, shape);
  }
  // Reads as a tensor of this value, of any shape.
  static In Constant(const C& value) {
    In in;
    in.constant_ = value;
    return in;
  }

  const C& operator[](int64_t index) const {
    if (values_ == nullptr) {
      if (elements_ == nullptr) return constant_;
      values_ = elements_->Values();
    }
    return values_[index];
  }
  void Read(int64_t begin, int64_t end, C* to) const {
    if (elements_ == nullptr) {
      std::fill_n(to, end - begin, constant_);
    } else {
      LoadPart(elements_->tensor, elements_->shape, begin, end, to);
    }
  }
  bool Overlaps(const Tensor& other) const {
    return elements_ != nullptr && Overlap(elements_->tensor, other);
  }

 private:
  struct Elements {
    Elements(const Tensor& of, const Shape& as) : tensor(of), shape(as) {}
    const C* Values() {
      if (values.empty()) values = LoadAs<C>(tensor, shape);
      return values.data();
    }

    Tensor tensor;
    Shape shape;
    std::vector<C> values;
  };

  std::shared_ptr<Elements> elements_;
  mutable const C* values_ = nullptr;
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
  // At once, for an output of which no element has been read or set.
  void Write(int64_t begin, int64_t end, const C* from) const {
    StorePart(elements_->tensor, begin, end, from);
  }
  // The present value, for functions that update.
  const C& operator[](int64_t index) const { return elements_->Values()[static_cast<size_t>(index)]; }
  const Tensor& tensor() const { return elements_->tensor; }

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

// Elements that stay in the processor's caches while Map works on them.
inline constexpr int64_t kMapAtOnce = 4096;

// out[i] = f(x[i], ...) for i below n, which is all of `out`. A formula that may fail for integers
// (F::kMayFail) is computed whole before any element is stored: `out` then stays unchanged.
template <typename C, typename F, typename... X>
void Map(const Queue&, int64_t n, const Out<C>& out, const F& f, const In<X>&... x) {
  Check(n == out.tensor().numel(), "expected ", n, " elements, got shape ", ShapeText(out.tensor().shape()));
  constexpr bool kMayFail = kIsInteger<C> && requires {
    F::kMayFail;
  };
  const bool whole = kMayFail || (x.Overlaps(out.tensor()) || ...);
  const int64_t step = whole ? n : std::min(n, kMapAtOnce);
  std::tuple<std::vector<X>...> parts{std::vector<X>(static_cast<size_t>(step))...};
  std::vector<C> values(static_cast<size_t>(step));
  for (int64_t begin = 0; begin < n; begin += step) {
    const int64_t end = std::min(n, begin + step);
    std::apply(
        [&](std::vector<X>&... part) {
          (x.Read(begin, end, part.data()), ...);
          for (int64_t i = 0; i < end - begin; ++i)
            values[static_cast<size_t>(i)] = f(part[static_cast<size_t>(i)]...);
        },
        parts);
    out.Write(begin, end, values.data());
  }
}

// No integer is the result.
[[noreturn]] inline int64_t IntegerDividedByZero() {
  Fail("integer division by zero");
}

}  // namespace diopi::ops::host

#endif  // BASELINES_OPS_SUPPORT_HOST_H_
