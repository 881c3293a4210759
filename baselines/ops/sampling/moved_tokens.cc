// Tokens and their rows moved: transpose_axis01, gather_output, embedding_lookup.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct SwapAxes {
  Out<C> out;
  In<C> x;
  int64_t dim0, dim1, dim2;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / dim2;
    out.Set(i, x[(row % dim0 * dim1 + row / dim0) * dim2 + i % dim2]);
  }
};

struct GatherTokens {
  Out<int64_t> out;
  In<int64_t> ids, lengths;
  int64_t batch, steps, longest, row;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t b = i / steps, step = i % steps, length = lengths[b];
    if (step >= length && step < longest) return;
    const int64_t to = step < length ? step : step - (longest - length);
    out.Set(b * row + to, ids[step * batch + b]);
  }
};

// Row i of `out` is the table's row ids[first + i]; zeros for an id outside the table.
template <typename C>
struct LookUp {
  Out<C> out;
  In<C> table;
  In<int64_t> ids;
  int64_t first, rows, width;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t id = ids[first + i / width];
    out.Set(i, id >= 0 && id < rows ? table[id * width + i % width] : C(0));
  }
};

void LookUpRows(diopiContextHandle_t ctx, const Tensor& out, const Tensor& table, const Tensor& ids,
                int64_t first, int64_t count, int64_t width) {
  Check(table.rank() == 2 && table.size(1) == width, "embedding_table must have rows of ", width,
        ", got shape ", ShapeText(table.shape()));
  CheckShape(out, Shape{count, width}, "from_tensor");
  DispatchFloating(ResultType(out, {table}), [&]<typename C>() {
    ForEach(Queue(ctx), out.numel(),
            LookUp<C>{Out<C>(out), In<C>(table), In<int64_t>(ids), first, table.size(0), width});
  });
}

}  // namespace

DIOPI_KERNEL(diopiTransposeAxis01, a) {
  const Tensor out(a.output), x(a.input);
  CheckShape(x, Shape{a.dim0, a.dim1, a.dim2}, "input");
  CheckShape(out, Shape{a.dim1, a.dim0, a.dim2}, "output");
  DispatchAny(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), SwapAxes<C>{Out<C>(out), In<C>(x), a.dim0, a.dim1, a.dim2});
  });
}

DIOPI_KERNEL(diopiGatherOutput, a) {
  const Tensor out(a.output_ids), ids(a.ids), lengths(a.context_length);
  CheckShape(out, Shape{a.batch_size, a.max_output_len}, "output_ids");
  CheckShape(lengths, Shape{a.batch_size}, "context_length");
  Check(ids.rank() == 2 && ids.size(0) >= a.max_gen_step && ids.size(1) == a.batch_size,
        "ids must be [session, batch_size], got shape ", ShapeText(ids.shape()));
  ForEach(Queue(a.ctx), a.batch_size * a.max_gen_step,
          GatherTokens{Out<int64_t>(out), In<int64_t>(ids), In<int64_t>(lengths), a.batch_size,
                       a.max_gen_step, a.max_context_len, a.max_output_len});
}

DIOPI_KERNEL(diopiEmbeddingLookupPosEncoding, a) {
  const Tensor ids(a.all_ids);
  Check(a.step >= 0 && (a.step + 1) * a.batch_size <= ids.numel(), "step ", a.step,
        " lies outside all_ids of shape ", ShapeText(ids.shape()));
  LookUpRows(a.ctx, a.from_tensor, a.embedding_table, ids, a.step * a.batch_size, a.batch_size,
             a.hidden_units);
}

DIOPI_KERNEL(diopiInputIdsEmbeddingLookupPosEncoding, a) {
  const Tensor ids(a.input_ids);
  CheckShape(ids, Shape{a.input_lengths}, "input_ids");
  LookUpRows(a.ctx, a.from_tensor, a.embedding_table, ids, 0, a.input_lengths, a.hidden_units);
}

}  // namespace diopi::ops::both
