#include "cases/slices/sample.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include "cases/base/tensor.h"

namespace diopi::slices {
namespace {

constexpr int64_t kSmallestTile = 16;
constexpr int64_t kLargestTile = 1024;
constexpr int64_t kFirstMultiples = 2;  // of each tile size, counted from the axis's beginning

// Sorts numbers below `end`, in a few passes over digits: there may be a million.
void SortPlaces(int64_t end, std::vector<int64_t>* places) {
  constexpr int kDigitBits = 11;
  constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;
  std::vector<int64_t> other(places->size());
  for (int shift = 0; (end - 1) >> shift > 0; shift += kDigitBits) {
    const auto digit = [shift](int64_t place) { return (static_cast<uint64_t>(place) >> shift) % kDigits; };
    std::array<size_t, kDigits + 1> starts{};
    for (const int64_t place : *places) ++starts[digit(place) + 1];
    for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (const int64_t place : *places) other[starts[digit(place)]++] = place;
    places->swap(other);
  }
}

}  // namespace

std::vector<int64_t> TileEdges(int64_t size) {
  std::vector<int64_t> edges;
  const auto add = [&](int64_t at) {
    if (at >= 0 && at < size && std::find(edges.begin(), edges.end(), at) == edges.end()) edges.push_back(at);
  };
  add(size - 1);
  add(0);
  for (int64_t tile = kSmallestTile; tile <= kLargestTile; tile *= 2) {
    const int64_t last = (size - 1) / tile * tile;
    add(last);
    add(last - 1);
  }
  add(1);
  add(size - 2);
  for (int64_t tile = kSmallestTile; tile <= kLargestTile; tile *= 2) {
    for (int64_t i = 1; i <= kFirstMultiples; ++i) {
      add(i * tile - 1);
      add(i * tile);
    }
  }
  return edges;
}

std::vector<int64_t> SamplePositions(int64_t size, int64_t count, Draws* draws) {
  if (count >= size) {
    std::vector<int64_t> all(static_cast<size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::set<int64_t> chosen;
  const std::vector<int64_t> edges = TileEdges(size);
  const int64_t of_edges = std::min<int64_t>(std::max<int64_t>(count / 4, std::min<int64_t>(count, 2)),
                                             static_cast<int64_t>(edges.size()));
  chosen.insert(edges.begin(), edges.begin() + of_edges);
  const int64_t parts = count - of_edges;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = size * part / parts;
    chosen.insert(begin + draws->Below(std::max<int64_t>(size * (part + 1) / parts - begin, 1)));
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<int64_t> SamplePlaces(const std::vector<int64_t>& shape, int64_t count, Draws* draws) {
  const int64_t elements = NumElements(shape);
  std::vector<int64_t> places;
  if (count >= elements) {
    places.resize(static_cast<size_t>(elements));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  const int64_t parts = count / 2;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = elements * part / parts;
    places.push_back(begin + draws->Below(elements * (part + 1) / parts - begin));
  }
  places.push_back(elements - 1);
  std::vector<std::vector<int64_t>> edges;
  edges.reserve(shape.size());
  for (const int64_t size : shape) edges.push_back(TileEdges(size));
  for (int64_t i = static_cast<int64_t>(places.size()); i < count; ++i) {
    const size_t axis = static_cast<size_t>(i) % shape.size();
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t round = i / static_cast<int64_t>(shape.size());
      const int64_t position =
          d == axis ? edges[d][static_cast<size_t>(round) % edges[d].size()] : draws->Below(shape[d]);
      at = at * shape[d] + position;
    }
    places.push_back(at);
  }
  SortPlaces(elements, &places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace diopi::slices
