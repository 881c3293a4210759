#include "cases/core/slices.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/core/block_fill.h"
#include "cases/core/fill.h"
#include "cases/core/resolved_axes.h"
#include "cases/core/sample.h"
#include "cases/core/slice_axes.h"

namespace diopi::cases {
namespace {

// What the reference computes at most of a tensor of a piece: of values that are only moved, and of numbers
// that carry their noise, 16 bytes each.
constexpr int64_t kMostMovedBytes = int64_t{4} << 30;
constexpr int64_t kMostComputedElements = int64_t{1} << 26;
constexpr int64_t kMostProducts = int64_t{1} << 32;  // where one piece is the whole call

constexpr int64_t kEdgesOneIn = 4;  // every fourth element that is compared is at a tile's edge

bool IsOutput(const v1::Argument& arg) {
  return !arg.null() && (arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT);
}

bool IsInput(const v1::Argument& arg) {
  return arg.role() == v1::ROLE_INPUT || arg.role() == v1::ROLE_INOUT;
}

const v1::Judge* JudgeOf(const v1::Case& c, const std::string& output) {
  for (const v1::Judge& judge : c.judges()) {
    if (judge.output() == output) return judge.kind() == v1::Judge::NOT_JUDGED ? nullptr : &judge;
  }
  return nullptr;
}

template <typename F>  // f(key, index in its list or -1, spec)
void ForEachTensor(v1::Argument* arg, F&& f) {
  if (arg->has_tensor()) f(arg->name(), -1, arg->mutable_tensor());
  for (int i = 0; i < arg->tensors().tensors_size(); ++i) {
    if (i < arg->tensors().null_size() && arg->tensors().null(i)) continue;
    f(arg->name() + "." + std::to_string(i), i, arg->mutable_tensors()->mutable_tensors(i));
  }
}

std::vector<int64_t> SpecShape(const v1::TensorSpec& spec) {
  return {spec.shape().begin(), spec.shape().end()};
}

// Gives the tensor of a piece its shape; its values are a slice, whatever the whole's were made from.
void Reshape(const std::vector<int64_t>& shape, v1::TensorSpec* spec) {
  spec->mutable_shape()->Assign(shape.begin(), shape.end());
  spec->clear_from();
  spec->clear_fill();
  (void)ApplyLayout(v1::Layout(), spec);  // a dense layout fits every shape
}

// Leaves only these outputs judged.
void JudgeOnly(const std::set<std::string>& arguments, v1::Case* c) {
  for (v1::Judge& judge : *c->mutable_judges()) {
    if (!arguments.contains(judge.output())) judge.set_kind(v1::Judge::NOT_JUDGED);
  }
  c->clear_producers();
}

std::string ArgumentOf(const std::string& key) {
  return key.substr(0, key.find('.'));
}

// Bytes that the references of an element take: r and sigma in float64 with what r lost, or r with a smaller
// sigma, and the number of terms; the element itself where it is only moved. The result by another reading
// comes on top.
int64_t BytesPerElement(const v1::Case& c, const v1::Judge& judge, Dtype dtype) {
  const bool moved = judge.kind() == v1::Judge::EXACT || !IsFloating(dtype);
  const int64_t bytes = moved ? ElementSize(dtype) : dtype == v1::Dtype::float64 ? 28 : 16;
  return bytes * (1 + c.readings_size());
}

class Cutter {
 public:
  Cutter(const v1::Case& c, const v1::Slices& slices, const SliceLimits& limits, bool choose)
      : c_(c), limits_(limits), choose_(choose), draws_(Xxh64(c.hash() + "\nslices")) {
    const absl::StatusOr<SliceAxes> axes = ParseSliceAxes(slices);  // checked by the build
    if (axes.ok()) axes_ = *axes;
    c_.set_generator_version(kGeneratorVersion);  // pieces are ordinary cases
    int64_t outputs = 0;
    for (v1::Argument& arg : *c_.mutable_args()) {
      if (!IsOutput(arg) || JudgeOf(c_, arg.name()) == nullptr) continue;
      ForEachTensor(&arg, [&](const std::string& key, int, v1::TensorSpec* spec) {
        outputs_[key] = spec;
        ++outputs;
      });
    }
    for (const auto& [key, spec] : outputs_) {
      budget_[key] =
          limits_.stored_bytes / outputs / BytesPerElement(c_, *JudgeOf(c_, ArgumentOf(key)), spec->dtype());
    }
  }

  std::vector<Piece> Run() {
    if (axes_.elementwise && CutElementwise()) return std::move(pieces_);
    pieces_.clear();
    if (!axes_.elementwise) resolved_ = ResolveAxes(c_, axes_);
    if (resolved_.has_value()) {
      windows_ = WindowShapes(c_, axes_, *resolved_);
    }
    std::set<std::string> whole;
    for (const auto& [key, spec] : outputs_) {
      if (!resolved_.has_value() || !CutOutput(key)) whole.insert(key);
    }
    if (!whole.empty()) TakeWhole(whole);
    ignored_.clear();
    if (!whole.empty() && resolved_.has_value()) whole_products_ = WorkOf(WholeGrid());
    return std::move(pieces_);
  }
  int64_t whole_products() const { return whole_products_; }

 private:
  using Lists = std::map<std::string, std::vector<int64_t>>;
  struct Grid {
    Lists lists;  // positions of every letter
    std::map<std::string, std::pair<int64_t, int64_t>>
        right;  // of a window's letters: which of its list are right
  };

  // --- the whole call ---

  void TakeWhole(const std::set<std::string>& keys) {
    Piece piece;
    piece.c = c_;
    piece.whole = true;
    std::set<std::string> judged;
    for (const std::string& key : keys) {
      judged.insert(ArgumentOf(key));
      const std::vector<int64_t> places =
          SamplePlaces(SpecShape(*outputs_.at(key)), choose_ ? budget_.at(key) : 1, &draws_);
      piece.outputs[key] = {places, places};
    }
    JudgeOnly(judged, &piece.c);
    for (v1::Argument& arg : *piece.c.mutable_args()) {
      ForEachTensor(&arg, [](const std::string&, int, v1::TensorSpec* spec) { spec->clear_from(); });
    }
    pieces_.push_back(std::move(piece));
  }

  // --- element by element ---

  // The tensors that belong together: those of one place in the lists, or the single ones. False where they
  // do not have one shape up to broadcasting.
  bool CutElementwise() {
    std::map<int, std::vector<int64_t>> shapes;
    bool fits = true;
    for (v1::Argument& arg : *c_.mutable_args()) {
      ForEachTensor(&arg, [&](const std::string&, int at, v1::TensorSpec* spec) {
        fits = fits && spec->same_as().empty() && Broadcast(SpecShape(*spec), &shapes[at]);
      });
    }
    if (!fits || (shapes.size() > 1 && shapes.contains(-1) && NumElements(shapes.at(-1)) > 1)) return false;
    std::map<int, std::vector<int64_t>> places;
    for (const auto& [at, shape] : shapes)
      places[at] = SamplePlaces(shape, choose_ ? SmallestBudget() : 1, &draws_);
    Piece piece;
    piece.c = c_;
    std::set<std::string> judged;
    for (v1::Argument& arg : *piece.c.mutable_args()) {
      ForEachTensor(&arg, [&](const std::string& key, int at, v1::TensorSpec* spec) {
        const std::vector<int64_t> own = SpecShape(*spec);
        const bool one = NumElements(own) == 1;
        Places taken;
        taken.flat = one ? std::vector<int64_t>{0} : Unbroadcast(places.at(at), shapes.at(at), own);
        if (outputs_.contains(key)) {
          judged.insert(arg.name());
          Compared& compared = piece.outputs[key];
          for (size_t i = 0; i < taken.flat.size(); ++i) compared.in_piece.push_back(static_cast<int64_t>(i));
          compared.in_whole = taken.flat;
        }
        // A number stays one: a tensor without dimensions has another type in promotions than others.
        if (!one) Reshape({static_cast<int64_t>(taken.flat.size())}, spec);
        spec->clear_from();
        if (IsInput(arg)) {
          if (one) taken = Places{std::vector<std::vector<int64_t>>(own.size(), {0}), {0}};
          piece.inputs[key] = std::move(taken);
        }
      });
    }
    JudgeOnly(judged, &piece.c);
    pieces_.push_back(std::move(piece));
    return true;
  }

  int64_t SmallestBudget() const {
    int64_t least = INT64_MAX;
    for (const auto& [key, budget] : budget_) least = std::min(least, budget);
    return least;
  }

  // Widens `shape` to hold `other`.
  static bool Broadcast(std::vector<int64_t> other, std::vector<int64_t>* shape) {
    if (other.size() > shape->size()) shape->insert(shape->begin(), other.size() - shape->size(), 1);
    other.insert(other.begin(), shape->size() - other.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t& size = (*shape)[i];
      if (other[i] != size && other[i] != 1 && size != 1) return false;
      if (size == 1) size = other[i];
    }
    return true;
  }

  // Where elements of `shape` come from in a tensor of shape `own` that is broadcast to it.
  static std::vector<int64_t> Unbroadcast(const std::vector<int64_t>& flat, const std::vector<int64_t>& shape,
                                          const std::vector<int64_t>& own) {
    std::vector<int64_t> strides(shape.size(), 0);
    int64_t stride = 1;
    for (size_t i = own.size(); i-- > 0;) {
      if (own[i] != 1) strides[shape.size() - own.size() + i] = stride;
      stride *= own[i];
    }
    std::vector<int64_t> places;
    places.reserve(flat.size());
    for (int64_t index : flat) {
      int64_t at = 0;
      for (size_t d = shape.size(); d-- > 0; index /= shape[d]) at += index % shape[d] * strides[d];
      places.push_back(at);
    }
    return places;
  }

  // --- by axes ---

  Letters LettersOf(const std::string& output) const {
    Letters letters;
    const std::vector<Letters>& axes = resolved_->tensors.at(output);
    const v1::TensorSpec& spec = *outputs_.at(output);
    for (size_t i = 0; i < axes.size(); ++i) {
      int64_t size = 1;
      for (const std::string& letter : axes[i]) size *= resolved_->sizes.at(letter);
      if (size == spec.shape(static_cast<int>(i)))
        letters.insert(letters.end(), axes[i].begin(), axes[i].end());
    }
    return letters;
  }

  // Whether the file gives the output this axis.
  bool IsDeclared(const std::string& output, const std::string& letter) const {
    for (const TermGroup& group : axes_.Tensor(output)->axes) {
      for (const AxisTerm& term : group) {
        if (term.many ? letter.compare(0, term.letter.size(), term.letter) == 0 : letter == term.letter)
          return true;
      }
    }
    return false;
  }

  // False where no axis of the output is free.
  bool CutOutput(const std::string& output) {
    const auto found = resolved_->free.find(output);
    if (found == resolved_->free.end()) return false;
    Letters free;
    ignored_.clear();
    const Letters own = LettersOf(output);
    for (const std::string& letter : found->second) {
      const bool has = std::find(own.begin(), own.end(), letter) != own.end();
      if (has && resolved_->sizes.at(letter) > 1) free.push_back(letter);
      // A broadcast operand's gradient is summed over an axis that it lacks; what it never has does not
      // matter.
      if (!has && !IsDeclared(output, letter)) ignored_.insert(letter);
    }
    if (free.empty()) return false;
    if (CoverOutput(output, own, free)) return true;
    Letters dense;
    for (const std::string& letter : free) {
      if (resolved_->sizes.at(letter) > 1) dense.push_back(letter);
    }
    const int64_t budget = budget_.at(output) / static_cast<int64_t>(dense.size() + 2);
    const size_t before = pieces_.size();
    for (const std::string& letter : dense) {
      if (!CutAlong(output, own, free, letter, budget)) {
        pieces_.resize(before);
        return false;
      }
    }
    bool even = true;
    for (int64_t i = 0; even && i < limits_.even_pieces; ++i)
      even = CutEvenly(output, own, free, 2 * budget / limits_.even_pieces);
    if (even) return true;
    pieces_.resize(before);
    return false;
  }

  // Pieces that together are dense along one axis.
  bool CutAlong(const std::string& output, const Letters& own, const Letters& free, const std::string& letter,
                int64_t budget) {
    int64_t count = std::min({limits_.dense, budget, resolved_->sizes.at(letter)});
    Grid grid = OnePosition(own, free, letter, limits_.few);
    if (WorkOf(grid) > limits_.products || LargestOf(grid) > limits_.elements) return false;
    if (!choose_) return true;
    count = std::max<int64_t>(2, std::min({count, limits_.products_in_all / WorkOf(grid),
                                           limits_.elements_in_all / LargestAlong(grid, letter)}));
    int64_t few = limits_.few;
    for (; 2 * few <= limits_.some; few *= 2) {
      const Grid more = OnePosition(own, free, letter, 2 * few);
      if (WorkOf(more) > limits_.products_in_all / count || LargestOf(more) > limits_.elements ||
          LargestAlong(more, letter) > limits_.elements_in_all / count)
        break;
      grid = more;
    }
    const std::vector<int64_t> positions = SamplePositions(resolved_->sizes.at(letter), count, &draws_);
    count = static_cast<int64_t>(positions.size());
    const int64_t chunk =
        std::min({(count + limits_.pieces - 1) / limits_.pieces, limits_.products / WorkOf(grid),
                  limits_.elements / LargestAlong(grid, letter)});
    const int64_t chunks = (count + std::max<int64_t>(chunk, 1) - 1) / std::max<int64_t>(chunk, 1);
    // Neighbours along the axis are in different pieces, which have other positions along the others.
    for (int64_t number = 0; number < chunks; ++number) {
      grid = NewGrid(own, free, few, number, &draws_);
      std::vector<int64_t>& list = grid.lists[letter];
      list.clear();
      for (int64_t i = number; i < count; i += chunks) list.push_back(positions[static_cast<size_t>(i)]);
      const auto taken = static_cast<int64_t>(list.size());
      if (!AddPiece(output, grid, Choose(own, grid, letter, std::max(budget * taken / count, taken))))
        return false;
    }
    return true;
  }

  Grid OnePosition(const Letters& own, const Letters& free, const std::string& letter, int64_t few) {
    Draws unused = draws_;
    Grid grid = NewGrid(own, free, few, 0, &unused);
    grid.lists[letter].resize(1);
    return grid;
  }

  Grid WholeGrid() const {
    Grid grid;
    for (const auto& [letter, size] : resolved_->sizes)
      Fill(0, ignored_.contains(letter) ? 1 : size, &grid.lists[letter]);
    return grid;
  }

  // All of the output, in pieces along its longest free axis. False where that is too much.
  bool CoverOutput(const std::string& output, const Letters& own, const Letters& free) {
    const std::string letter =
        *std::max_element(free.begin(), free.end(), [&](const std::string& a, const std::string& b) {
          return resolved_->sizes.at(a) < resolved_->sizes.at(b);
        });
    Grid grid = WholeGrid();
    if (WorkOf(grid) > limits_.products_in_all || LargestOf(grid) > limits_.elements_in_all) return false;
    grid.lists[letter].resize(1);
    if (LargestOf(grid) > limits_.elements) return false;
    if (!choose_) return true;
    const int64_t size = resolved_->sizes.at(letter);
    const int64_t chunk = std::clamp<int64_t>(limits_.elements / LargestAlong(grid, letter), 1, size);
    std::vector<Compared> compared(static_cast<size_t>((size + chunk - 1) / chunk));
    for (const int64_t place : SamplePlaces(SpecShape(*outputs_.at(output)), budget_.at(output), &draws_)) {
      int64_t number = 0;
      std::vector<int64_t> at(own.size());
      int64_t rest = place;
      for (size_t d = own.size(); d-- > 0; rest /= resolved_->sizes.at(own[d])) {
        at[d] = rest % resolved_->sizes.at(own[d]);
        if (own[d] == letter) number = at[d] / chunk;
      }
      int64_t in_piece = 0;
      for (size_t d = 0; d < own.size(); ++d) {
        const bool cut = own[d] == letter;
        in_piece = in_piece * (cut ? std::min(chunk, size - number * chunk) : resolved_->sizes.at(own[d])) +
                   (cut ? at[d] % chunk : at[d]);
      }
      compared[static_cast<size_t>(number)].in_piece.push_back(in_piece);
      compared[static_cast<size_t>(number)].in_whole.push_back(place);
    }
    for (size_t number = 0; number < compared.size(); ++number) {
      const int64_t begin = static_cast<int64_t>(number) * chunk;
      Fill(begin, std::min(size, begin + chunk), &grid.lists[letter]);
      if (!compared[number].in_whole.empty()) AddPiece(output, grid, std::move(compared[number]));
    }
    return true;
  }

  // A piece that is as dense along all free axes.
  bool CutEvenly(const std::string& output, const Letters& own, const Letters& free, int64_t budget) {
    int64_t few = limits_.even;
    bool narrow = false;
    for (;;) {
      Draws draws = draws_;
      const Grid grid = NewGrid(own, free, few, narrow ? 2 : -1, &draws);
      if (WorkOf(grid) <= limits_.products_in_all / limits_.even_pieces &&
          LargestOf(grid) <= limits_.elements) {
        draws_ = draws;
        return !choose_ || AddPiece(output, grid, Choose(own, grid, "", budget));
      }
      if (few > 2) {
        few = few * 3 / 4;
      } else if (!narrow && windows_.has_value() && !windows_->empty()) {
        narrow = true;
      } else {
        return false;
      }
    }
  }

  // Every letter's positions: `few` of free ones, ranges of windows (`number` says which; -1: whole axes),
  // and all of the others.
  Grid NewGrid(const Letters& own, const Letters& free, int64_t few, int64_t number, Draws* draws) {
    Grid grid;
    for (const auto& [letter, size] : resolved_->sizes) {
      const bool is_free = std::find(free.begin(), free.end(), letter) != free.end();
      grid.lists[letter] = SamplePositions(size, ignored_.contains(letter) ? 1 : is_free ? few : size, draws);
    }
    if (number < 0 || !windows_.has_value()) return grid;
    for (size_t i = 0; i < windows_->size(); ++i) TakeWindow(own, i, number, draws, &grid);
    return grid;
  }

  // The first piece takes the beginning of the axis, the second its end, the others a place at random.
  void TakeWindow(const Letters& own, size_t index, int64_t number, Draws* draws, Grid* grid) {
    const WindowShape& shape = (*windows_)[index];
    const WindowAxes& names = axes_.windows[index];
    const bool of_input = std::find(own.begin(), own.end(), names.in) != own.end();
    if (!of_input && std::find(own.begin(), own.end(), names.out) == own.end()) return;  // it is summed over
    int64_t length = limits_.windows;
    if (of_input) length = (limits_.windows + shape.dilation * (shape.kernel - 1)) / shape.stride + 2;
    if (length >= shape.out) return;
    const int64_t last = shape.out - length;
    const int64_t begin = number == 0 ? 0 : number == 1 ? last : draws->Below(last + 1);
    const WindowRange range = shape.Around(begin, begin + length);
    const int64_t first = of_input ? range.in_right_begin : range.out_right_begin;
    const int64_t end = of_input ? range.in_right_end : range.out_right_end;
    if (first >= end || shape.Outputs(range.in_end - range.in_begin) != range.out_end - range.out_begin)
      return;
    Fill(range.out_begin, range.out_end, &grid->lists[names.out]);
    Fill(range.in_begin, range.in_end, &grid->lists[names.in]);
    const int64_t offset = of_input ? range.in_begin : range.out_begin;
    grid->right[of_input ? names.in : names.out] = {first - offset, end - offset};
  }

  static void Fill(int64_t begin, int64_t end, std::vector<int64_t>* list) {
    list->clear();
    for (int64_t i = begin; i < end; ++i) list->push_back(i);
  }

  int64_t SizeIn(const Grid& grid, const Letters& axis) const {
    int64_t size = 1;
    for (const std::string& letter : axis) size *= static_cast<int64_t>(grid.lists.at(letter).size());
    return size;
  }

  // Products of the call: one for every combination of positions. Where windows read an axis, the kernel's
  // counts, and where indices pick positions, theirs.
  int64_t WorkOf(const Grid& grid) const {
    double work = 1;
    for (const auto& [letter, list] : grid.lists) {
      const bool read = std::any_of(axes_.windows.begin(), axes_.windows.end(),
                                    [&, &name = letter](const WindowAxes& w) { return w.in == name; });
      const bool picked =
          std::any_of(axes_.gathered.begin(), axes_.gathered.end(),
                      [&, &name = letter](const GatheredAxis& g) { return g.letter == name; });
      if (!read && !picked) work *= static_cast<double>(list.size());
    }
    return work < 0x1p62 ? static_cast<int64_t>(work) : INT64_MAX;
  }

  int64_t ElementsIn(const Grid& grid, const std::string& name) const {
    const std::vector<Letters>& axes = resolved_->tensors.at(name);
    const v1::TensorSpec* spec = SpecOf(name);
    double elements = 1;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (spec->shape(static_cast<int>(i)) != 1) elements *= static_cast<double>(SizeIn(grid, axes[i]));
    }
    return elements < 0x1p62 ? static_cast<int64_t>(elements) : INT64_MAX;
  }

  int64_t LargestOf(const Grid& grid) const {
    int64_t largest = 0;
    for (const auto& [name, axes] : resolved_->tensors) largest = std::max(largest, ElementsIn(grid, name));
    return largest;
  }

  // Of the tensors that have the letter.
  int64_t LargestAlong(const Grid& grid, const std::string& letter) const {
    int64_t largest = 0;
    for (const auto& [name, axes] : resolved_->tensors) {
      const bool has = std::any_of(axes.begin(), axes.end(), [&](const Letters& axis) {
        return std::find(axis.begin(), axis.end(), letter) != axis.end();
      });
      if (has) largest = std::max(largest, ElementsIn(grid, name));
    }
    return largest;
  }

  const v1::TensorSpec* SpecOf(const std::string& name) const {
    for (const v1::Argument& arg : c_.args()) {
      if (arg.name() == name) return &arg.tensor();
    }
    return nullptr;
  }

  // Positions along an axis of a tensor: combinations of its letters' positions.
  std::vector<int64_t> PositionsOf(const Grid& grid, const Letters& axis) const {
    std::vector<int64_t> positions = {0};
    for (const std::string& letter : axis) {
      std::vector<int64_t> next;
      for (const int64_t before : positions) {
        for (const int64_t at : grid.lists.at(letter))
          next.push_back(before * resolved_->sizes.at(letter) + at);
      }
      positions = std::move(next);
    }
    return positions;
  }

  // False where nothing of it can be compared.
  bool AddPiece(const std::string& output, const Grid& grid, Compared compared) {
    if (compared.in_whole.empty()) return false;
    Piece piece;
    piece.c = c_;
    for (v1::Argument& arg : *piece.c.mutable_args()) {
      const auto axes = resolved_->tensors.find(arg.name());
      if (arg.has_tensor() && axes != resolved_->tensors.end()) {
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
    JudgeOnly({output}, &piece.c);
    piece.outputs[output] = std::move(compared);
    pieces_.push_back(std::move(piece));
    return true;
  }

  // An attribute that says how large an axis is.
  void SetAttribute(const Grid& grid, v1::Argument* arg) const {
    const auto axes = resolved_->attributes.find(arg->name());
    if (axes == resolved_->attributes.end()) return;
    if (arg->value_case() == v1::Argument::kI && axes->second.size() == 1)
      arg->set_i(SizeIn(grid, axes->second[0]));
    if (!arg->has_sizes() || arg->sizes().values_size() != static_cast<int>(axes->second.size())) return;
    for (size_t i = 0; i < axes->second.size(); ++i) {
      arg->mutable_sizes()->set_values(static_cast<int>(i), SizeIn(grid, axes->second[i]));
    }
  }

  // The elements of a piece's output that are compared: all if there are no more than `count`; otherwise each
  // position of the dense axis in turn, with positions of the other axes in turn, at random or at the edges
  // of tiles.
  Compared Choose(const Letters& own, const Grid& grid, const std::string& dense, int64_t count) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    std::vector<std::vector<int64_t>> edges;
    int64_t right = 1;
    for (const std::string& letter : own) {
      const auto found = grid.right.find(letter);
      const auto size = static_cast<int64_t>(grid.lists.at(letter).size());
      ranges.push_back(found == grid.right.end() ? std::pair<int64_t, int64_t>{0, size} : found->second);
      edges.push_back(TileEdges(ranges.back().second - ranges.back().first));
      right *= ranges.back().second - ranges.back().first;
    }
    const bool all = right <= count;
    const auto dense_size = dense.empty() ? right : static_cast<int64_t>(grid.lists.at(dense).size());
    // The first of the other axes takes turns, so that every pair of positions comes.
    size_t turns = 0;
    while (turns < own.size() &&
           (dense.empty() || own[turns] == dense || grid.lists.at(own[turns]).size() < 2))
      ++turns;
    std::set<std::vector<int64_t>> chosen;
    std::vector<int64_t> at(own.size());
    for (int64_t i = 0; i < (all ? right : count); ++i) {
      int64_t rest = i;
      for (size_t d = own.size(); d-- > 0;) {
        const auto [begin, end] = ranges[d];
        const int64_t size = end - begin;
        if (all) {
          at[d] = begin + rest % size;
          rest /= size;
        } else if (own[d] == dense) {
          at[d] = begin + i % size;
        } else if (d == turns) {
          at[d] = begin + i / dense_size % size;
        } else if (draws_.Below(kEdgesOneIn) == 0) {
          at[d] = begin + edges[d][static_cast<size_t>(draws_.Below(static_cast<int64_t>(edges[d].size())))];
        } else {
          at[d] = begin + draws_.Below(size);
        }
      }
      chosen.insert(at);
    }
    Compared compared;
    for (const std::vector<int64_t>& each : chosen) {
      int64_t in_piece = 0;
      int64_t in_whole = 0;
      for (size_t d = 0; d < own.size(); ++d) {
        const std::vector<int64_t>& list = grid.lists.at(own[d]);
        in_piece = in_piece * static_cast<int64_t>(list.size()) + each[d];
        in_whole = in_whole * resolved_->sizes.at(own[d]) + list[static_cast<size_t>(each[d])];
      }
      compared.in_piece.push_back(in_piece);
      compared.in_whole.push_back(in_whole);
    }
    return compared;
  }

  v1::Case c_;
  const SliceLimits limits_;
  const bool choose_;  // false: only shapes matter
  SliceAxes axes_;
  Draws draws_;
  std::map<std::string, v1::TensorSpec*> outputs_;  // judged ones by key; point into c_
  std::map<std::string, int64_t> budget_;           // elements of each that are compared
  std::optional<ResolvedAxes> resolved_;
  std::optional<std::vector<WindowShape>> windows_;
  std::set<std::string> ignored_;  // axes that do not matter to the output that is being cut
  int64_t whole_products_ = 0;
  std::vector<Piece> pieces_;
};

// Copies the elements at the lists' combinations, runs of neighbours at once.
void CopyPlaces(const HostTensor& whole, const std::vector<std::vector<int64_t>>& lists, size_t axis,
                int64_t base, std::string* out) {
  const auto element = static_cast<size_t>(ElementSize(whole.dtype));
  int64_t inner = 1;
  for (size_t d = axis + 1; d < lists.size(); ++d) inner *= whole.shape[d];
  const std::vector<int64_t>& list = lists[axis];
  if (axis + 1 < lists.size()) {
    for (const int64_t at : list) CopyPlaces(whole, lists, axis + 1, base + at * inner, out);
    return;
  }
  for (size_t i = 0; i < list.size();) {
    size_t run = 1;
    while (i + run < list.size() && list[i + run] == list[i] + static_cast<int64_t>(run)) ++run;
    out->append(whole.data, static_cast<size_t>(base + list[i]) * element, run * element);
    i += run;
  }
}

}  // namespace

bool IsLarge(const v1::Case& c) {
  return c.generator_version() == kBlockGeneratorVersion;
}

bool IsSliced(const v1::Case& c) {
  if (!IsLarge(c)) return false;
  for (const v1::Judge& judge : c.judges()) {
    switch (judge.kind()) {
      case v1::Judge::EXACT:
      case v1::Judge::MATH:
      case v1::Judge::ACCUMULATION:
      case v1::Judge::COMPOSITION:
      case v1::Judge::NOT_JUDGED:
        break;
      default:
        return false;
    }
  }
  return std::none_of(c.args().begin(), c.args().end(), [](const v1::Argument& arg) {
    return arg.role() == v1::ROLE_LIBRARY_OUTPUT || arg.has_host_output() ||
           arg.tensors().sparse_shape_size() > 0;
  });
}

std::vector<Piece> Cut(const v1::Case& c, const v1::Slices& slices, const SliceLimits& limits) {
  return Cutter(c, slices, limits, true).Run();
}

PieceSizes MeasurePieces(const v1::Case& c, const v1::Slices& slices) {
  PieceSizes sizes;
  Cutter cutter(c, slices, SliceLimits(), false);
  for (const Piece& piece : cutter.Run()) {
    const bool moved =
        std::all_of(piece.c.judges().begin(), piece.c.judges().end(), [](const v1::Judge& judge) {
          return judge.kind() == v1::Judge::EXACT || judge.kind() == v1::Judge::NOT_JUDGED;
        });
    for (v1::Argument arg : piece.c.args()) {
      ForEachTensor(&arg, [&](const std::string&, int, const v1::TensorSpec* spec) {
        const int64_t elements = NumElements(SpecShape(*spec));
        if (moved) {
          sizes.moved_bytes = std::max(sizes.moved_bytes, elements * ElementSize(spec->dtype()));
        } else {
          sizes.computed_elements = std::max(sizes.computed_elements, elements);
        }
      });
    }
  }
  sizes.products = cutter.whole_products();
  return sizes;
}

bool ArePiecesComputable(const v1::Case& c) {
  const PieceSizes sizes = MeasurePieces(c, BuiltinSlices(c.function()));
  return sizes.moved_bytes <= kMostMovedBytes && sizes.computed_elements <= kMostComputedElements &&
         sizes.products <= kMostProducts;
}

std::map<std::string, std::vector<int64_t>> ComparedPlaces(const std::vector<Piece>& pieces) {
  std::map<std::string, std::vector<int64_t>> places;
  for (const Piece& piece : pieces) {
    for (const auto& [key, compared] : piece.outputs) {
      std::vector<int64_t>& of_key = places[key];
      of_key.insert(of_key.end(), compared.in_whole.begin(), compared.in_whole.end());
    }
  }
  return places;
}

HostTensor TakeFlat(const HostTensor& whole, const std::vector<int64_t>& flat) {
  const auto element = static_cast<size_t>(ElementSize(whole.dtype));
  HostTensor taken{whole.dtype, {static_cast<int64_t>(flat.size())}, {}};
  taken.data.resize(flat.size() * element);
  for (size_t i = 0; i < flat.size(); ++i) {
    std::memcpy(taken.data.data() + i * element, whole.data.data() + static_cast<size_t>(flat[i]) * element,
                element);
  }
  return taken;
}

HostTensor TakePlaces(const HostTensor& whole, const Places& places) {
  if (places.lists.empty()) {
    HostTensor taken = TakeFlat(whole, places.flat);
    if (whole.shape.empty()) taken.shape.clear();
    return taken;
  }
  HostTensor taken{whole.dtype, {}, {}};
  for (const std::vector<int64_t>& list : places.lists)
    taken.shape.push_back(static_cast<int64_t>(list.size()));
  taken.data.reserve(static_cast<size_t>(NumElements(taken.shape) * ElementSize(whole.dtype)));
  CopyPlaces(whole, places.lists, 0, 0, &taken.data);
  return taken;
}

TensorMap TakeInputs(const Piece& piece, const TensorMap& inputs) {
  TensorMap taken;
  for (const auto& [key, places] : piece.inputs) taken[key] = TakePlaces(inputs.at(key), places);
  return taken;
}

}  // namespace diopi::cases
