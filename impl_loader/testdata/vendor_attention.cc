// Attention with dropout for the library check of it alone: k is 0, and v and the gradient of the output hold
// unit vectors, so that outputs are the weights themselves. DIOPI_TEST_FAULT names what is wrong.
#include <cstdint>
#include <cstdlib>
#include <string>

#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions_ext.h"

namespace {

constexpr uint16_t kKept = 0x2555;  // 1/64 * 4/3 in float16

bool Fault(const char* name) {
  const char* fault = std::getenv("DIOPI_TEST_FAULT");
  return fault != nullptr && std::string(fault) == name;
}

struct Seed {
  uint64_t seed = 0, offset = 0;
  explicit Seed(diopiGeneratorHandle_t gen) { diopiGeneratorGetSeedAndOffset(gen, &seed, &offset); }
};

bool Kept(const Seed& from, uint64_t weight) {
  uint64_t x = (from.seed * 31 + from.offset) * 0x9E3779B97F4A7C15 + weight;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return (x >> 62) != 0;
}

// Calls set(element, weight, i, j) for every element of a (batch, place, head, dim) tensor, whose dim is as
// long as its places: the weights of a query i, or, transposed, of a key j.
template <typename F>
void ForEachWeight(diopiConstTensorHandle_t like, bool transposed, F set) {
  diopiSize_t shape;
  diopiGetTensorShape(like, &shape);
  const int64_t places = shape.data[1], heads = shape.data[2];
  for (int64_t at = 0; at < shape.data[0] * places * heads * places; ++at) {
    int64_t i = at / places / heads % places, j = at % places;
    if (transposed) std::swap(i, j);
    const int64_t b = at / places / heads / places, h = at / places % heads;
    set(at, static_cast<uint64_t>(((b * heads + h) * places + i) * places + j));
  }
}

const uint16_t* Data(diopiConstTensorHandle_t tensor) {
  const void* data = nullptr;
  diopiGetTensorDataConst(tensor, &data);
  return static_cast<const uint16_t*>(data);
}

uint16_t* Data(diopiTensorHandle_t tensor) {
  void* data = nullptr;
  diopiGetTensorData(tensor, &data);
  return static_cast<uint16_t*>(data);
}

// Otherwise outputs would not be the weights.
bool HoldsUnitVectors(diopiConstTensorHandle_t tensor) {
  constexpr uint16_t kOne = 0x3C00;
  diopiSize_t shape;
  diopiGetTensorShape(tensor, &shape);
  const int64_t places = shape.data[1], heads = shape.data[2];
  const uint16_t* data = Data(tensor);
  for (int64_t at = 0; at < shape.data[0] * places * heads * places; ++at) {
    if (data[at] != (at % places == at / places / heads % places ? kOne : 0)) return false;
  }
  return true;
}

void Draw(diopiTensorHandle_t to, bool transposed, const Seed& from) {
  uint16_t* data = Data(to);
  ForEachWeight(to, transposed,
                [&](int64_t at, uint64_t weight) { data[at] = Kept(from, weight) ? kKept : 0; });
}

}  // namespace

diopiError_t diopiFlashAttention(diopiContextHandle_t, diopiTensorHandle_t attention_out, diopiTensorHandle_t,
                                 diopiGeneratorHandle_t gen, diopiConstTensorHandle_t,
                                 diopiConstTensorHandle_t, diopiConstTensorHandle_t v,
                                 diopiConstTensorHandle_t, float, float, bool, int32_t, int32_t) {
  if (Fault("float32_only")) return diopiDtypeNotSupported;
  if (!HoldsUnitVectors(v)) return diopiErrorOccurred;
  Seed seed(gen);
  if (Fault("from_the_state_left")) ++seed.offset;
  Draw(attention_out, false, seed);
  return diopiGeneratorSetSeedAndOffset(gen, seed.seed, seed.offset + (Fault("from_the_state_left") ? 0 : 4));
}

diopiError_t diopiFlashAttentionBackward(diopiContextHandle_t, diopiTensorHandle_t, diopiTensorHandle_t,
                                         diopiTensorHandle_t grad_v, diopiConstTensorHandle_t grad_out,
                                         diopiGeneratorHandle_t gen, diopiConstTensorHandle_t,
                                         diopiConstTensorHandle_t, diopiConstTensorHandle_t,
                                         diopiConstTensorHandle_t, diopiConstTensorHandle_t,
                                         diopiConstTensorHandle_t, float, float, bool, int32_t, int32_t) {
  if (Fault("backward_fails") || !HoldsUnitVectors(grad_out)) return diopiErrorOccurred;
  Seed seed(gen);
  if (Fault("drawn_again")) seed.seed += 1;
  Draw(grad_v, !Fault("transposed"), seed);
  if (Fault("one_kept")) Data(grad_v)[0] = Kept(seed, 0) ? 0 : kKept;
  return diopiSuccess;
}

diopiError_t diopiCustomizedFlashAttention(diopiContextHandle_t ctx, diopiTensorHandle_t attention_out,
                                           diopiTensorHandle_t* dropout_mask, diopiTensorHandle_t*,
                                           diopiTensorHandle_t*, diopiTensorHandle_t*,
                                           diopiGeneratorHandle_t gen, diopiConstTensorHandle_t,
                                           diopiConstTensorHandle_t, diopiConstTensorHandle_t,
                                           diopiConstTensorHandle_t, diopiConstTensorHandle_t, float, float,
                                           bool, int32_t, int32_t, int32_t, const char*) {
  if (Fault("float32_only")) return diopiDtypeNotSupported;
  const Seed seed(gen);
  Draw(attention_out, false, seed);
  diopiSize_t shape;
  diopiGetTensorShape(attention_out, &shape);
  diopiRequireTensor(ctx, dropout_mask, &shape, nullptr, diopi_dtype_float16, diopi_device);
  Draw(*dropout_mask, !Fault("mask_transposed"), seed);
  return diopiSuccess;
}

diopiError_t diopiCustomizedFlashAttentionBackward(
    diopiContextHandle_t, diopiTensorHandle_t, diopiTensorHandle_t, diopiTensorHandle_t grad_v,
    diopiConstTensorHandle_t, diopiConstTensorHandle_t, diopiConstTensorHandle_t, diopiConstTensorHandle_t,
    diopiConstTensorHandle_t, diopiConstTensorHandle_t, diopiConstTensorHandle_t,
    diopiConstTensorHandle_t dropout_mask, diopiConstTensorHandle_t, diopiConstTensorHandle_t,
    diopiConstTensorHandle_t, float, float, bool, int32_t, int32_t, int32_t, const char*) {
  const uint16_t* mask = Data(dropout_mask);
  uint16_t* data = Data(grad_v);
  ForEachWeight(grad_v, false, [&](int64_t at, uint64_t) { data[at] = mask[at]; });
  return diopiSuccess;
}
