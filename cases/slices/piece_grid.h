// The grids of positions that pieces take (slices.h): which positions of each axis of a call, and how much
// the call computes on them.
#ifndef CASES_SLICES_PIECE_GRID_H_
#define CASES_SLICES_PIECE_GRID_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cases/slices/resolved_axes.h"
#include "cases/slices/sample.h"
#include "cases/slices/slice_axes.h"
#include "cases/slices/slices.h"
#include "diopi/v1/case.pb.h"

namespace diopi::slices {

// The positions of every letter, and which of a window's letters' positions, by place in their list, are
// right in the piece.
struct Grid {
  std::map<std::string, std::vector<int64_t>> lists;
  std::map<std::string, std::pair<int64_t, int64_t>> right;

  int64_t SizeIn(const Letters& axis) const;
};

// Which of a window's two axes an output has.
enum class WindowSide { kNeither, kOut, kIn };

// How an output can be cut. Outputs for which all of this is equal share their pieces.
struct CutAxes {
  Letters free;                     // of more than one position each
  std::set<std::string> ignored;    // free, and not of the output: they do not matter to it
  std::vector<WindowSide> windows;  // in the file's order

  bool operator==(const CutAxes&) const = default;
};

class PieceGrids {
 public:
  // `c` and `axes` outlive it.
  PieceGrids(const v1::Case& c, const SliceAxes& axes, const SliceLimits& limits, ResolvedAxes resolved);

  const ResolvedAxes& resolved() const { return resolved_; }
  size_t windows() const { return windows_.has_value() ? windows_->size() : 0; }
  int64_t SizeOf(const std::string& letter) const { return resolved_.sizes.at(letter); }

  // The letters of an output of this shape, in its order, without those of axes that it lacks.
  Letters LettersOf(const std::string& output, const v1::TensorSpec& spec) const;
  // Nothing where no axis of the output is free.
  std::optional<CutAxes> AxesOf(const std::string& output, const v1::TensorSpec& spec) const;

  // One position of free and of ignored letters, all of the others.
  Grid New(const CutAxes& axes) const;
  // Where a window's range may begin along the axis that the outputs have; none where they take all of it.
  int64_t WindowStarts(const CutAxes& axes, size_t window) const;
  // Takes the range of a window that begins there.
  void TakeWindow(const CutAxes& axes, size_t window, int64_t begin, Grid* grid) const;
  // All positions, but of ignored letters.
  Grid Whole(const std::set<std::string>& ignored) const;

  // Products of the call: one for every combination of positions. Where windows read an axis, the kernel's
  // count, and where indices pick positions, theirs.
  int64_t WorkOf(const Grid& grid) const;
  // Elements of the largest tensor, or of the largest that has the letter.
  int64_t LargestOf(const Grid& grid) const;
  int64_t LargestAlong(const Grid& grid, const std::string& letter) const;
  int64_t ElementsOf(const Grid& grid, const std::string& tensor) const;
  // The call on the grid's positions, without outputs that are compared.
  Piece PieceOf(const Grid& grid) const;

 private:
  bool IsDeclared(const std::string& output, const std::string& letter) const;
  int64_t WindowLength(const CutAxes& axes, size_t window) const;
  std::vector<int64_t> PositionsOf(const Grid& grid, const Letters& axis) const;
  void SetAttribute(const Grid& grid, v1::Argument* arg) const;

  const v1::Case& c_;
  const SliceAxes& axes_;
  const int64_t windows_in_a_row_;
  const ResolvedAxes resolved_;
  const std::optional<std::vector<WindowShape>> windows_;
  std::map<std::string, const v1::TensorSpec*> specs_;
  bool transposed_ = false;  // an attribute says how far the axis that windows read goes beyond the last one
};

// [begin, end)
std::vector<int64_t> Range(int64_t begin, int64_t end);

}  // namespace diopi::slices

#endif  // CASES_SLICES_PIECE_GRID_H_
