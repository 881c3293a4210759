// Addressing by index tensors on a GPU.
//
// The CPU reference fails for an index out of bounds. Here the check would have to wait for the device, so
// such an index reads NaN (0 for integers) and writes nothing, and no memory outside the tensor is touched.
//
// Where several elements go to one destination, they are sorted by destination (stably) and one thread
// combines each group in the order of the input: the same result in every run, and the CPU reference's order.
#ifndef BASELINES_OPS_INDEX_INDEX_CUDA_H_
#define BASELINES_OPS_INDEX_INDEX_CUDA_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "baselines/ops/index/index_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {

// A position counted from the end when negative; -1 outside [-size, size).
DIOPI_HD inline int64_t Wrapped(int64_t index, int64_t size) {
  const int64_t position = index < 0 ? index + size : index;
  return position >= 0 && position < size ? position : -1;
}

template <typename C>
DIOPI_HD C OutOfBounds() {
  if constexpr (kIsInteger<C>) {
    return 0;
  } else {
    return C(NAN);
  }
}

// Where element i of an index tensor points: `size` places along one dimension, `stride` elements apart.
struct Target {
  In<int64_t> index;
  Layout others;  // of the other dimensions, over the index tensor's shape
  int64_t size = 1;
  int64_t stride = 1;

  Target(const In<int64_t>& index_in, const IndexedShapes& shapes, Shape strides)
      : index(index_in), size(shapes.shape[shapes.axis]) {
    if (strides.empty()) strides = {1};  // 0-d
    stride = strides[shapes.axis];
    strides[shapes.axis] = 0;
    others = MakeLayout(shapes.index, strides);
  }
  // -1 out of bounds.
  DIOPI_HD int64_t Place(int64_t i) const { return Wrapped(index[i], size); }
  DIOPI_HD int64_t Offset(int64_t i, int64_t place) const { return others.Offset(i) + place * stride; }
  // The position in the tensor, -1 out of bounds.
  DIOPI_HD int64_t operator()(int64_t i) const {
    const int64_t place = Place(i);
    return place < 0 ? -1 : Offset(i, place);
  }
};

// out[i] = the element that index i points to.
template <typename C>
struct PickElements {
  Target target;  // with the strides of x
  const void* x;
  diopiDtype_t dtype;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = target.Place(i);
    out.Set(i, place < 0 ? OutOfBounds<C>() : LoadElement<C>(x, dtype, target.Offset(i, place)));
  }
  // Slices whose elements are neighbours.
  bool Quads() const {
    return target.index.RepeatsQuads() && target.stride % 4 == 0 && InQuads<C>(x, dtype, target.others) &&
           out.Quads();
  }
  DIOPI_HD void Quad(int64_t quad) const {
    const int64_t place = target.Place(4 * quad);
    const C none = OutOfBounds<C>();
    out.SetQuad(quad, place < 0 ? Four<C>{{none, none, none, none}}
                                : LoadFour<C>(x, dtype, target.Offset(4 * quad, place)));
  }
};

// Elements 0 to n - 1 sorted by destination.
struct Groups {
  const uint32_t* destinations = nullptr;
  const uint32_t* sources = nullptr;
  int64_t n = 0;
  uint32_t none = 0;  // the destination of elements that go nowhere

  // Whether place i is the first one of a group.
  DIOPI_HD bool Starts(int64_t i) const {
    return destinations[i] != none && (i == 0 || destinations[i] != destinations[i - 1]);
  }
  DIOPI_HD bool Continues(int64_t i, int64_t first) const {
    return i < n && destinations[i] == destinations[first];
  }
  DIOPI_HD int64_t Destination(int64_t i) const { return destinations[i]; }
};

template <typename F>
struct WriteDestinations {
  F destination;
  KeyedValues<uint32_t> pairs;
  uint32_t none;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t to = destination(i);
    pairs.keys[i] = to < 0 ? none : static_cast<uint32_t>(to);
    pairs.values[i] = static_cast<uint32_t>(i);
  }
};

// `destination(i)` is below `destinations`, or negative for nowhere.
template <typename F>
Groups GroupByDestination(const Queue& queue, int64_t n, int64_t destinations, const F& destination) {
  if (n <= 0) return {};
  Check(n < int64_t{1} << 32 && destinations < int64_t{1} << 32, "indexing with ", n, " of ", destinations,
        " elements is not implemented");
  const auto none = static_cast<uint32_t>(destinations);
  int bits = 1;
  while (bits < 32 && none >> bits != 0) ++bits;
  KeyedValues<uint32_t> pairs{queue.Buffer<uint32_t>(n), queue.Buffer<uint32_t>(n)};
  ForEach(queue, n, WriteDestinations<F>{destination, pairs, none});
  pairs = SortByKey(queue, pairs, n, bits);
  return {pairs.keys, pairs.values, n, none};
}

// out[d] = base[d] combined with all sources of d, one after the other. One call per element.
template <typename C>
struct CombineGroups {
  Groups groups;
  In<C> base, source;
  Out<C> out;
  ScatterReduce reduce;
  DIOPI_HD void operator()(int64_t first) const {
    if (!groups.Starts(first)) return;
    const int64_t to = groups.Destination(first);
    C value = base[to];
    for (int64_t i = first; groups.Continues(i, first); ++i) {
      const C x = source[groups.sources[i]];
      value = reduce == ScatterReduce::kAdd        ? WrapAdd(value, x)
              : reduce == ScatterReduce::kMultiply ? WrapMul(value, x)
                                                   : x;
    }
    out.Set(to, value);
  }
};

// *at = the greater one, whatever else is put there at the same time.
DIOPI_HD inline void PutGreater(uint32_t* at, uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(at, value);
#else
  if (*at < value) *at = value;
#endif
}
// Where there is one, the last source of each destination wins: its number plus 1; else 0.
template <typename F>
struct FindLast {
  F destination;
  uint32_t* last;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t to = destination(i);
    if (to >= 0) PutGreater(last + to, static_cast<uint32_t>(i + 1));
  }
};
template <typename C>
struct TakeLast {
  In<C> source;
  const uint32_t* last;
  DIOPI_HD C operator()(int64_t i, C before) const { return last[i] == 0 ? before : source[last[i] - 1]; }
};

// out = base (zeros where it is null), combined with source[i] at destination(i) for every i below n.
template <typename C, typename F>
void ScatterElements(const Queue& queue, const Tensor& out, const Tensor& base, int64_t n,
                     const F& destination, const In<C>& source, ScatterReduce reduce) {
  const In<C> before = base ? In<C>(base) : In<C>::Constant(C(0));
  const Out<C> result(out);
  if (reduce == ScatterReduce::kReplace && n < std::numeric_limits<uint32_t>::max()) {
    auto* const last = queue.Buffer<uint32_t>(out.numel());
    queue.Zero(last, out.numel() * static_cast<int64_t>(sizeof(uint32_t)));
    ForEach(queue, n, FindLast<F>{destination, last});
    return Map(queue, out.numel(), result, AtIndex{TakeLast<C>{source, last}}, before);
  }
  const Groups groups = GroupByDestination(queue, n, out.numel(), destination);
  const bool in_place = base && base.data() == out.data();
  if (!in_place) Copy(queue, out.numel(), result, before);
  ForEach(queue, groups.n, CombineGroups<C>{groups, before, source, result, reduce});
}

// Sums of slices: tensors of (outer, slices, inner) elements.
template <typename C>
struct SumSlices {
  Groups groups;  // of slices
  In<C> grad;
  Out<C> out;
  int64_t outer, inner, size;  // size: slices of out
  bool divide;                 // each by the number of slices that go to the same place
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t first = i / (outer * inner), rest = i % (outer * inner);
    if (!groups.Starts(first)) return;
    int64_t end = first;
    while (divide && groups.Continues(end, first)) ++end;
    const int64_t o = rest / inner, k = rest % inner;
    C sum = C(0);
    for (int64_t j = first; groups.Continues(j, first); ++j) {
      const C g = grad[(o * groups.n + groups.sources[j]) * inner + k];
      sum += divide ? g / static_cast<C>(end - first) : g;
    }
    out.Set((o * size + groups.Destination(first)) * inner + k, sum);
  }
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_INDEX_INDEX_CUDA_H_
