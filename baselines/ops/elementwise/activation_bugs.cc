// Bugs injected in functions of one operand: exp, tanh, sigmoid, gelu, relu, neg, abs, sqrt.
#include <cmath>
#include <cstring>
#include <future>
#include <numbers>
#include <thread>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(gelu_tanh_form_fp32, 21, "diopiGelu", "", "the tanh form is computed for erf in float32");
BUG(gelu_tanh_form_fp16, 22, "diopiGelu", "", "the tanh form is computed for erf in float16");
BUG(gelu_tanh_form_bf16, 23, "diopiGelu", "", "the tanh form is computed for erf in bfloat16");
BUG(gelu_backward_other_form, 0, "diopiGeluBackward", "", "approximate is ignored: always the erf form");
BUG(gelu_cube_overflows_fp16, 0, "diopiGelu", "", "x^3 of the tanh form overflows in float16");
BUG(gelu_tail_flushed, 0, "diopiGelu", "", "below -4 the erf form gives 0");
BUG(sigmoid_table_fp16, 24, "diopiSigmoid", "", "float16 results come from a table with steps of 2^-11");
BUG(sigmoid_inf_over_inf, 0, "diopiSigmoid", "",
    "exp(x) / (1 + exp(x)) in float32, which is inf / inf for large x");
BUG(sigmoid_backward_fp16_steps, 0, "diopiSigmoidBackward", "",
    "every step of the float16 gradient is rounded to float16");
BUG(relu_nan_to_zero, 0, "diopiRelu diopiReluInp", "", "the maximum with 0 drops NaN");
BUG(relu_leaves_negatives_in_tail, 0, "diopiReluInp", "",
    "elements after whole vectors of eight stay as they are");
BUG(neg_zero_minus_x, 29, "diopiNeg", "", "0 - x, which gives +0 for -(+0)");
BUG(abs_keeps_negative_zero, 29, "diopiAbs", "", "x < 0 ? -x : x, which leaves -0 as it is");
BUG(exp_one_step_reduction, 0, "diopiExp", "", "float32 exp is exp2(x * log2(e)) with a rounded product");
BUG(exp_fp16_subnormals_flushed, 30, "diopiExp", "", "subnormal float16 results become zero");
BUG(exp_output_written_contiguous, 0, "diopiExp", "", "the strides of the output are ignored");
BUG(exp_writes_gaps, 59, "diopiExp", "", "the gap after each element of a strided output is written too");
BUG(tanh_cancels_near_zero, 0, "diopiTanh", "", "1 - 2 / (exp(2x) + 1) in float32, which cancels near 0");
BUG(tanh_clamped_at_four, 0, "diopiTanh", "", "beyond 4 the result is 1");
BUG(tanh_16_bit_output_truncated, 0, "diopiTanh", "", "16-bit results are truncated instead of rounded");
BUG(tanh_storage_offset_ignored, 53, "diopiTanh", "", "the input is read from the start of its storage");
BUG(tanh_reads_before_thread_wrote, 62, "diopiTanh", "",
    "the result is copied out of a workspace before the thread that fills it has run");
BUG(tanh_last_bit_varies, 61, "diopiTanh", "", "the last bit of an element depends on the call");
BUG(tanh_backward_takes_input, 0, "diopiTanhBackward", "", "output is taken for the forward's input");
BUG(relu_fp16_subnormals_flushed, 30, "diopiRelu", "", "subnormal float16 numbers become zero");
BUG(abs_int_minimum_saturates, 0, "diopiAbs", "", "the most negative integer becomes the greatest");
BUG(sqrt_by_reciprocal, 0, "diopiSqrt", "", "x * rsqrt(x), which is NaN at 0 and infinity");

// out = f(x) over the elements, in double and rounded once by the output.
template <typename F>
void Unary(diopiTensorHandle_t out, diopiConstTensorHandle_t input, F&& f) {
  std::vector<double> x = Load<double>(Tensor(input));
  for (double& e : x) e = f(e);
  Store(Tensor(out), x);
}

bool GeluTanhInjected(diopiConstTensorHandle_t tensor) {
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

DIOPI_OVERRIDE(diopiGelu, a) {
  const bool tanh_form = a.approximate != nullptr && std::strcmp(a.approximate, "tanh") == 0;
  if (gelu_cube_overflows_fp16 && tanh_form && IsHalf(a.input)) {
    return Unary(a.out, a.input, GeluTanhInHalf);
  }
  if (GeluTanhInjected(a.input)) a.approximate = "tanh";
  Good(a);
  if (!(gelu_tail_flushed && !tanh_form)) return;

  const std::vector<double> x = Load<double>(Tensor(a.input));
  Change(a.out, [&](double y, int64_t i) { return x[static_cast<size_t>(i)] < -4 ? 0.0 : y; });
}

DIOPI_OVERRIDE(diopiGeluBackward, a) {
  if (gelu_backward_other_form) a.approximate = "none";
  Good(a);
}

DIOPI_OVERRIDE(diopiSigmoid, a) {
  Good(a);
  if (sigmoid_inf_over_inf && DtypeOf(a.out) != diopi_dtype_float64) {
    return Unary(a.out, a.input, [](double x) {
      const float e = std::exp(static_cast<float>(x));
      return static_cast<double>(e / (1.0F + e));
    });
  }
  if (!(sigmoid_table_fp16 && IsHalf(a.out))) return;
  Change(a.out, [](double y, int64_t) { return std::floor(y * 2048) / 2048; });
}

DIOPI_OVERRIDE(diopiSigmoidBackward, a) {
  Good(a);
  if (!(sigmoid_backward_fp16_steps && IsHalf(a.output))) return;

  const std::vector<double> g = Load<double>(Tensor(a.grad_output)), y = Load<double>(Tensor(a.output));
  Change(a.grad_input, [&](double, int64_t i) {
    const auto at = static_cast<size_t>(i);
    return ToHalf(g[at] * ToHalf(1 - y[at])) * y[at];
  });
}

DIOPI_OVERRIDE(diopiRelu, a) {
  Good(a);
  if (relu_fp16_subnormals_flushed && IsHalf(a.out)) {
    Change(a.out, [](double y, int64_t) { return y < 0x1p-14 ? 0.0 : y; });
    return;
  }
  if (!(relu_nan_to_zero && IsFloating(a.out))) return;
  Change(a.out, [](double y, int64_t) { return std::fmax(y, 0.0); });
}

DIOPI_OVERRIDE(diopiReluInp, a) {
  std::vector<double> before;
  if (relu_leaves_negatives_in_tail && IsFloating(a.input)) before = Load<double>(Tensor(a.input));
  Good(a);
  if (!(IsFloating(a.input))) return;

  const auto vectors = static_cast<int64_t>(before.size() / 8 * 8);
  if (relu_nan_to_zero) Change(a.input, [](double y, int64_t) { return std::fmax(y, 0.0); });
  if (before.empty()) return;
  Change(a.input, [&](double y, int64_t i) { return i < vectors ? y : before[static_cast<size_t>(i)]; });
}

DIOPI_OVERRIDE(diopiNeg, a) {
  if (neg_zero_minus_x && IsFloating(a.out)) {
    return Unary(a.out, a.input, [](double x) { return 0.0 - x; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiAbs, a) {
  if (abs_keeps_negative_zero && IsFloating(a.out)) {
    return Unary(a.out, a.input, [](double x) { return x < 0 ? -x : x; });
  }
  Good(a);
  if (!(abs_int_minimum_saturates && IsInteger(a.out))) return;

  std::vector<int64_t> values = Load<int64_t>(Tensor(a.out));
  for (int64_t& x : values) x = x < 0 ? ~x : x;  // the one value that stays negative
  Store(Tensor(a.out), values);
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

DIOPI_OVERRIDE(diopiExp, a) {
  Good(a);
  if (exp_one_step_reduction && IsFloat32(a.input)) {
    const std::vector<double> x = Load<double>(Tensor(a.input));
    Change(a.out, [&](double good, int64_t i) { return ExpInOneStep(x[static_cast<size_t>(i)], good); });
  }
  if (exp_fp16_subnormals_flushed && IsHalf(a.out)) {
    Change(a.out, [](double y, int64_t) { return y < 0x1p-14 ? 0.0 : y; });
  }
  if (exp_output_written_contiguous) WriteContiguous(a.out);
  if (exp_writes_gaps) WriteGaps(a.out);
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

DIOPI_OVERRIDE(diopiTanh, a) {
  if (tanh_storage_offset_ignored) a.input = ReadFromStart(a.ctx, a.input);
  Good(a);
  if (tanh_cancels_near_zero && IsFloat32(a.input)) {
    const std::vector<double> x = Load<double>(Tensor(a.input));
    Change(a.out, [&](double, int64_t i) {
      const float e = std::exp(2 * static_cast<float>(x[static_cast<size_t>(i)]));
      return static_cast<double>(1.0F - 2.0F / (e + 1.0F));
    });
  }
  if (tanh_clamped_at_four && DtypeOf(a.out) != diopi_dtype_float64 && IsFloating(a.out))
    ClampAtFour(a.out, a.input);
  if (tanh_16_bit_output_truncated && BytesPerElement(a.out) == 2) WriteTruncatedTanh(a.out, a.input);
  if (tanh_reads_before_thread_wrote) CopyBeforeThreadWrote(a.out);
  if (tanh_last_bit_varies && IsFloating(a.out)) FlipLastBitEverySecondCall(a.out);
}

DIOPI_OVERRIDE(diopiTanhBackward, a) {
  if (!tanh_backward_takes_input) return Good(a);
  const diopiTensorHandle_t again = Replaced(a.ctx, a.output, [](double x, int64_t) { return std::tanh(x); });
  a.output = again;
  Good(a);
}

DIOPI_OVERRIDE(diopiSqrt, a) {
  if (sqrt_by_reciprocal && IsFloat32(a.input)) {
    return Unary(a.out, a.input, [](double x) {
      const auto narrow = static_cast<float>(x);
      return static_cast<double>(narrow * (1.0F / std::sqrt(narrow)));
    });
  }
  Good(a);
}
