// The CPU reference with bugs that a call on its own does not show: $DIOPI_STATE names one of them.
#include <sched.h>

#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(plan_without_rows, 0, "diopiAdd", "",
    "the plan of the first call with this rank and last size is used, whatever the other sizes are");
BUG(scalar_of_first_call, 0, "diopiMulScalar", "",
    "the scalar of the first call with this many elements is used");
BUG(unaligned_buffer, 0, "diopiSub", "",
    "the first element of a buffer that is not aligned to 16 bytes is lost");
BUG(shared_scratch, 0, "diopiExp", "", "all calls share one scratch buffer for their input");

BUG(lr_missing_from_key, 0, "diopiAdadelta", "", "a prepared call is found without its learning rate");
BUG(dampening_missing_from_key, 0, "diopiSgd", "", "a prepared call is found without its dampening");
BUG(scale_missing_from_key, 0, "diopiScaledMaskedSoftmaxBackward", "",
    "a prepared call is found without its scale");
BUG(eps_missing_from_key, 0, "diopiFusedAddRootMeanSquareNormInp", "",
    "a prepared call is found without its eps");
BUG(beta2_missing_from_key, 0, "diopiAdamW", "", "a prepared call is found without its beta2");

std::mutex mutex;

// What a library keeps by `key` from its first call on.
template <typename Key, typename Value>
Value Kept(std::map<Key, Value>* plans, const Key& key, const Value& value) {
  const std::lock_guard lock(mutex);
  return plans->try_emplace(key, value).first->second;
}

// What a prepared call may be found by: a tensor's type, shape and strides, and other attributes.
using Prepared = std::vector<double>;
Prepared KeyOf(diopiConstTensorHandle_t tensor, std::initializer_list<double> attributes) {
  Prepared key = attributes;
  key.push_back(static_cast<double>(DtypeOf(tensor)));
  for (const auto& sizes : {ShapeOf(tensor), StrideOf(tensor)})
    for (const int64_t size : sizes) key.push_back(static_cast<double>(size));
  return key;
}

bool IsUnaligned(diopiConstTensorHandle_t tensor) {
  return reinterpret_cast<uintptr_t>(Bytes(tensor)) % 16 != 0;
}

}  // namespace

DIOPI_OVERRIDE(diopiAdd, a) {
  static std::map<std::pair<size_t, int64_t>, int64_t> plans;
  Good(a);
  const Shape shape = ShapeOf(a.out);
  if (!plan_without_rows || shape.size() < 2) return;
  const int64_t planned = Kept(&plans, {shape.size(), shape.back()}, NumElements(a.out));
  for (int64_t i = planned; i < NumElements(a.out); ++i) {
    std::memset(ElementAt(a.out, i), 0, static_cast<size_t>(BytesPerElement(a.out)));
  }
}

DIOPI_OVERRIDE(diopiMulScalar, a) {
  static std::map<int64_t, diopiScalar_t> scalars;
  const diopiScalar_t kept = Kept(&scalars, NumElements(a.input), *a.other);
  if (scalar_of_first_call) a.other = &kept;
  Good(a);
}

DIOPI_OVERRIDE(diopiSub, a) {
  Good(a);
  if (unaligned_buffer && IsUnaligned(a.input) && NumElements(a.out) > 0) {
    std::memset(ElementAt(a.out, 0), 0, static_cast<size_t>(BytesPerElement(a.out)));
  }
}

DIOPI_OVERRIDE(diopiExp, a) {
  static unsigned char scratch[1 << 20];
  const auto bytes = static_cast<size_t>(NumElements(a.input) * BytesPerElement(a.input));
  if (!shared_scratch || bytes == 0 || bytes > sizeof(scratch)) return Good(a);
  diopiTensorHandle_t dense = Reshaped(a.ctx, a.input, ShapeOf(a.input));
  std::memcpy(scratch, Bytes(dense), bytes);
  for (int i = 0; i < 20; ++i) sched_yield();  // as if a kernel read it
  std::memcpy(Bytes(dense), scratch, bytes);
  a.input = dense;
  Good(a);
}

DIOPI_OVERRIDE(diopiAdadelta, a) {
  static std::map<Prepared, float> plans;
  const float kept = Kept(&plans, KeyOf(a.param, {a.rho, a.eps, a.weight_decay}), a.lr);
  if (lr_missing_from_key) a.lr = kept;
  Good(a);
}

DIOPI_OVERRIDE(diopiSgd, a) {
  static std::map<Prepared, double> plans;
  const Prepared key =
      KeyOf(a.param, {a.lr, a.momentum, a.weight_decay, double(a.nesterov), a.buf != nullptr ? 1.0 : 0.0});
  const double kept = Kept(&plans, key, a.dampening);
  if (dampening_missing_from_key) a.dampening = kept;
  Good(a);
}

DIOPI_OVERRIDE(diopiScaledMaskedSoftmaxBackward, a) {
  static std::map<Prepared, double> plans;
  const Prepared key = KeyOf(a.output, {a.mask != nullptr ? 1.0 : 0.0, double(a.fixed_triu_mask)});
  const double kept = Kept(&plans, key, a.scale);
  if (scale_missing_from_key) a.scale = kept;
  Good(a);
}

DIOPI_OVERRIDE(diopiFusedAddRootMeanSquareNormInp, a) {
  static std::map<Prepared, float> plans;
  const float kept = Kept(&plans, KeyOf(a.inoutput, {a.bias != nullptr ? 1.0 : 0.0}), a.eps);
  if (eps_missing_from_key) a.eps = kept;
  Good(a);
}

DIOPI_OVERRIDE(diopiAdamW, a) {
  static std::map<Prepared, float> plans;
  const Prepared key =
      KeyOf(a.param, {a.lr, a.beta1, a.eps, a.weight_decay, double(a.step), double(a.amsgrad)});
  const float kept = Kept(&plans, key, a.beta2);
  if (beta2_missing_from_key) a.beta2 = kept;
  Good(a);
}
