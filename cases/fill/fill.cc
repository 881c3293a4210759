// Every element is a function of its row-major index and of a key made from operator, point, dtype and
// argument: Philox counters give random bits without any state, so that elements can be computed in any order
// and on any machine with the same bits. Distributions use only operations that IEEE 754 rounds correctly,
// with a logarithm and a normal quantile of our own instead of libm's. Layouts are applied afterwards:
// elements that share storage are drawn once.
#include "cases/fill/fill.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/base/parallel.h"
#include "cases/base/status_macros.h"
#include "cases/fill/block_fill.h"
#include "cases/fill/filler.h"
#include "cases/fill/random.h"

namespace diopi {
namespace {

using D = v1::Dtype;
using Kind = v1::Fill::KindCase;

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
};

constexpr uint32_t kBlockDraw = 3;

}  // namespace

absl::StatusOr<std::unique_ptr<BlockTensor>> BlockTensor::Open(const v1::TensorSpec& spec, uint64_t key) {
  RETURN_IF_ERROR(CheckSpec(spec));
  const Filling filling(spec);
  if (!filling.HasPool()) return nullptr;
  const Filler filler = filling.With(key, nullptr);
  RETURN_IF_ERROR(filler.Check());
  std::unique_ptr<BlockTensor> tensor(new BlockTensor());
  tensor->dtype_ = spec.dtype();
  tensor->shape_.assign(spec.shape().begin(), spec.shape().end());
  tensor->specials_ = filler.SpecialPlaces();
  tensor->low_payload_ = spec.fill().specials().low_payload();
  tensor->fill_ = filling.fill;
  tensor->fill_.clear_specials();
  tensor->part_ = filling.part;
  tensor->key_ = key;
  tensor->count_ = filling.count;
  tensor->slice_ = filling.slice;
  tensor->element_ = ElementSize(filling.part);
  return tensor;
}

std::string_view BlockTensor::Pool() const {
  if (!pool_.empty()) return pool_;
  own_pool_.resize(pool_bytes());
  (void)Filler(fill_, part_, key_, kPoolElements + kBlockElements, slice_, own_pool_.data())
      .Run();  // Open has checked the fill
  return pool_ = own_pool_;
}

bool BlockTensor::UsePool(std::string_view pool) {
  if (pool.size() != pool_bytes()) return false;
  pool_ = pool;
  return true;
}

bool BlockTensor::VisitBlocks(
    int64_t begin, int64_t bytes,
    absl::FunctionRef<bool(int64_t at, const char* pool, size_t bytes)> visit) const {
  const int64_t first = begin / element_;
  const int64_t end = first + bytes / element_;
  for (int64_t at = first; at < end;) {
    const int64_t block = at / kBlockElements;
    const int64_t in_block = at - block * kBlockElements;
    const int64_t elements = std::min(kBlockElements - in_block, end - at);
    const auto from = static_cast<int64_t>(Below(RandomBits(key_, static_cast<uint64_t>(block), kBlockDraw),
                                                 static_cast<uint64_t>(kPoolElements)));
    if (!visit((at - first) * element_, pool_.data() + (from + in_block) * element_,
               static_cast<size_t>(elements * element_)))
      return false;
    at += elements;
  }
  return true;
}

namespace {

// What is compared is fetched so early: the processor itself looks no further than a page.
constexpr int64_t kAhead = 4096;
constexpr size_t kCacheLine = 64;
constexpr int64_t kPastCaches = int64_t{8} << 20;  // what is larger is not in a cache when it is read

// As memcpy; `past`: past the caches, which so keep the pool, and without reading what was there.
void CopyPast(char* to, const char* from, size_t bytes, bool past) {
#ifdef __SSE2__
  if (past && reinterpret_cast<uintptr_t>(to) % kCacheLine == 0 && bytes % kCacheLine == 0) {
    for (size_t at = 0; at < bytes; at += kCacheLine) {
      for (size_t i = 0; i < kCacheLine; i += sizeof(__m128i)) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + i));
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i), part);
      }
    }
    return;
  }
#endif
  (void)past;
  std::memcpy(to, from, bytes);
}

// What was copied past the caches is there for other processors.
void FencePast() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace

void BlockTensor::Write(int64_t begin, int64_t bytes, void* to) const {
  Pool();  // before threads copy from it
  auto* const data = static_cast<char*>(to);
  const bool past = bytes >= kPastCaches;
  ForRanges(bytes, kParallelBytes, [&](int64_t part, int64_t end) {
    VisitBlocks(begin + part, end - part, [&](int64_t at, const char* pool, size_t size) {
      CopyPast(data + part + at, pool, size, past);
      return true;
    });
    if (past) FencePast();
  });
  const int64_t first = begin / element_;
  for (const auto& [place, value] : specials_) {
    if (place < first || place >= first + bytes / element_) continue;
    StoreSpecial(part_, data, place - first, value, low_payload_);
  }
}

bool BlockTensor::Holds(int64_t begin, int64_t bytes, const void* data) const {
  Pool();  // before threads copy from it
  const auto* const held = static_cast<const char*>(data);
  std::atomic<bool> same{true};
  ForRanges(bytes, kParallelBytes, [&](int64_t part, int64_t end) {
    const bool holds = VisitBlocks(begin + part, end - part, [&](int64_t at, const char* pool, size_t size) {
      const char* const now = held + part + at;
      for (size_t line = 0; line < size; line += kCacheLine) __builtin_prefetch(now + kAhead + line);
      if (std::memcmp(now, pool, size) == 0) return true;
      std::string block(size, '\0');  // with the special values
      Write(begin + part + at, static_cast<int64_t>(size), block.data());
      return same && std::memcmp(now, block.data(), size) == 0;
    });
    if (!holds) same = false;
  });
  return same;
}

HostTensor BlockTensor::Whole() const {
  HostTensor tensor{dtype_, shape_, std::string(static_cast<size_t>(bytes()), '\0')};
  Write(0, bytes(), tensor.data.data());
  return tensor;
}

namespace {

absl::StatusOr<HostTensor> FillBy(const v1::TensorSpec& spec, uint64_t key, uint32_t generator_version) {
  RETURN_IF_ERROR(CheckSpec(spec));
  const Filling filling(spec);
  const std::vector<int64_t> places = PlacesOf(spec);
  const auto size = static_cast<size_t>(ElementSize(spec.dtype()));

  HostTensor tensor;
  tensor.dtype = spec.dtype();
  tensor.shape.assign(spec.shape().begin(), spec.shape().end());
  std::unique_ptr<BlockTensor> blocks;
  if (generator_version == kBlockGeneratorVersion) {
    ASSIGN_OR_RETURN(blocks, BlockTensor::Open(spec, key));
  }
  std::string values(static_cast<size_t>(filling.count) * static_cast<size_t>(ElementSize(filling.part)),
                     '\0');
  if (blocks != nullptr) {
    blocks->Write(0, blocks->bytes(), values.data());
  } else {
    RETURN_IF_ERROR(filling.With(key, values.data()).Run());
  }
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

absl::StatusOr<TensorMap> FillInputs(const v1::Case& c, const BlockInputs& without) {
  TensorMap inputs;
  for (const GeneratedInput& input : ListGenerated(c)) {
    if (without.contains(input.key)) continue;
    absl::StatusOr<HostTensor> tensor =
        FillBy(*input.spec, GeneratorKey(c, input.fill_key), c.generator_version());
    if (!tensor.ok()) return InputError(c, input, tensor.status());
    inputs[input.key] = *std::move(tensor);
  }
  return inputs;
}

absl::StatusOr<BlockInputs> OpenBlockInputs(const v1::Case& c) {
  BlockInputs inputs;
  if (c.generator_version() != kBlockGeneratorVersion) return inputs;
  for (const GeneratedInput& input : ListGenerated(c)) {
    const bool held = std::any_of(c.args().begin(), c.args().end(), [&](const v1::Argument& arg) {
      const bool shared = arg.role() == v1::ROLE_OUTPUT && arg.tensor().same_as() == input.key;
      return shared || (!arg.holds().empty() && arg.holds() == input.key);
    });
    if (held || Overlaps(*input.spec)) continue;
    absl::StatusOr<std::unique_ptr<BlockTensor>> tensor =
        BlockTensor::Open(*input.spec, GeneratorKey(c, input.fill_key));
    if (!tensor.ok()) return InputError(c, input, tensor.status());
    if (*tensor != nullptr) inputs[input.key] = *std::move(tensor);
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
