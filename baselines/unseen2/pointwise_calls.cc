#include <limits>

#include "baselines/unseen2/calls.h"

namespace diopi::unseen2 {
namespace {

// A float32 function of one operand.
template <typename F>
std::vector<double> Unary(Host& host, F call, const std::vector<double>& x) {
  const Shape shape = {static_cast<int64_t>(x.size())};
  TestTensor input(kFloat, shape, x), out(kFloat, shape, {99});
  call(host, out, input);
  return out.values();
}

std::vector<double> Addcdiv(Host& host) {
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {1}), a(kFloat, {1}, {6}), b(kFloat, {1}, {3});
  const diopiScalar_t value = Scalar(0.5);
  DIOPI_CALL(host, diopiAddcdiv, out, x, a, b, &value);
  return out.values();
}

std::vector<double> LerpScalar(Host& host) {
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {1}), end(kFloat, {1}, {5});
  const diopiScalar_t weight = Scalar(0.25);
  DIOPI_CALL(host, diopiLerpScalar, out, x, end, &weight);
  return out.values();
}

std::vector<double> HardswishBackward(Host& host) {
  TestTensor out(kFloat, {1}), g(kFloat, {1}, {1}), x(kFloat, {1}, {1.5});
  DIOPI_CALL(host, diopiHardswishBackward, out, g, x);
  return out.values();
}

std::vector<double> RemainderTensor(Host& host) {
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {-5}), d(kFloat, {1}, {3});
  DIOPI_CALL(host, diopiRemainderTensor, out, x, d);
  return out.values();
}

std::vector<double> LogicalNot(Host& host) {
  TestTensor out(kBool, {2}), x(kFloat, {2}, {0, 0.5});
  DIOPI_CALL(host, diopiLogicalNot, out, x);
  return out.values();
}

std::vector<double> Conj(Host& host) {
  TestTensor real(kFloat, {1}, {1}), imag(kFloat, {1}, {2}), result(kFloat, {1});
  const diopiTensorHandle_t x = ops::RequireTensor(&host.context, {1}, diopi_dtype_complex64);
  const diopiTensorHandle_t out = ops::RequireTensor(&host.context, {1}, diopi_dtype_complex64);
  DIOPI_CALL(host, diopiComplex, x, real, imag);
  DIOPI_CALL(host, diopiConj, out, x);
  DIOPI_CALL(host, diopiImag, result, out);
  return result.values();
}

std::vector<double> DivScalar(Host& host) {
  TestTensor out(kInt64, {1}), x(kInt64, {1}, {-7});
  const diopiScalar_t two = IntScalar(2);
  DIOPI_CALL(host, diopiDivScalar, out, x, &two, RoundModeFloor);
  return out.values();
}

std::vector<double> BitwiseNot(Host& host) {
  TestTensor out(kBool, {2}), x(kBool, {2}, {0, 1});
  DIOPI_CALL(host, diopiBitwiseNot, out, x);
  return out.values();
}

std::vector<double> Mul(Host& host) {
  TestTensor out(kFloat, {2, 2}), x(kFloat, {2, 2}, {1}), y(kFloat, {2, 1}, {3, 4});
  DIOPI_CALL(host, diopiMul, out, x, y);
  return out.values();
}

std::vector<double> Where(Host& host) {
  TestTensor out(kFloat, {2, 2}), condition(kBool, {2, 2}, {1, 2}, 0, {1, 1, 0, 0});
  TestTensor x(kFloat, {2, 2}, {1}), y(kFloat, {2, 2}, {2});
  DIOPI_CALL(host, diopiWhere, out, condition, x, y);
  return out.values();
}

std::vector<double> CastDtype(Host& host) {
  TestTensor out(kInt64, {1}), x(kFloat, {1}, {1.75});
  DIOPI_CALL(host, diopiCastDtype, out, x);
  return out.values();
}

std::vector<double> PowTensor(Host& host) {
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {-2}), y(kFloat, {1}, {3});
  DIOPI_CALL(host, diopiPowTensor, out, x, y);
  return out.values();
}

std::vector<double> ClampScalar(Host& host) {
  const diopiScalar_t min = Scalar(-1), max = Scalar(1);
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {std::numeric_limits<double>::quiet_NaN()});
  DIOPI_CALL(host, diopiClampScalar, out, x, &min, &max);
  return out.values();
}

std::vector<double> Asinh(Host& host) {
  return Unary(host, [](Host& h, auto& out, auto& x) { DIOPI_CALL(h, diopiAsinh, out, x); }, {-10000});
}

std::vector<double> SiluBackward(Host& host) {
  TestTensor out(kHalf, {1}), g(kHalf, {1}, {1}), x(kHalf, {1}, {-12});
  DIOPI_CALL(host, diopiSiluBackward, out, g, x);
  return out.values();
}

std::vector<double> Ge(Host& host) {
  TestTensor out(kBool, {1}), x(kInt64, {1}, {16777216}), y(kInt64, {1}, {16777217});
  DIOPI_CALL(host, diopiGe, out, x, y);
  return out.values();
}

std::vector<double> Exp(Host& host) {
  return Unary(host, [](Host& h, auto& out, auto& x) { DIOPI_CALL(h, diopiExp, out, x); },
               {1, 2, 3, 4, 5, 6, 7});
}

std::vector<double> Erfinv(Host& host) {
  return Unary(host, [](Host& h, auto& out, auto& x) { DIOPI_CALL(h, diopiErfinv, out, x); }, {1});
}

std::vector<double> Threshold(Host& host) {
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {-1});
  const diopiScalar_t threshold = Scalar(0), first = Scalar(5), second = Scalar(7);
  DIOPI_CALL(host, diopiThreshold, out, x, &threshold, &first);
  DIOPI_CALL(host, diopiThreshold, out, x, &threshold, &second);
  return out.values();
}

std::vector<double> Floor(Host& host) {
  return Unary(host, [](Host& h, auto& out, auto& x) { DIOPI_CALL(h, diopiFloor, out, x); }, {1e10});
}

// Tensors of this host start one byte after a multiple of 16.
std::vector<double> CopyInp(Host& host) {
  TestTensor source(kFloat, {5}, {1, 2, 3, 4, 5}), dest(kFloat, {5}, {99});
  DIOPI_CALL(host, diopiCopyInp, source, dest);
  return dest.values();
}

}  // namespace

std::vector<Row> PointwiseCalls() {
  return {{"addcdiv_value_divides", Addcdiv},
          {"lerp_scalar_from_end", LerpScalar},
          {"hardswish_backward_slope", HardswishBackward},
          {"remainder_follows_dividend", RemainderTensor},
          {"logical_not_truncates", LogicalNot},
          {"conj_only_marked", Conj},
          {"div_scalar_floor_truncates", DivScalar},
          {"bitwise_not_of_bool", BitwiseNot},
          {"mul_broadcast_modulo", Mul},
          {"where_condition_dense", Where},
          {"cast_to_integer_rounds", CastDtype},
          {"pow_negative_base", PowTensor},
          {"clamp_scalar_swallows_nan", ClampScalar},
          {"asinh_cancels", Asinh},
          {"silu_backward_half_overflow", SiluBackward},
          {"ge_compares_float32", Ge},
          {"exp_third_of_tail", Exp},
          {"erfinv_of_one", Erfinv},
          {"threshold_cached_value", Threshold},
          {"floor_through_int32", Floor},
          {"copy_unaligned_start", CopyInp}};
}

}  // namespace diopi::unseen2
