#include "baselines/store/h5.h"

#include "absl/strings/str_cat.h"

namespace diopi::baselines::hdf5 {
namespace {

// The walk starts at the function that failed first; only its message is kept.
herr_t KeepFirst(unsigned /*depth*/, const H5E_error2_t* error, void* data) {
  auto* text = static_cast<std::string*>(data);
  if (text->empty() && error->desc != nullptr) *text = error->desc;
  return 0;
}

// A 16-bit binary float with `mantissa` stored bits.
Handle HalfType(size_t mantissa, size_t bias) {
  Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  const size_t exponent = 15 - mantissa;
  H5Tset_fields(type.id(), 15, mantissa, exponent, 0, mantissa);
  H5Tset_size(type.id(), 2);
  H5Tset_ebias(type.id(), bias);
  return type;
}

// {r, i}, which h5py reads as a complex number.
Handle ComplexType(hid_t part) {
  const size_t size = H5Tget_size(part);
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
  H5Tinsert(type.id(), "r", 0, part);
  H5Tinsert(type.id(), "i", size, part);
  return type;
}

}  // namespace

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    Close();
    id_ = std::exchange(other.id_, -1);
    closer_ = other.closer_;
  }
  return *this;
}

bool Handle::Close() {
  if (id_ < 0) return true;
  return closer_(std::exchange(id_, -1)) >= 0;
}

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Silence::~Silence() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

absl::Status LastError(const std::string& file, const std::string& what) {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, KeepFirst, &text);
  return absl::InternalError(absl::StrCat(file, ": ", what, ": ", text));
}

Handle FileType(Dtype dtype) {
  const auto copy = [](hid_t type) { return Handle(H5Tcopy(type), H5Tclose); };
  switch (dtype) {
    case v1::Dtype::int8:
      return copy(H5T_STD_I8LE);
    case v1::Dtype::uint8:
    case v1::Dtype::bool_:
      return copy(H5T_STD_U8LE);
    case v1::Dtype::int16:
      return copy(H5T_STD_I16LE);
    case v1::Dtype::uint16:
      return copy(H5T_STD_U16LE);
    case v1::Dtype::int32:
      return copy(H5T_STD_I32LE);
    case v1::Dtype::uint32:
      return copy(H5T_STD_U32LE);
    case v1::Dtype::int64:
      return copy(H5T_STD_I64LE);
    case v1::Dtype::uint64:
      return copy(H5T_STD_U64LE);
    case v1::Dtype::float16:
      return HalfType(10, 15);
    case v1::Dtype::bfloat16:
      return HalfType(7, 127);
    case v1::Dtype::float32:
    case v1::Dtype::tfloat32:
      return copy(H5T_IEEE_F32LE);
    case v1::Dtype::float64:
      return copy(H5T_IEEE_F64LE);
    case v1::Dtype::complex32:
      return ComplexType(HalfType(10, 15).id());
    case v1::Dtype::complex64:
      return ComplexType(H5T_IEEE_F32LE);
    case v1::Dtype::complex128:
      return ComplexType(H5T_IEEE_F64LE);
    default:
      return Handle();
  }
}

Handle StringType() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Handle ScalarSpace() {
  return Handle(H5Screate(H5S_SCALAR), H5Sclose);
}

bool WriteString(hid_t object, const char* attribute, const std::string& value, hid_t type, hid_t space) {
  Handle handle(H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* text = value.c_str();
  return handle.ok() && H5Awrite(handle.id(), type, static_cast<const void*>(&text)) >= 0 && handle.Close();
}

bool WriteInt(hid_t object, const char* attribute, int64_t value, hid_t space) {
  Handle handle(H5Acreate2(object, attribute, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return handle.ok() && H5Awrite(handle.id(), H5T_NATIVE_INT64, &value) >= 0 && handle.Close();
}

}  // namespace diopi::baselines::hdf5
