#include "cases/slices/piece_grid.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cases/base/case_parts.h"
#include "cases/slices/piece_case.h"

namespace diopi::slices {
namespace {

bool Contains(const Letters& letters, const std::string& letter) {
  return std::find(letters.begin(), letters.end(), letter) != letters.end();
}

// Of a transposed convolution, whose output is what windows read.
constexpr char kOutputPadding[] = "output_padding";

int64_t Bounded(double count) {
  return count < 0x1p62 ? static_cast<int64_t>(count) : INT64_MAX;
}

}  // namespace

std::vector<int64_t> Range(int64_t begin, int64_t end) {
  std::vector<int64_t> positions(static_cast<size_t>(std::max<int64_t>(end - begin, 0)));
  std::iota(positions.begin(), positions.end(), begin);
  return positions;
}

int64_t Grid::SizeIn(const Letters& axis) const {
  int64_t size = 1;
  for (const std::string& letter : axis) size *= static_cast<int64_t>(lists.at(letter).size());
  return size;
}

PieceGrids::PieceGrids(const v1::Case& c, const SliceAxes& axes, const SliceLimits& limits,
                       ResolvedAxes resolved)
    : c_(c),
      axes_(axes),
      windows_in_a_row_(limits.windows),
      resolved_(std::move(resolved)),
      windows_(WindowShapes(c, axes, resolved_)) {
  for (const v1::Argument& arg : c.args()) {
    specs_[arg.name()] = &arg.tensor();
    transposed_ = transposed_ ||
                  (arg.name() == kOutputPadding && arg.sizes().values_size() == static_cast<int>(windows()));
  }
}

Letters PieceGrids::LettersOf(const std::string& output, const v1::TensorSpec& spec) const {
  Letters letters;
  const std::vector<Letters>& axes = resolved_.tensors.at(output);
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t size = 1;
    for (const std::string& letter : axes[i]) size *= SizeOf(letter);
    if (size == spec.shape(static_cast<int>(i)))
      letters.insert(letters.end(), axes[i].begin(), axes[i].end());
  }
  return letters;
}

// Whether the file gives the output this axis.
bool PieceGrids::IsDeclared(const std::string& output, const std::string& letter) const {
  for (const TermGroup& group : axes_.Tensor(output)->axes) {
    for (const AxisTerm& term : group) {
      if (term.many ? letter.compare(0, term.letter.size(), term.letter) == 0 : letter == term.letter)
        return true;
    }
  }
  return false;
}

std::optional<CutAxes> PieceGrids::AxesOf(const std::string& output, const v1::TensorSpec& spec) const {
  const auto found = resolved_.free.find(output);
  if (found == resolved_.free.end()) return std::nullopt;
  CutAxes axes;
  const Letters own = LettersOf(output, spec);
  for (const std::string& letter : found->second) {
    if (Contains(own, letter)) {
      if (SizeOf(letter) > 1) axes.free.push_back(letter);
    } else if (!IsDeclared(output, letter)) {
      // A broadcast operand's gradient is summed over an axis that it lacks; what it never has does not
      // matter.
      axes.ignored.insert(letter);
    }
  }
  // One element is computed without what does not matter to it.
  const bool one = NumElements(SpecShape(spec)) == 1 && !axes.ignored.empty();
  if (axes.free.empty() && !one) return std::nullopt;
  for (const WindowAxes& names : axes_.windows) {
    axes.windows.push_back(Contains(own, names.in)    ? WindowSide::kIn
                           : Contains(own, names.out) ? WindowSide::kOut
                                                      : WindowSide::kNeither);
  }
  return axes;
}

Grid PieceGrids::New(const CutAxes& axes) const {
  Grid grid;
  for (const auto& [letter, size] : resolved_.sizes) {
    const bool one = axes.ignored.contains(letter) || Contains(axes.free, letter);
    grid.lists[letter] = Range(0, one ? 1 : size);
  }
  return grid;
}

// Outputs of the range. Of an input's elements, one needs as many as windows read it, and Around adds some.
int64_t PieceGrids::WindowLength(const CutAxes& axes, size_t window) const {
  const WindowShape& shape = (*windows_)[window];
  if (axes.windows[window] != WindowSide::kIn) return windows_in_a_row_;
  const auto steps = [&](int64_t elements) { return (elements + shape.stride - 1) / shape.stride; };
  return std::max<int64_t>(1, steps(shape.dilation * (shape.kernel - 1)) + 1 - steps(shape.padding));
}

int64_t PieceGrids::WindowStarts(const CutAxes& axes, size_t window) const {
  if (axes.windows[window] == WindowSide::kNeither) return 0;  // it is summed over
  const int64_t last = (*windows_)[window].out - WindowLength(axes, window);
  return last > 0 ? last + 1 : 0;
}

void PieceGrids::TakeWindow(const CutAxes& axes, size_t window, int64_t begin, Grid* grid) const {
  const WindowShape& shape = (*windows_)[window];
  const WindowAxes& names = axes_.windows[window];
  const bool of_input = axes.windows[window] == WindowSide::kIn;
  const WindowRange range = shape.Around(begin, begin + WindowLength(axes, window));
  const int64_t first = of_input ? range.in_right_begin : range.out_right_begin;
  const int64_t end = of_input ? range.in_right_end : range.out_right_end;
  if (first >= end || shape.Outputs(range.in_end - range.in_begin) != range.out_end - range.out_begin) return;
  const int64_t beyond = shape.Beyond(range.out_end - range.out_begin, range.in_end - range.in_begin);
  if (transposed_ && (beyond < 0 || beyond >= std::max(shape.stride, shape.dilation))) return;
  grid->lists[names.out] = Range(range.out_begin, range.out_end);
  grid->lists[names.in] = Range(range.in_begin, range.in_end);
  const int64_t offset = of_input ? range.in_begin : range.out_begin;
  grid->right[of_input ? names.in : names.out] = {first - offset, end - offset};
}

Grid PieceGrids::Whole(const std::set<std::string>& ignored) const {
  Grid grid;
  for (const auto& [letter, size] : resolved_.sizes)
    grid.lists[letter] = Range(0, ignored.contains(letter) ? 1 : size);
  return grid;
}

int64_t PieceGrids::WorkOf(const Grid& grid) const {
  double work = 1;
  for (const auto& [letter, list] : grid.lists) {
    const bool read = std::any_of(axes_.windows.begin(), axes_.windows.end(),
                                  [&, &name = letter](const WindowAxes& w) { return w.in == name; });
    const bool picked = std::any_of(axes_.gathered.begin(), axes_.gathered.end(),
                                    [&, &name = letter](const GatheredAxis& g) { return g.Has(name); });
    if (!read && !picked) work *= static_cast<double>(list.size());
  }
  return Bounded(work);
}

int64_t PieceGrids::ElementsOf(const Grid& grid, const std::string& tensor) const {
  const std::vector<Letters>& axes = resolved_.tensors.at(tensor);
  const v1::TensorSpec& spec = *specs_.at(tensor);
  double elements = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (spec.shape(static_cast<int>(i)) != 1) elements *= static_cast<double>(grid.SizeIn(axes[i]));
  }
  return Bounded(elements);
}

int64_t PieceGrids::LargestOf(const Grid& grid) const {
  int64_t largest = 0;
  for (const auto& [name, axes] : resolved_.tensors) largest = std::max(largest, ElementsOf(grid, name));
  return largest;
}

int64_t PieceGrids::LargestAlong(const Grid& grid, const std::string& letter) const {
  int64_t largest = 0;
  for (const auto& [name, axes] : resolved_.tensors) {
    const bool has =
        std::any_of(axes.begin(), axes.end(), [&](const Letters& axis) { return Contains(axis, letter); });
    if (has) largest = std::max(largest, ElementsOf(grid, name));
  }
  return largest;
}

Piece PieceGrids::PieceOf(const Grid& grid) const {
  Piece piece;
  piece.c = c_;
  for (v1::Argument& arg : *piece.c.mutable_args()) {
    const auto axes = resolved_.tensors.find(arg.name());
    if (arg.has_tensor() && axes != resolved_.tensors.end()) {
      Places places;
      std::vector<int64_t> shape;
      for (size_t i = 0; i < axes->second.size(); ++i) {
        const bool one = arg.tensor().shape(static_cast<int>(i)) == 1;
        places.lists.push_back(one ? std::vector<int64_t>{0} : PositionsOf(grid, axes->second[i]));
        shape.push_back(static_cast<int64_t>(places.lists.back().size()));
      }
      if (shape.empty()) places.flat = {0};
      Reshape(shape, arg.mutable_tensor());
      if (IsInput(arg)) piece.inputs[arg.name()] = std::move(places);
    }
    SetAttribute(grid, &arg);
  }
  if (!axes_.reduced.empty() && ReductionOf(c_) == Reduction::kMean)
    piece.scale =
        static_cast<double>(grid.lists.at(axes_.reduced).size()) / static_cast<double>(SizeOf(axes_.reduced));
  return piece;
}

// An attribute that says how large an axis is.
void PieceGrids::SetAttribute(const Grid& grid, v1::Argument* arg) const {
  if (transposed_ && arg->name() == kOutputPadding) {
    for (size_t i = 0; i < windows(); ++i) {
      const auto size = [&](const std::string& letter) {
        return static_cast<int64_t>(grid.lists.at(letter).size());
      };
      const int64_t beyond = (*windows_)[i].Beyond(size(axes_.windows[i].out), size(axes_.windows[i].in));
      arg->mutable_sizes()->set_values(static_cast<int>(i), beyond);
    }
    return;
  }
  const auto axes = resolved_.attributes.find(arg->name());
  if (axes == resolved_.attributes.end()) return;
  if (arg->value_case() == v1::Argument::kI && axes->second.size() == 1)
    arg->set_i(grid.SizeIn(axes->second[0]));
  if (!arg->has_sizes() || arg->sizes().values_size() != static_cast<int>(axes->second.size())) return;
  for (size_t i = 0; i < axes->second.size(); ++i) {
    arg->mutable_sizes()->set_values(static_cast<int>(i), grid.SizeIn(axes->second[i]));
  }
}

// Positions along an axis of a tensor: combinations of its letters' positions.
std::vector<int64_t> PieceGrids::PositionsOf(const Grid& grid, const Letters& axis) const {
  std::vector<int64_t> positions = {0};
  for (const std::string& letter : axis) {
    const std::vector<int64_t>& list = grid.lists.at(letter);
    const int64_t size = SizeOf(letter);
    std::vector<int64_t> next;
    next.reserve(positions.size() * list.size());
    for (const int64_t before : positions) {
      for (const int64_t at : list) next.push_back(before * size + at);
    }
    positions = std::move(next);
  }
  return positions;
}

}  // namespace diopi::slices
