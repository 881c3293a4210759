// Dtypes as `kInfo` lists them, which must match v1::Dtype. Promotion follows PyTorch: complex over floating
// over integral over bool; of two integers the smallest that holds both, at most int64; float16 with bfloat16
// gives float32.
#include "cases/base/dtype.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace diopi {
namespace {

using D = v1::Dtype;

struct Info {
  Dtype code;
  std::string_view name;
  int64_t size;
};

constexpr std::array<Info, 20> kInfo = {{
    {D::int8, "int8", 1},
    {D::uint8, "uint8", 1},
    {D::int16, "int16", 2},
    {D::uint16, "uint16", 2},
    {D::int32, "int32", 4},
    {D::uint32, "uint32", 4},
    {D::int64, "int64", 8},
    {D::uint64, "uint64", 8},
    {D::float16, "float16", 2},
    {D::float32, "float32", 4},
    {D::float64, "float64", 8},
    {D::bool_, "bool", 1},
    {D::bfloat16, "bfloat16", 2},
    {D::tfloat32, "tfloat32", 4},
    {D::complex32, "complex32", 4},
    {D::complex64, "complex64", 8},
    {D::complex128, "complex128", 16},
    {D::noise64, "noise64", 16},
    {D::noise80, "noise80", 32},
    {D::unsupported, "unsupported", 0},
}};

const Info* Find(Dtype dtype) {
  for (const Info& info : kInfo) {
    if (info.code == dtype) return &info;
  }
  return nullptr;
}

bool IsSigned(Dtype dtype) {
  return dtype == D::int8 || dtype == D::int16 || dtype == D::int32 || dtype == D::int64;
}

Dtype SignedOfSize(int64_t size) {
  switch (size) {
    case 1:
      return D::int8;
    case 2:
      return D::int16;
    case 4:
      return D::int32;
    default:
      return D::int64;
  }
}

Dtype PromoteIntegers(Dtype a, Dtype b) {
  if (IsSigned(a) == IsSigned(b)) return ElementSize(a) >= ElementSize(b) ? a : b;
  const Dtype with_sign = IsSigned(a) ? a : b;
  const Dtype without = IsSigned(a) ? b : a;
  if (ElementSize(with_sign) > ElementSize(without)) return with_sign;
  return SignedOfSize(ElementSize(without) * 2);
}

Dtype PromoteFloats(Dtype a, Dtype b) {
  if (ElementSize(a) == 2 && ElementSize(b) == 2) return D::float32;  // float16 with bfloat16
  return ElementSize(a) >= ElementSize(b) ? a : b;
}

// The complex type whose parts hold `a`.
Dtype ComplexOf(Dtype a) {
  if (IsComplex(a)) return a;
  if (a == D::float64) return D::complex128;
  return a == D::float16 ? D::complex32 : D::complex64;
}

}  // namespace

int64_t ElementSize(Dtype dtype) {
  const Info* info = Find(dtype);
  return info == nullptr ? 0 : info->size;
}

std::string_view DtypeName(Dtype dtype) {
  const Info* info = Find(dtype);
  return info == nullptr ? "unsupported" : info->name;
}

absl::StatusOr<Dtype> ParseDtype(std::string_view name) {
  std::string known;
  for (const Info& info : kInfo) {
    if (info.code >= D::noise64) continue;
    if (info.name == name) return info.code;
    absl::StrAppend(&known, known.empty() ? "" : ", ", absl::string_view(info.name.data(), info.name.size()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown dtype '", absl::string_view(name.data(), name.size()), "'; known: ", known));
}

bool IsFloating(Dtype dtype) {
  switch (dtype) {
    case D::float16:
    case D::bfloat16:
    case D::float32:
    case D::float64:
    case D::tfloat32:
    case D::noise64:
    case D::noise80:
      return true;
    default:
      return false;
  }
}

bool IsInteger(Dtype dtype) {
  return dtype <= D::uint64;
}

bool IsComplex(Dtype dtype) {
  return dtype == D::complex32 || dtype == D::complex64 || dtype == D::complex128;
}

std::vector<Dtype> MembersOf(v1::DtypeSet::Name set) {
  switch (set) {
    case v1::DtypeSet::floating:
      return {D::float16, D::bfloat16, D::float32, D::float64};
    case v1::DtypeSet::integral:
      return {D::int8, D::uint8, D::int16, D::int32, D::int64};
    case v1::DtypeSet::boolean:
      return {D::bool_};
    case v1::DtypeSet::numeric:
      return {D::float16, D::bfloat16, D::float32, D::float64, D::int8,
              D::uint8,   D::int16,    D::int32,   D::int64};
    case v1::DtypeSet::all:
      return {D::float16, D::bfloat16, D::float32, D::float64, D::int8,
              D::uint8,   D::int16,    D::int32,   D::int64,   D::bool_};
    default:
      return {};
  }
}

Dtype Promote(Dtype a, Dtype b) {
  if (a == b || b == D::bool_) return a;
  if (a == D::bool_) return b;
  if (IsComplex(a) || IsComplex(b)) {
    if (!IsComplex(a) && !IsFloating(a)) return b;
    if (!IsComplex(b) && !IsFloating(b)) return a;
    const Dtype ca = ComplexOf(a);
    const Dtype cb = ComplexOf(b);
    return ElementSize(ca) >= ElementSize(cb) ? ca : cb;
  }
  if (IsFloating(a) && IsFloating(b)) return PromoteFloats(a, b);
  if (IsFloating(a)) return a;
  if (IsFloating(b)) return b;
  return PromoteIntegers(a, b);
}

FloatFormat FormatOf(Dtype floating) {
  switch (floating) {
    case D::float16:
      return {11, -14, 15};
    case D::bfloat16:
      return {8, -126, 127};
    case D::tfloat32:
      return {11, -126, 127};
    case D::float64:
    case D::noise64:
      return {53, -1022, 1023};
    case D::noise80:
      return {64, -16382, 16383};
    default:
      return {24, -126, 127};
  }
}

}  // namespace diopi
