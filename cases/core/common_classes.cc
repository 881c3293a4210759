// A derived point is one of the operator's with a few changes: each tensor gets one layout at most, or the
// value arguments get numbers of one class. Every change is tried by building the case, because the
// operator's rules say what is asked; a change that they refuse is left out, and the refusal is the class's
// `why`.
#include "cases/core/common_classes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/tensor.h"
#include "cases/core/argument_classes.h"
#include "cases/core/attribute_pairs.h"
#include "cases/core/case_builder.h"
#include "cases/core/cover.h"
#include "cases/core/long_dimensions.h"
#include "cases/core/shape_facts.h"
#include "cases/core/work.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

constexpr const char* kReveals[] = {
    "an argument's strides or offset taken for another's, or for those of a dense tensor",
    "numbers passed through a type that cannot hold them",
    "NaN or infinity met where an attribute leaves elements out, or taken for another number",
    "five dimensions in any order in memory, operands of two types, or boxes far from the origin",
    "an attribute missing from the key of a cached plan: another case differs from this one only in it",
    "a dimension longer than 65,535: a grid's limit, or an index of 16 bits"};
constexpr int kRevealsPair = 4, kRevealsLong = 5;
constexpr char kNoOther[] = "no other case can have it";
constexpr int64_t kMostElements = 4096;  // of a tensor of a point that is changed
constexpr int64_t kMostLengthened = 12;  // points in which a dimension is tried
constexpr int64_t kMostRefused = 40;     // points of a class that the rules refuse until it is given up

int RevealsOf(const ArgumentClass* only) {
  if (only == nullptr) return 0;
  return only->id < kNonFinite ? 1 : only->id < kFar ? 2 : 3;
}

int64_t EnoughOf(int id) {
  return id == kNonFinite ? 1 : kEnoughCases;  // of each path of an attribute
}

// Adds the points of one function.
class Deriver {
 public:
  Deriver(v1::OperatorFile* op, const v1::FunctionRules& rules, std::set<std::string>* labels)
      : op_(op), rules_(rules), labels_(labels) {}

  void Run(std::vector<v1::Case>* cases) {
    for (const v1::Case& c : *cases) {
      if (c.function() != rules_.name()) continue;
      for (const ArgumentClass& key : ClassesOf(rules_, c, false)) ++counts_[key];
      for (const v1::Argument& arg : c.args()) {
        if (HoldsNan(arg, true)) nonfinite_.insert(arg.name());
        if (HoldsNan(arg, false)) nan_.insert(arg.name());
      }
    }
    for (const v1::Case& c : *cases)
      if (c.function() == rules_.name()) Consider(c);
    for (auto& [key, count] : counts_) {
      while (!IsLayout(key.id) && count < EnoughOf(key.id) && AddCase(&key)) {
      }
    }
    while (AddCase(nullptr)) {
    }
    for (const v1::Case& c : *cases)
      if (c.function() == rules_.name()) pairs_.Add(c);
    for (const v1::Case& c : added_) pairs_.Add(c);
    for (const std::string& attribute : pairs_.Varied()) {
      while (pairs_.CountOf(attribute) < kEnoughCases && AddPartner(attribute)) {
      }
    }
    LengthenDimensions(*cases);
    for (v1::Case& c : added_) cases->push_back(std::move(c));
  }

  void Report(std::vector<CommonClass>* classes) const {
    for (const auto& [key, count] : counts_) {
      CommonClass& each = classes->emplace_back();
      each = {rules_.name(), key.argument, NameOf(key), count, ""};
      const auto why = why_.find(key);
      if (count < EnoughOf(key.id)) each.why = why == why_.end() ? kNoOther : why->second;
    }
    for (const std::string& attribute : pairs_.Varied()) {
      const int64_t count = pairs_.CountOf(attribute);
      const auto why = why_unpaired_.find(attribute);
      classes->push_back({rules_.name(), attribute, "alone", count, ""});
      if (count < kEnoughCases) classes->back().why = why == why_unpaired_.end() ? kNoOther : why->second;
    }
    for (const auto& [dimension, reached] : long_)
      classes->push_back({rules_.name(), dimension.argument, dimension.ClassName(), reached ? 1 : 0,
                          reached ? "" : "in no point could this dimension alone be made long"});
  }

 private:
  struct Base {
    v1::Case c;
    std::set<ArgumentClass> may, failed;
    std::set<std::string> unpaired = {};  // attributes for which another case like this was sought
    std::optional<v1::Point> point = std::nullopt;
    int64_t uses = 0;
  };

  bool HasDraws() const {
    return std::any_of(rules_.judge().begin(), rules_.judge().end(),
                       [](const v1::Judge& judge) { return judge.kind() == v1::Judge::RANDOM; });
  }

  void Consider(const v1::Case& c) {
    std::set<ArgumentClass> may = ClassesOf(rules_, c, true);
    std::erase_if(may, [this](const ArgumentClass& key) { return !IsDefined(key); });
    for (const ArgumentClass& key : may) counts_.try_emplace(key, 0);
    const int64_t most = HasDraws() ? kShortestStream : kMostElements;
    if (LargestOf(c) <= most) bases_.push_back({c, std::move(may), {}});
  }

  // Only where the operator's own points have it elsewhere is it known to be defined.
  bool IsDefined(const ArgumentClass& key) const {
    if (key.id == kNonFinite || key.id == kZeroTimes) return nonfinite_.contains(key.argument);
    if (key.id == kPayload) return nan_.contains(key.argument) || MovesOnly(rules_);
    return key.id != kExpanded || MayRepeat(op_->family()) || counts_.contains(key);
  }

  static int64_t LargestOf(const v1::Case& c) {
    int64_t most = 0;
    for (const v1::Argument& arg : c.args())
      for (const v1::TensorSpec* spec : SpecsOf(arg)) most = std::max(most, ElementsOf(*spec));
    return most;
  }

  bool IsMissing(const Base& base, const ArgumentClass& key) const {
    const auto refused = refused_.find(key);
    return counts_.at(key) < EnoughOf(key.id) && !base.failed.contains(key) &&
           (refused == refused_.end() || refused->second < kMostRefused);
  }

  // Classes that the base may still get; for values, `only` or none.
  int64_t Gain(const Base& base, const ArgumentClass* only) const {
    if (only != nullptr) {
      if (!base.may.contains(*only) || !IsMissing(base, *only)) return 0;
      return only->id == kPayload && base.c.dtype() == v1::Dtype::float32 ? 2 : 1;  // whose bits are cut off
    }
    std::set<std::string> arguments;
    for (const ArgumentClass& key : base.may)
      if (IsLayout(key.id) && IsMissing(base, key)) arguments.insert(key.argument);
    return static_cast<int64_t>(arguments.size());
  }

  // Among those that gain most, of the dtype and the point that were used least.
  Base* Choose(const ArgumentClass* only) {
    Base* best = nullptr;
    std::pair<int64_t, int64_t> most = {0, 0};
    for (Base& base : bases_) {
      const int64_t gain = Gain(base, only);
      if (gain == 0) continue;
      const std::pair<int64_t, int64_t> rank = {gain, -16 * base.uses - dtype_uses_[base.c.dtype()]};
      if (best != nullptr && rank <= most) continue;
      best = &base;
      most = rank;
    }
    return best;
  }

  // False when nothing is left to do.
  bool AddCase(const ArgumentClass* only) {
    for (Base* base = Choose(only); base != nullptr; base = Choose(only)) {
      if (!base->point.has_value() && !FindPoint(base)) continue;
      v1::Point point = *base->point;
      std::optional<v1::Case> built;
      std::string changes;
      if (only != nullptr) {
        ChangeValues(base, *only, &point, &built, &changes);
      } else {
        ChangeLayouts(base, &point, &built, &changes);
      }
      ++base->uses;
      if (built.has_value() && Add(*base, changes, RevealsOf(only), std::move(point))) {
        ++dtype_uses_[base->c.dtype()];
        return true;
      }
      GiveUp(base, only);
    }
    return false;
  }

  // The base cannot have the class, or any further layout.
  static void GiveUp(Base* base, const ArgumentClass* only) {
    for (const ArgumentClass& key : base->may)
      if (only == nullptr ? IsLayout(key.id) : key == *only) base->failed.insert(key);
  }

  bool FindPoint(Base* base) {
    for (const v1::Grid& grid : op_->grid()) {
      for (const v1::Point& point : grid.point())
        if (point.label() == base->c.label()) base->point = point;
    }
    if (!base->point.has_value()) {
      absl::StatusOr<v1::Point> point = PointOfCase(*op_, base->c);
      if (point.ok()) base->point = *std::move(point);
    }
    if (base->point.has_value()) return true;
    base->failed = base->may;
    return false;
  }

  // Keeps the change of the point if the rules allow it.
  bool Try(Base* base, const ArgumentClass& key, v1::Point changed, v1::Point* point,
           std::optional<v1::Case>* built) {
    absl::StatusOr<Fit> fit = BuildCase(*op_, rules_, changed, base->c.dtype());
    std::string why = !fit.ok() ? std::string(fit.status().message()) : fit->why_not;
    if (fit.ok() && fit->c.has_value()) {
      const absl::Status inputs = CheckInputs(*fit->c);
      why = !inputs.ok()                                       ? std::string(inputs.message())
            : LargestTensorBytes(*fit->c) > kMostTensorBytes   ? "a tensor would be larger than 1 MiB"
            : !ClassesOf(rules_, *fit->c, false).contains(key) ? "the rules undo it"
                                                               : "";
    }
    if (!why.empty()) {
      why_[key] = why;
      ++refused_[key];
      base->failed.insert(key);
      return false;
    }
    *point = std::move(changed);
    *built = *std::move(fit->c);
    return true;
  }

  // The second case has the class in every argument: they are alike, tie and cancel.
  void ChangeValues(Base* base, const ArgumentClass& only, v1::Point* point, std::optional<v1::Case>* built,
                    std::string* changes) {
    const int64_t before = counts_.at(only);
    for (const v1::Argument& arg : base->c.args()) {
      const ArgumentClass key{arg.name(), only.id, only.with};
      const bool also = before == 1 && only.id <= kNonFinite;
      if (key != only && (!also || !base->may.contains(key) || base->failed.contains(key))) continue;
      v1::Point changed = *point;
      Change(base->c, arg, key.id, before == 2, &changed);
      if (!Try(base, key, std::move(changed), point, built)) continue;
      absl::StrAppend(changes, "_", arg.name());
    }
    absl::StrAppend(changes, "_", NameOf({only.argument, only.id}));  // LabelOf makes it unique
    if (built->has_value() && !ClassesOf(rules_, **built, false).contains(only)) built->reset();
  }

  void ChangeLayouts(Base* base, v1::Point* point, std::optional<v1::Case>* built, std::string* changes) {
    for (const v1::Argument& arg : base->c.args()) {
      if (arg.role() == v1::ROLE_OUTPUT && point->out_layout().kind() != v1::Layout::contiguous) continue;
      std::vector<ArgumentClass> keys;
      for (int id = 0; id <= kNhwc; ++id) {
        const ArgumentClass key{arg.name(), id};
        if (base->may.contains(key) && IsMissing(*base, key)) keys.push_back(key);
      }
      std::stable_sort(keys.begin(), keys.end(), [this](const ArgumentClass& a, const ArgumentClass& b) {
        return counts_.at(a) < counts_.at(b);
      });
      if (!keys.empty())
        std::rotate(keys.begin(), keys.begin() + static_cast<int64_t>(added_.size() % keys.size()),
                    keys.end());
      for (const ArgumentClass& key : keys) {
        v1::Point changed = *point;
        Change(base->c, arg, key.id, false, &changed);
        if (!Try(base, key, std::move(changed), point, built)) continue;
        absl::StrAppend(changes, "_", arg.name(), "_", NameOf({key.argument, key.id}));
        break;
      }
    }
  }

  // The base's point with another value of the attribute, if its case differs from the base's in it alone.
  std::optional<v1::Point> PartnerOf(const Base& base, const std::string& attribute,
                                     const v1::PointAttribute& other) {
    v1::Point point = *base.point;
    auto* attributes = point.mutable_attr();
    attributes->erase(std::remove_if(attributes->begin(), attributes->end(),
                                     [&](const auto& each) { return each.name() == other.name(); }),
                      attributes->end());
    *point.add_attr() = other;
    const absl::StatusOr<Fit> fit = BuildCase(*op_, rules_, point, base.c.dtype());
    const absl::Status status = !fit.ok()            ? fit.status()
                                : fit->c.has_value() ? CheckInputs(*fit->c)
                                                     : absl::InvalidArgumentError(fit->why_not);
    if (status.ok() && DifferAlone(base.c, *fit->c, attribute)) return point;
    why_unpaired_[attribute] =
        status.ok() ? "every other value also changes the shape of a tensor" : std::string(status.message());
    return std::nullopt;
  }

  // Adds a case that differs from one of the function's in the attribute alone. False if none can.
  bool AddPartner(const std::string& attribute) {
    std::vector<std::pair<std::tuple<bool, int64_t, int64_t>, Base*>> bases;  // the least rank first
    for (Base& base : bases_) {
      if (base.unpaired.contains(attribute) || pairs_.HasPartner(base.c, attribute)) continue;
      bases.push_back({{pairs_.IsUsual(base.c, attribute), dtype_uses_[base.c.dtype()], base.uses}, &base});
    }
    std::stable_sort(bases.begin(), bases.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [rank, base] : bases) {
      base->unpaired.insert(attribute);
      if (!base->point.has_value() && !FindPoint(base)) continue;
      for (const v1::PointAttribute& other : pairs_.OthersThan(base->c, attribute)) {
        std::optional<v1::Point> point = PartnerOf(*base, attribute, other);
        if (!point.has_value() ||
            !Add(*base, absl::StrCat("_", other.name(), "_alone"), kRevealsPair, *std::move(point)))
          continue;
        ++base->uses;
        ++dtype_uses_[base->c.dtype()];
        pairs_.Add(added_.back());
        return true;
      }
    }
    return false;
  }

  // Each dimension of each input in turn, once.
  void LengthenDimensions(const std::vector<v1::Case>& cases) {
    for (const v1::Case& c : cases) {
      if (c.function() != rules_.name() || HasDraws()) continue;
      facts_.Add(c);
      for (const Dimension& each : DimensionsOf(c, false)) long_.try_emplace(each, false);
      for (const Dimension& each : DimensionsOf(c, true)) long_[each] = true;
    }
    struct Candidate {
      std::pair<int64_t, int64_t> cost;  // bytes of an element, elements of the largest tensor
      Base* base;
      std::set<Dimension> dimensions;
    };
    std::vector<Candidate> candidates;
    for (Base& base : bases_)
      candidates.push_back(
          {{ElementSize(base.c.dtype()), LargestOf(base.c)}, &base, DimensionsOf(base.c, false)});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    for (auto& [dimension, reached] : long_) {
      int64_t tries = 0;
      for (auto each = candidates.begin(); each != candidates.end() && !reached && tries < kMostLengthened;
           ++each) {
        if (!each->dimensions.contains(dimension)) continue;
        ++tries;
        reached = AddLong(each->base, dimension);
      }
    }
  }

  bool IsRelatedAsOthers(const v1::Case& c) const {
    const SizeRelations* relations = facts_.Of(c);
    return relations != nullptr && relations->Hold(SizesOf(c));
  }

  bool AddLong(Base* base, const Dimension& dimension) {
    if (!base->point.has_value() && !FindPoint(base)) return false;
    const auto fits = [&](const v1::Point& point) {
      const absl::StatusOr<Fit> fit = BuildCase(*op_, rules_, point, base->c.dtype());
      if (!fit.ok() || !fit->c.has_value() || LargestTensorBytes(*fit->c) > kMostLongBytes) return false;
      const absl::StatusOr<double> visits = VisitsOf(*op_, *fit->c);
      return visits.ok() && *visits <= kMostLongVisits && IsRelatedAsOthers(*fit->c) &&
             CheckInputs(*fit->c).ok();
    };
    std::optional<v1::Point> point = Lengthened(rules_, base->c, *base->point, dimension, facts_, fits);
    if (!point.has_value() || !Add(*base, absl::StrCat("_", dimension.argument, "_", dimension.ClassName()),
                                   kRevealsLong, *std::move(point)))
      return false;
    for (const Dimension& each : DimensionsOf(added_.back(), true)) long_[each] = true;
    return true;
  }

  std::string LabelOf(const Base& base, const std::string& changes) const {
    const std::string label = absl::AsciiStrToLower(absl::StrCat(base.c.label(), changes));
    std::string free = label;
    for (int i = 2; labels_->contains(free); ++i) free = absl::StrCat(label, "_", i);
    return free;
  }

  bool Add(const Base& base, const std::string& changes, int reveals, v1::Point point) {
    point.set_label(LabelOf(base, changes));
    point.set_reveals(kReveals[reveals]);
    point.clear_dtypes();
    point.clear_dtype_sets();
    point.clear_functions();
    absl::StatusOr<Fit> fit = BuildCase(*op_, rules_, point, base.c.dtype());
    if (!fit.ok() || !fit->c.has_value() || !FinishCase(rules_, &*fit->c).ok()) return false;
    labels_->insert(point.label());
    for (const ArgumentClass& key : ClassesOf(rules_, *fit->c, false)) ++counts_[key];
    added_.push_back(*std::move(fit->c));
    v1::Grid* grid = op_->add_grid();
    grid->set_common(true);
    grid->add_functions(rules_.name());
    grid->add_dtypes(base.c.dtype());
    *grid->add_point() = std::move(point);
    return true;
  }

  v1::OperatorFile* const op_;
  const v1::FunctionRules& rules_;
  std::set<std::string>* const labels_;
  std::map<ArgumentClass, int64_t> counts_;
  std::set<std::string> nonfinite_, nan_;  // arguments that have NaN or infinity in some case, and NaN
  std::map<ArgumentClass, std::string> why_;
  std::map<ArgumentClass, int64_t> refused_;
  AttributePairs pairs_;
  std::map<std::string, std::string> why_unpaired_;
  ShapeFacts facts_;
  std::map<Dimension, bool> long_;  // whether a case has it
  std::vector<Base> bases_;
  std::map<Dtype, int64_t> dtype_uses_;
  std::vector<v1::Case> added_;
};

}  // namespace

std::vector<CommonClass> AddCommonPoints(v1::OperatorFile* op, std::vector<v1::Case>* cases) {
  std::set<std::string> labels;
  for (const v1::Case& c : *cases) labels.insert(c.label());
  std::vector<CommonClass> classes;
  for (const v1::FunctionRules& rules : op->function()) {
    Deriver deriver(op, rules, &labels);
    deriver.Run(cases);
    deriver.Report(&classes);
  }
  return classes;
}

std::vector<std::string> CommonLines(const std::vector<CommonClass>& classes, const std::string& function) {
  std::vector<std::string> lines;
  std::string last;
  for (const CommonClass& each : classes) {
    if (each.function != function) continue;
    if (lines.empty() || each.argument != last) lines.push_back(absl::StrCat("  ", each.argument, ":"));
    const std::string why = each.why.empty() ? "" : absl::StrCat(" (", each.why, ")");
    absl::StrAppend(&lines.back(), each.argument == last ? ", " : " ", each.name, " ", each.cases, why);
    last = each.argument;
  }
  return lines;
}

}  // namespace diopi::cases
