// At each end of the sequence the noise is the largest distance of a few disturbed runs of the reference from
// the undisturbed one, and at least the rounding of its type. Disturbances depend on call, element and run
// only, so a trial repeats itself exactly. Functions without an oracle, such as random ones, are not
// disturbed.
#include "client/cli/sequence_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/generate/generate.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/core/reference_key.h"
#include "cases/fill/random.h"
#include "client/setup/paths.h"
#include "client/shrink/case_trial.h"

namespace diopi::cli {
namespace {

constexpr int kNoisyRuns = 3;
// Results deviate less than this many times as much as disturbed ones: a library sums in other orders, and
// may use the fast forms of functions. A defect that matters deviates by orders of magnitude more.
constexpr double kMostNoise = 16;

// The root mean square of the elements' differences. NaN and infinities are equal to themselves and
// infinitely far from everything else.
double Distance(const HostTensor& a, const HostTensor& b) {
  const int64_t count = NumElements(a.shape);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double x = ElementAsDouble(a.dtype, a.data.data(), i);
    const double y = ElementAsDouble(b.dtype, b.data.data(), i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double d = x - y;
    sum += std::isfinite(d) ? d * d : std::numeric_limits<double>::infinity();
  }
  return std::sqrt(sum / static_cast<double>(std::max<int64_t>(count, 1)));
}

// The root mean square of half an ulp of the elements' type: no result is nearer than its rounding.
double Rounding(const HostTensor& tensor) {
  if (!IsFloating(tensor.dtype)) return 0;
  const int64_t count = NumElements(tensor.shape);
  HostTensor one{tensor.dtype, {1}, std::string(static_cast<size_t>(ElementSize(tensor.dtype)), '\0')};
  double epsilon = 1;  // the distance of 1 from the next number
  for (double half = 0.5;; half /= 2) {
    StoreDouble(one.dtype, one.data.data(), 0, 1 + half);
    if (ElementAsDouble(one.dtype, one.data.data(), 0) == 1) break;
    epsilon = half;
  }
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double x = ElementAsDouble(tensor.dtype, tensor.data.data(), i) * epsilon / 2;
    if (std::isfinite(x)) sum += x * x;
  }
  return std::sqrt(sum / static_cast<double>(std::max<int64_t>(count, 1)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SequenceTrial>> SequenceTrial::Start(const CapturedSequence* sequence,
                                                                    const CaseCallOptions& options) {
  std::unique_ptr<SequenceTrial> trial(new SequenceTrial(sequence));
  ASSIGN_OR_RETURN(trial->call_, CaseCall::Make(options, /*diagnose=*/false));
  ASSIGN_OR_RETURN(trial->reference_, loader::InProcessLibrary::Open(agent::DefaultReferenceLibrary()));
  ASSIGN_OR_RETURN(trial->worker_, shrink::StartWorker(trial->call_->MakeWorkerOptions()));
  RETURN_IF_ERROR(trial->MeasureNoise());
  return trial;
}

absl::Status SequenceTrial::MeasureNoise() {
  absl::StatusOr<Ends> right = sequence_.Run([this](const tap::CapturedCall& call, const TensorMap& inputs) {
    return reference_->Call(call.c, inputs, v1::Dtype::unsupported);
  });
  if (!right.ok()) return right.status();
  right_ = *std::move(right);
  for (const auto& [end, tensor] : right_) noise_[end] = Rounding(tensor);
  for (uint64_t run = 0; run < kNoisyRuns; ++run) {
    const absl::StatusOr<Ends> noisy =
        sequence_.Run([this, run](const tap::CapturedCall& call, const TensorMap& inputs) {
          return Disturbed(call, inputs, run);
        });
    if (!noisy.ok()) return noisy.status();
    for (const auto& [end, tensor] : *noisy) {
      noise_[end] = std::max(noise_[end], Distance(tensor, right_.at(end)));
    }
  }
  return absl::OkStatus();
}

// What the reference returns, with each element where the oracle says what it is moved at random by its
// sigma.
absl::StatusOr<TensorMap> SequenceTrial::Disturbed(const tap::CapturedCall& call, const TensorMap& inputs,
                                                   uint64_t run) {
  ASSIGN_OR_RETURN(TensorMap outputs, reference_->Call(call.c, inputs, v1::Dtype::unsupported));
  const absl::StatusOr<TensorMap> exact = baselines::GenerateReferences(*reference_, call.c, inputs);
  if (!exact.ok()) return outputs;  // a random function, for example
  for (auto& [key, tensor] : outputs) {
    const auto value = exact->find(key);
    const auto sigma = exact->find(ReferenceKey(key, ReferencePart::kSigma));
    if (value == exact->end() || sigma == exact->end()) continue;
    const uint64_t stream = Xxh64(absl::StrCat(call.path, " ", key));
    for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
      const double r = ElementAsDouble(value->second.dtype, value->second.data.data(), i);
      const double s = ElementAsDouble(sigma->second.dtype, sigma->second.data.data(), i);
      const uint64_t bits = RandomBits(stream, static_cast<uint64_t>(i), static_cast<uint32_t>(run));
      const double moved = r + s * NormalQuantile(OpenUnitInterval(bits));
      if (std::isfinite(moved)) StoreDouble(tensor.dtype, tensor.data.data(), i, moved);
    }
  }
  return outputs;
}

absl::StatusOr<TensorMap> SequenceTrial::ByLibrary(const v1::Case& c, const TensorMap& inputs) {
  RETURN_IF_ERROR(worker_->Submit(c, inputs, 1));
  loader::CallOutcome outcome = worker_->Wait();
  if (outcome.kind != loader::CallOutcome::Kind::kReplied) return absl::AbortedError(outcome.Text());
  if (outcome.reply.error_code() != 0) {
    return absl::AbortedError(absl::StrCat(c.function(), " returned error ", outcome.reply.error_code()));
  }
  return std::move(outcome.outputs);
}

absl::StatusOr<SequenceTrial::Result> SequenceTrial::Run(const std::vector<std::string>& fall_back) {
  const absl::StatusOr<Ends> ends =
      sequence_.Run([&](const tap::CapturedCall& call, const TensorMap& inputs) -> absl::StatusOr<TensorMap> {
        const bool falls =
            std::find(fall_back.begin(), fall_back.end(), call.c.function()) != fall_back.end();
        return falls ? reference_->Call(call.c, inputs, v1::Dtype::unsupported) : ByLibrary(call.c, inputs);
      });
  if (absl::IsAborted(ends.status()) || absl::IsInvalidArgument(ends.status())) {
    return Result{false, std::string(ends.status().message())};
  }
  if (!ends.ok()) return ends.status();
  Result result{true, "every result is that of the CPU reference"};
  double worst = 0;
  for (const auto& [end, tensor] : *ends) {
    const double distance = Distance(tensor, right_.at(end));
    const double times = distance == 0 ? 0 : distance / noise_.at(end);
    if (times <= worst) continue;
    worst = times;
    result.good = worst <= kMostNoise;
    result.text = absl::StrFormat("largest deviation %.3g times the noise, of %s of %s", worst, end.key,
                                  sequence_.calls()[end.call].path);
  }
  return result;
}

}  // namespace diopi::cli
