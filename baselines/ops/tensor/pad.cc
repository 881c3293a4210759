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

// The elements of a dimension that places outside stand for.
struct Span {
  int64_t begin = 0, end = 0;
  DIOPI_HD int64_t length() const { return end - begin; }
};

// The place in the span that a place outside stands for; -1 for none.
DIOPI_HD int64_t Inside(int64_t place, const Span& span, Edge edge) {
  const bool before = place < span.begin;
  if (!before && place < span.end) return place;
  switch (edge) {
    case Edge::kReflect:
      return 2 * (before ? span.begin : span.end - 1) - place;
    case Edge::kReplicate:
      return before ? span.begin : span.end - 1;
    case Edge::kCircular:
      return before ? place + span.length() : place - span.length();
    default:
      return -1;
  }
}

constexpr int kMaxRank = 8;

// Maps a place in the output to one in the input.
struct Frame {
  int64_t before[kMaxRank] = {};
  int64_t in[kMaxRank] = {};
  Span span[kMaxRank];
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
      const Span kept{left < 0 ? -left : 0, right < 0 ? shape[d] + right : shape[d]};
      const bool vanishes = out[d] == 0 && (left < 0 || right < 0) && edge != Edge::kConstant;
      Check(kept.length() >= 0 && !vanishes, "pads of ", left, " and ", right, " for a dimension of ",
            shape[d]);
      // What is cut off does not come back at the other end, but it does in a mirror, as in PyTorch.
      span[d] = edge == Edge::kCircular ? kept : Span{0, shape[d]};
      const int64_t most = left > right ? left : right;
      Check(most <= 0 || edge == Edge::kConstant || (edge == Edge::kReplicate && shape[d] > 0) ||
                most < span[d].length() + (edge == Edge::kCircular ? 1 : 0),
            "a pad of ", most, " for a dimension of ", span[d].length());
    }
  }
  Shape shape() const { return {out, out + rank}; }

  // -1: the constant.
  DIOPI_HD int64_t operator()(int64_t i) const {
    int64_t from = 0, stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t place = Inside(i % out[d] - before[d], span[d], edge);
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
