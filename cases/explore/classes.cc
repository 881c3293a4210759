// A class is a 64-bit hash of what it is about, and pairs are bits of a table of fixed size. Collisions make
// a new pair look known, which costs a little novelty and nothing else; in return time and memory stay the
// same, however long the exploration runs.
#include "cases/explore/classes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "absl/types/span.h"
#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/explore/extents.h"

namespace diopi::explore {
namespace {

constexpr int64_t kNewClassWeight = 4;
constexpr int64_t kMostTensors = 3;  // of a list

// What a number of a class is about.
enum Aspect {
  kDtype,
  kTensorDtype,
  kRank,
  kSize,
  kLayout,
  kFill,
  kSpecials,
  kSpecial,
  kOnes,
  kNull,
  kSame,
  kLength,
  kValue
};

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

uint64_t ClassId(std::initializer_list<int64_t> parts) {
  uint64_t id = parts.size();
  for (const int64_t part : parts) id = Mix(id, static_cast<uint64_t>(part));
  return id;
}

// How the elements lie: an offset, a dimension of stride 0, gaps, an order of dimensions that is not
// row-major.
int64_t LayoutClass(const v1::TensorSpec& spec) {
  const std::vector<int64_t> dense =
      ContiguousStrides({spec.shape().data(), static_cast<size_t>(spec.shape_size())});
  bool expanded = false, ordered = true, same = true;
  int64_t previous = INT64_MAX;
  for (int d = 0; d < spec.shape_size() && d < spec.strides_size(); ++d) {
    if (spec.shape(d) <= 1) continue;
    expanded = expanded || spec.strides(d) == 0;
    ordered = ordered && spec.strides(d) <= previous;
    same = same && spec.strides(d) == dense[static_cast<size_t>(d)];
    previous = spec.strides(d);
  }
  const bool innermost = spec.strides_size() == 0 || spec.strides(spec.strides_size() - 1) == 1;
  return (spec.storage_offset() > 0 ? 1 : 0) + (expanded ? 2 : 0) + (ordered ? 0 : 4) + (same ? 0 : 8) +
         (innermost ? 0 : 16);
}

// Zero, one, small integers, then magnitudes; fractions apart from integers.
int64_t NumberClass(double value) {
  if (std::isnan(value)) return 1000;
  if (std::isinf(value)) return value > 0 ? 1001 : 1002;
  if (value == std::floor(value) && std::abs(value) <= 8) return static_cast<int64_t>(value);
  int exponent = 0;
  std::frexp(value, &exponent);
  return 2000 + 4 * exponent + (value < 0 ? 2 : 0) + (value == std::floor(value) ? 1 : 0);
}

class Collector {
 public:
  explicit Collector(std::vector<uint64_t>* classes) : classes_(classes) {}

  void Add(std::initializer_list<int64_t> parts) { classes_->push_back(ClassId(parts)); }

  void AddTensor(int64_t arg, int64_t place, const v1::TensorSpec& spec) {
    Add({kTensorDtype, arg, place, spec.dtype()});
    Add({kRank, arg, place, spec.shape_size()});
    int64_t ones = 0;  // an operand repeats along dimensions of size 1
    for (int d = 0; d < spec.shape_size(); ++d) {
      ones = 2 * ones + (spec.shape(d) == 1 ? 1 : 0);
      Add({kSize, arg, place, d, spec.shape_size(), ExtentClass(spec.shape(d))});
    }
    Add({kOnes, arg, place, spec.shape_size(), ones});
    Add({kLayout, arg, place, LayoutClass(spec)});
    Add({kFill, arg, place, spec.fill().kind_case()});
    if (spec.fill().has_specials()) Add({kSpecials, arg, place, spec.fill().specials().tail() ? 1 : 0});
    for (const double value : spec.fill().specials().values())
      Add({kSpecial, arg, place, NumberClass(value)});
    if (!spec.same_as().empty()) Add({kSame, arg, place});
  }

  void AddValue(int64_t arg, const v1::Argument& value) {
    switch (value.value_case()) {
      case v1::Argument::kI:
        return Add({kValue, arg, NumberClass(static_cast<double>(value.i()))});
      case v1::Argument::kF:
        return Add({kValue, arg, NumberClass(value.f())});
      case v1::Argument::kB:
        return Add({kValue, arg, value.b() ? 1 : 0});
      case v1::Argument::kS:
        return Add({kValue, arg, static_cast<int64_t>(Xxh64(value.s()))});
      case v1::Argument::kScalar: {
        const v1::ScalarValue& scalar = value.scalar();
        const double number =
            scalar.value_case() == v1::ScalarValue::kF ? scalar.f() : static_cast<double>(scalar.i());
        return Add({kValue, arg, scalar.dtype(), NumberClass(number)});
      }
      case v1::Argument::kSizes:
        Add({kLength, arg, value.sizes().values_size()});
        for (int i = 0; i < value.sizes().values_size(); ++i) {
          Add({kValue, arg, i, NumberClass(static_cast<double>(value.sizes().values(i)))});
        }
        return;
      default:
        return;
    }
  }

 private:
  std::vector<uint64_t>* const classes_;
};

}  // namespace

std::vector<uint64_t> ClassesOf(const v1::Case& c) {
  std::vector<uint64_t> classes;
  Collector collector(&classes);
  collector.Add({kDtype, c.dtype()});
  for (int a = 0; a < c.args_size(); ++a) {
    const v1::Argument& arg = c.args(a);
    if (arg.null()) {
      collector.Add({kNull, a});
    } else if (arg.has_tensor()) {
      collector.AddTensor(a, 0, arg.tensor());
    } else if (arg.has_tensors()) {
      collector.Add({kLength, a, arg.tensors().tensors_size()});
      for (int i = 0; i < arg.tensors().tensors_size() && i < kMostTensors; ++i) {
        collector.AddTensor(a, i, arg.tensors().tensors(i));
      }
    } else {
      collector.AddValue(a, arg);
    }
  }
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

size_t SeenClasses::PlaceOf(uint64_t a, uint64_t b) const {
  return static_cast<size_t>(Mix(a, b) % has_pair_.size());
}

int64_t SeenClasses::Novelty(const std::vector<uint64_t>& classes) const {
  int64_t fresh = 0;
  for (size_t a = 0; a < classes.size(); ++a) {
    if (!classes_.contains(classes[a])) fresh += kNewClassWeight;
    for (size_t b = a + 1; b < classes.size(); ++b)
      fresh += has_pair_[PlaceOf(classes[a], classes[b])] ? 0 : 1;
  }
  return fresh;
}

void SeenClasses::Add(const std::vector<uint64_t>& classes) {
  classes_.insert(classes.begin(), classes.end());
  for (size_t a = 0; a < classes.size(); ++a) {
    for (size_t b = a + 1; b < classes.size(); ++b) {
      const size_t place = PlaceOf(classes[a], classes[b]);
      pairs_ += has_pair_[place] ? 0 : 1;
      has_pair_[place] = true;
    }
  }
}

}  // namespace diopi::explore
