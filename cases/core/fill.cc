// Every element is a function of its row-major index and of a key made from operator, point, dtype and
// argument: Philox counters give random bits without any state, so that elements can be computed in any order
// and on any machine with the same bits. Distributions use only operations that IEEE 754 rounds correctly,
// with a logarithm and a normal quantile of our own instead of libm's. Layouts are applied afterwards:
// elements that share storage are drawn once.
#include "cases/core/fill.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/core/block_fill.h"
#include "cases/core/random.h"

namespace diopi {
namespace {

using D = v1::Dtype;
using Kind = v1::Fill::KindCase;

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

// Writes the values into `data`, which holds `count` elements whose last dimension is `slice` long.
class Filler {
 public:
  Filler(const v1::Fill& fill, Dtype dtype, uint64_t key, int64_t count, int64_t slice, void* data)
      : fill_(fill), dtype_(dtype), key_(key), count_(count), slice_(slice), data_(data) {}

  absl::Status Run() {
    absl::Status status = Check();
    if (!status.ok()) return status;
    for (int64_t i = 0; i < count_; ++i) Element(i);
    Specials();
    return absl::OkStatus();
  }

  absl::Status Check() const;
  void Specials();

 private:
  absl::Status CheckIntegers() const;
  absl::Status CheckNumbers() const;
  void Element(int64_t i);
  void Continuous(int64_t i, double value);
  void FullRange(int64_t i, uint64_t bits);

  const v1::Fill& fill_;
  Dtype dtype_;
  uint64_t key_;
  int64_t count_;
  int64_t slice_;
  void* data_;
};

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

void Filler::Element(int64_t i) {
  const auto index = static_cast<uint64_t>(i);
  const uint64_t bits = RandomBits(key_, index, 0);
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

void Filler::Specials() {
  const auto& values = fill_.specials().values();
  const int64_t wanted = std::min<int64_t>(values.size(), count_);
  for (int64_t j = 0; j < wanted; ++j) {
    const double value = values[static_cast<int>(j)];
    if (!Holds(dtype_, value)) continue;  // NaN in an integer tensor
    int64_t place = wanted == 1 ? 0 : j * (count_ - 1) / (wanted - 1);
    if (fill_.specials().tail()) place = count_ - wanted + j;
    StoreDouble(dtype_, data_, place, value);
  }
}

// The tensor without the elements that a stride of 0 repeats.
v1::TensorSpec Unrepeated(const v1::TensorSpec& spec) {
  v1::TensorSpec reduced = spec;
  for (int i = 0; i < spec.shape_size(); ++i) {
    if (spec.strides(i) == 0 && spec.shape(i) > 0) reduced.set_shape(i, 1);
  }
  return reduced;
}

// The shape of the distinct elements: shared ones count once, interleaved ones by their place in storage.
std::vector<int64_t> DistinctShape(const v1::TensorSpec& spec) {
  if (!Overlaps(spec)) return {spec.shape().begin(), spec.shape().end()};
  const v1::TensorSpec reduced = Unrepeated(spec);
  if (Overlaps(reduced)) return {spec.storage_elements()};
  return {reduced.shape().begin(), reduced.shape().end()};
}

// The index of each logical element's distinct value, row-major; none where every element has its own.
std::vector<int64_t> PlacesOf(const v1::TensorSpec& spec) {
  const std::vector<int64_t> shape(spec.shape().begin(), spec.shape().end());
  if (!Overlaps(spec)) return {};
  const v1::TensorSpec reduced = Unrepeated(spec);
  if (Overlaps(reduced)) return ElementOffsets(shape, spec.strides(), spec.storage_offset());
  const std::vector<int64_t> distinct = DistinctShape(spec);
  std::vector<int64_t> strides = ContiguousStrides(distinct);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (distinct[i] != shape[i]) strides[i] = 0;
  }
  return ElementOffsets(shape, strides, 0);
}

absl::Status CheckSpec(const v1::TensorSpec& spec) {
  if (spec.strides_size() != spec.shape_size()) {
    return absl::InvalidArgumentError("a tensor has as many strides as dimensions");
  }
  if (ElementSize(spec.dtype()) == 0 || spec.dtype() >= D::noise64) {
    return absl::InvalidArgumentError("a generated tensor has a dtype of the ABI");
  }
  return absl::OkStatus();
}

}  // namespace

v1::Fill DefaultFill(Dtype dtype) {
  v1::Fill fill;
  if (dtype == D::bool_) {
    fill.mutable_bernoulli()->set_p(0.5);
  } else if (IsInteger(dtype) && ElementSize(dtype) <= 2) {
    fill.mutable_full();
  } else if (IsInteger(dtype)) {
    const bool has_sign = dtype == D::int32 || dtype == D::int64;
    fill.mutable_integers()->set_low(has_sign ? -1000 : 0);
    fill.mutable_integers()->set_high(1000);
  } else {
    fill.mutable_normal();
  }
  return fill;
}

namespace {

// What a tensor is filled with: its fill or the dtype's, and how many numbers of which dtype that is.
struct Filling {
  v1::Fill fill;
  Dtype part;
  int64_t count = 0, slice = 0;

  explicit Filling(const v1::TensorSpec& spec) : fill(spec.fill()), part(PartOf(spec.dtype())) {
    if (fill.kind_case() == Kind::KIND_NOT_SET) {
      fill = DefaultFill(spec.dtype());
      if (spec.fill().has_specials()) *fill.mutable_specials() = spec.fill().specials();
    }
    const int64_t parts = part == spec.dtype() ? 1 : 2;
    const std::vector<int64_t> distinct = DistinctShape(spec);
    count = NumElements(distinct) * parts;
    slice = (distinct.empty() ? 1 : distinct.back()) * parts;
  }
  Filler With(uint64_t key, void* data) const { return {fill, part, key, count, slice, data}; }

  // Whether an element's value depends on its bits alone.
  bool HasPool() const {
    switch (fill.kind_case()) {
      case Kind::kValues:
      case Kind::kRange:
      case Kind::kPermutation:
        return false;
      default:
        return count > kPoolElements;
    }
  }
  absl::Status InBlocks(uint64_t key, char* data) const;
};

}  // namespace

namespace {

constexpr uint32_t kBlockDraw = 3;

absl::Status Filling::InBlocks(uint64_t key, char* data) const {
  const auto size = static_cast<size_t>(ElementSize(part));
  std::string pool(static_cast<size_t>(kPoolElements + kBlockElements) * size, '\0');
  v1::Fill plain = fill;
  plain.clear_specials();
  absl::Status status = Filler(plain, part, key, kPoolElements + kBlockElements, slice, pool.data()).Run();
  if (!status.ok()) return status;
  for (int64_t begin = 0; begin < count; begin += kBlockElements) {
    const auto block = static_cast<uint64_t>(begin / kBlockElements);
    const uint64_t from = Below(RandomBits(key, block, kBlockDraw), static_cast<uint64_t>(kPoolElements));
    const auto elements = static_cast<size_t>(std::min(kBlockElements, count - begin));
    std::memcpy(data + static_cast<size_t>(begin) * size, pool.data() + from * size, elements * size);
  }
  With(key, data).Specials();
  return absl::OkStatus();
}

absl::StatusOr<HostTensor> FillBy(const v1::TensorSpec& spec, uint64_t key, uint32_t generator_version) {
  absl::Status status = CheckSpec(spec);
  if (!status.ok()) return status;
  const Filling filling(spec);
  const std::vector<int64_t> places = PlacesOf(spec);
  const auto size = static_cast<size_t>(ElementSize(spec.dtype()));

  HostTensor tensor;
  tensor.dtype = spec.dtype();
  tensor.shape.assign(spec.shape().begin(), spec.shape().end());
  std::string values(static_cast<size_t>(filling.count) * static_cast<size_t>(ElementSize(filling.part)),
                     '\0');
  status = generator_version == kBlockGeneratorVersion && filling.HasPool()
               ? filling.InBlocks(key, values.data())
               : filling.With(key, values.data()).Run();
  if (!status.ok()) return status;
  if (places.empty()) {
    tensor.data = std::move(values);
    return tensor;
  }
  tensor.data.resize(places.size() * size);
  for (size_t i = 0; i < places.size(); ++i) {
    std::memcpy(tensor.data.data() + i * size, values.data() + static_cast<size_t>(places[i]) * size, size);
  }
  return tensor;
}

}  // namespace

absl::StatusOr<HostTensor> FillTensor(const v1::TensorSpec& spec, uint64_t key) {
  return FillBy(spec, key, kGeneratorVersion);
}

uint64_t GeneratorKey(const v1::Case& c, std::string_view argument_key) {
  return Xxh64(absl::StrCat(c.operator_(), "\n", c.label(), "\n", std::string(DtypeName(c.dtype())), "\n",
                            std::string(argument_key)));
}

namespace {

// A generated input: its key, and the name that keys the generator.
struct GeneratedInput {
  std::string key;
  std::string fill_key;
  const v1::TensorSpec* spec;
};

std::vector<GeneratedInput> ListGenerated(const v1::Case& c) {
  std::vector<GeneratedInput> list;
  const auto fill_key_of = [](const v1::Argument& arg) {
    return arg.alias().empty() ? arg.name() : arg.alias();
  };
  const auto add = [&](std::string key, std::string fill_key, const v1::TensorSpec& spec) {
    if (!spec.from().empty()) return;
    const v1::TensorSpec* source = &spec;
    for (const v1::Argument& other : c.args()) {  // two arguments, one tensor
      if (spec.same_as().empty() || other.name() != spec.same_as()) continue;
      source = &other.tensor();
      fill_key = fill_key_of(other);
    }
    list.push_back({std::move(key), std::move(fill_key), source});
  };
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() != v1::ROLE_INPUT && arg.role() != v1::ROLE_INOUT) continue;
    const std::string fill_key = fill_key_of(arg);
    if (arg.has_tensor()) add(arg.name(), fill_key, arg.tensor());
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (i < arg.tensors().null_size() && arg.tensors().null(i)) continue;
      add(absl::StrCat(arg.name(), ".", i), absl::StrCat(fill_key, ".", i), arg.tensors().tensors(i));
    }
  }
  return list;
}

}  // namespace

std::set<std::string> GeneratedInputs(const v1::Case& c) {
  std::set<std::string> keys;
  for (GeneratedInput& input : ListGenerated(c)) keys.insert(std::move(input.key));
  return keys;
}

namespace {

absl::Status InputError(const v1::Case& c, const GeneratedInput& input, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(c.id(), ": ", input.key, ": ", status.message()));
}

}  // namespace

absl::StatusOr<TensorMap> FillInputs(const v1::Case& c) {
  TensorMap inputs;
  for (const GeneratedInput& input : ListGenerated(c)) {
    absl::StatusOr<HostTensor> tensor =
        FillBy(*input.spec, GeneratorKey(c, input.fill_key), c.generator_version());
    if (!tensor.ok()) return InputError(c, input, tensor.status());
    inputs[input.key] = *std::move(tensor);
  }
  return inputs;
}

absl::Status CheckInputs(const v1::Case& c) {
  for (const GeneratedInput& input : ListGenerated(c)) {
    absl::Status status = CheckSpec(*input.spec);
    if (status.ok()) status = Filling(*input.spec).With(0, nullptr).Check();
    if (!status.ok()) return InputError(c, input, status);
  }
  return absl::OkStatus();
}

}  // namespace diopi
