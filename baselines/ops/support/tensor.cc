#include "baselines/ops/support/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace diopi::ops {
namespace {

// How one element type lies in memory: read gives its natural number, write takes a compute type's.
template <typename T>
T Peek(const char* p) {
  T x;
  std::memcpy(&x, p, sizeof(T));
  return x;
}
template <typename T>
void Poke(char* p, const T& x) {
  std::memcpy(p, &x, sizeof(T));
}

template <typename C>
int64_t ToInt(const C& x) {
  if constexpr (kIsInteger<C>) {
    return x;
  } else {
    const double d = std::trunc(ToDouble(x));
    return d >= -0x1p63 && d < 0x1p63 ? static_cast<int64_t>(d) : 0;
  }
}

template <typename T>
struct IntegerElement {
  static constexpr int64_t kSize = sizeof(T);
  static T Read(const char* p) { return Peek<T>(p); }
  template <typename C>
  static void Write(char* p, const C& x) {
    Poke(p, static_cast<T>(ToInt(x)));
  }
};

struct BoolElement {
  static constexpr int64_t kSize = 1;
  static int64_t Read(const char* p) { return Peek<uint8_t>(p) != 0; }
  template <typename C>
  static void Write(char* p, const C& x) {
    Poke(p, static_cast<uint8_t>(x != C(0)));
  }
};

template <float (*kDecode)(uint16_t), uint16_t (*kEncode)(double)>
struct SmallElement {
  static constexpr int64_t kSize = 2;
  static float Read(const char* p) { return kDecode(Peek<uint16_t>(p)); }
  template <typename C>
  static void Write(char* p, const C& x) {
    Poke(p, kEncode(ToDouble(x)));
  }
};

template <typename T>
struct FloatElement {
  static constexpr int64_t kSize = sizeof(T);
  static T Read(const char* p) { return Peek<T>(p); }
  template <typename C>
  static void Write(char* p, const C& x) {
    Poke(p, static_cast<T>(x));
  }
};

template <typename V>
struct NoiseElement {
  static constexpr int64_t kSize = sizeof(Noise<V>);
  static Noise<V> Read(const char* p) { return {Peek<V>(p), Peek<V>(p + sizeof(V))}; }
  template <typename C>
  static void Write(char* p, const C& x) {
    char bytes[sizeof(Noise<V>)] = {};  // the padding too is defined
    if constexpr (kIsNoise<C>) {
      Poke(bytes, static_cast<V>(x.v));
      Poke(bytes + sizeof(V), static_cast<V>(x.s2));
    } else {
      Poke(bytes, static_cast<V>(x));
    }
    std::memcpy(p, bytes, sizeof(bytes));
  }
};

using Float16Element = SmallElement<FromFloat16, ToFloat16>;
using Bfloat16Element = SmallElement<FromBfloat16, ToBfloat16>;

template <typename F>
void VisitElement(diopiDtype_t dtype, F&& f) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_int8:
      return f.template operator()<IntegerElement<int8_t>>();
    case diopi_dtype_uint8:
      return f.template operator()<IntegerElement<uint8_t>>();
    case diopi_dtype_int16:
      return f.template operator()<IntegerElement<int16_t>>();
    case diopi_dtype_uint16:
      return f.template operator()<IntegerElement<uint16_t>>();
    case diopi_dtype_int32:
      return f.template operator()<IntegerElement<int32_t>>();
    case diopi_dtype_uint32:
      return f.template operator()<IntegerElement<uint32_t>>();
    case diopi_dtype_int64:
      return f.template operator()<IntegerElement<int64_t>>();
    case diopi_dtype_uint64:
      return f.template operator()<IntegerElement<uint64_t>>();
    case diopi_dtype_bool:
      return f.template operator()<BoolElement>();
    case diopi_dtype_float16:
      return f.template operator()<Float16Element>();
    case diopi_dtype_bfloat16:
      return f.template operator()<Bfloat16Element>();
    case diopi_dtype_float32:
      return f.template operator()<FloatElement<float>>();
    case diopi_dtype_float64:
      return f.template operator()<FloatElement<double>>();
    case static_cast<int>(kNoise64):
      return f.template operator()<NoiseElement<double>>();
    case static_cast<int>(kNoise80):
      return f.template operator()<NoiseElement<long double>>();
    default:
      FailDtype("not implemented for '", DtypeName(dtype), "'");
  }
}

// A natural number of an element as the compute type.
template <typename C, typename T>
C To(const T& x) {
  if constexpr (std::is_same_v<C, T>) {
    return x;
  } else if constexpr (kIsNoise<C> && kIsNoise<T>) {
    return C(static_cast<decltype(C::v)>(x.v), x.s2);
  } else if constexpr (kIsInteger<C> && !std::is_integral_v<T>) {
    return ToInt(x);
  } else {
    return static_cast<C>(x);
  }
}

// Calls row(byte offset, byte stride, first dense index, count) along the last dimension of a strided tensor,
// for the elements [begin, end) in row-major order.
template <typename F>
void ForEachRow(const Shape& shape, const Shape& strides, int64_t element_size, int64_t begin, int64_t end,
                F&& row) {
  if (begin == end) return;
  if (shape.empty() || strides == DenseStrides(shape))
    return row(begin * element_size, element_size, begin, end - begin);
  const size_t last = shape.size() - 1;
  Shape index(shape.size(), 0);
  int64_t offset = 0;
  int64_t rest = begin;
  for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
    index[d] = rest % shape[d];
    offset += index[d] * strides[d];
  }
  for (int64_t dense = begin;;) {
    const int64_t count = std::min(shape[last] - index[last], end - dense);
    row(offset * element_size, strides[last] * element_size, dense, count);
    dense += count;
    if (dense == end) return;
    offset -= index[last] * strides[last];
    index[last] = 0;
    for (size_t d = last; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

// The tensor's strides seen at a broadcast shape: 0 where a dimension is stretched or added.
Shape BroadcastStrides(const Tensor& tensor, const Shape& shape) {
  const size_t added = shape.size() - tensor.shape().size();
  Shape strides(shape.size(), 0);
  for (size_t d = added; d < shape.size(); ++d) {
    if (tensor.shape()[d - added] != 1) strides[d] = tensor.strides()[d - added];
  }
  return strides;
}

template <typename C>
void LoadStrided(const Tensor& tensor, const Shape& shape, const Shape& strides, int64_t begin, int64_t end,
                 C* to) {
  VisitElement(tensor.dtype(), [&]<typename E>() {
    ForEachRow(shape, strides, E::kSize, begin, end,
               [&](int64_t offset, int64_t stride, int64_t dense, int64_t count) {
                 const char* p = tensor.data() + offset;
                 C* out = to + (dense - begin);
                 for (int64_t i = 0; i < count; ++i) out[i] = To<C>(E::Read(p + i * stride));
               });
  });
}

void CheckGiven(const Tensor& tensor) {
  Check(static_cast<bool>(tensor), "a required tensor is null");
}

}  // namespace

Tensor::Tensor(diopiTensorHandle_t handle) {
  if (handle == nullptr) return;
  Describe(static_cast<diopiConstTensorHandle_t>(handle));
  Check(diopiGetTensorData(handle, &writable_) == diopiSuccess, "the host gives no tensor data");
}

Tensor::Tensor(diopiConstTensorHandle_t handle) {
  if (handle != nullptr) Describe(handle);
}

Tensor Tensor::Permuted(const Shape& order) const {
  Tensor view = *this;
  for (size_t i = 0; i < order.size(); ++i) {
    view.shape_[i] = shape_[static_cast<size_t>(order[i])];
    view.strides_[i] = strides_[static_cast<size_t>(order[i])];
  }
  return view;
}

template <typename Handle>
void Tensor::Describe(Handle handle) {
  diopiSize_t shape{nullptr, 0}, strides{nullptr, 0};
  const bool known = diopiGetTensorDtype(handle, &dtype_) == diopiSuccess &&
                     diopiGetTensorShape(handle, &shape) == diopiSuccess &&
                     diopiGetTensorStride(handle, &strides) == diopiSuccess &&
                     diopiGetTensorDataConst(handle, &data_) == diopiSuccess;
  Check(known, "the host does not describe a tensor");
  shape_ = Sizes(shape);
  strides_ = Sizes(strides);
  if (strides_.size() != shape_.size()) strides_ = DenseStrides(shape_);
  given_ = true;
}

void CheckReadable(const Tensor& tensor, const Shape& shape) {
  CheckGiven(tensor);
  VisitElement(tensor.dtype(), []<typename>() {});
  Check(BroadcastShapes(tensor.shape(), shape) == shape, "shape ", ShapeText(tensor.shape()),
        " cannot be broadcast to ", ShapeText(shape));
}

template <typename C>
void LoadPart(const Tensor& tensor, const Shape& shape, int64_t begin, int64_t end, C* to) {
  LoadStrided(tensor, shape, BroadcastStrides(tensor, shape), begin, end, to);
}

template <typename C>
std::vector<C> Load(const Tensor& tensor) {
  CheckGiven(tensor);
  std::vector<C> values(static_cast<size_t>(tensor.numel()));
  LoadStrided(tensor, tensor.shape(), tensor.strides(), 0, tensor.numel(), values.data());
  return values;
}

template <typename C>
std::vector<C> LoadAs(const Tensor& tensor, const Shape& shape) {
  CheckReadable(tensor, shape);
  std::vector<C> values(static_cast<size_t>(Numel(shape)));
  LoadPart(tensor, shape, 0, Numel(shape), values.data());
  return values;
}

std::vector<uint8_t> LoadBool(const Tensor& tensor, const Shape& shape) {
  std::vector<uint8_t> truth(static_cast<size_t>(Numel(shape)));
  DispatchAny(tensor.dtype(), [&]<typename C>() {
    const std::vector<C> values = LoadAs<C>(tensor, shape);
    for (size_t i = 0; i < truth.size(); ++i) truth[i] = values[i] != Exact<C>(0) ? 1 : 0;
  });
  return truth;
}

template <typename C>
void StorePart(const Tensor& tensor, int64_t begin, int64_t end, const C* from) {
  VisitElement(tensor.dtype(), [&]<typename E>() {
    ForEachRow(tensor.shape(), tensor.strides(), E::kSize, begin, end,
               [&](int64_t offset, int64_t stride, int64_t dense, int64_t count) {
                 char* p = tensor.writable() + offset;
                 const C* in = from + (dense - begin);
                 for (int64_t i = 0; i < count; ++i) E::Write(p + i * stride, in[i]);
               });
  });
}

template <typename C>
void Store(const Tensor& tensor, const std::vector<C>& values) {
  CheckGiven(tensor);
  Check(static_cast<int64_t>(values.size()) == tensor.numel(), "the output holds ", tensor.numel(),
        " elements, the result has ", values.size());
  Check(tensor.writable() != nullptr || values.empty(), "the output cannot be written");
  StorePart(tensor, 0, tensor.numel(), values.data());
}

// For the compute types here and those of baselines/native16.
#define DIOPI_INSTANTIATE_TENSOR(C)                                                                \
  template std::vector<C> Load<C>(const Tensor&);                                                  \
  template std::vector<C> LoadAs<C>(const Tensor&, const Shape&);                                  \
  template void LoadPart(const Tensor&, const Shape&, int64_t, int64_t, std::type_identity_t<C>*); \
  template void StorePart(const Tensor&, int64_t, int64_t, std::add_const_t<C>*);                  \
  template void Store<C>(const Tensor&, const std::vector<C>&);
DIOPI_INSTANTIATE_TENSOR(float)
DIOPI_INSTANTIATE_TENSOR(double)
DIOPI_INSTANTIATE_TENSOR(Noise<double>)
DIOPI_INSTANTIATE_TENSOR(Noise<long double>)
DIOPI_INSTANTIATE_TENSOR(int64_t)

bool Overlap(const Tensor& a, const Tensor& b) {
  const bool same =
      a.data() == b.data() && a.dtype() == b.dtype() && a.shape() == b.shape() && a.strides() == b.strides();
  if (same || a.numel() == 0 || b.numel() == 0) return false;
  // Strides are not negative.
  const auto end = [](const Tensor& t) {
    int64_t last = 0;
    for (size_t d = 0; d < t.shape().size(); ++d) last += (t.shape()[d] - 1) * t.strides()[d];
    return t.data() + (last + 1) * ElementSize(t.dtype());
  };
  return a.data() < end(b) && b.data() < end(a);
}

void CheckShape(const Tensor& tensor, const Shape& shape, const char* name) {
  CheckGiven(tensor);
  Check(tensor.shape() == shape, "expected ", name, " of shape ", ShapeText(shape), ", got ",
        ShapeText(tensor.shape()));
}

namespace {

// bool < integers < floating, the order in which one kind of number takes over from another.
int Kind(diopiDtype_t dtype) {
  return IsBool(dtype) ? 0 : IsInteger(dtype) ? 1 : 2;
}

struct Candidate {
  bool given = false;
  diopiDtype_t dtype = diopi_dtype_bool;
  void Add(diopiDtype_t other) {
    dtype = given ? Promote(dtype, other) : other;
    given = true;
  }
};

// A lower-priority operand counts only when it is of a higher kind.
Candidate Merge(const Candidate& high, const Candidate& low) {
  if (!low.given || (high.given && Kind(low.dtype) <= Kind(high.dtype))) return high;
  return low;
}

}  // namespace

diopiDtype_t ResultType(const Tensor& out, std::initializer_list<Tensor> tensors,
                        std::initializer_list<const diopiScalar_t*> scalars) {
  Candidate with_dims, zero_dims, host;
  diopiDtype_t noise = IsNoise(out.dtype()) ? out.dtype() : diopi_dtype_bool;
  for (const Tensor& tensor : tensors) {
    CheckGiven(tensor);
    (tensor.rank() > 0 ? with_dims : zero_dims).Add(tensor.dtype());
    if (IsNoise(tensor.dtype())) noise = Promote(noise, tensor.dtype());
  }
  for (const diopiScalar_t* scalar : scalars) {
    const bool floating = ScalarIsFloating(scalar);
    host.Add(floating ? diopi_dtype_float32 : IsBool(scalar->stype) ? diopi_dtype_bool : diopi_dtype_int64);
  }
  const Candidate result = Merge(Merge(with_dims, zero_dims), host);
  return IsFloating(result.dtype) && IsNoise(noise) ? noise : result.dtype;
}

diopiDtype_t FloatFor(diopiDtype_t result, const Tensor& out) {
  if (IsFloating(result)) return result;
  return IsFloating(out.dtype()) ? out.dtype() : diopi_dtype_float32;
}

diopiDtype_t FloatResultType(const Tensor& out, std::initializer_list<Tensor> tensors,
                             std::initializer_list<const diopiScalar_t*> scalars) {
  return FloatFor(ResultType(out, tensors, scalars), out);
}

void CheckStorable(diopiDtype_t result, const Tensor& out) {
  if (Kind(result) <= Kind(out.dtype())) return;
  Fail("result type ", DtypeName(result), " can't be cast to the desired output type ",
       DtypeName(out.dtype()));
}

diopiTensorHandle_t RequireTensor(diopiContextHandle_t ctx, const Shape& shape, diopiDtype_t dtype) {
  const diopiSize_t size{shape.data(), static_cast<int64_t>(shape.size())};
  diopiTensorHandle_t handle = nullptr;
  const diopiError_t error = diopiRequireTensor(ctx, &handle, &size, nullptr, dtype, diopi_device);
  Check(error == diopiSuccess && handle != nullptr, "the host could not allocate a tensor of shape ",
        ShapeText(shape));
  return handle;
}

}  // namespace diopi::ops
