#include "cases/slices/axis_cutter.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "cases/base/case_parts.h"
#include "cases/slices/piece_case.h"

namespace diopi::slices {
namespace {

constexpr int64_t kMovedForOne = 8;  // elements that are moved while one is computed with its noise
constexpr int64_t kMostPositions = int64_t{1} << 22;  // in the lists of all pieces: 32 MiB
constexpr int64_t kCombinations = 2;                  // of free positions for one that is compared
constexpr int64_t kCombinationsWorthOneIn = 2;
constexpr int64_t kTries = 2;       // for each element: one may be drawn again
constexpr int64_t kEdgesOneIn = 4;  // every fourth element that is compared is at a tile's edge

}  // namespace

int64_t Dealer::Next(Draws* draws) {
  if (next_ == positions_.size()) next_ = 0;
  // The next one of a shuffle that goes on as positions are taken.
  if (next_ + 1 < positions_.size()) {
    const auto rest = static_cast<int64_t>(positions_.size() - next_);
    std::swap(positions_[next_], positions_[next_ + static_cast<size_t>(draws->Below(rest))]);
  }
  return positions_[next_++];
}

std::vector<int64_t> Dealer::Next(int64_t count, Draws* draws) {
  std::vector<int64_t> taken;
  for (int64_t i = 0; i < std::min(count, size()); ++i) taken.push_back(Next(draws));
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

bool AxisCutter::Cut(const std::vector<std::string>& outputs, const CutAxes& axes,
                     std::vector<Piece>* pieces) {
  axes_ = axes;
  limits_ = given_limits_;
  pieces_ = pieces;
  cut_.clear();
  moved_ = std::all_of(outputs.begin(), outputs.end(),
                       [&](const std::string& name) { return outputs_.at(name).moved; });
  for (const std::string& name : outputs) {
    const CutOutput& output = outputs_.at(name);
    cut_.push_back({name, grids_.LettersOf(name, *output.spec), output.budget});
  }
  const size_t before = pieces->size();
  const bool cut = Cover() || CutAlong();
  if (!cut) pieces->resize(before);
  return cut;
}

// How many pieces there are, and how many positions of each free axis each takes: so many that together they
// take `dense` ones, or all, in as many pieces as the limits allow, or in fewer with more combinations of
// positions; where that costs too much, half as many positions, and so on. Nothing where even one position of
// each is too much.
std::optional<AxisCutter::Deal> AxisCutter::FindDeal() {
  std::optional<Deal> deal = FindAffordableDeal();
  if (deal.has_value()) return deal;
  // One position of a long sum, or of attention, may take more than that.
  limits_.elements = limits_.elements_in_all;
  deal = FindAffordableDeal();
  if (deal.has_value()) return deal;
  limits_.products_in_all = limits_.most_products;
  Deal least{1, {}};
  for (const std::string& letter : axes_.free) least.positions[letter] = 1;
  return IsAffordable(least) ? std::optional<Deal>(least) : std::nullopt;
}

std::optional<AxisCutter::Deal> AxisCutter::FindAffordableDeal() const {
  int64_t most = 1;
  int64_t different = 1;  // pieces, but no more than there may be
  for (const std::string& letter : axes_.free) {
    most = std::max(most, Wanted(letter));
    different = std::min(limits_.pieces, different * Wanted(letter));
  }
  for (size_t i = 0; i < grids_.windows(); ++i)
    different = std::min(limits_.pieces, different * std::max<int64_t>(grids_.WindowStarts(axes_, i), 1));
  for (int64_t part = 1; part <= most; part *= 2) {
    std::optional<Deal> best;
    for (int64_t pieces = different; pieces > 0; pieces /= 2) {
      Deal deal{pieces, {}};
      for (const std::string& letter : axes_.free)
        deal.positions[letter] = (std::max<int64_t>(Wanted(letter) / part, 1) + pieces - 1) / pieces;
      if (!IsAffordable(deal)) continue;
      deal = WithCombinations(std::move(deal));
      if (!best.has_value() || Combinations(deal) > 2 * Combinations(*best)) best = deal;
      if (Combinations(*best) >= limits_.compared) break;
    }
    if (best.has_value()) return best;
  }
  return std::nullopt;
}

// Of positions of free axes, in all pieces.
int64_t AxisCutter::Combinations(const Deal& deal) {
  int64_t combinations = deal.pieces;
  for (const auto& [letter, count] : deal.positions) combinations *= count;
  return combinations;
}

bool AxisCutter::IsAffordable(const Deal& deal) const {
  Grid grid = grids_.New(axes_);  // of this size, wherever it lies
  for (const auto& [letter, count] : deal.positions)
    grid.lists[letter] = Range(0, std::min(count, grids_.SizeOf(letter)));
  for (size_t i = 0; i < grids_.windows(); ++i) {
    const int64_t starts = grids_.WindowStarts(axes_, i);
    if (starts > 0) grids_.TakeWindow(axes_, i, starts / 2, &grid);
  }
  // Moving an element costs less than computing with it.
  const int64_t elements = moved_ ? kMovedForOne : 1;
  const int64_t largest = grids_.LargestOf(grid);
  int64_t positions = 0;
  for (const auto& [letter, list] : grid.lists) positions += static_cast<int64_t>(list.size());
  // More combinations than elements are worth less work.
  const int64_t worth = Combinations(deal) > limits_.compared ? kCombinationsWorthOneIn : 1;
  return positions <= kMostPositions / deal.pieces &&
         grids_.WorkOf(grid) <= limits_.products_in_all / worth / deal.pieces &&
         largest <= elements * limits_.elements_in_all / deal.pieces && largest <= limits_.elements;
}

// With more positions until the elements that are compared can all have different combinations of them, and
// there is a choice, while the limits allow it: a part of an output may have few positions of two axes.
AxisCutter::Deal AxisCutter::WithCombinations(Deal deal) const {
  const auto left = [&](const std::string& letter) {
    return grids_.SizeOf(letter) / deal.positions.at(letter);
  };
  Letters letters = axes_.free;
  bool more = true;
  while (more && Combinations(deal) < kCombinations * limits_.compared) {
    std::sort(letters.begin(), letters.end(), [&](const std::string& a, const std::string& b) {
      return left(a) != left(b) ? left(a) > left(b) : a < b;
    });
    more = std::any_of(letters.begin(), letters.end(), [&](const std::string& letter) {
      Deal longer = deal;
      int64_t& count = longer.positions[letter];
      count += std::max<int64_t>(count / 4, 1);
      if (left(letter) < 2 || !IsAffordable(longer)) return false;
      deal = std::move(longer);
      return true;
    });
  }
  return deal;
}

// Pieces that share no position of an axis before every position has been in one.
bool AxisCutter::CutAlong() {
  const std::optional<Deal> deal = FindDeal();
  if (!deal.has_value()) return false;
  if (purpose_ == CutFor::kShapes) return true;
  Dealers dealers = Deck(*deal, &draws_);
  Grid all = grids_.New(axes_);
  if (purpose_ == CutFor::kPlaces)
    std::erase_if(all.lists, [&](const auto& list) { return !IsOwn(list.first); });
  for (int64_t number = 0; number < deal->pieces; ++number) {
    const Grid grid = NextGrid(all, *deal, &dealers, &draws_);
    Chosen chosen;
    for (const Output& output : cut_) {
      const int64_t share = (output.budget + deal->pieces - 1) / deal->pieces;
      chosen.push_back(Choose(output.own, grid, share));
    }
    if (!AddPiece(grid, std::move(chosen))) return false;
  }
  return true;
}

// Whether an output that is being cut has the letter.
bool AxisCutter::IsOwn(const std::string& letter) const {
  return std::any_of(cut_.begin(), cut_.end(), [&](const Output& output) {
    return std::find(output.own.begin(), output.own.end(), letter) != output.own.end();
  });
}

int64_t AxisCutter::Wanted(const std::string& letter) const {
  return std::min(limits_.dense, grids_.SizeOf(letter));
}

AxisCutter::Dealers AxisCutter::Deck(const Deal& deal, Draws* draws) const {
  Dealers dealers;
  const auto sample = [&](int64_t size, int64_t count) {
    return Dealer(SamplePositions(size, std::min(count, size), draws));
  };
  for (const auto& [letter, count] : deal.positions)
    dealers.positions.emplace(letter, sample(grids_.SizeOf(letter), deal.pieces * count));
  for (size_t i = 0; i < grids_.windows(); ++i) {
    const int64_t starts = grids_.WindowStarts(axes_, i);
    if (starts > 0) dealers.windows.emplace(i, sample(starts, deal.pieces));
  }
  return dealers;
}

Grid AxisCutter::NextGrid(Grid grid, const Deal& deal, Dealers* dealers, Draws* draws) const {
  for (const auto& [letter, count] : deal.positions)
    grid.lists[letter] = dealers->positions.at(letter).Next(count, draws);
  for (auto& [window, dealer] : dealers->windows) grids_.TakeWindow(axes_, window, dealer.Next(draws), &grid);
  return grid;
}

// All of the outputs, in pieces along their longest free axis. False where that is too much.
bool AxisCutter::Cover() {
  if (axes_.free.empty()) return false;
  const std::string letter = *std::max_element(
      axes_.free.begin(), axes_.free.end(),
      [&](const std::string& a, const std::string& b) { return grids_.SizeOf(a) < grids_.SizeOf(b); });
  Grid grid = grids_.Whole(axes_.ignored);
  if (grids_.WorkOf(grid) > limits_.covered_products || grids_.LargestOf(grid) > limits_.covered_elements)
    return false;
  grid.lists[letter].resize(1);
  if (grids_.LargestOf(grid) > limits_.elements) return false;
  if (purpose_ == CutFor::kShapes) return true;
  const int64_t size = grids_.SizeOf(letter);
  const int64_t chunk = std::clamp<int64_t>(limits_.elements / grids_.LargestAlong(grid, letter), 1, size);
  std::vector<Chosen> chosen(static_cast<size_t>((size + chunk - 1) / chunk), Chosen(cut_.size()));
  for (size_t i = 0; i < cut_.size(); ++i) {
    const CutOutput& output = outputs_.at(cut_[i].name);
    const std::vector<int64_t> sizes = SizesOf(cut_[i].own);
    const auto along = std::find(cut_[i].own.begin(), cut_[i].own.end(), letter) - cut_[i].own.begin();
    for (const int64_t place : SamplePlaces(SpecShape(*output.spec), output.budget, &draws_)) {
      const auto [number, in_piece] = PlaceIn(sizes, static_cast<size_t>(along), chunk, place);
      Compared& compared = chosen[static_cast<size_t>(number)][i];
      compared.in_piece.push_back(in_piece);
      compared.in_whole.push_back(place);
    }
  }
  for (size_t number = 0; number < chosen.size(); ++number) {
    const int64_t begin = static_cast<int64_t>(number) * chunk;
    grid.lists[letter] = Range(begin, std::min(size, begin + chunk));
    AddPiece(grid, std::move(chosen[number]));
  }
  return true;
}

std::vector<int64_t> AxisCutter::SizesOf(const Letters& own) const {
  std::vector<int64_t> sizes;
  for (const std::string& letter : own) sizes.push_back(grids_.SizeOf(letter));
  return sizes;
}

// Of axes with these sizes, one of which is cut into chunks: which chunk a place is in, and its place there.
std::pair<int64_t, int64_t> AxisCutter::PlaceIn(const std::vector<int64_t>& sizes, size_t along,
                                                int64_t chunk, int64_t place) {
  int64_t number = 0;
  int64_t in_piece = 0;
  int64_t stride = 1;  // in the piece
  for (size_t d = sizes.size(); d-- > 0; place /= sizes[d]) {
    int64_t at = place % sizes[d];
    int64_t size = sizes[d];
    if (d == along) {
      number = at / chunk;
      at %= chunk;
      size = std::min(chunk, size - number * chunk);
    }
    in_piece += at * stride;
    stride *= size;
  }
  return {number, in_piece};
}

// The elements of a piece's output that are compared: all if there are no more than `count`; otherwise
// every position of the free axes, then different combinations of them, and of every other axis its positions
// in turn, in an order at random, or, of long ones, every fourth at a tile's edge.
Compared AxisCutter::Choose(const Letters& own, const Grid& grid, int64_t count) {
  struct Axis {
    Dealer turns;  // of one position each
    std::vector<int64_t> edges;
    bool free;
  };
  std::vector<Axis> axes;
  std::vector<const std::vector<int64_t>*> lists;
  int64_t all = 1;
  int64_t combinations = 1;
  for (const std::string& letter : own) {
    lists.push_back(&grid.lists.at(letter));
    const auto found = grid.right.find(letter);
    const auto size = static_cast<int64_t>(lists.back()->size());
    const auto [begin, end] =
        found == grid.right.end() ? std::pair<int64_t, int64_t>{0, size} : found->second;
    const bool free = std::find(axes_.free.begin(), axes_.free.end(), letter) != axes_.free.end();
    axes.push_back({Dealer(Range(begin, end)), TileEdges(end - begin), free});
    for (int64_t& edge : axes.back().edges) edge += begin;
    all *= end - begin;
    if (free) combinations *= size;
  }
  int64_t longest = 0;
  for (const Axis& axis : axes) longest = std::max(longest, axis.free ? axis.turns.size() : 0);
  Dealer combination(Range(0, combinations));
  absl::flat_hash_set<int64_t> chosen;  // row-major indices in the piece's output
  std::vector<int64_t> at(own.size());
  const int64_t wanted = std::min(all, count);
  for (int64_t i = 0; static_cast<int64_t>(chosen.size()) < wanted && i < kTries * wanted; ++i) {
    int64_t rest = all <= count ? i : combination.Next(&draws_);
    const bool in_turn = all > count && i < longest;
    for (size_t d = own.size(); d-- > 0;) {
      Axis& axis = axes[d];
      const int64_t size = axis.turns.size();
      const bool dealt = axis.free ? in_turn : all > count && size <= count;
      if (dealt) {
        at[d] = axis.turns.Next(&draws_);
      } else if (all <= count || axis.free) {
        at[d] = axis.turns.At(rest % size);
        rest /= size;
      } else if (draws_.Below(kEdgesOneIn) == 0) {
        at[d] = axis.edges[static_cast<size_t>(draws_.Below(static_cast<int64_t>(axis.edges.size())))];
      } else {
        at[d] = axis.turns.At(draws_.Below(size));
      }
    }
    int64_t index = 0;
    for (size_t d = 0; d < own.size(); ++d) index = index * static_cast<int64_t>(lists[d]->size()) + at[d];
    chosen.insert(index);
  }
  Compared compared;
  compared.in_piece.assign(chosen.begin(), chosen.end());
  std::sort(compared.in_piece.begin(), compared.in_piece.end());
  const std::vector<int64_t> sizes = SizesOf(own);
  for (int64_t index : compared.in_piece) {
    int64_t in_whole = 0;
    int64_t stride = 1;
    for (size_t d = own.size(); d-- > 0;) {
      const auto size = static_cast<int64_t>(lists[d]->size());
      in_whole += (*lists[d])[static_cast<size_t>(index % size)] * stride;
      index /= size;
      stride *= sizes[d];
    }
    compared.in_whole.push_back(in_whole);
  }
  return compared;
}

// False where nothing of it can be compared.
bool AxisCutter::AddPiece(const Grid& grid, Chosen chosen) {
  Piece piece = purpose_ == CutFor::kCalls ? grids_.PieceOf(grid) : Piece();
  std::set<std::string> judged;
  for (size_t i = 0; i < cut_.size(); ++i) {
    if (chosen[i].in_whole.empty()) continue;
    judged.insert(cut_[i].name);
    piece.outputs[cut_[i].name] = std::move(chosen[i]);
  }
  if (judged.empty()) return false;
  JudgeOnly(judged, skips_null_, &piece.c);
  pieces_->push_back(std::move(piece));
  return true;
}

}  // namespace diopi::slices
