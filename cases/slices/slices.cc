#include "cases/slices/slices.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/hash.h"
#include "cases/fill/block_fill.h"
#include "cases/fill/fill.h"
#include "cases/slices/axis_cutter.h"
#include "cases/slices/piece_case.h"
#include "cases/slices/piece_grid.h"
#include "cases/slices/resolved_axes.h"
#include "cases/slices/sample.h"
#include "cases/slices/slice_axes.h"

namespace diopi::slices {
namespace {

// What the reference computes at most of a tensor of a piece: of values that are only moved, of float64, and
// of numbers that carry their noise, 16 bytes each.
constexpr int64_t kMostMovedBytes = int64_t{6} << 30;
constexpr int64_t kMostSummedElements = int64_t{1} << 28;
constexpr int64_t kMostComputedElements = int64_t{1} << 27;
constexpr int64_t kIndexBytes = 8;

// Bytes that the references of an element take: r and sigma in float64 with what r lost, or r with a smaller
// sigma, and the number of terms; the element itself where it is only moved. The result by another reading
// comes on top.
int64_t BytesPerElement(const v1::Case& c, bool moved, Dtype dtype) {
  const int64_t bytes = moved ? ElementSize(dtype) : dtype == v1::Dtype::float64 ? 28 : 16;
  return bytes * (1 + c.readings_size());
}

// Whether values are moved, not computed, wherever they come from.
bool IsMoved(const v1::Judge& judge) {
  return judge.kind() == v1::Judge::EXACT || judge.kind() == v1::Judge::INDEX_OF;
}

// Whether all that is computed are sums of products, in float64: those of float64 carry their noise.
bool IsSummed(const v1::Case& c) {
  return c.dtype() != v1::Dtype::float64 &&
         std::all_of(c.judges().begin(), c.judges().end(), [](const v1::Judge& judge) {
           return judge.kind() == v1::Judge::ACCUMULATION || judge.kind() == v1::Judge::NOT_JUDGED ||
                  IsMoved(judge);
         });
}

// Whether every right output has the same bytes.
bool IsHashed(const v1::Judge& judge) {
  return judge.kind() == v1::Judge::EXACT && !judge.computed() && !judge.may_be_nondeterministic();
}

// Whether a number, or nothing, says what the argument would.
bool IsNumber(const v1::Case& c, std::string_view name) {
  return std::all_of(c.args().begin(), c.args().end(), [&](const v1::Argument& arg) {
    return arg.name() != name || arg.value_case() == v1::Argument::kF;
  });
}

// Whether random elements can be judged, all of them: few as a small call's are, many block by block, which
// is written for distributions that are the same for all elements.
bool AreDrawsJudged(const v1::Case& c, const v1::Judge& judge) {
  const auto named = [&](std::string_view name) {
    return std::find_if(c.args().begin(), c.args().end(),
                        [&](const v1::Argument& arg) { return arg.name() == name; });
  };
  const auto output = named(judge.output());
  if (output == c.args().end() || !output->has_tensor()) return false;
  if (ElementsOf(output->tensor()) < kShortestStream) return true;
  switch (judge.distribution()) {
    case v1::Judge::UNIFORM:
      return (IsNumber(c, "from") && IsNumber(c, "to")) || named("n") != c.args().end();
    case v1::Judge::NORMAL:
      return IsNumber(c, "mean") && IsNumber(c, "std");
    case v1::Judge::DROPOUT_MASK:
      return true;
    case v1::Judge::DROPOUT_OUT: {
      const auto mask = named("mask");
      return mask != c.args().end() && mask->has_tensor() &&
             SpecShape(mask->tensor()) == SpecShape(output->tensor());
    }
    default:
      return false;
  }
}

class Cutter {
 public:
  Cutter(const v1::Case& c, const v1::Slices& slices, const SliceLimits& limits, CutFor purpose)
      : c_(c),
        limits_(limits),
        purpose_(purpose),
        draws_(Xxh64(c.hash() + "\nslices")),
        skips_null_(slices.skips_null_outputs()) {
    const absl::StatusOr<SliceAxes> axes = ParseSliceAxes(slices);  // checked by the build
    if (axes.ok()) axes_ = *axes;
    c_.set_generator_version(kGeneratorVersion);  // pieces are ordinary cases
    int64_t outputs = 0;
    for (v1::Argument& arg : *c_.mutable_args()) {
      const v1::Judge* judge = JudgeOf(c_, arg.name());
      if (judge == nullptr || judge->kind() == v1::Judge::RANDOM) continue;
      if (arg.role() == v1::ROLE_LIBRARY_OUTPUT) made_.insert(arg.name());
      if (!IsOutput(arg)) continue;
      ForEachTensor(&arg, [&](const std::string& key, int, v1::TensorSpec* spec) {
        outputs_[key].spec = spec;
        ++outputs;
      });
    }
    for (auto& [key, output] : outputs_) {
      const Dtype dtype = output.spec->dtype();
      output.moved = IsMoved(*JudgeOf(c_, ArgumentOf(key))) || !IsFloating(dtype);
      const int64_t bytes = BytesPerElement(c_, output.moved, dtype);
      output.budget = std::min(limits_.compared, limits_.stored_bytes / outputs / bytes);
    }
  }

  std::vector<Piece> Run() {
    if (made_.empty() && axes_.elementwise && CutElementwise()) return std::move(pieces_);
    pieces_.clear();
    std::set<std::string> whole;
    for (const auto& [key, output] : outputs_) whole.insert(key);
    std::optional<ResolvedAxes> resolved;
    if (CutJoined()) return std::move(pieces_);
    const bool counted = axes_.reduced.empty() || ReductionOf(c_) != Reduction::kMean || CountsEveryLoss(c_);
    if (made_.empty() && !axes_.elementwise && counted) resolved = ResolveAxes(c_, axes_);
    if (resolved.has_value()) {
      const PieceGrids grids(c_, axes_, limits_, *std::move(resolved));
      CutByAxes(grids, &whole);
      if (!whole.empty()) whole_products_ = grids.WorkOf(grids.Whole({}));
    }
    if (!whole.empty() || !made_.empty()) TakeWhole(whole);
    return std::move(pieces_);
  }
  int64_t whole_products() const { return whole_products_; }

 private:
  // Takes the outputs that it can cut from `whole`. Those that are cut alike share their pieces.
  void CutByAxes(const PieceGrids& grids, std::set<std::string>* whole) {
    AxisCutter cutter(grids, limits_, outputs_, purpose_, skips_null_, &draws_);
    std::vector<std::pair<CutAxes, std::vector<std::string>>> alike;
    for (const auto& [key, output] : outputs_) {
      std::optional<CutAxes> axes = grids.AxesOf(key, *output.spec);
      if (!axes.has_value()) continue;
      auto found =
          std::find_if(alike.begin(), alike.end(), [&](const auto& each) { return each.first == *axes; });
      if (found == alike.end()) found = alike.insert(alike.end(), {*std::move(axes), {}});
      found->second.push_back(key);
    }
    for (const auto& [axes, keys] : alike) {
      if (!cutter.Cut(keys, axes, &pieces_)) continue;
      for (const std::string& key : keys) whole->erase(key);
    }
  }

  // --- losses that the call joins ---

  // All of them, in pieces along the axis. False where that is too much, or the call joins none.
  bool CutJoined() {
    if (axes_.reduced.empty() || outputs_.size() != 1) return false;
    const std::string& key = outputs_.begin()->first;
    const std::optional<v1::Case> unjoined = Unjoined(c_, key);
    std::optional<ResolvedAxes> resolved;
    if (unjoined.has_value()) resolved = ResolveAxes(*unjoined, axes_);
    if (!resolved.has_value()) return false;
    const PieceGrids grids(*unjoined, axes_, limits_, *std::move(resolved));
    Grid grid = grids.Whole({});
    if (grids.WorkOf(grid) > limits_.most_products) return false;
    std::vector<int64_t>& positions = grid.lists.at(axes_.reduced);
    const int64_t size = grids.SizeOf(axes_.reduced);
    positions = {0};
    const int64_t chunk = std::clamp<int64_t>(limits_.elements / grids.LargestOf(grid), 1, size);
    const int64_t losses = grids.ElementsOf(grid, key);
    const Reduction reduction = ReductionOf(c_);
    for (int64_t begin = 0; begin < (purpose_ == CutFor::kCalls ? size : 1); begin += chunk) {
      positions = Range(begin, std::min(size, begin + chunk));
      Piece piece = grids.PieceOf(grid);
      piece.joined = reduction;
      piece.outputs[key] = {Range(0, losses * static_cast<int64_t>(positions.size())), {0}};
      JudgeOnly({ArgumentOf(key)}, skips_null_, &piece.c);
      pieces_.push_back(std::move(piece));
    }
    return true;
  }

  // --- the whole call ---

  void TakeWhole(const std::set<std::string>& keys) {
    Piece piece;
    piece.c = c_;
    piece.whole = true;
    std::set<std::string> judged = made_;
    piece.hashed = made_;
    for (const std::string& key : keys) {
      judged.insert(ArgumentOf(key));
      if (IsHashed(*JudgeOf(c_, ArgumentOf(key)))) piece.hashed.insert(key);
      const std::vector<int64_t> places =
          SamplePlaces(SpecShape(*outputs_.at(key).spec), Chooses() ? outputs_.at(key).budget : 1, &draws_);
      piece.outputs[key] = {places, places};
    }
    JudgeOnly(judged, skips_null_, &piece.c);
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
      places[at] = SamplePlaces(shape, Chooses() ? SmallestBudget() : 1, &draws_);
    Piece piece;
    piece.c = c_;
    std::set<std::string> judged;
    for (v1::Argument& arg : *piece.c.mutable_args()) {
      ForEachTensor(&arg, [&](const std::string& key, int at, v1::TensorSpec* spec) {
        const std::vector<int64_t> own = SpecShape(*spec);
        const bool one = own.size() <= 1 && NumElements(own) == 1;
        Places taken;
        taken.flat = one ? std::vector<int64_t>{0} : Unbroadcast(places.at(at), shapes.at(at), own);
        if (outputs_.contains(key)) {
          judged.insert(arg.name());
          Compared& compared = piece.outputs[key];
          for (size_t i = 0; i < taken.flat.size(); ++i) compared.in_piece.push_back(static_cast<int64_t>(i));
          compared.in_whole = taken.flat;
        }
        // A number stays one: a tensor without dimensions has another type in promotions than others. One
        // of several dimensions would give the piece's output as many.
        if (!one) Reshape({static_cast<int64_t>(taken.flat.size())}, spec);
        spec->clear_from();
        if (IsInput(arg)) {
          if (one) taken = Places{std::vector<std::vector<int64_t>>(own.size(), {0}), {0}};
          piece.inputs[key] = std::move(taken);
        }
      });
    }
    JudgeOnly(judged, skips_null_, &piece.c);
    pieces_.push_back(std::move(piece));
    return true;
  }

  bool Chooses() const { return purpose_ != CutFor::kShapes; }

  int64_t SmallestBudget() const {
    int64_t least = INT64_MAX;
    for (const auto& [key, output] : outputs_) least = std::min(least, output.budget);
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

  v1::Case c_;
  const SliceLimits limits_;
  const CutFor purpose_;
  SliceAxes axes_;
  Draws draws_;
  const bool skips_null_;
  std::map<std::string, CutOutput> outputs_;  // judged ones by key; point into c_
  std::set<std::string> made_;                // judged ones that the library makes
  int64_t whole_products_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace

bool IsLarge(const v1::Case& c) {
  return c.generator_version() == kBlockGeneratorVersion;
}

bool IsSliced(const v1::Case& c) {
  if (!IsLarge(c)) return false;
  for (const v1::Judge& judge : c.judges()) {
    switch (judge.kind()) {
      case v1::Judge::RANDOM:
        if (!AreDrawsJudged(c, judge)) return false;
        break;
      case v1::Judge::INDEX_OF:
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
  return std::none_of(c.args().begin(), c.args().end(), [&](const v1::Argument& arg) {
    if (arg.role() == v1::ROLE_LIBRARY_OUTPUT) {
      const v1::Judge* judge = JudgeOf(c, arg.name());
      return judge != nullptr && !IsHashed(*judge);
    }
    return arg.has_host_output() || arg.tensors().sparse_shape_size() > 0;
  });
}

std::vector<Piece> Cut(const v1::Case& c, const v1::Slices& slices, const SliceLimits& limits) {
  return Cutter(c, slices, limits, CutFor::kCalls).Run();
}

namespace {

// Of an elementwise function whose tensors have the output's shape, or one element each.
std::optional<ProducerPiece> CutElementwiseProducer(v1::Case c, const std::string& output,
                                                    const Places& places) {
  const v1::Argument* const out = FindArgument(c, output);
  if (out == nullptr || !out->has_tensor()) return std::nullopt;
  const std::vector<int64_t> shape = SpecShape(out->tensor());
  ProducerPiece cut;
  std::vector<int64_t> taken;
  for (const std::vector<int64_t>& list : places.lists) {
    taken.push_back(static_cast<int64_t>(list.size()));
    cut.in_piece.lists.push_back(Range(0, taken.back()));
  }
  if (places.lists.empty()) {
    taken.push_back(static_cast<int64_t>(places.flat.size()));
    cut.in_piece.flat = Range(0, taken.back());
  }
  bool fits = NumElements(taken) < NumElements(shape);
  for (v1::Argument& arg : *c.mutable_args()) {
    ForEachTensor(&arg, [&](const std::string& key, int, v1::TensorSpec* spec) {
      const std::vector<int64_t> own = SpecShape(*spec);
      const bool one = own.size() <= 1 && NumElements(own) == 1;
      fits = fits && spec->same_as().empty() && (one || own == shape);
      if (IsInput(arg)) cut.piece.inputs[key] = one ? Places{.lists = {}, .flat = {0}} : places;
      if (!one) Reshape(taken, spec);
    });
  }
  if (!fits) return std::nullopt;
  JudgeOnly({}, false, &c);
  cut.piece.c = std::move(c);
  return cut;
}

}  // namespace

std::optional<ProducerPiece> CutProducer(const v1::Case& producer, const v1::Slices& slices,
                                         const std::string& output, const Places& places) {
  const absl::StatusOr<SliceAxes> axes = ParseSliceAxes(slices);
  v1::Case c = producer;
  c.set_generator_version(kGeneratorVersion);
  if (axes.ok() && axes->elementwise) return CutElementwiseProducer(std::move(c), output, places);
  if (!axes.ok() || places.lists.empty()) return std::nullopt;
  std::optional<ResolvedAxes> resolved = ResolveAxes(c, *axes);
  if (!resolved.has_value() || !resolved->free.contains(output)) return std::nullopt;
  const Letters free = resolved->free.at(output);
  const std::vector<Letters> own = resolved->tensors.at(output);
  const PieceGrids grids(c, *axes, SliceLimits(), *std::move(resolved));
  Grid grid = grids.Whole({});
  ProducerPiece cut;
  bool smaller = false;
  for (size_t i = 0; i < own.size(); ++i) {
    const std::vector<int64_t>& list = places.lists[i];
    const std::string& letter = own[i].front();
    const auto taken = static_cast<int64_t>(list.size());
    const bool can = own[i].size() == 1 && std::find(free.begin(), free.end(), letter) != free.end();
    if (can && taken < grids.SizeOf(letter)) {
      smaller = true;
      grid.lists[letter] = list;
      cut.in_piece.lists.push_back(Range(0, taken));
    } else {
      cut.in_piece.lists.push_back(list);
    }
  }
  if (!smaller) return std::nullopt;
  cut.piece = grids.PieceOf(grid);
  JudgeOnly({}, false, &cut.piece.c);
  return cut;
}

PieceSizes MeasurePieces(const v1::Case& c, const v1::Slices& slices) {
  PieceSizes sizes;
  Cutter cutter(c, slices, SliceLimits(), CutFor::kShapes);
  for (const Piece& piece : cutter.Run()) {
    const bool moved = std::all_of(
        piece.c.judges().begin(), piece.c.judges().end(),
        [](const v1::Judge& judge) { return IsMoved(judge) || judge.kind() == v1::Judge::NOT_JUDGED; });
    const bool makes = std::any_of(piece.c.args().begin(), piece.c.args().end(), [](const v1::Argument& arg) {
      return arg.role() == v1::ROLE_LIBRARY_OUTPUT;
    });
    for (v1::Argument arg : piece.c.args()) {
      ForEachTensor(&arg, [&](const std::string&, int, const v1::TensorSpec* spec) {
        const int64_t elements = ElementsOf(*spec);
        // What a library makes has at most the place of every element: an index along every axis.
        if (makes && IsInput(arg))
          sizes.moved_bytes = std::max(sizes.moved_bytes, elements * spec->shape_size() * kIndexBytes);
        if (moved) {
          sizes.moved_bytes = std::max(sizes.moved_bytes, elements * ElementSize(spec->dtype()));
        } else {
          int64_t& most = IsSummed(piece.c) ? sizes.summed_elements : sizes.computed_elements;
          most = std::max(most, elements);
        }
      });
    }
  }
  sizes.products = cutter.whole_products();
  return sizes;
}

std::string WhyNotComputable(const v1::Case& c) {
  const PieceSizes sizes = MeasurePieces(c, BuiltinSlices(c.function()));
  const auto more = [](int64_t value, int64_t most, const char* what) {
    return value <= most ? "" : absl::StrCat("its references would take ", value, what, ", more than ", most);
  };
  for (const std::string& why :
       {more(sizes.moved_bytes, kMostMovedBytes, " bytes that are moved"),
        more(sizes.summed_elements, kMostSummedElements, " elements that are added up at once"),
        more(sizes.computed_elements, kMostComputedElements, " elements that are computed with at once"),
        more(sizes.products, SliceLimits().most_products, " products")}) {
    if (!why.empty()) return why;
  }
  return "";
}

std::vector<int64_t> PlacesIn(const v1::Case& c, const std::string& key, const std::vector<int64_t>& shape,
                              const SliceLimits& limits) {
  Draws draws(Xxh64(absl::StrCat(c.hash(), "\nslices\n", key)));
  return SamplePlaces(shape, limits.compared, &draws);
}

std::map<std::string, std::vector<int64_t>> ComparedPlaces(const std::vector<Piece>& pieces) {
  std::map<std::string, std::vector<int64_t>> places;
  for (const Piece& piece : pieces) {
    for (const auto& [key, compared] : piece.outputs) {
      std::vector<int64_t>& of_key = places[key];
      if (piece.joined != Reduction::kNone) of_key.clear();  // all pieces together give one element
      of_key.insert(of_key.end(), compared.in_whole.begin(), compared.in_whole.end());
    }
  }
  return places;
}

std::map<std::string, std::vector<int64_t>> ComparedPlaces(const v1::Case& c, const v1::Slices& slices) {
  return ComparedPlaces(Cutter(c, slices, SliceLimits(), CutFor::kPlaces).Run());
}

TensorMap TakeInputs(const Piece& piece, const TensorMap& inputs, const BlockInputs& blocks) {
  TensorMap taken;
  for (const auto& [key, places] : piece.inputs) {
    const auto whole = inputs.find(key);
    const auto in_blocks = blocks.find(key);
    if (whole != inputs.end()) {
      taken[key] = TakePlaces(whole->second, places);
    } else if (in_blocks != blocks.end()) {
      taken[key] = TakePlaces(*in_blocks->second, places);
    }
  }
  return taken;
}

}  // namespace diopi::slices
