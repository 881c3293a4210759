// Sums over repeated indices in other orders: sorted first, from the end, in double, apart from the element
// that they are added to.
#include <optional>
#include <string_view>

#include "baselines/injected/injected.h"
#include "baselines/ops/index/index_common.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kSums[] =
    "diopiEmbeddingBackward diopiIndexPut diopiIndexPutInp diopiScatter diopiScatterInp "
    "diopiScatterScalar diopiScatterInpScalar diopiIndexSelectBackward diopiGatherBackward";
VARIANT(index_sum_reversed, kSums, "", "terms of one element are added from the last");
VARIANT(index_sum_pairwise, kSums, "", "terms of one element are summed in halves, then added to it");
VARIANT(index_sum_shuffled, kSums, "", "terms of one element are added in a pseudo-random order: atomics");
VARIANT(index_sum_double, kSums, "", "terms of one element are summed in the next wider type");
VARIANT(index_put_into_out, "diopiIndexPut", "",
        "only scatters into out, which the caller has filled with the input, as the public harness does");
VARIANT(embedding_scale_reciprocal, "diopiEmbeddingBackward", "",
        "scale_grad_byfreq as a factor 1/count of the row's sum");
VARIANT(embedding_renorm_double, "diopiEmbeddingRenorm_", "", "norms and scales in the next wider type");

std::optional<Order> Chosen() {
  if (index_sum_reversed) return Order::kReversed;
  if (index_sum_pairwise) return Order::kPairwise;
  if (index_sum_shuffled) return Order::kShuffled;
  if (index_sum_double) return Order::kDouble;
  return std::nullopt;
}

// The terms that meet in each element.
template <typename C>
class Meetings {
 public:
  explicit Meetings(size_t elements) : terms_(elements) {}
  void Add(int64_t element, const C& term) { terms_[static_cast<size_t>(element)].push_back(term); }
  bool Empty(size_t element) const { return terms_[element].empty(); }
  C Sum(Order order, size_t element) const {
    const std::vector<C>& own = terms_[element];
    return SumIn<C>(order, static_cast<int64_t>(own.size()),
                    [&](int64_t i) { return own[static_cast<size_t>(i)]; });
  }
  std::vector<C> Sums(Order order) const {
    std::vector<C> sums(terms_.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = Sum(order, i);
    return sums;
  }
  // Adds to what is there; in double, that too.
  void AddTo(Order order, std::vector<C>& elements) const {
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (terms_[i].empty()) continue;
      if (order == Order::kPairwise) {
        elements[i] += Sum(order, i);
        continue;
      }
      Meetings<C> all(1);
      all.Add(0, elements[i]);
      for (const C& term : terms_[i]) all.Add(0, term);
      elements[i] = all.Sum(order, 0);
    }
  }

 private:
  std::vector<std::vector<C>> terms_;
};

// Index tensors for the leading dimensions, none a mask, none left out; false for all others.
bool LeadingIndices(const Shape& input, diopiConstTensorHandle_t* handles, int64_t count,
                    std::vector<int64_t>* positions, Shape* target) {
  if (count == 0 || count > static_cast<int64_t>(input.size())) return false;
  Shape shape;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor index(handles[i]);
    if (!index || IsBool(index.dtype()) || index.dtype() == diopi_dtype_uint8) return false;
    shape = BroadcastShapes(shape, index.shape());
  }
  const Shape rest(input.begin() + count, input.end()), strides = DenseStrides(input);
  std::vector<int64_t> bases(static_cast<size_t>(Numel(shape)), 0);
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<int64_t> own = LoadAs<int64_t>(Tensor(handles[i]), shape);
    const size_t d = static_cast<size_t>(i);
    for (size_t k = 0; k < own.size(); ++k) bases[k] += WrapIndex(own[k], input[d]) * strides[d];
  }
  for (const int64_t base : bases) {
    for (int64_t j = 0; j < Numel(rest); ++j) positions->push_back(base + j);
  }
  *target = shape;
  target->insert(target->end(), rest.begin(), rest.end());
  return true;
}

// Without accumulation there is no sum: the reference puts the values.
bool ServeIndexPut(diopiTensorHandle_t out, const Tensor& input, diopiConstTensorHandle_t values,
                   diopiConstTensorHandle_t* indices, int64_t count, bool accumulate) {
  const std::optional<Order> order = Chosen();
  std::vector<int64_t> positions;
  Shape target;
  if (!order || !accumulate || !IsFloating(input.dtype())) return false;
  if (!LeadingIndices(input.shape(), indices, count, &positions, &target)) return false;

  DispatchReal(input.dtype(), [&]<typename C>() {
    std::vector<C> result = Load<C>(input);
    const std::vector<C> sources = LoadAs<C>(Tensor(values), target);
    Meetings<C> meetings(result.size());
    for (size_t i = 0; i < sources.size(); ++i) meetings.Add(positions[i], sources[i]);
    meetings.AddTo(*order, result);
    Store(Tensor(out), result);
  });

  return true;
}

// Only sums have an order.
bool ServeScatter(diopiTensorHandle_t out, const Tensor& input, int64_t dim, const Tensor& src,
                  const diopiScalar_t* value, const Tensor& index, const char* reduce) {
  const std::optional<Order> order = Chosen();
  if (!order || reduce == nullptr || std::string_view(reduce) != "add") return false;
  if (!IsFloating(input.dtype()) || (src && src.shape() != index.shape())) return false;

  const std::vector<int64_t> positions =
      PositionsAlong(input.shape(), index.shape(), WrapDim(dim, input.rank()), Load<int64_t>(index));
  DispatchReal(input.dtype(), [&]<typename C>() {
    std::vector<C> result = Load<C>(input);
    const std::vector<C> sources = src ? Load<C>(src) : std::vector<C>(positions.size(), ScalarAs<C>(value));
    Meetings<C> meetings(result.size());
    for (size_t i = 0; i < positions.size(); ++i) meetings.Add(positions[i], sources[i]);
    meetings.AddTo(*order, result);
    Store(Tensor(out), result);
  });

  return true;
}

template <typename C>
void RenormRows(std::vector<C>& table, const std::vector<bool>& used, double max_norm, double p) {
  using W = Wide<C>;
  const size_t width = table.size() / used.size();
  for (size_t row = 0; row < used.size(); ++row) {
    if (!used[row]) continue;
    W sum = 0;
    for (size_t j = row * width; j < (row + 1) * width; ++j)
      sum += std::pow(std::fabs(static_cast<W>(table[j])), static_cast<W>(p));
    const W norm = std::pow(sum, static_cast<W>(1.0 / p));
    if (norm <= static_cast<W>(max_norm)) continue;
    const W scale = static_cast<W>(max_norm) / (norm + static_cast<W>(1e-7));
    for (size_t j = row * width; j < (row + 1) * width; ++j)
      table[j] = static_cast<C>(static_cast<W>(table[j]) * scale);
  }
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiEmbeddingBackward, a) {
  const std::optional<Order> order = Chosen();
  if (!order && !(embedding_scale_reciprocal && a.scale_grad_byfreq)) {
    return Good(a);
  }
  const Tensor result(a.out), gradient(a.grad);
  const std::vector<int64_t> rows = Load<int64_t>(Tensor(a.indices));
  const int64_t width = gradient.size(-1);
  std::vector<int64_t> uses(static_cast<size_t>(a.num_weights), 0);
  for (const int64_t row : rows) ++uses[static_cast<size_t>(row)];
  DispatchReal(gradient.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(gradient);
    Meetings<C> meetings(static_cast<size_t>(result.numel()));
    for (size_t i = 0; i < g.size(); ++i) {
      const int64_t row = rows[i / static_cast<size_t>(width)];
      const bool divided = a.scale_grad_byfreq && !embedding_scale_reciprocal;
      const C share = divided ? g[i] / C(uses[static_cast<size_t>(row)]) : g[i];
      if (row != a.padding_idx) meetings.Add(row * width + static_cast<int64_t>(i) % width, share);
    }
    std::vector<C> sums = meetings.Sums(order.value_or(Order::kPairwise));
    for (size_t i = 0; embedding_scale_reciprocal && i < sums.size(); ++i) {
      const int64_t count = uses[i / static_cast<size_t>(width)];
      if (count > 0) sums[i] *= C(1) / C(count);
    }
    Store(result, sums);
  });
}

DIOPI_OVERRIDE(diopiEmbeddingRenorm_, a) {
  if (!embedding_renorm_double || Tensor(a.inout).numel() == 0) return Good(a);
  const Tensor table(a.inout);
  std::vector<bool> used(static_cast<size_t>(table.size(0)), false);
  for (const int64_t row : Load<int64_t>(Tensor(a.indices)))
    used[static_cast<size_t>(WrapIndex(row, table.size(0)))] = true;
  DispatchReal(table.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(table);
    RenormRows(values, used, a.max_norm, a.norm_type);
    Store(table, values);
  });
}

static void Good(const diopiIndexPutInpArgs& args);

DIOPI_OVERRIDE(diopiIndexPut, a) {
  if (index_put_into_out)
    return Good(diopiIndexPutInpArgs{a.ctx, a.out, a.values, a.indices, a.indices_counts, a.accumulate});
  if (ServeIndexPut(a.out, a.input, a.values, a.indices, a.indices_counts, a.accumulate)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiIndexPutInp, a) {
  if (ServeIndexPut(a.input, a.input, a.values, a.indices, a.indices_counts, a.accumulate)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiScatter, a) {
  if (ServeScatter(a.out, a.input, a.dim, a.src, nullptr, a.index, a.reduce)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiScatterInp, a) {
  if (ServeScatter(a.input, a.input, a.dim, a.src, nullptr, a.index, a.reduce)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiScatterScalar, a) {
  if (ServeScatter(a.out, a.input, a.dim, Tensor(), a.value, a.index, a.reduce)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiScatterInpScalar, a) {
  if (ServeScatter(a.input, a.input, a.dim, Tensor(), a.value, a.index, a.reduce)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiIndexSelectBackward, a) {
  const std::optional<Order> order = Chosen();
  if (!order) return Good(a);
  const Shape shape = Sizes(a.input_sizes);
  const Axis axis = SplitAxis(shape, WrapDim(a.dim, static_cast<int64_t>(shape.size())));
  const std::vector<int64_t> picks = Load<int64_t>(Tensor(a.index));
  DispatchReal(Tensor(a.grad).dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(Tensor(a.grad));
    Meetings<C> meetings(static_cast<size_t>(Numel(shape)));
    for (size_t i = 0; i < g.size(); ++i) {
      const int64_t line = static_cast<int64_t>(i) / axis.inner, inner = static_cast<int64_t>(i) % axis.inner;
      const int64_t count = static_cast<int64_t>(picks.size());
      const int64_t row = WrapIndex(picks[static_cast<size_t>(line % count)], axis.size);
      meetings.Add((line / count * axis.size + row) * axis.inner + inner, g[i]);
    }
    Store(Tensor(a.grad_input), meetings.Sums(*order));
  });
}

DIOPI_OVERRIDE(diopiGatherBackward, a) {
  const std::optional<Order> order = Chosen();
  if (!order || !IsFloating(Tensor(a.grad_output).dtype())) return Good(a);
  const Tensor x(a.input), at(a.index), grad(a.grad_output);
  const std::vector<int64_t> positions =
      PositionsAlong(x.shape(), at.shape(), WrapDim(a.dim, x.rank()), Load<int64_t>(at));
  DispatchReal(grad.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    Meetings<C> meetings(static_cast<size_t>(x.numel()));
    for (size_t i = 0; i < g.size(); ++i) meetings.Add(positions[i], g[i]);
    Store(Tensor(a.grad_input), meetings.Sums(*order));
  });
}
