// A greedy search: passes of candidates, from the simplest, each one step away from the current point. The
// first candidate that still fails becomes the new point and the pass begins again; the search ends when no
// candidate of any pass fails. Fills are ordered by complexity and only simpler ones are candidates, and no
// point is tried twice, so the search always ends.
#include "client/shrink/shrink_point.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace diopi::shrink {
namespace {

constexpr int64_t kOneByOne = 64;
constexpr int64_t kSmallInteger = 3;

class Candidates {
 public:
  explicit Candidates(const v1::Point& point) : point_(point) {}

  // Adds a copy simplified by `change`, unless the copy equals the original.
  template <typename Change>
  void Add(const std::string& what, Change change) {
    v1::Point changed = point_;
    change(&changed);
    if (changed.SerializeAsString() != point_.SerializeAsString())
      list_.push_back({what, std::move(changed)});
  }
  std::vector<Simplification> Take() { return std::move(list_); }

 private:
  const v1::Point& point_;
  std::vector<Simplification> list_;
};

void DropDimension(int position, bool from_last, v1::Point* point) {
  for (v1::PointTensor& tensor : *point->mutable_in()) {
    const int rank = tensor.shape_size();
    if (position >= rank) continue;
    tensor.mutable_shape()->erase(tensor.shape().begin() + (from_last ? rank - 1 - position : position));
    tensor.clear_layout();  // its number of dimensions changes
  }
}

// Merges two neighbouring dimensions in every tensor that has both.
void MergeDimensions(int position, v1::Point* point) {
  for (v1::PointTensor& tensor : *point->mutable_in()) {
    const int at = tensor.shape_size() - 2 - position;
    if (at < 0) continue;
    tensor.set_shape(at, tensor.shape(at) * tensor.shape(at + 1));
    tensor.mutable_shape()->erase(tensor.shape().begin() + at + 1);
    tensor.clear_layout();
  }
}

bool SameShape(const v1::PointTensor& a, const v1::PointTensor& b) {
  return std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end());
}

// Ascending, all below `size`.
std::vector<int64_t> SmallerThan(int64_t size) {
  std::set<int64_t> sizes;
  for (int64_t n = 1; n < size && n <= kOneByOne; ++n) sizes.insert(n);
  for (int64_t power = 2 * kOneByOne; power - 1 < size; power *= 2) {
    for (const int64_t n : {power - 1, power, power + 1}) {
      if (n < size) sizes.insert(n);
    }
  }
  if (size > 1) sizes.insert({size / 2, size - 1});
  sizes.erase(0);
  return {sizes.begin(), sizes.end()};
}

std::set<int64_t> SizesOf(const v1::Point& point) {
  std::set<int64_t> sizes;
  for (const v1::PointTensor& tensor : point.in()) sizes.insert(tensor.shape().begin(), tensor.shape().end());
  return sizes;
}

void ReplaceSizes(int64_t from, int64_t to, bool lists, v1::Point* point) {
  for (v1::PointTensor& tensor : *point->mutable_in()) {
    std::replace(tensor.mutable_shape()->begin(), tensor.mutable_shape()->end(), from, to);
  }
  for (v1::PointAttribute& attr : *point->mutable_attr()) {
    if (!lists || !attr.has_sizes()) continue;
    auto& values = *attr.mutable_sizes()->mutable_values();
    std::replace(values.begin(), values.end(), from, to);
  }
}

// How complicated values are: only simpler kinds are candidates.
enum Complexity { kZeros, kOnes, kOneFirst, kOneLast, kRange, kIntegers, kOther };

Complexity ComplexityOf(const v1::Fill& fill) {
  if (fill.has_specials()) {
    const bool one =
        fill.has_constant() && fill.constant().value() == 0 && fill.specials().values_size() == 1;
    if (!one || fill.specials().values(0) != 1) return kOther;
    return fill.specials().tail() ? kOneLast : kOneFirst;
  }
  if (fill.has_constant() && fill.constant().value() == 0) return kZeros;
  if (fill.has_constant() && fill.constant().value() == 1) return kOnes;
  if (fill.has_range() && fill.range().start() == 0 && !fill.range().has_step()) return kRange;
  const bool small = fill.has_integers() && fill.integers().low() == -kSmallInteger &&
                     fill.integers().high() == kSmallInteger;
  return small ? kIntegers : kOther;
}

struct SimpleFill {
  const char* name;
  v1::Fill fill;
};

// Sorted by Complexity.
std::vector<SimpleFill> SimpleFills() {
  std::vector<SimpleFill> fills(6);
  fills[kZeros].name = "zeros";
  fills[kZeros].fill.mutable_constant()->set_value(0);
  fills[kOnes].name = "ones";
  fills[kOnes].fill.mutable_constant()->set_value(1);
  fills[kOneFirst].name = "zeros but the first element";
  fills[kOneLast].name = "zeros but the last element";
  for (const Complexity one : {kOneFirst, kOneLast}) {
    fills[one].fill.mutable_constant()->set_value(0);
    fills[one].fill.mutable_specials()->add_values(1);
  }
  fills[kOneLast].fill.mutable_specials()->set_tail(true);
  fills[kRange].name = "0, 1, 2, ...";
  fills[kRange].fill.mutable_range()->set_start(0);
  fills[kIntegers].name = "small integers";
  fills[kIntegers].fill.mutable_integers()->set_low(-kSmallInteger);
  fills[kIntegers].fill.mutable_integers()->set_high(kSmallInteger);
  return fills;
}

// Dimensions and paddings are neutral at 0, factors at 1; for other attributes both are tried.
std::vector<int> NeutralNumbers(const std::string& name) {
  const bool place = absl::StrContains(name, "dim") || absl::StrContains(name, "pad") ||
                     absl::StrContains(name, "axis") || absl::StrContains(name, "offset");
  return place ? std::vector<int>{0} : std::vector<int>{1, 0};
}

// Whether the attribute has the value `number`, or one that comes before it in `numbers`.
bool IsAtOrBefore(const v1::PointAttribute& attr, const std::vector<int>& numbers, int number) {
  const auto value = [&]() -> double {
    if (attr.has_i()) return static_cast<double>(attr.i());
    if (attr.has_f()) return attr.f();
    return attr.scalar().has_f() ? attr.scalar().f() : static_cast<double>(attr.scalar().i());
  }();
  for (const int simple : numbers) {
    if (value == simple) return true;
    if (simple == number) return false;
  }
  return false;
}

void SetNumber(int number, v1::PointAttribute* attr) {
  if (attr->has_i()) attr->set_i(number);
  if (attr->has_f()) attr->set_f(number);
  if (!attr->has_scalar()) return;
  if (attr->scalar().has_f()) attr->mutable_scalar()->set_f(number);
  if (attr->scalar().has_i()) attr->mutable_scalar()->set_i(number);
}

}  // namespace

std::vector<Simplification> WithFewerDimensions(const v1::Point& point) {
  Candidates candidates(point);
  int rank = 0;
  for (const v1::PointTensor& tensor : point.in()) rank = std::max(rank, tensor.shape_size());
  for (int position = rank - 1; position >= 0; --position) {
    candidates.Add(absl::StrCat("dimension -", position + 1, " dropped"),
                   [&](v1::Point* p) { DropDimension(position, true, p); });
    candidates.Add(absl::StrCat("dimension ", position, " dropped"),
                   [&](v1::Point* p) { DropDimension(position, false, p); });
  }
  for (int position = 0; position < rank - 1; ++position) {
    candidates.Add(absl::StrCat("dimensions -", position + 2, " and -", position + 1, " merged"),
                   [&](v1::Point* p) { MergeDimensions(position, p); });
  }
  return candidates.Take();
}

std::vector<Simplification> WithSmallerSizes(const v1::Point& point) {
  Candidates candidates(point);
  const std::set<int64_t> sizes = SizesOf(point);
  for (auto from = sizes.rbegin(); from != sizes.rend(); ++from) {
    for (const bool lists : {true, false}) {
      for (const int64_t to : SmallerThan(*from)) {
        candidates.Add(absl::StrCat(*from, " -> ", to, lists ? " everywhere" : " in every shape"),
                       [&](v1::Point* p) { ReplaceSizes(*from, to, lists, p); });
      }
    }
  }
  for (int t = 0; t < point.in_size(); ++t) {
    const auto first = std::find_if(point.in().begin(), point.in().end(),
                                    [&](const auto& tensor) { return SameShape(tensor, point.in(t)); });
    if (first != point.in().begin() + t) continue;  // removed together with that one
    for (int d = 0; d < point.in(t).shape_size(); ++d) {
      const int64_t from = point.in(t).shape(d);
      for (const int64_t to : SmallerThan(from)) {
        candidates.Add(absl::StrCat(point.in(t).name(), ", dimension ", d, ": ", from, " -> ", to),
                       [&](v1::Point* p) {
                         for (int other = t; other < point.in_size(); ++other) {
                           if (!SameShape(point.in(other), point.in(t))) continue;
                           p->mutable_in(other)->set_shape(d, to);
                         }
                       });
      }
    }
  }
  return candidates.Take();
}

std::vector<Simplification> WithPlainerLayouts(const v1::Point& point) {
  Candidates candidates(point);
  for (int t = 0; t < point.in_size(); ++t) {
    candidates.Add(point.in(t).name() + ": contiguous",
                   [&](v1::Point* p) { p->mutable_in(t)->clear_layout(); });
  }
  candidates.Add("outputs: contiguous", [](v1::Point* p) { p->clear_out_layout(); });
  return candidates.Take();
}

std::vector<Simplification> WithFewerArguments(const v1::Point& point) {
  Candidates candidates(point);
  for (int t = 0; t < point.in_size(); ++t) {
    const std::string& name = point.in(t).name();
    candidates.Add(name + ": left out", [&](v1::Point* p) { p->mutable_in()->DeleteSubrange(t, 1); });
    candidates.Add(name + ": null", [&](v1::Point* p) {
      p->mutable_in(t)->Clear();
      p->mutable_in(t)->set_name(name);
      p->mutable_in(t)->set_null(true);
    });
  }
  for (int a = 0; a < point.attr_size(); ++a) {
    candidates.Add(point.attr(a).name() + ": left out",
                   [&](v1::Point* p) { p->mutable_attr()->DeleteSubrange(a, 1); });
  }
  return candidates.Take();
}

std::vector<Simplification> WithNeutralAttributes(const v1::Point& point) {
  Candidates candidates(point);
  for (int a = 0; a < point.attr_size(); ++a) {
    const v1::PointAttribute& attr = point.attr(a);
    if (attr.has_b()) {
      candidates.Add(attr.name() + ": false", [&](v1::Point* p) { p->mutable_attr(a)->set_b(false); });
    }
    const bool number = attr.has_i() || attr.has_f() || (attr.has_scalar() && !attr.scalar().has_b());
    const std::vector<int> numbers = NeutralNumbers(attr.name());
    for (const int neutral : number ? numbers : std::vector<int>()) {
      if (IsAtOrBefore(attr, numbers, neutral)) continue;
      candidates.Add(absl::StrCat(attr.name(), ": ", neutral),
                     [&](v1::Point* p) { SetNumber(neutral, p->mutable_attr(a)); });
    }
    for (int i = 0; i < attr.sizes().values_size(); ++i) {
      const int neutral = numbers.front();
      if (attr.sizes().values(i) == neutral) continue;
      candidates.Add(absl::StrCat(attr.name(), ".", i, ": ", neutral),
                     [&](v1::Point* p) { p->mutable_attr(a)->mutable_sizes()->set_values(i, neutral); });
    }
  }
  return candidates.Take();
}

std::vector<Simplification> WithSimplerValues(const v1::Point& point) {
  Candidates candidates(point);
  const std::vector<SimpleFill> fills = SimpleFills();
  for (int t = 0; t < point.in_size(); ++t) {
    if (point.in(t).null() || !point.in(t).same_as().empty()) continue;
    const Complexity now = ComplexityOf(point.in(t).fill());
    for (int simpler = kZeros; simpler < now; ++simpler) {
      const SimpleFill& fill = fills[static_cast<size_t>(simpler)];
      candidates.Add(absl::StrCat(point.in(t).name(), ": ", fill.name),
                     [&](v1::Point* p) { *p->mutable_in(t)->mutable_fill() = fill.fill; });
    }
  }
  return candidates.Take();
}

ShrinkResult ShrinkPoint(const v1::Point& point, const std::function<bool(const v1::Point&)>& fails,
                         const std::function<void(const std::string& what)>& taken,
                         const ShrinkLimits& limits) {
  constexpr std::vector<Simplification> (*kPasses[])(const v1::Point&) = {
      WithFewerDimensions, WithSmallerSizes,      WithPlainerLayouts,
      WithFewerArguments,  WithNeutralAttributes, WithSimplerValues};
  ShrinkResult result;
  result.point = point;
  std::set<std::string> tried;
  const auto start = std::chrono::steady_clock::now();
  bool limited = false;
  // Makes one simplification of a pass; false when there is none, or a limit is reached.
  const auto step = [&](const auto& pass) {
    for (Simplification& candidate : pass(result.point)) {
      if (!tried.insert(candidate.point.SerializeAsString()).second) continue;
      limited =
          result.tries == limits.most_tries || std::chrono::steady_clock::now() - start >= limits.most_time;
      if (limited) return false;
      ++result.tries;
      if (!fails(candidate.point)) continue;
      result.point = std::move(candidate.point);
      ++result.steps;
      taken(candidate.what);
      return true;
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& pass : kPasses) {
      while (step(pass)) changed = true;
    }
  }
  result.complete = !limited;
  return result;
}

}  // namespace diopi::shrink
