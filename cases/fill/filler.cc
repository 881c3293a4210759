// An element depends on its index and the key only, so ranges may be filled in any order and by any number of
// threads. The fill is checked first, so that writing cannot fail. Special values are written last, over the
// drawn ones. Normal() is a fast path for the commonest fill and must give the bits that Element() gives.
#include "cases/fill/filler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "cases/base/parallel.h"
#include "cases/base/status_macros.h"
#include "cases/fill/random.h"

namespace diopi {
namespace {

using D = v1::Dtype;
using Kind = v1::Fill::KindCase;

constexpr int64_t kTogether = 64;             // elements whose bits are made at a time
constexpr int64_t kGrain = int64_t{1} << 13;  // elements that are worth a part of their own

absl::Status Bad(std::string_view field, Dtype dtype, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("fill.", std::string(field), " does not fit ",
                                                 std::string(DtypeName(dtype)), ": ", std::string(why)));
}

struct IntegerRange {
  int64_t low;
  int64_t high;  // of uint64 only the lower half is used
};

IntegerRange RangeOf(Dtype dtype) {
  switch (dtype) {
    case D::bool_:
      return {0, 1};
    case D::uint64:
      return {0, std::numeric_limits<int64_t>::max()};
    case D::uint8:
    case D::uint16:
    case D::uint32:
      return {0, static_cast<int64_t>((uint64_t{1} << (8 * ElementSize(dtype))) - 1)};
    case D::int64:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    default: {
      const int64_t high = (int64_t{1} << (8 * ElementSize(dtype) - 1)) - 1;
      return {-high - 1, high};
    }
  }
}

bool Countable(Dtype dtype) {
  return IsInteger(dtype) || dtype == D::bool_;
}

bool Holds(Dtype dtype, double value) {
  if (!IsInteger(dtype)) return true;  // bool holds whether it is 0
  const IntegerRange range = RangeOf(dtype);
  return value >= static_cast<double>(range.low) && value <= static_cast<double>(range.high) &&
         value < 0x1p63;
}

void StoreInteger(Dtype dtype, void* data, int64_t index, int64_t value) {
  if (dtype == D::int64 || dtype == D::uint64) {
    std::memcpy(static_cast<char*>(data) + 8 * index, &value, 8);
  } else {
    StoreDouble(dtype, data, index, static_cast<double>(value));
  }
}

}  // namespace

// The element types of the two parts of a complex number; other types are their own.
Dtype PartOf(Dtype dtype) {
  switch (dtype) {
    case D::complex32:
      return D::float16;
    case D::complex64:
      return D::float32;
    case D::complex128:
      return D::float64;
    default:
      return dtype;
  }
}

absl::Status Filler::CheckIntegers() const {
  const int64_t low = fill_.integers().low();
  const int64_t high = fill_.integers().high();
  if (low > high) return Bad("integers", dtype_, absl::StrCat("low ", low, " is above high ", high));
  if (!IsInteger(dtype_)) return absl::OkStatus();
  const IntegerRange range = RangeOf(dtype_);
  if (low < range.low || high > range.high) {
    return Bad("integers", dtype_,
               absl::StrCat("[", low, ", ", high, "] is not in [", range.low, ", ", range.high, "]"));
  }
  return absl::OkStatus();
}

absl::Status Filler::CheckNumbers() const {
  switch (fill_.kind_case()) {
    case Kind::kConstant:
      if (!Holds(dtype_, fill_.constant().value())) return Bad("constant", dtype_, "out of range");
      return absl::OkStatus();
    case Kind::kValues:
      if (fill_.values().values().empty()) return Bad("values", dtype_, "none given");
      for (double value : fill_.values().values()) {
        if (!Holds(dtype_, value)) return Bad("values", dtype_, absl::StrCat(value, " is out of range"));
      }
      return absl::OkStatus();
    case Kind::kRange: {
      const double step = fill_.range().has_step() ? fill_.range().step() : 1;
      const double last = fill_.range().start() + static_cast<double>(count_ - 1) * step;
      if (count_ > 0 && !(Holds(dtype_, fill_.range().start()) && Holds(dtype_, last))) {
        return Bad("range", dtype_, absl::StrCat("it ends at ", last));
      }
      return absl::OkStatus();
    }
    default: {  // permutation
      const int64_t start = fill_.permutation().start();
      const int64_t last = start + slice_ - 1;
      const double most = IsFloating(dtype_) ? std::ldexp(1.0, FormatOf(dtype_).precision) : 0x1p62;
      const bool fits = std::fabs(static_cast<double>(start)) <= most && static_cast<double>(last) <= most;
      if (!fits || !Holds(dtype_, static_cast<double>(start)) || !Holds(dtype_, static_cast<double>(last))) {
        return Bad("permutation", dtype_, absl::StrCat(start, " to ", last, " would have ties"));
      }
      return absl::OkStatus();
    }
  }
}

absl::Status Filler::Check() const {
  switch (fill_.kind_case()) {
    case Kind::kIntegers:
      return CheckIntegers();
    case Kind::kUniform: {
      const double low = fill_.uniform().low();
      const double high = fill_.uniform().high();
      if (!(low < high)) return Bad("uniform", dtype_, "low is not below high");
      if (dtype_ == D::bool_) return Bad("uniform", dtype_, "use bernoulli");
      if (!Holds(dtype_, low) || !Holds(dtype_, high - 1)) return Bad("uniform", dtype_, "out of range");
      return absl::OkStatus();
    }
    case Kind::kNormal:
    case Kind::kLognormal:
      if (dtype_ == D::bool_) return Bad("normal", dtype_, "use bernoulli");
      return absl::OkStatus();
    case Kind::kConstant:
    case Kind::kValues:
    case Kind::kRange:
    case Kind::kPermutation:
      return CheckNumbers();
    case Kind::kBernoulli:
      if (!(fill_.bernoulli().p() >= 0 && fill_.bernoulli().p() <= 1)) {
        return Bad("bernoulli", dtype_, "p is not in [0, 1]");
      }
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

// Into an integer type: to the nearest, saturated.
void Filler::Continuous(int64_t i, double value) {
  if (IsInteger(dtype_)) {
    const IntegerRange range = RangeOf(dtype_);
    if (value <= static_cast<double>(range.low)) return StoreInteger(dtype_, data_, i, range.low);
    if (value >= static_cast<double>(range.high)) return StoreInteger(dtype_, data_, i, range.high);
    value = static_cast<double>(static_cast<int64_t>(value < 0 ? value - 0.5 : value + 0.5));
  }
  StoreDouble(dtype_, data_, i, value);
}

// Integers: every value as likely, the two ends first and last. Floating: every finite bit pattern.
void Filler::FullRange(int64_t i, uint64_t bits) {
  const bool first = i == 0;
  const bool last = i == count_ - 1;
  if (Countable(dtype_)) {
    const IntegerRange range = RangeOf(dtype_);
    const uint64_t span = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low) + 1;
    const uint64_t offset = span == 0 ? bits : Below(bits, span);
    const auto value = static_cast<int64_t>(static_cast<uint64_t>(range.low) + offset);
    return StoreInteger(dtype_, data_, i, first ? range.low : last ? range.high : value);
  }
  const FloatFormat format = FormatOf(dtype_);
  const double largest = (2 - std::ldexp(1.0, 1 - format.precision)) * std::ldexp(1.0, format.max_exponent);
  const int64_t binades = int64_t{format.max_exponent} - format.min_exponent + 1;
  const auto exponent = format.min_exponent + static_cast<int>(Below(bits, static_cast<uint64_t>(binades)));
  const double mantissa = 1 + UnitInterval(RandomBits(key_, static_cast<uint64_t>(i), 1)) * (1 - 0x1p-12);
  double value = std::ldexp(mantissa, exponent);
  if (value > largest) value = largest;
  if ((bits & 1) != 0) value = -value;
  StoreDouble(dtype_, data_, i, first ? -largest : last ? largest : value);
}

void StoreSpecial(Dtype dtype, void* data, int64_t i, double value, bool low_payload) {
  StoreDouble(dtype, data, i, value);
  if (!low_payload || !std::isnan(value) || !IsFloating(dtype)) return;
  static constexpr uint64_t kLowest[] = {0x7C01, 0x7F81, 0x7F800001, 0x7FF0000000000001};
  const size_t which = dtype == D::float16 ? 0 : dtype == D::bfloat16 ? 1 : dtype == D::float32 ? 2 : 3;
  const auto size = static_cast<size_t>(ElementSize(dtype));
  std::memcpy(static_cast<char*>(data) + static_cast<size_t>(i) * size, &kLowest[which], size);
}

absl::Status Filler::Run() {
  RETURN_IF_ERROR(Check());
  ForRanges(count_, kGrain, [this](int64_t begin, int64_t end) { Range(begin, end); });
  for (const auto& [place, value] : SpecialPlaces())
    StoreSpecial(dtype_, data_, place, value, fill_.specials().low_payload());
  return absl::OkStatus();
}

void Filler::Range(int64_t begin, int64_t end) {
  const bool normal = fill_.has_normal() && IsFloating(dtype_);
  uint64_t bits[kTogether] = {};
  for (int64_t first = begin; first < end; first += kTogether) {
    const auto count = static_cast<size_t>(std::min(kTogether, end - first));
    RandomBits(key_, static_cast<uint64_t>(first), 0, count, bits);
    if (normal) {
      Normal(first, count, bits);
      continue;
    }
    for (size_t i = 0; i < count; ++i) Element(first + static_cast<int64_t>(i), bits[i]);
  }
}

// Most tensors: what Element does.
void Filler::Normal(int64_t first, size_t count, const uint64_t* bits) {
  const double mean = fill_.normal().mean();
  const double std = fill_.normal().has_std() ? fill_.normal().std() : 1;
  double numbers[kTogether] = {};
  double quantiles[kTogether] = {};
  float values[kTogether] = {};
  for (size_t i = 0; i < count; ++i) numbers[i] = OpenUnitInterval(bits[i]);
  NormalQuantiles(numbers, count, quantiles);
  if (dtype_ != D::float32) {
    for (size_t i = 0; i < count; ++i)
      StoreDouble(dtype_, data_, first + static_cast<int64_t>(i), mean + std * quantiles[i]);
    return;
  }
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(mean + std * quantiles[i]);
  std::memcpy(static_cast<char*>(data_) + first * static_cast<int64_t>(sizeof(float)), values,
              count * sizeof(float));
}

void Filler::Element(int64_t i, uint64_t bits) {
  const auto index = static_cast<uint64_t>(i);
  switch (fill_.kind_case()) {
    case Kind::kNormal: {
      const double std = fill_.normal().has_std() ? fill_.normal().std() : 1;
      return Continuous(i, fill_.normal().mean() + std * NormalQuantile(OpenUnitInterval(bits)));
    }
    case Kind::kLognormal: {
      const double size = Exp2(fill_.lognormal().spread() * NormalQuantile(OpenUnitInterval(bits)));
      return Continuous(i, fill_.lognormal().signed_() && (bits & 1) != 0 ? -size : size);
    }
    case Kind::kUniform: {
      const double low = fill_.uniform().low();
      const double high = fill_.uniform().high();
      const double value = low + UnitInterval(bits) * (high - low);
      const auto floor = [](double v) {
        const auto whole = static_cast<double>(static_cast<int64_t>(v));
        return whole > v ? whole - 1 : whole;
      };
      StoreDouble(dtype_, data_, i, IsInteger(dtype_) ? floor(value) : value);
      // Rounding to the dtype may reach the excluded end.
      if (!(ElementAsDouble(dtype_, data_, i) < high)) StoreDouble(dtype_, data_, i, low);
      return;
    }
    case Kind::kIntegers: {
      const int64_t low = fill_.integers().low();
      const uint64_t span = static_cast<uint64_t>(fill_.integers().high()) - static_cast<uint64_t>(low) + 1;
      const uint64_t offset = span == 0 ? bits : Below(bits, span);
      return StoreInteger(dtype_, data_, i, static_cast<int64_t>(static_cast<uint64_t>(low) + offset));
    }
    case Kind::kConstant:
      return StoreDouble(dtype_, data_, i, fill_.constant().value());
    case Kind::kValues:
      return StoreDouble(dtype_, data_, i,
                         fill_.values().values(static_cast<int>(i % fill_.values().values_size())));
    case Kind::kBernoulli:
      return StoreDouble(dtype_, data_, i, UnitInterval(bits) < fill_.bernoulli().p() ? 1 : 0);
    case Kind::kRange: {
      const double step = fill_.range().has_step() ? fill_.range().step() : 1;
      return StoreDouble(dtype_, data_, i, fill_.range().start() + static_cast<double>(i) * step);
    }
    case Kind::kPermutation: {
      const auto length = static_cast<uint64_t>(slice_);
      const uint64_t image = Permute(index % length, length, RandomBits(key_, index / length, 2));
      return StoreInteger(dtype_, data_, i, fill_.permutation().start() + static_cast<int64_t>(image));
    }
    default:
      return FullRange(i, bits);
  }
}

std::vector<std::pair<int64_t, double>> Filler::SpecialPlaces() const {
  std::vector<std::pair<int64_t, double>> places;
  const auto& values = fill_.specials().values();
  const int64_t wanted = std::min<int64_t>(values.size(), count_);
  for (int64_t j = 0; j < wanted; ++j) {
    const double value = values[static_cast<int>(j)];
    if (!Holds(dtype_, value)) continue;  // NaN in an integer tensor
    int64_t place = wanted == 1 ? 0 : j * (count_ - 1) / (wanted - 1);
    if (fill_.specials().tail()) place = count_ - wanted + j;
    places.emplace_back(place, value);
  }
  return places;
}

}  // namespace diopi
