// The library check of attention's dropout: the backward must drop the weights that the forward dropped. No
// case can show this, because a case is one call.
//
// All scores are equal (k is 0), and v and the gradient of the output hold unit vectors, so that each element
// of the output and of grad_v shows one weight: out[b, i, h, j] and grad_v[b, j, h, i] both show that of
// query i and key j. The generator returns to its state before the forward; a library whose backward expects
// the state that the forward left passes, too. The customized functions pass dropout_mask instead. The cases
// of attention_dropout judge how many weights are dropped, and the values of those that are kept.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "cases/findings/finding.h"
#include "impl_loader/caller/check_context.h"
#include "impl_loader/caller/library_check.h"

namespace diopi::loader {
namespace {

constexpr int64_t kBatch = 2, kPlaces = 64, kHeads = 2;  // kPlaces is also the size of a head
constexpr int64_t kWeights = kBatch * kHeads * kPlaces * kPlaces;
constexpr double kRate = 0.25;
constexpr double kScale = 0.125;
constexpr uint16_t kOne = 0x3C00;  // in float16
constexpr uint16_t kSign = 0x8000;
constexpr diopiGenerator kStart = {20260, 0};

class DropoutCheck {
 public:
  explicit DropoutCheck(VendorLibrary* vendor) : vendor_(vendor), context_(vendor) {}

  // Makes the stream and the tensors.
  LibraryCheck Begin() {
    if (const int32_t code = context_.MakeStream(); code != 0) return StepFailed("make_stream", code);
    const std::vector<int64_t> shape = {kBatch, kPlaces, kHeads, kPlaces};
    for (diopiTensor** tensor : {&q_, &k_, &v_, &grad_, &out_, &grad_q_, &grad_k_, &grad_v_}) {
      *tensor = context_.NewTensor(shape, diopi_dtype_float16);
      if (*tensor == nullptr) return NoMemory();
    }
    lse_ = context_.NewTensor({kBatch, kHeads, kPlaces});
    if (lse_ == nullptr) return NoMemory();
    for (diopiTensor* tensor : {v_, grad_}) {
      auto* values = reinterpret_cast<uint16_t*>(tensor->storage.mirror);
      for (int64_t token = 0; token < kBatch * kPlaces * kHeads; ++token) {
        values[token * kPlaces + token / kHeads % kPlaces] = kOne;
      }
    }
    int32_t code = 0;
    for (const diopiTensor* tensor : {q_, k_, v_, grad_, out_, grad_q_, grad_k_, grad_v_, lse_}) {
      if (code == 0) code = context_.Upload(*tensor);
    }
    if (code == 0) code = context_.context().Synchronize();
    return code == 0 ? Passing() : StepFailed("copy_in", code);
  }

  LibraryCheck Flash() {
    return Pair("diopiFlashAttention",
                {out_, lse_, &generator_, q_, k_, v_, ArgNull(), kRate, kScale, false, kNoSide, kNoSide},
                {grad_q_, grad_k_, grad_v_, grad_, &generator_, q_, k_, v_, ArgNull(), out_, lse_, kRate,
                 kScale, false, kNoSide, kNoSide});
  }
  LibraryCheck MultiHead() {
    return Pair(
        "diopiMultiHeadAttention",
        {q_, k_, v_, kRate, false, false, kScale, out_, lse_, &generator_, ArgNull()},
        {grad_, q_, k_, v_, out_, lse_, kRate, false, &generator_, kScale, grad_q_, grad_k_, grad_v_});
  }
  LibraryCheck Customized() {
    char layout[] = "BSND";
    diopiTensorHandle_t mask = nullptr, greatest = nullptr, sum = nullptr, weights = nullptr;
    const auto saved = [](diopiTensorHandle_t handle) {
      return handle == nullptr ? ArgValue(ArgNull()) : ArgValue(static_cast<void*>(handle));
    };
    return Pair("diopiCustomizedFlashAttention",
                {out_, &mask, &greatest, &sum, &weights, &generator_, q_, k_, v_, ArgNull(), ArgNull(), kRate,
                 kScale, false, kNoSide, kNoSide, kHeads, layout},
                [&] {
                  return std::vector<ArgValue>{
                      grad_q_,    grad_k_,        grad_v_, grad_,     q_,          k_,
                      v_,         ArgNull(),      out_,    ArgNull(), saved(mask), saved(greatest),
                      saved(sum), saved(weights), kRate,   kScale,    false,       kNoSide,
                      kNoSide,    kHeads,         layout};
                });
  }

 private:
  static constexpr int64_t kNoSide = -1;  // no window
  using Arguments = std::vector<ArgValue>;

  LibraryCheck Pair(const std::string& name, const Arguments& forward, const Arguments& backward) {
    return Pair(name, forward, [&backward] { return backward; });
  }
  // Calls the forward, then its backward. `backward` is asked for its arguments after the forward.
  template <typename F>
  LibraryCheck Pair(const std::string& name, const Arguments& forward, F backward) {
    const CheckedFunction functions[] = {FindFirst(vendor_, {name}), FindFirst(vendor_, {name + "Backward"})};
    if (functions[0].symbol == nullptr || functions[1].symbol == nullptr) {
      return Checked(v1::OUTCOME_NOT_IMPLEMENTED,
                     Found(v1::Finding::LIBRARY_CHECK)
                         .Word("no_attention")
                         .Said(absl::StrCat("the library lacks ", name, " or its backward")));
    }
    generator_ = kStart;
    if (const LibraryCheck check = Call(functions[0], forward, *out_); !Passed(check)) return check;
    const diopiGenerator left = generator_;
    int64_t unlike = 0;
    for (const diopiGenerator& state : {kStart, left}) {
      generator_ = state;
      if (const LibraryCheck check = Call(functions[1], backward(), *grad_v_); !Passed(check)) return check;
      const int64_t found = Unlike();
      if (found == 0) return Passing();
      if (unlike == 0) unlike = found;
    }
    return Wrong("dropped_weights",
                 absl::StrCat(name, "Backward drops other weights than ", name, ": ", unlike, " of ",
                              kWeights, " are dropped by one of the two only, p_dropout ", kRate));
  }

  // Calls the function, waits, and copies its result to the host.
  LibraryCheck Call(const CheckedFunction& function, const Arguments& args, const diopiTensor& result) {
    const CheckedCall call = CallChecked(function, &context_, args, "float16");
    int32_t code = context_.context().Synchronize();
    if (call.outcome != v1::OUTCOME_PASS) return Checked(call.outcome, call.found);
    if (code == 0) code = context_.Download(result);
    if (code == 0) code = context_.context().Synchronize();
    return code == 0 ? Passing() : SyncFailed(function.name(), code);
  }

  // Weights that are 0 in one of output and grad_v only.
  int64_t Unlike() const {
    const auto* out = reinterpret_cast<const uint16_t*>(out_->storage.mirror);
    const auto* grad_v = reinterpret_cast<const uint16_t*>(grad_v_->storage.mirror);
    const auto dropped = [](uint16_t weight) { return (weight & ~kSign) == 0; };
    int64_t unlike = 0;
    for (int64_t b = 0; b < kBatch; ++b) {
      for (int64_t h = 0; h < kHeads; ++h) {
        const auto at = [&](int64_t place, int64_t d) {
          return ((b * kPlaces + place) * kHeads + h) * kPlaces + d;
        };
        for (int64_t i = 0; i < kPlaces; ++i) {
          for (int64_t j = 0; j < kPlaces; ++j) unlike += dropped(out[at(i, j)]) != dropped(grad_v[at(j, i)]);
        }
      }
    }
    return unlike;
  }

  VendorLibrary* const vendor_;
  CheckContext context_;
  diopiGenerator generator_;
  diopiTensor *q_ = nullptr, *k_ = nullptr, *v_ = nullptr, *grad_ = nullptr, *out_ = nullptr, *lse_ = nullptr;
  diopiTensor *grad_q_ = nullptr, *grad_k_ = nullptr, *grad_v_ = nullptr;
};

}  // namespace

LibraryCheck CheckAttentionDropout(VendorLibrary* vendor) {
  DropoutCheck check(vendor);
  LibraryCheck found = check.Begin();
  if (!Passed(found)) return WithLastError(found, vendor);
  LibraryCheck absent;
  for (LibraryCheck (DropoutCheck::*pair)() :
       {&DropoutCheck::Flash, &DropoutCheck::MultiHead, &DropoutCheck::Customized}) {
    found = (check.*pair)();
    if (found.outcome() == v1::OUTCOME_NOT_IMPLEMENTED) {
      absent.MergeFrom(found);
    } else if (!Passed(found)) {
      return WithLastError(found, vendor);
    }
  }
  return absent.findings_size() < 3 ? Passing() : absent;
}

}  // namespace diopi::loader
