// A call begins as a row of a cover, with any classes and with other numbers than the cover's, or as one of
// the operator's points, and is then changed a few times. Small calls are frequent, so that many are tried;
// large ones occur, because some defects show in them only.
#include "cases/explore/source.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/case_parts.h"
#include "cases/base/hash.h"
#include "cases/base/tensor.h"
#include "cases/core/case_builder.h"
#include "cases/core/cover_point.h"
#include "cases/core/operator_file.h"
#include "cases/core/work.h"
#include "cases/explore/extents.h"
#include "cases/fill/fill.h"

namespace diopi::explore {
namespace {

constexpr int kCandidates = 3;
constexpr int kMostDraws = 60;                    // for the candidates of one call
constexpr int64_t kEdges[] = {0, 0, 1, 1, 2, 2};  // of a call
constexpr int kMostRows = 12;                     // drawn until one meets the cover's conditions
constexpr int64_t kMostElements = 140'000;
constexpr int64_t kMostRandomElements = kShortestStream;  // enough to tell distributions apart
constexpr double kMostOperations = 2e7;

template <typename List, typename Value>
bool Has(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<Dtype> Common(std::vector<Dtype> dtypes, const v1::FunctionRules& rules,
                          const std::set<Dtype>& selected) {
  std::erase_if(dtypes,
                [&](Dtype dtype) { return !cases::TakesDtype(rules, dtype) || !selected.contains(dtype); });
  return dtypes;
}

std::vector<Dtype> DtypesOfPoint(const v1::Grid& grid, const v1::Point& point) {
  std::vector<Dtype> dtypes = cases::DtypesOf(grid.dtypes(), grid.dtype_sets());
  if (point.dtypes().empty() && point.dtype_sets().empty()) return dtypes;
  const std::vector<Dtype> narrow = cases::DtypesOf(point.dtypes(), point.dtype_sets());
  std::erase_if(dtypes, [&](Dtype dtype) { return !Has(narrow, dtype); });
  return dtypes;
}

bool Takes(const v1::Class& c, Dtype dtype) {
  if (c.dtypes().empty() && c.dtype_sets().empty()) return true;
  return Has(cases::DtypesOf(c.dtypes(), c.dtype_sets()), dtype);
}

// The class stands for a number, the value of the variable of its axis's name.
bool IsNumber(const v1::Axis& axis, const v1::Class& c) {
  if (c.let_size() != 1 || c.let(0).name() != axis.name() || !c.in().empty() || !c.attr().empty())
    return false;
  return c.let(0).value().find_first_not_of("0123456789") == std::string::npos;
}

// The least and the greatest number of an axis, and their greatest common divisor: where all are even, an odd
// number may be no valid one.
struct NumberRange {
  int64_t least = INT64_MAX, greatest = 0, divisor = 0;
};

NumberRange RangeOf(const v1::Axis& axis) {
  NumberRange range;
  for (const v1::Class& c : axis.class_()) {
    if (!IsNumber(axis, c)) continue;
    const int64_t value = std::strtoll(c.let(0).value().c_str(), nullptr, 10);
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
    range.divisor = std::gcd(range.divisor, value);
  }
  return range;
}

bool Holds(const std::string& condition, const cases::Variables& variables) {
  if (condition.empty()) return true;
  const absl::StatusOr<std::optional<int64_t>> value = cases::Evaluate(condition, variables);
  return value.ok() && value->value_or(0) != 0;
}

bool MeetsConditions(const v1::Cover& cover, const cases::Classes& classes,
                     const cases::Variables& variables) {
  const auto& conditions = cover.condition();
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const v1::Condition& each) { return Holds(each.that(), variables); }) &&
         std::all_of(classes.begin(), classes.end(),
                     [&](const v1::Class* c) { return Holds(c->when(), variables); });
}

int64_t MostElements(const v1::Case& c) {
  int64_t most = 0;
  for (const v1::Argument& arg : c.args())
    for (const v1::TensorSpec* spec : SpecsOf(arg))
      most = std::max({most, ElementsOf(*spec), spec->storage_elements()});
  return most;
}

double Operations(const v1::OperatorFile& op, const v1::Case& c) {
  double operations = cases::VisitsOf(op, c).value_or(0);
  for (const v1::Case& producer : c.producers()) operations += Operations(op, producer);
  return operations;
}

// Moves the point's contiguous tensors to element 1 of their storage, which no vector width is aligned to,
// and says which. Empty: none may be moved, and the point is unchanged.
std::string MisalignPoint(v1::Point* point) {
  std::string moved;
  for (v1::PointTensor& tensor : *point->mutable_in()) {
    const bool plain = tensor.layout().kind() == v1::Layout::contiguous;
    if (tensor.null() || !tensor.same_as().empty() || !plain) continue;
    tensor.mutable_layout()->set_kind(v1::Layout::offset);
    absl::StrAppend(&moved, moved.empty() ? "" : ", ", tensor.name(), ": offset");
  }
  return moved;
}

}  // namespace

Source::Source(const v1::OperatorFile* op, const v1::FunctionRules* rules, const Vocabulary* vocabulary,
               const std::set<Dtype>& dtypes, std::string name, uint64_t seed)
    : op_(op),
      rules_(rules),
      function_(abi::FindFunction(rules->name())),
      vocabulary_(vocabulary),
      name_(std::move(name)),
      seed_(Xxh64(absl::StrCat(seed, " ", op->operator_(), " ", rules->name()))),
      random_(IsRandom(*rules)) {
  AddOrigins(dtypes);
}

void Source::AddOrigins(const std::set<Dtype>& dtypes) {
  const auto wanted = [this](const auto& functions) {
    return functions.empty() || Has(functions, rules_->name());
  };
  for (const v1::Grid& grid : op_->grid()) {
    for (const v1::Point& point : grid.point()) {
      if (!wanted(grid.functions()) || !wanted(point.functions())) continue;
      Origin origin{&point, nullptr, Common(DtypesOfPoint(grid, point), *rules_, dtypes)};
      if (origin.dtypes.empty()) continue;
      const absl::StatusOr<cases::Fit> fit = cases::BuildCase(*op_, *rules_, point, origin.dtypes.front());
      if (fit.ok() && fit->c.has_value()) points_.push_back(std::move(origin));
    }
  }
  for (const v1::Cover& cover : op_->cover()) {
    Origin origin{nullptr, &cover,
                  Common(cases::DtypesOf(cover.dtypes(), cover.dtype_sets()), *rules_, dtypes)};
    // A built-in cover lists the functions that it has rows for.
    const bool takes = cover.chosen().empty() ||
                       std::any_of(cover.chosen().begin(), cover.chosen().end(),
                                   [this](const auto& each) { return each.function() == rules_->name(); });
    if (wanted(cover.functions()) && takes && !origin.dtypes.empty()) covers_.push_back(std::move(origin));
  }
}

Source::Limits Source::MostLimits() const {
  return {random_ ? kMostRandomElements : kMostElements, kMostOperations, false};
}

Source::Limits Source::DrawLimits(Draws* draws) const {
  const int64_t percent = draws->Below(100);
  // The operator's points have the sizes at which draws are judged.
  if (random_ && percent >= 70) return MostLimits();
  if (percent < 70) return {2048, 2e6, false};
  if (percent < 94) return {20'000, 1e7, false};
  return {kMostElements, kMostOperations, true};
}

Draws Source::NextDraws() {
  return Draws(Xxh64(absl::StrCat(seed_, " ", drawn_++)));
}

std::optional<v1::Point> Source::DrawRow(const v1::Cover& cover, Dtype dtype, const Limits& limits,
                                         Draws* draws, std::vector<std::string>* how,
                                         std::vector<Dtype>* dtypes) const {
  for (int row = 0; row < kMostRows; ++row) {
    cases::Classes classes;
    for (const v1::Axis& axis : cover.axis()) {
      std::vector<const v1::Class*> possible;
      for (const v1::Class& c : axis.class_()) {
        if (Takes(c, dtype) && !c.once()) possible.push_back(&c);
      }
      if (possible.empty()) return std::nullopt;
      classes.push_back(possible[static_cast<size_t>(draws->Below(static_cast<int64_t>(possible.size())))]);
    }
    cases::Variables variables = cases::VariablesOf(cover, classes);
    std::vector<std::string> numbers;
    for (int a = 0; a < cover.axis_size(); ++a) {
      const v1::Axis& axis = cover.axis(a);
      // Draws are judged by their distribution, for which the cover's sizes are large enough.
      if (random_ || !IsNumber(axis, *classes[static_cast<size_t>(a)]) || draws->Below(2) == 0) continue;
      const NumberRange range = RangeOf(axis);
      const int64_t divisor = std::max<int64_t>(range.divisor, 1);
      const int64_t most = std::min(range.greatest, limits.elements);
      const int64_t number = std::max(range.least, DrawExtent(range.least, most, draws) / divisor * divisor);
      variables[axis.name()] = absl::StrCat(number);
      numbers.push_back(absl::StrCat(axis.name(), " ", number));
    }
    if (!MeetsConditions(cover, classes, variables)) continue;
    absl::StatusOr<v1::Point> point = cases::PointOf(cover, classes, variables);
    if (!point.ok()) continue;
    std::erase_if(*dtypes, [&classes](Dtype each) {
      return std::any_of(classes.begin(), classes.end(),
                         [each](const v1::Class* c) { return !Takes(*c, each); });
    });
    how->push_back(cases::LabelOfClasses(cover, classes));
    how->insert(how->end(), numbers.begin(), numbers.end());
    return *std::move(point);
  }
  return std::nullopt;
}

std::optional<Call> Source::Build(v1::Point point, Dtype dtype, const Limits& limits,
                                  const std::string& label, const std::vector<std::string>& how,
                                  const Accepts& accepts) const {
  point.set_label(label);
  point.set_reveals(absl::StrCat("explored: ", absl::StrJoin(how, "; ")));
  absl::StatusOr<cases::Fit> fit = cases::BuildCase(*op_, *rules_, point, dtype);
  if (!fit.ok() || !fit->c.has_value()) return std::nullopt;
  Call call{op_, std::move(point), *std::move(fit->c), {}};
  if (MostElements(call.c) > limits.elements) return std::nullopt;
  if (cases::LargestTensorBytes(call.c) > cases::kMostTensorBytes) return std::nullopt;
  if (Operations(*op_, call.c) > limits.operations) return std::nullopt;
  if (!cases::FinishCase(*rules_, &call.c).ok() || !CheckInputs(call.c).ok()) return std::nullopt;
  if (!accepts(call.c)) return std::nullopt;
  return call;
}

std::optional<Call> Source::Draw(const Accepts& accepts, const std::string& label, Draws* draws) const {
  const Limits limits = DrawLimits(draws);
  const bool row = points_.empty() || (!covers_.empty() && draws->Below(100) < 60);
  const std::vector<Origin>& origins = row ? covers_ : points_;
  if (origins.empty()) return std::nullopt;
  const Origin& origin = origins[static_cast<size_t>(draws->Below(static_cast<int64_t>(origins.size())))];
  const Dtype dtype =
      origin.dtypes[static_cast<size_t>(draws->Below(static_cast<int64_t>(origin.dtypes.size())))];
  if (left_out_.contains(dtype)) return std::nullopt;
  std::vector<std::string> how;
  std::vector<Dtype> dtypes = origin.dtypes;
  std::optional<v1::Point> point;
  if (origin.cover != nullptr) {
    point = DrawRow(*origin.cover, dtype, limits, draws, &how, &dtypes);
  } else {
    point = *origin.point;
    how.push_back(point->label());
  }
  if (!point.has_value()) return std::nullopt;
  MutateOptions options{rules_, function_, vocabulary_, dtype, limits.elements, limits.large};
  for (int64_t changes = draws->Below(4) + (limits.large ? 1 : 0); changes > 0; --changes) {
    std::string change = MutatePoint(options, draws, &*point);
    if (!change.empty()) how.push_back(std::move(change));
    options.large = false;  // one size makes the call large
  }
  // Some edges show together only.
  for (int64_t edges = random_ ? 0 : kEdges[draws->Below(std::size(kEdges))]; edges > 0; --edges) {
    std::string edge = MutateEdge(options, draws, &*point);
    if (!edge.empty()) how.push_back(std::move(edge));
  }
  std::optional<Call> call = Build(*std::move(point), dtype, limits, label, how, accepts);
  if (call.has_value()) call->dtypes = std::move(dtypes);
  return call;
}

std::optional<Call> Source::Next(const Accepts& accepts) {
  const std::string label = absl::StrCat(name_, "_", drawn_);
  Draws draws = NextDraws();
  std::optional<Call> best;
  std::vector<uint64_t> best_classes;
  int64_t most = -1;
  for (int tries = 0, candidates = 0; tries < kMostDraws && candidates < kCandidates; ++tries) {
    std::optional<Call> candidate = Draw(accepts, label, &draws);
    if (!candidate.has_value()) continue;
    ++candidates;
    std::vector<uint64_t> classes = ClassesOf(candidate->c);
    const int64_t novelty = seen_.Novelty(classes);
    if (novelty <= most) continue;
    most = novelty;
    best = std::move(candidate);
    best_classes = std::move(classes);
  }
  if (best.has_value()) seen_.Add(best_classes);
  return best;
}

// Says what it changed; empty: nothing.
std::string Source::ChangePoint(Variation variation, const MutateOptions& options, Draws* draws,
                                v1::Point* point) const {
  switch (variation) {
    case Variation::kAlignment:
      return MisalignPoint(point);
    case Variation::kKey:
      return MutateForSequence(options, draws, point);
    case Variation::kChange:
      return MutatePoint(options, draws, point);
    case Variation::kDtype:
      return absl::StrCat("in ", std::string(DtypeName(options.dtype)));
    case Variation::kValues:
      break;
  }
  return "other values";
}

// `relation`: how the new call is to `call`, in words.
std::optional<Call> Source::Vary(const Call& call, Variation variation, const std::string& relation,
                                 const Accepts& accepts) {
  const std::string label = absl::StrCat(name_, "_", drawn_);
  Draws draws = NextDraws();
  const bool change = variation == Variation::kChange, search = change || variation == Variation::kKey;
  const Limits limits = change ? DrawLimits(&draws) : MostLimits();
  Dtype dtype = call.c.dtype();
  if (variation == Variation::kDtype)
    dtype = call.dtypes[static_cast<size_t>(draws.Below(static_cast<int64_t>(call.dtypes.size())))];
  const bool other = dtype != call.c.dtype();
  if (variation == Variation::kDtype && (!other || left_out_.contains(dtype))) return std::nullopt;
  const MutateOptions options{rules_, function_, vocabulary_, dtype, limits.elements, false};
  for (int tries = search ? kMostDraws : 1; tries > 0; --tries) {
    v1::Point point = call.point;
    const std::string what = ChangePoint(variation, options, &draws, &point);
    if (what.empty()) continue;
    std::optional<Call> varied = Build(std::move(point), dtype, limits, label,
                                       {absl::StrCat(relation, " ", call.c.label()), what}, accepts);
    if (!varied.has_value()) continue;
    varied->dtypes = call.dtypes;
    seen_.Add(ClassesOf(varied->c));
    return varied;
  }
  return std::nullopt;
}

std::optional<Call> Source::Near(const Call& call, const Accepts& accepts) {
  std::optional<Call> near = Vary(call, Variation::kChange, "near", accepts);
  if (near.has_value()) near->followup = true;
  return near;
}

std::vector<Call> Source::Sequel(const Call& call, const Accepts& accepts) {
  Draws draws = NextDraws();
  constexpr Variation kVariations[] = {Variation::kValues, Variation::kAlignment, Variation::kDtype,
                                       Variation::kKey,    Variation::kKey,       Variation::kKey,
                                       Variation::kChange};
  const Variation variation = kVariations[draws.Below(std::size(kVariations))];
  const bool beside = draws.Below(2) == 0;
  std::vector<Call> calls;
  std::optional<Call> between = Vary(call, variation, "after", accepts);
  if (between.has_value()) calls.push_back(*std::move(between));
  std::optional<Call> again = Vary(call, Variation::kValues, "after", accepts);
  if (again.has_value()) calls.push_back(*std::move(again));
  if (!calls.empty()) calls.back().beside = beside;
  return calls;
}

}  // namespace diopi::explore
