// The functions of training attention: what each passes to the kernels of attention.h.
#include "baselines/ops/attention/attention_call.h"

namespace diopi::ops::both {
namespace {

void Forward(const AttentionCall& call, const Tensor& out, const Statistics& statistics) {
  CheckShape(out, call.q.shape(), "attention_out");
  if (statistics.lse) CheckShape(statistics.lse, call.Rows(), "softmax_lse");
  DispatchFloating(ResultType(out, {call.q, call.k, call.v}), [&]<typename C>() {
    const Queue queue(call.ctx);
    const Scores<C> of = call.Prepare<C>();
    AttentionForward<C> forward{of, Out<C>(out), Scratch<C>(queue, of.Rows() * of.most_k)};
    forward.has_lse = static_cast<bool>(statistics.lse);
    if (statistics.lse) forward.lse = Out<C>(statistics.lse);
    if (statistics.sum) {
      forward.copies = statistics.sum.size(-1);
      forward.greatest = Out<C>(statistics.greatest);
      forward.sum = Out<C>(statistics.sum);
    }
    ForEach(queue, of.Rows(), forward);
  });
}

void Backward(const AttentionCall& call, const Gradients& to, const Tensor& grad, const Tensor& out,
              const Statistics& statistics) {
  CheckShape(grad, call.q.shape(), "grad_output");
  CheckShape(out, call.q.shape(), "attention_out");
  CheckShape(to.q, call.q.shape(), "grad_q");
  CheckShape(to.k, call.k.shape(), "grad_k");
  CheckShape(to.v, call.v.shape(), "grad_v");
  Check(statistics.lse || (statistics.greatest && statistics.sum), "the forward's statistics are missing");
  DispatchFloating(ResultType(to.q, {call.q, call.k, call.v}), [&]<typename C>() {
    const Queue queue(call.ctx);
    const Scores<C> of = call.Prepare<C>();
    const Scratch<C> weights(queue, of.Rows() * of.most_k), slopes(queue, of.Rows() * of.most_k);
    Saved<C> saved;
    saved.has_lse = static_cast<bool>(statistics.lse);
    if (statistics.lse) {
      CheckShape(statistics.lse, call.Rows(), "softmax_lse");
      saved.lse = In<C>(statistics.lse);
    } else {
      saved.greatest = In<C>(statistics.greatest);
      saved.sum = In<C>(statistics.sum);
      saved.copies = statistics.sum.size(-1);
    }
    const In<C> g(grad);
    ForEach(queue, of.Rows(), RowGradients<C>{of, saved, g, In<C>(out), Out<C>(to.q), weights, slopes});
    ForEach(queue, of.at_k.batch * of.at_k.heads * of.most_k,
            ColumnGradients<C>{of, g, Out<C>(to.k), Out<C>(to.v), weights, slopes});
  });
}

// The Ascend form: greatest score and sum of each row, eight times; a mask of dropout, empty where nothing is
// dropped, and an output of softmax that is empty.
template <typename Args>
void CustomizedForward(const Args& a) {
  constexpr int64_t kCopies = 8;
  const AttentionCall call = CallOf(a);
  Shape shape = call.sequences ? Shape{call.at_q.places, call.at_q.heads} : call.Rows();
  shape.push_back(kCopies);
  *a.softmax_max = RequireTensor(a.ctx, shape, diopi_dtype_float32);
  *a.softmax_sum = RequireTensor(a.ctx, shape, diopi_dtype_float32);
  *a.softmax_out = RequireTensor(a.ctx, {0}, diopi_dtype_float32);
  const Shape rows = call.Rows();
  const int64_t weights = call.drops.p > 0 ? rows[0] * rows[1] * rows[2] * call.most_k : 0;
  *a.dropout_mask = RequireTensor(a.ctx, {weights}, diopi_dtype_uint8);
  ForEach(Queue(a.ctx), weights, KeptWeights<int64_t>{call.drops, Out<int64_t>(Tensor(*a.dropout_mask))});
  Forward(call, OutputOf(a), StatisticsOf(a));
}

template <typename Args>
void PlainForward(const Args& a) {
  Forward(CallOf(a), OutputOf(a), StatisticsOf(a));
}

template <typename Args>
void AnyBackward(const Args& a) {
  Backward(CallOf(a), {a.grad_q, a.grad_k, a.grad_v}, GradientOf(a), OutputOf(a), StatisticsOf(a));
}

}  // namespace

DIOPI_FORMS(PlainForward, diopiFlashAttention, diopiFlashAttentionVarLen, diopiMultiHeadAttention,
            diopiMultiHeadAttentionVarLen)
DIOPI_FORMS(CustomizedForward, diopiCustomizedFlashAttention, diopiCustomizedFlashAttentionVarLen)
DIOPI_FORMS(AnyBackward, diopiFlashAttentionBackward, diopiFlashAttentionVarLenBackward,
            diopiMultiHeadAttentionBackward, diopiMultiHeadAttentionVarLenBackward,
            diopiCustomizedFlashAttentionBackward, diopiCustomizedFlashAttentionVarLenBackward)

}  // namespace diopi::ops::both
