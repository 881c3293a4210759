// Cuts outputs of a call along their free axes (slices.h).
#ifndef CASES_SLICES_AXIS_CUTTER_H_
#define CASES_SLICES_AXIS_CUTTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cases/slices/piece_grid.h"
#include "cases/slices/sample.h"
#include "cases/slices/slices.h"
#include "diopi/v1/case.pb.h"

namespace diopi::slices {

// An output that is judged, and how many of its elements are compared.
struct CutOutput {
  const v1::TensorSpec* spec;
  int64_t budget;
  bool moved;  // its elements are compared as they are
};

// What pieces are made for: their shapes, the elements of outputs that are compared, or being called.
enum class CutFor { kShapes, kPlaces, kCalls };

// Gives every position once, in an order at random, before any comes again.
class Dealer {
 public:
  explicit Dealer(std::vector<int64_t> positions) : positions_(std::move(positions)) {}
  int64_t size() const { return static_cast<int64_t>(positions_.size()); }
  int64_t At(int64_t i) const { return positions_[static_cast<size_t>(i)]; }
  int64_t Next(Draws* draws);
  // `count` positions, or fewer where some come again; ascending.
  std::vector<int64_t> Next(int64_t count, Draws* draws);

 private:
  std::vector<int64_t> positions_;
  size_t next_ = 0;
};

class AxisCutter {
 public:
  // Everything outlives it. Pieces have no case and no inputs where they are not called.
  AxisCutter(const PieceGrids& grids, const SliceLimits& limits,
             const std::map<std::string, CutOutput>& outputs, CutFor purpose, bool skips_null, Draws* draws)
      : grids_(grids),
        given_limits_(limits),
        limits_(limits),
        outputs_(outputs),
        purpose_(purpose),
        skips_null_(skips_null),
        draws_(*draws) {}

  // Adds the pieces of these outputs, which can be cut like this. False, with nothing added, where they
  // would compute too much.
  bool Cut(const std::vector<std::string>& outputs, const CutAxes& axes, std::vector<Piece>* pieces);

 private:
  struct Output {
    std::string name;
    Letters own;
    int64_t budget;
  };
  using Chosen = std::vector<Compared>;  // of each output
  struct Deal {
    int64_t pieces;
    std::map<std::string, int64_t> positions;  // of each free letter in a piece
  };
  struct Dealers {
    std::map<std::string, Dealer> positions;
    std::map<size_t, Dealer> windows;  // where their ranges begin
  };

  bool Cover();
  std::vector<int64_t> SizesOf(const Letters& own) const;
  static std::pair<int64_t, int64_t> PlaceIn(const std::vector<int64_t>& sizes, size_t along, int64_t chunk,
                                             int64_t place);
  std::optional<Deal> FindDeal();
  std::optional<Deal> FindAffordableDeal() const;
  bool IsAffordable(const Deal& deal) const;
  Deal WithCombinations(Deal deal) const;
  static int64_t Combinations(const Deal& deal);
  bool CutAlong();
  int64_t Wanted(const std::string& letter) const;
  Dealers Deck(const Deal& deal, Draws* draws) const;
  bool IsOwn(const std::string& letter) const;
  // Of `all` positions those that a piece takes.
  Grid NextGrid(Grid all, const Deal& deal, Dealers* dealers, Draws* draws) const;
  Compared Choose(const Letters& own, const Grid& grid, int64_t count);
  bool AddPiece(const Grid& grid, Chosen chosen);

  const PieceGrids& grids_;
  const SliceLimits& given_limits_;
  SliceLimits limits_;  // of the outputs that are being cut
  const std::map<std::string, CutOutput>& outputs_;
  const CutFor purpose_;
  const bool skips_null_;
  Draws& draws_;
  CutAxes axes_;             // of the outputs that are being cut,
  std::vector<Output> cut_;  // and these outputs
  bool moved_ = false;       // all of them
  std::vector<Piece>* pieces_ = nullptr;
};

}  // namespace diopi::slices

#endif  // CASES_SLICES_AXIS_CUTTER_H_
