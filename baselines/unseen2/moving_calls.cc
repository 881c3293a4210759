#include "baselines/unseen2/calls.h"

namespace diopi::unseen2 {
namespace {

std::vector<double> Repeat(Host& host) {
  const Shape times = {2};
  TestTensor out(kFloat, {4}), x(kFloat, {2}, {1, 2});
  DIOPI_CALL(host, diopiRepeat, out, x, View(times));
  return out.values();
}

std::vector<double> OneHot(Host& host) {
  TestTensor out(kInt64, {1, 2}), x(kInt64, {1}, {1});
  DIOPI_CALL(host, diopiOneHot, out, x, 2);
  return out.values();
}

std::vector<double> Linspace(Host& host) {
  TestTensor out(kFloat, {2});
  const diopiScalar_t start = Scalar(0), end = Scalar(1);
  DIOPI_CALL(host, diopiLinspace, out, &start, &end, 2);
  return out.values();
}

std::vector<double> MaskedScatter(Host& host) {
  TestTensor out(kFloat, {2}), x(kFloat, {2}, {0}), mask(kBool, {2}, {0, 1}), source(kFloat, {2}, {5, 6});
  DIOPI_CALL(host, diopiMaskedScatter, out, x, mask, source);
  return out.values();
}

std::vector<double> Roll(Host& host) {
  const Shape shifts = {-1}, dims = {0};
  TestTensor out(kFloat, {3}), x(kFloat, {3}, {1, 2, 3});
  DIOPI_CALL(host, diopiRoll, out, x, View(shifts), View(dims));
  return out.values();
}

std::vector<double> IndexSelectBackward(Host& host) {
  const Shape sizes = {2};
  TestTensor out(kFloat, {2}), grad(kFloat, {2}, {3, 4}), index(kInt64, {2}, {1, 1});
  DIOPI_CALL(host, diopiIndexSelectBackward, out, grad, View(sizes), 0, index);
  return out.values();
}

std::vector<double> IndexPut(Host& host) {
  TestTensor out(kHalf, {2}), x(kHalf, {2}, {1, 2}), values(kHalf, {1}, {5}), index(kInt64, {1}, {1});
  diopiConstTensorHandle_t indices[] = {index};
  DIOPI_CALL(host, diopiIndexPut, out, x, values, indices, 1, true);
  return out.values();
}

std::vector<double> Cat(Host& host) {
  TestTensor out(kFloat, {5}), one(kFloat, {1}, {1}), two(kFloat, {1}, {2});
  diopiConstTensorHandle_t tensors[] = {one, one, one, one, two};
  DIOPI_CALL(host, diopiCat, out, tensors, 5, 0);
  return out.values();
}

std::vector<double> Transpose(Host& host) {
  TestTensor out(kFloat, {17, 17}, {99}), x(kFloat, {17, 17}, {1, 2, 3});
  DIOPI_CALL(host, diopiTranspose, out, x, 0, 1);
  return out.values();
}

std::vector<double> Nonzero(Host& host) {
  TestTensor x(kFloat, {2}, {-0.0, 1});
  diopiTensorHandle_t out = nullptr;
  DIOPI_CALL(host, diopiNonzero, &out, x);
  return out == nullptr ? std::vector<double>() : ops::Load<double>(ops::Tensor(out));
}

}  // namespace

std::vector<Row> MovingCalls() {
  return {{"repeat_interleaves", Repeat},          {"one_hot_last_class", OneHot},
          {"linspace_open_end", Linspace},         {"masked_scatter_by_position", MaskedScatter},
          {"roll_shift_unsigned", Roll},           {"index_select_backward_overwrites", IndexSelectBackward},
          {"index_put_half_overwrites", IndexPut}, {"cat_four_pointers", Cat},
          {"transpose_edge_tiles", Transpose},     {"nonzero_tests_bits", Nonzero}};
}

}  // namespace diopi::unseen2
