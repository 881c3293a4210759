#include "baselines/unseen2/calls.h"

namespace diopi::unseen2 {
namespace {

std::vector<double> Prod(Host& host) {
  TestTensor out(kFloat, {}), x(kFloat, {2}, {-2, 3});
  DIOPI_CALL(host, diopiProd, out, x, nullptr);
  return out.values();
}

std::vector<double> Std(Host& host) {
  const Shape dims = {0};
  const diopiScalar_t correction = IntScalar(0);
  TestTensor out(kFloat, {}), x(kFloat, {2}, {1, 3});
  DIOPI_CALL(host, diopiStd, out, x, View(dims), &correction);
  return out.values();
}

std::vector<double> SoftmaxBackward(Host& host) {
  TestTensor out(kFloat, {2, 1}), grad(kFloat, {2, 1}, {1, 2}), y(kFloat, {2, 1}, {0.5});
  DIOPI_CALL(host, diopiSoftmaxBackward, out, grad, y, 0);
  return out.values();
}

std::vector<double> Sum(Host& host) {
  const Shape dims = {0};
  TestTensor out(kInt64, {}), x(kInt64, {2}, {2147483647, 1});
  DIOPI_CALL(host, diopiSum, out, x, View(dims));
  return out.values();
}

std::vector<double> Cumsum(Host& host) {
  TestTensor out(kFloat, {33}), x(kFloat, {33}, {1});
  DIOPI_CALL(host, diopiCumsum, out, x, 0);
  return out.values();
}

std::vector<double> LogSoftmax(Host& host) {
  TestTensor out(kFloat, {2}), x(kFloat, {2}, {100, 99});
  DIOPI_CALL(host, diopiLogSoftmax, out, x, 0);
  return out.values();
}

std::vector<double> Topk(Host& host) {
  TestTensor values(kFloat, {1}), indices(kInt64, {1}), x(kFloat, {2}, {1, 2});
  DIOPI_CALL(host, diopiTopk, values, indices, x, 1, 0, false, true);
  return values.values();
}

std::vector<double> MaxAll(Host& host) {
  TestTensor out(kFloat, {}), large(kFloat, {1}, {9}), small(kFloat, {1}, {3});
  DIOPI_CALL(host, diopiMaxAll, out, large);
  DIOPI_CALL(host, diopiMaxAll, out, small);
  return out.values();
}

}  // namespace

std::vector<Row> ReducingCalls() {
  return {{"prod_by_logarithms", Prod},
          {"std_correction_one", Std},
          {"softmax_backward_last_dim", SoftmaxBackward},
          {"sum_int32_accumulator", Sum},
          {"cumsum_blocks_of_32", Cumsum},
          {"log_softmax_overflow", LogSoftmax},
          {"topk_one_is_maximum", Topk},
          {"max_all_stale_buffer", MaxAll}};
}

}  // namespace diopi::unseen2
