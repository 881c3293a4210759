// Shared by operators that only move elements: out[i] = x[from(i)].
#ifndef BASELINES_OPS_TENSOR_MOVING_H_
#define BASELINES_OPS_TENSOR_MOVING_H_

#include <algorithm>
#include <vector>

#include "baselines/ops/both.h"

namespace diopi::ops::both {

template <typename C, typename From>
struct Moved {
  Out<C> out;
  In<C> x;
  From from;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = from(i);
    out.Set(i, place < 0 ? C(0) : C(x[place]));
  }
};

// out[i] = x[from(i)], or zero where from(i) is negative.
template <typename From>
void Move(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const From& from) {
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(Queue(ctx), out.numel(), Moved<C, From>{Out<C>(out), In<C>(x), from});
  });
}

// One dimension of the output: its element i comes from (start + i * step) modulo `size` of the input's
// dimension, whose neighbours are `stride` elements apart.
struct Line {
  int64_t count = 1;
  int64_t start = 0;
  int64_t step = 1;
  int64_t size = 1;
  int64_t stride = 0;
};
using Lines = std::vector<Line>;

// Every dimension unchanged.
inline Lines LinesOf(const Shape& shape) {
  const Shape strides = DenseStrides(shape);
  Lines lines;
  for (size_t d = 0; d < shape.size(); ++d) lines.push_back({shape[d], 0, 1, shape[d], strides[d]});
  return lines;
}

inline Shape ShapeOf(const Lines& lines) {
  Shape shape;
  for (const Line& line : lines) shape.push_back(line.count);
  return shape;
}

class Places {
 public:
  explicit Places(const Lines& lines) : rank_(static_cast<int>(lines.size())) {
    Check(rank_ <= kMaxRank, "more than ", kMaxRank, " dimensions");
    std::copy(lines.begin(), lines.end(), lines_);
  }
  DIOPI_HD int64_t operator()(int64_t i) const {
    int64_t from = 0;
    for (int d = rank_ - 1; d >= 0; --d) {
      const Line& line = lines_[d];
      from += (line.start + i % line.count * line.step) % line.size * line.stride;
      i /= line.count;
    }
    return from;
  }

 private:
  static constexpr int kMaxRank = 8;
  Line lines_[kMaxRank];
  int rank_;
};

inline void MoveLines(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Lines& lines) {
  CheckShape(out, ShapeOf(lines), "out");
  Move(ctx, out, x, Places(lines));
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_TENSOR_MOVING_H_
