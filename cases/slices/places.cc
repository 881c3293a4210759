#include "cases/slices/places.h"

#include <cstring>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "cases/base/parallel.h"

namespace diopi::slices {
namespace {

// Copies `count` elements from the flat index `begin` on.
using Read = absl::FunctionRef<void(int64_t begin, int64_t count, char* to)>;

// Most places lie outside the caches: processors wait for them side by side.
constexpr int64_t kParallelPlaces = 2048;

// Runs of neighbours are read at once.
char* ReadList(absl::Span<const int64_t> list, int64_t base, int64_t element, Read read, char* to) {
  for (size_t i = 0; i < list.size();) {
    size_t run = 1;
    while (i + run < list.size() && list[i + run] == list[i] + static_cast<int64_t>(run)) ++run;
    const auto count = static_cast<int64_t>(run);
    read(base + list[i], count, to);
    to += count * element;
    i += run;
  }
  return to;
}

// The elements at the lists' combinations, from this axis on.
char* ReadGrid(const std::vector<int64_t>& shape, const Places& places, size_t axis, int64_t base,
               int64_t element, Read read, char* to) {
  const std::vector<int64_t>& list = places.lists[axis];
  if (axis + 1 == places.lists.size()) return ReadList(list, base, element, read, to);
  int64_t inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  for (const int64_t at : list) to = ReadGrid(shape, places, axis + 1, base + at * inner, element, read, to);
  return to;
}

HostTensor Take(Dtype dtype, const std::vector<int64_t>& shape, const Places& places, Read read) {
  HostTensor taken{dtype, {}, {}};
  const bool flat = places.lists.empty();
  if (!flat) {
    for (const std::vector<int64_t>& list : places.lists)
      taken.shape.push_back(static_cast<int64_t>(list.size()));
  } else if (!shape.empty()) {
    taken.shape = {static_cast<int64_t>(places.flat.size())};
  }
  const int64_t element = ElementSize(dtype);
  taken.data.resize(static_cast<size_t>(NumElements(taken.shape) * element));
  if (taken.data.empty()) return taken;
  if (flat) {
    const absl::Span<const int64_t> all = places.flat;
    char* const data = taken.data.data();
    ForRanges(static_cast<int64_t>(all.size()), kParallelPlaces, [&](int64_t begin, int64_t end) {
      const auto part = all.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      ReadList(part, 0, element, read, data + begin * element);
    });
  } else {
    ReadGrid(shape, places, 0, 0, element, read, taken.data.data());
  }
  return taken;
}

}  // namespace

HostTensor TakePlaces(const TensorView& whole, const Places& places) {
  const int64_t element = ElementSize(whole.dtype);
  return Take(whole.dtype, whole.shape, places, [&](int64_t begin, int64_t count, char* to) {
    std::memcpy(to, whole.data.data() + begin * element, static_cast<size_t>(count * element));
  });
}

HostTensor TakePlaces(const BlockTensor& whole, const Places& places) {
  const int64_t element = ElementSize(whole.dtype());
  whole.Pool();  // before threads copy from it
  return Take(whole.dtype(), whole.shape(), places, [&](int64_t begin, int64_t count, char* to) {
    whole.Write(begin * element, count * element, to);
  });
}

HostTensor TakeFlat(const TensorView& whole, const std::vector<int64_t>& flat) {
  HostTensor taken = TakePlaces(whole, {{}, flat});
  taken.shape = {static_cast<int64_t>(flat.size())};
  return taken;
}

}  // namespace diopi::slices
