// Integers are converted directly, everything else through double, which holds every floating type. A value
// that is rounded to a narrower floating type counts as rounded; one that becomes another integer or an
// infinity counts as lost, because the library would then be asked another question.
#include "impl_loader/adaptor/convert.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"

namespace diopi::loader {
namespace {

using D = v1::Dtype;

template <typename T>
T Load(const void* from, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(from) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Store(void* to, int64_t index, T value) {
  std::memcpy(static_cast<char*>(to) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

// How one value was converted.
enum class Fate { kExact, kRounded, kLost };

// Between two integer types. Values beyond the range wrap modulo 2^k, as in hardware.
template <typename From, typename To>
Fate IntegerToInteger(From value, To* result) {
  *result = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): int8_t is a number here
  const bool same_sign = (value < From{}) == (*result < To{});
  return static_cast<From>(*result) == value && same_sign ? Fate::kExact : Fate::kLost;
}

// 2^digits of the type, a double.
template <typename Integer>
constexpr double Limit() {
  constexpr int kDigits = std::numeric_limits<Integer>::digits;
  double limit = 1;
  for (int i = 0; i < kDigits; ++i) limit *= 2;
  return limit;
}

template <typename To>
Fate FloatingToInteger(double value, To* result) {
  *result = 0;
  const double lowest = std::is_signed_v<To> ? -Limit<To>() : 0;
  if (!(value >= lowest && value < Limit<To>())) return Fate::kLost;
  *result = static_cast<To>(value);
  return static_cast<double>(*result) == value ? Fate::kExact : Fate::kLost;
}

template <typename From>
Fate IntegerToDouble(From value, double* result) {
  *result = static_cast<double>(value);
  From back;
  return FloatingToInteger(*result, &back) == Fate::kExact && back == value ? Fate::kExact : Fate::kLost;
}

// Into a floating type. `value` is exact.
Fate DoubleToFloating(double value, Dtype to, void* target, int64_t index) {
  StoreDouble(to, target, index, value);
  const double stored = ElementAsDouble(to, target, index);
  if (stored == value || std::isnan(value)) return Fate::kExact;
  return std::isinf(stored) ? Fate::kLost : Fate::kRounded;
}

class Recorder {
 public:
  explicit Recorder(int64_t elements) { result_.elements = elements; }
  template <typename T>
  void Add(Fate fate, int64_t index, T value) {
    if (fate == Fate::kRounded) ++result_.rounded;
    if (fate != Fate::kLost) return;
    if (result_.lost++ > 0) return;
    result_.first_lost = index;
    result_.first_text = absl::StrCat(value);
  }
  Conversion Result() const { return result_; }

 private:
  Conversion result_;
};

// Calls `f` with a value of the C type of an integer or bool dtype.
template <typename F>
void WithInteger(Dtype dtype, F&& f) {
  switch (dtype) {
    case D::int8:
      return f(int8_t{});
    case D::uint8:
    case D::bool_:
      return f(uint8_t{});
    case D::int16:
      return f(int16_t{});
    case D::uint16:
      return f(uint16_t{});
    case D::int32:
      return f(int32_t{});
    case D::uint32:
      return f(uint32_t{});
    case D::int64:
      return f(int64_t{});
    default:
      return f(uint64_t{});
  }
}

bool IsWhole(Dtype dtype) {
  return IsInteger(dtype) || dtype == D::bool_;
}

template <typename From>
Conversion FromIntegers(const void* source, Dtype to, void* target, int64_t elements) {
  Recorder recorder(elements);
  if (to == D::bool_) {
    for (int64_t i = 0; i < elements; ++i) {
      const From value = Load<From>(source, i);
      Store<uint8_t>(target, i, value != 0 ? 1 : 0);
      recorder.Add(value == 0 || value == 1 ? Fate::kExact : Fate::kLost, i, +value);
    }
  } else if (IsInteger(to)) {
    WithInteger(to, [&](auto kind) {
      for (int64_t i = 0; i < elements; ++i) {
        const From value = Load<From>(source, i);
        decltype(kind) result;
        const Fate fate = IntegerToInteger(value, &result);
        Store(target, i, result);
        recorder.Add(fate, i, +value);
      }
    });
  } else {
    for (int64_t i = 0; i < elements; ++i) {
      const From value = Load<From>(source, i);
      double exact = 0;
      Fate fate = IntegerToDouble(value, &exact);
      // A rounded integer is a different integer, hence lost.
      if (DoubleToFloating(exact, to, target, i) != Fate::kExact) fate = Fate::kLost;
      recorder.Add(fate, i, +value);
    }
  }
  return recorder.Result();
}

Conversion FromFloating(Dtype from, const void* source, Dtype to, void* target, int64_t elements) {
  Recorder recorder(elements);
  for (int64_t i = 0; i < elements; ++i) {
    const double value = ElementAsDouble(from, source, i);
    Fate fate = Fate::kExact;
    if (to == D::bool_) {
      Store<uint8_t>(target, i, value != 0 ? 1 : 0);
      fate = value == 0 || value == 1 ? Fate::kExact : Fate::kLost;
    } else if (IsInteger(to)) {
      WithInteger(to, [&](auto kind) {
        decltype(kind) result;
        fate = FloatingToInteger(value, &result);
        Store(target, i, result);
      });
    } else {
      fate = DoubleToFloating(value, to, target, i);
    }
    recorder.Add(fate, i, value);
  }
  return recorder.Result();
}

// The most common pair of types; the compiler vectorises the loop except for the rare cases.
Conversion DoublesToFloats(const void* source, void* target, int64_t elements) {
  Recorder recorder(elements);
  for (int64_t i = 0; i < elements; ++i) {
    const auto value = Load<double>(source, i);
    const auto narrow = static_cast<float>(value);
    Store(target, i, narrow);
    if (static_cast<double>(narrow) == value || value != value) continue;
    recorder.Add(std::isinf(narrow) ? Fate::kLost : Fate::kRounded, i, value);
  }
  return recorder.Result();
}

}  // namespace

bool CanConvert(Dtype from, Dtype to) {
  const auto is_real = [](Dtype dtype) {
    return IsWhole(dtype) || dtype == D::float16 || dtype == D::bfloat16 || dtype == D::float32 ||
           dtype == D::float64;
  };
  const auto is_pair = [](Dtype dtype) { return dtype == D::complex64 || dtype == D::complex128; };
  return (is_real(from) && is_real(to)) || (is_pair(from) && is_pair(to));
}

Conversion Convert(Dtype from, const void* source, Dtype to, void* target, int64_t elements) {
  if (from == D::complex64 || from == D::complex128) {
    const auto part = [](Dtype dtype) { return dtype == D::complex64 ? D::float32 : D::float64; };
    return Convert(part(from), source, part(to), target, 2 * elements);
  }
  if (from == D::float64 && to == D::float32) return DoublesToFloats(source, target, elements);
  if (!IsWhole(from)) return FromFloating(from, source, to, target, elements);
  Conversion result;
  WithInteger(from, [&](auto kind) { result = FromIntegers<decltype(kind)>(source, to, target, elements); });
  return result;
}

}  // namespace diopi::loader
