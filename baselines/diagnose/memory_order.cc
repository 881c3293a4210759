// Such an implementation reads the right memory in the wrong order, so what it computes is the function of a
// dense input with the values in that order: the case with this input is replayed like any altered case.
// Reads that would meet gaps are left out, because nobody knows what lies there.
#include "baselines/diagnose/memory_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/layout.h"
#include "cases/base/tensor.h"
#include "cases/fill/fill.h"

namespace diopi::baselines {
namespace {

// Values become part of the case, which more of them would make large.
constexpr int64_t kMaxElements = 16'384;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

// The elements as numbers, in row-major order; empty when a fill cannot reproduce them all.
std::vector<double> Elements(const HostTensor& tensor) {
  std::vector<double> values;
  if (IsComplex(tensor.dtype)) return values;
  const int64_t count = NumElements(tensor.shape);
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const double value = ElementAsDouble(tensor.dtype, tensor.data.data(), i);
    if (IsInteger(tensor.dtype) && std::fabs(value) >= kExactIntegers) return {};
    values.push_back(value);
  }
  return values;
}

// The values in memory from the first element on; empty where that leaves the storage or meets a gap.
std::vector<double> InMemory(const v1::TensorSpec& spec, const std::vector<double>& elements) {
  const std::vector<int64_t> shape = SpecShape(spec);
  const std::vector<int64_t> strides(spec.strides().begin(), spec.strides().end());
  const std::vector<int64_t> offsets = ElementOffsets(shape, strides, 0);
  if (offsets.size() != elements.size() || elements.empty()) return {};
  constexpr int64_t kGap = -1;
  std::vector<int64_t> at(elements.size(), kGap);
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] < 0) return {};
    if (static_cast<size_t>(offsets[i]) < at.size())
      at[static_cast<size_t>(offsets[i])] = static_cast<int64_t>(i);
  }
  std::vector<double> read;
  read.reserve(at.size());
  for (const int64_t element : at) {
    if (element == kGap) return {};
    read.push_back(elements[static_cast<size_t>(element)]);
  }
  return read;
}

// Dense, of this shape, with these values one after the other.
v1::TensorSpec DenseSpec(const v1::TensorSpec& like, const std::vector<int64_t>& shape,
                         const std::vector<double>& values) {
  v1::TensorSpec spec;
  spec.set_dtype(like.dtype());
  spec.mutable_shape()->Assign(shape.begin(), shape.end());
  spec.mutable_fill()->mutable_values()->mutable_values()->Assign(values.begin(), values.end());
  if (!ApplyLayout(v1::Layout(), &spec).ok()) spec.Clear();
  return spec;
}

bool IsDense(const v1::TensorSpec& spec) {
  const std::vector<int64_t> dense = ContiguousStrides(SpecShape(spec));
  for (int i = 0; i < spec.strides_size(); ++i) {
    if (spec.shape(i) > 1 && spec.strides(i) != dense[static_cast<size_t>(i)]) return false;
  }
  return true;
}

// True when `small` is broadcast to `large` in more than leading dimensions: there a plain repetition is
// right.
bool IsBroadcast(const std::vector<int64_t>& small, const std::vector<int64_t>& large) {
  if (small.size() > large.size() || NumElements(small) == NumElements(large)) return false;
  bool repeated_inside = false;
  bool real = false;
  for (size_t i = 0; i < small.size(); ++i) {
    const int64_t size = large[large.size() - small.size() + i];
    if (small[i] != size && small[i] != 1) return false;
    real = real || small[i] != 1;
    repeated_inside = repeated_inside || (real && small[i] != size);
  }
  return repeated_inside;
}

// The shape of the first host-allocated output.
std::vector<int64_t> OutputShape(const v1::Case& c) {
  for (const v1::Argument& arg : c.args()) {
    if ((arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT) && arg.has_tensor())
      return SpecShape(arg.tensor());
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const v1::Case& c) : output_(OutputShape(c)) {}

  void Read(const v1::Argument& arg, const std::string& key, const v1::TensorSpec& spec,
            uint64_t generator_key) {
    const std::vector<int64_t> shape = SpecShape(spec);
    const bool strided = !IsDense(spec);
    const bool broadcast = IsBroadcast(shape, output_);
    if (!spec.from().empty() || (!strided && !broadcast) || NumElements(shape) > kMaxElements) return;
    const absl::StatusOr<HostTensor> tensor = FillTensor(spec, generator_key);
    if (!tensor.ok()) return;
    const std::vector<double> elements = Elements(*tensor);
    if (elements.empty()) return;
    const std::vector<double> memory = strided ? InMemory(spec, elements) : std::vector<double>();
    if (!memory.empty()) Add(arg, key, v1::Finding::MEMORY_ORDER, DenseSpec(spec, shape, memory));
    if (broadcast) Add(arg, key, v1::Finding::NOT_BROADCAST, DenseSpec(spec, output_, elements));
  }

  std::vector<InputInMemory> Take() { return std::move(found_); }

 private:
  void Add(const v1::Argument& arg, const std::string& key, v1::Finding::Code code, v1::TensorSpec spec) {
    if (spec.has_fill()) found_.push_back({arg.name(), key, code, std::move(spec)});
  }

  const std::vector<int64_t> output_;
  std::vector<InputInMemory> found_;
};

}  // namespace

std::vector<InputInMemory> InputsByMemory(const v1::Case& c) {
  Reader reader(c);
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() != v1::ROLE_INPUT) continue;
    const std::string& name = arg.alias().empty() ? arg.name() : arg.alias();
    if (arg.has_tensor()) reader.Read(arg, arg.name(), arg.tensor(), GeneratorKey(c, name));
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (i < arg.tensors().null_size() && arg.tensors().null(i)) continue;
      reader.Read(arg, absl::StrCat(arg.name(), ".", i), arg.tensors().tensors(i),
                  GeneratorKey(c, absl::StrCat(name, ".", i)));
    }
  }
  return reader.Take();
}

v1::TensorSpec* FindSpec(const std::string& key, v1::Case* c) {
  for (v1::Argument& arg : *c->mutable_args()) {
    if (arg.has_tensor() && arg.name() == key) return arg.mutable_tensor();
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (absl::StrCat(arg.name(), ".", i) == key) return arg.mutable_tensors()->mutable_tensors(i);
    }
  }
  return nullptr;
}

}  // namespace diopi::baselines
