// pad: elements added before and after the last dimensions, or cut off where a number is negative.
#include <string_view>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

enum class Edge { kConstant, kReflect, kReplicate, kCircular };

Edge EdgeOf(const char* mode) {
  const std::string_view name = mode == nullptr ? "" : mode;
  if (name == "constant") return Edge::kConstant;
  if (name == "reflect") return Edge::kReflect;
  if (name == "replicate") return Edge::kReplicate;
  Check(name == "circular", "mode must be constant, reflect, replicate or circular, got '", name, "'");
  return Edge::kCircular;
}

// The place among `length` that a place outside stands for; -1 for none.
DIOPI_HD int64_t Inside(int64_t place, int64_t length, Edge edge) {
  if (place >= 0 && place < length) return place;
  switch (edge) {
    case Edge::kReflect:
      return place < 0 ? -place : 2 * (length - 1) - place;
    case Edge::kReplicate:
      return place < 0 ? 0 : length - 1;
    case Edge::kCircular:
      return place < 0 ? place + length : place - length;
    default:
      return -1;
  }
}

constexpr int kMaxRank = 8;

// From a place in the output to one in the input.
struct Frame {
  int64_t before[kMaxRank] = {};
  int64_t in[kMaxRank] = {};
  int64_t out[kMaxRank] = {};
  int rank = 0;
  Edge edge = Edge::kConstant;

  Frame(const Shape& shape, const Shape& pad, Edge at) : rank(static_cast<int>(shape.size())), edge(at) {
    Check(rank <= kMaxRank, "more than ", kMaxRank, " dimensions");
    Check(pad.size() % 2 == 0 && pad.size() <= 2 * shape.size(), pad.size(), " pads for ", rank,
          " dimensions");
    for (size_t d = 0; d < shape.size(); ++d) {
      const size_t i = 2 * (shape.size() - 1 - d);
      const int64_t left = i < pad.size() ? pad[i] : 0, right = i < pad.size() ? pad[i + 1] : 0;
      before[d] = left;
      in[d] = shape[d];
      out[d] = shape[d] + left + right;
      Check(out[d] >= 0, "pads of ", left, " and ", right, " for a dimension of ", shape[d]);
      const int64_t most = left > right ? left : right;
      Check(most <= 0 || edge == Edge::kConstant || (edge == Edge::kReplicate && shape[d] > 0) ||
                most < shape[d] + (edge == Edge::kCircular ? 1 : 0),
            "a pad of ", most, " for a dimension of ", shape[d]);
    }
  }
  Shape shape() const { return {out, out + rank}; }

  // -1: the constant.
  DIOPI_HD int64_t operator()(int64_t i) const {
    int64_t from = 0, stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t place = Inside(i % out[d] - before[d], in[d], edge);
      if (place < 0) return -1;
      from += place * stride;
      stride *= in[d];
      i /= out[d];
    }
    return from;
  }
};

template <typename C>
struct Padded {
  Out<C> out;
  In<C> x;
  Frame frame;
  C value;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t from = frame(i);
    out.Set(i, from < 0 ? value : C(x[from]));
  }
};

}  // namespace

DIOPI_KERNEL(diopiPad, a) {
  const Tensor out(a.out), x(a.input);
  const Frame frame(x.shape(), Sizes(a.pad), EdgeOf(a.mode));
  CheckShape(out, frame.shape(), "out");
  const double value = a.value == nullptr ? 0 : *a.value;
  DispatchAny(x.dtype(), [&]<typename C>() {
    C constant;
    if constexpr (kIsInteger<C>) {
      constant = static_cast<int64_t>(value);
    } else {
      constant = Rounded<C>(static_cast<long double>(value));
    }
    ForEach(Queue(a.ctx), out.numel(), Padded<C>{Out<C>(out), In<C>(x), frame, constant});
  });
}

}  // namespace diopi::ops::both
