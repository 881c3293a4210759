// Bugs planted in functions of one operand: exp, tanh, sigmoid, gelu, relu, neg, abs, sqrt.
#include <cmath>
#include <cstring>
#include <future>
#include <numbers>
#include <thread>

#include "baselines/mutants/support.h"

using namespace diopi::mutants;  // NOLINT: this file is nothing else

DIOPI_OVERRIDE(diopiGelu);
DIOPI_OVERRIDE(diopiGeluBackward);
DIOPI_OVERRIDE(diopiSigmoid);
DIOPI_OVERRIDE(diopiSigmoidBackward);
DIOPI_OVERRIDE(diopiRelu);
DIOPI_OVERRIDE(diopiReluInp);
DIOPI_OVERRIDE(diopiNeg);
DIOPI_OVERRIDE(diopiAbs);
DIOPI_OVERRIDE(diopiExp);
DIOPI_OVERRIDE(diopiTanh);
DIOPI_OVERRIDE(diopiTanhBackward);
DIOPI_OVERRIDE(diopiSqrt);

namespace {

PLANT(gelu_tanh_form_fp32, 21, "diopiGelu", "", "the tanh form is computed for erf in float32");
PLANT(gelu_tanh_form_fp16, 22, "diopiGelu", "", "the tanh form is computed for erf in float16");
PLANT(gelu_tanh_form_bf16, 23, "diopiGelu", "", "the tanh form is computed for erf in bfloat16");
PLANT(gelu_backward_other_form, 0, "diopiGeluBackward", "", "approximate is ignored: always the erf form");
PLANT(gelu_cube_overflows_fp16, 0, "diopiGelu", "", "x^3 of the tanh form overflows in float16");
PLANT(gelu_tail_flushed, 0, "diopiGelu", "", "below -4 the erf form gives 0");
PLANT(sigmoid_table_fp16, 24, "diopiSigmoid", "", "float16 results come from a table with steps of 2^-11");
PLANT(sigmoid_inf_over_inf, 0, "diopiSigmoid", "",
      "exp(x) / (1 + exp(x)) in float32, which is inf / inf for large x");
PLANT(sigmoid_backward_fp16_steps, 0, "diopiSigmoidBackward", "",
      "every step of the float16 gradient is rounded to float16");
PLANT(relu_nan_to_zero, 0, "diopiRelu diopiReluInp", "", "the maximum with 0 drops NaN");
PLANT(relu_leaves_negatives_in_tail, 0, "diopiReluInp", "",
      "elements after whole vectors of eight stay as they are");
PLANT(neg_zero_minus_x, 29, "diopiNeg", "", "0 - x, which gives +0 for -(+0)");
PLANT(abs_keeps_negative_zero, 29, "diopiAbs", "", "x < 0 ? -x : x, which leaves -0 as it is");
PLANT(exp_one_step_reduction, 0, "diopiExp", "", "float32 exp is exp2(x * log2(e)) with a rounded product");
PLANT(exp_fp16_subnormals_flushed, 30, "diopiExp", "", "subnormal float16 results become zero");
PLANT(exp_output_written_contiguous, 0, "diopiExp", "", "the strides of the output are ignored");
PLANT(exp_writes_gaps, 59, "diopiExp", "", "the gap after each element of a strided output is written too");
PLANT(tanh_cancels_near_zero, 0, "diopiTanh", "", "1 - 2 / (exp(2x) + 1) in float32, which cancels near 0");
PLANT(tanh_clamped_at_four, 0, "diopiTanh", "", "beyond 4 the result is 1");
PLANT(tanh_16_bit_output_truncated, 0, "diopiTanh", "", "16-bit results are cut off instead of rounded");
PLANT(tanh_storage_offset_ignored, 53, "diopiTanh", "", "the input is read from the start of its storage");
PLANT(tanh_reads_before_thread_wrote, 62, "diopiTanh", "",
      "the result is copied out of a workspace before the thread that fills it has run");
PLANT(tanh_last_bit_varies, 61, "diopiTanh", "", "the last bit of an element depends on the call");
PLANT(tanh_backward_takes_input, 0, "diopiTanhBackward", "", "output is taken for the forward's input");
PLANT(relu_fp16_subnormals_flushed, 30, "diopiRelu", "", "subnormal float16 numbers become zero");
PLANT(abs_int_minimum_saturates, 0, "diopiAbs", "", "the most negative integer becomes the greatest");
PLANT(sqrt_by_reciprocal, 0, "diopiSqrt", "", "x * rsqrt(x), which is NaN at 0 and infinity");

// out = f(x) over the elements, in double and rounded once by the output.
template <typename F>
diopiError_t Unary(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t input, F&& f) {
  return Guard(function, [&] {
    std::vector<double> x = Load<double>(Tensor(input));
    for (double& e : x) e = f(e);
    Store(Tensor(out), x);
  });
}

// Changes the good result, when `planted` says so.
template <typename F>
diopiError_t Spoil(bool planted, diopiError_t error, const char* function, F&& spoil) {
  return planted ? After(error, function, std::forward<F>(spoil)) : error;
}

bool GeluTanhPlanted(diopiConstTensorHandle_t tensor) {
  return (gelu_tanh_form_fp32 && IsFloat32(tensor)) || (gelu_tanh_form_fp16 && IsHalf(tensor)) ||
         (gelu_tanh_form_bf16 && IsBfloat16(tensor));
}

// A cube that overflowed on the way to tanh: its sign times infinity, and NaN where x * (1 - 1) follows.
double GeluTanhInHalf(double x) {
  const double cube = ToHalf(ToHalf(x * x) * x);
  const double inner = ToHalf(std::sqrt(2 / std::numbers::pi) * ToHalf(x + ToHalf(0.044715 * cube)));
  return 0.5 * x * (1 + std::tanh(inner));
}

}  // namespace

extern "C" diopiError_t diopiGelu(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input, const char* approximate) {
  const bool tanh_form = approximate != nullptr && std::strcmp(approximate, "tanh") == 0;
  if (gelu_cube_overflows_fp16 && tanh_form && IsHalf(input)) {
    return Unary(__func__, out, input, GeluTanhInHalf);
  }
  const diopiError_t error = good_diopiGelu(ctx, out, input, GeluTanhPlanted(input) ? "tanh" : approximate);
  return Spoil(gelu_tail_flushed && !tanh_form, error, __func__, [&] {
    const std::vector<double> x = Load<double>(Tensor(input));
    Change(out, [&](double y, int64_t i) { return x[static_cast<size_t>(i)] < -4 ? 0.0 : y; });
  });
}

extern "C" diopiError_t diopiGeluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                          diopiConstTensorHandle_t grad_output,
                                          diopiConstTensorHandle_t input, const char* approximate) {
  return good_diopiGeluBackward(ctx, grad_input, grad_output, input,
                                gelu_backward_other_form ? "none" : approximate);
}

extern "C" diopiError_t diopiSigmoid(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input) {
  const diopiError_t error = good_diopiSigmoid(ctx, out, input);
  if (sigmoid_inf_over_inf && DtypeOf(out) != diopi_dtype_float64) {
    return Unary(__func__, out, input, [](double x) {
      const float e = std::exp(static_cast<float>(x));
      return static_cast<double>(e / (1.0F + e));
    });
  }
  return Spoil(sigmoid_table_fp16 && IsHalf(out), error, __func__,
               [&] { Change(out, [](double y, int64_t) { return std::floor(y * 2048) / 2048; }); });
}

extern "C" diopiError_t diopiSigmoidBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                             diopiConstTensorHandle_t grad_output,
                                             diopiConstTensorHandle_t output) {
  const diopiError_t error = good_diopiSigmoidBackward(ctx, grad_input, grad_output, output);
  return Spoil(sigmoid_backward_fp16_steps && IsHalf(output), error, __func__, [&] {
    const std::vector<double> g = Load<double>(Tensor(grad_output)), y = Load<double>(Tensor(output));
    Change(grad_input, [&](double, int64_t i) {
      const auto at = static_cast<size_t>(i);
      return ToHalf(g[at] * ToHalf(1 - y[at])) * y[at];
    });
  });
}

extern "C" diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input) {
  const diopiError_t error = good_diopiRelu(ctx, out, input);
  if (relu_fp16_subnormals_flushed && IsHalf(out)) {
    return After(error, __func__,
                 [&] { Change(out, [](double y, int64_t) { return y < 0x1p-14 ? 0.0 : y; }); });
  }
  return Spoil(relu_nan_to_zero && IsFloating(out), error, __func__,
               [&] { Change(out, [](double y, int64_t) { return std::fmax(y, 0.0); }); });
}

extern "C" diopiError_t diopiReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  std::vector<double> before;
  if (relu_leaves_negatives_in_tail && IsFloating(input)) before = Load<double>(Tensor(input));
  const diopiError_t error = good_diopiReluInp(ctx, input);
  return Spoil(IsFloating(input), error, __func__, [&] {
    const auto vectors = static_cast<int64_t>(before.size() / 8 * 8);
    if (relu_nan_to_zero) Change(input, [](double y, int64_t) { return std::fmax(y, 0.0); });
    if (before.empty()) return;
    Change(input, [&](double y, int64_t i) { return i < vectors ? y : before[static_cast<size_t>(i)]; });
  });
}

extern "C" diopiError_t diopiNeg(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input) {
  if (neg_zero_minus_x && IsFloating(out)) {
    return Unary(__func__, out, input, [](double x) { return 0.0 - x; });
  }
  return good_diopiNeg(ctx, out, input);
}

extern "C" diopiError_t diopiAbs(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input) {
  if (abs_keeps_negative_zero && IsFloating(out)) {
    return Unary(__func__, out, input, [](double x) { return x < 0 ? -x : x; });
  }
  const diopiError_t error = good_diopiAbs(ctx, out, input);
  return Spoil(abs_int_minimum_saturates && IsInteger(out), error, __func__, [&] {
    std::vector<int64_t> values = Load<int64_t>(Tensor(out));
    for (int64_t& x : values) x = x < 0 ? ~x : x;  // the one value that stays negative
    Store(Tensor(out), values);
  });
}

namespace {

// Each element stored as a pair, where elements stand two apart or more.
void WriteGaps(diopiTensorHandle_t out) {
  const std::vector<int64_t> strides = StrideOf(out);
  for (int64_t stride : strides) {
    if (stride < 2) return;
  }
  const int64_t bytes = BytesPerElement(out);
  for (int64_t i = 0; i + 1 < NumElements(out); ++i) {
    unsigned char* element = ElementAt(out, i);
    std::memcpy(element + bytes, element, static_cast<size_t>(bytes));
  }
}

double ExpInOneStep(double x, double good) {
  if (!std::isfinite(x)) return good;
  return static_cast<double>(std::exp2(static_cast<float>(x) * std::numbers::log2e_v<float>));
}

}  // namespace

extern "C" diopiError_t diopiExp(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input) {
  return After(good_diopiExp(ctx, out, input), __func__, [&] {
    if (exp_one_step_reduction && IsFloat32(input)) {
      const std::vector<double> x = Load<double>(Tensor(input));
      Change(out, [&](double good, int64_t i) { return ExpInOneStep(x[static_cast<size_t>(i)], good); });
    }
    if (exp_fp16_subnormals_flushed && IsHalf(out)) {
      Change(out, [](double y, int64_t) { return y < 0x1p-14 ? 0.0 : y; });
    }
    if (exp_output_written_contiguous) WriteContiguous(out);
    if (exp_writes_gaps) WriteGaps(out);
  });
}

namespace {

// The thread that fills the workspace is only let go once the result has been copied out of it.
void CopyBeforeThreadWrote(diopiTensorHandle_t out) {
  static std::vector<double> workspace;
  const std::vector<double> good = Load<double>(Tensor(out));
  workspace.resize(good.size());
  std::promise<void> launched;
  std::thread kernel([&] {
    launched.get_future().wait();
    workspace = good;
  });
  Store(Tensor(out), workspace);
  launched.set_value();
  kernel.join();
}

// The input's elements read as if its storage began with them.
diopiTensorHandle_t ReadFromStart(diopiContextHandle_t ctx, diopiConstTensorHandle_t input) {
  int64_t offset = 0;
  diopiGetTensorStorageOffset(input, &offset);
  const Shape shape = ShapeOf(input);
  diopiTensorHandle_t moved = NewTensor(ctx, shape, DtypeOf(input));
  const auto bytes = static_cast<size_t>(BytesPerElement(input));
  for (int64_t i = 0; i < NumElements(input); ++i) {
    std::memcpy(ElementAt(moved, i), ElementAt(input, i) - offset * BytesPerElement(input), bytes);
  }
  return moved;
}

void ClampAtFour(diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const std::vector<double> x = Load<double>(Tensor(input));
  Change(out, [&](double y, int64_t i) {
    const double e = x[static_cast<size_t>(i)];
    return std::fabs(e) > 4 ? std::copysign(1.0, e) : y;
  });
}

void WriteTruncatedTanh(diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const diopiDtype_t dtype = DtypeOf(out);
  const std::vector<double> x = Load<double>(Tensor(input));
  Change(out, [&](double, int64_t i) { return TruncatedTo(dtype, std::tanh(x[static_cast<size_t>(i)])); });
}

void FlipLastBitEverySecondCall(diopiTensorHandle_t out) {
  static uint32_t calls = 0;
  if (++calls % 2 == 0 && NumElements(out) > 0) *ElementAt(out, NumElements(out) / 2) ^= 1;
}

}  // namespace

extern "C" diopiError_t diopiTanh(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input) {
  return Guard(__func__, [&] {
    diopiConstTensorHandle_t from = tanh_storage_offset_ignored ? ReadFromStart(ctx, input) : input;
    OrFail(good_diopiTanh(ctx, out, from));
    if (tanh_cancels_near_zero && IsFloat32(input)) {
      const std::vector<double> x = Load<double>(Tensor(input));
      Change(out, [&](double, int64_t i) {
        const float e = std::exp(2 * static_cast<float>(x[static_cast<size_t>(i)]));
        return static_cast<double>(1.0F - 2.0F / (e + 1.0F));
      });
    }
    if (tanh_clamped_at_four && DtypeOf(out) != diopi_dtype_float64 && IsFloating(out))
      ClampAtFour(out, input);
    if (tanh_16_bit_output_truncated && BytesPerElement(out) == 2) WriteTruncatedTanh(out, input);
    if (tanh_reads_before_thread_wrote) CopyBeforeThreadWrote(out);
    if (tanh_last_bit_varies && IsFloating(out)) FlipLastBitEverySecondCall(out);
  });
}

extern "C" diopiError_t diopiTanhBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                          diopiConstTensorHandle_t grad_output,
                                          diopiConstTensorHandle_t output) {
  if (!tanh_backward_takes_input) return good_diopiTanhBackward(ctx, grad_input, grad_output, output);
  return Guard(__func__, [&] {
    const diopiTensorHandle_t again = Replaced(ctx, output, [](double x, int64_t) { return std::tanh(x); });
    OrFail(good_diopiTanhBackward(ctx, grad_input, grad_output, again));
  });
}

extern "C" diopiError_t diopiSqrt(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input) {
  if (sqrt_by_reciprocal && IsFloat32(input)) {
    return Unary(__func__, out, input, [](double x) {
      const auto narrow = static_cast<float>(x);
      return static_cast<double>(narrow * (1.0F / std::sqrt(narrow)));
    });
  }
  return good_diopiSqrt(ctx, out, input);
}
