// Bugs injected into the functions around a language model's sampling: lengths, moved tokens, words.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::NewTensor;
using diopi::bugs::Replaced;
using diopi::bugs::Shape;
using diopi::bugs::Store;
using diopi::bugs::Tensor;

BUG(plus_scalar_size_ignored, 0, "diopiPlusScalarInp", "", "every element is added to, whatever size says");
BUG(plus_scalar_first_left_out, 0, "diopiPlusScalarInp", "", "element 0 stays");
BUG(plus_scalar_val_of_32_bits, 0, "diopiPlusScalarInp", "", "val is cut to 32 bits");
BUG(transpose_axis01_as_matrix, 0, "diopiTransposeAxis01", "",
    "the last dimension is moved, too, as in a matrix of dim0 rows");
BUG(transpose_axis01_copied, 0, "diopiTransposeAxis01", "", "the elements stay in their order");
BUG(padding_count_negative, 0, "diopiUpdatePaddingCount", "", "length minus longest length");
BUG(padding_count_of_longest_input, 0, "diopiUpdatePaddingCount", "",
    "the longest of the lengths is taken instead of max_input_length");
BUG(gather_output_padding_kept, 0, "diopiGatherOutput", "",
    "tokens stay at their step, padding between them");
BUG(gather_output_first_length, 0, "diopiGatherOutput", "", "the first sequence's length serves all");
BUG(gather_output_last_step_lost, 0, "diopiGatherOutput", "", "the token of the last step is missing");
BUG(embedding_lookup_step_before, 0, "diopiEmbeddingLookupPosEncoding", "", "ids of the step before");
BUG(embedding_lookup_first_id, 0, "diopiEmbeddingLookupPosEncoding", "", "the first id serves all sequences");
BUG(input_ids_lookup_16_bits, 0, "diopiInputIdsEmbeddingLookupPosEncoding", "", "ids are cut to 16 bits");
BUG(input_ids_lookup_last_lost, 0, "diopiInputIdsEmbeddingLookupPosEncoding", "",
    "the last token gets the row of the one before");
BUG(length_criterion_wakes, 0, "diopiLengthCriterion", "", "finished is overwritten instead of extended");
BUG(length_criterion_one_late, 0, "diopiLengthCriterion", "", "a sequence ends one step behind its limit");
BUG(length_criterion_counts_new, 0, "diopiLengthCriterion", "", "finished_sum counts only new ends");
BUG(length_criterion_any_stops, 0, "diopiLengthCriterion", "", "should_stop when one sequence is finished");
BUG(stop_words_first_list, 0, "diopiStopWordsCriterion", "", "the first sequence's words serve all");
BUG(stop_words_step_before, 0, "diopiStopWordsCriterion", "", "words that end at the step before");
BUG(stop_words_wakes, 0, "diopiStopWordsCriterion", "", "finished is overwritten instead of extended");
BUG(stop_words_last_token, 0, "diopiStopWordsCriterion", "", "only the last token of a word is compared");
BUG(ban_words_token_0, 0, "diopiBanBadWordsInp", "", "token 0 is banned, too");
BUG(ban_words_prefix_ignored, 0, "diopiBanBadWordsInp", "", "words of many tokens are banned always");
BUG(ban_words_shared_for_first, 0, "diopiBanBadWordsInp", "", "shared words serve only the first sequence");
BUG(ban_words_lowest, 0, "diopiBanBadWordsInp", "", "the lowest finite number instead of -infinity");

diopiConstTensorHandle_t FirstForAll(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor,
                                     size_t length) {
  const std::vector<double> values = Load<double>(Tensor(tensor));
  return Replaced(ctx, tensor, [&](double, int64_t i) { return values[static_cast<size_t>(i) % length]; });
}

// The lists with each word cut to its last token.
diopiConstTensorHandle_t LastTokens(diopiContextHandle_t ctx, diopiConstTensorHandle_t lists,
                                    int64_t length) {
  std::vector<int64_t> values = Load<int64_t>(Tensor(lists));
  for (auto list = values.begin(); list != values.end(); list += 2 * length) {
    const std::vector<int64_t> tokens(list, list + length);
    for (int64_t word = 0; word < length; ++word) {
      const int64_t end = list[length + word];
      if (end <= 0) continue;
      list[word] = tokens[static_cast<size_t>(end - 1)];
      list[length + word] = word + 1;
    }
  }
  const Tensor view(lists);
  diopiTensorHandle_t copy = NewTensor(ctx, view.shape(), view.dtype());
  Store(Tensor(copy), values);
  return copy;
}

}  // namespace

DIOPI_OVERRIDE(diopiPlusScalarInp, a) {
  const int64_t first = Load<int64_t>(Tensor(a.inoutput))[0];
  const int64_t size = plus_scalar_size_ignored ? Tensor(a.inoutput).numel() : a.size;
  const int64_t val = plus_scalar_val_of_32_bits ? static_cast<int32_t>(a.val) : a.val;
  Good(diopiPlusScalarInpArgs{a.ctx, a.inoutput, val, size});
  if (plus_scalar_first_left_out) {
    Change(a.inoutput, [&](double x, int64_t i) { return i == 0 ? static_cast<double>(first) : x; });
  }
}

DIOPI_OVERRIDE(diopiTransposeAxis01, a) {
  Good(a);
  const bool matrix = static_cast<bool>(transpose_axis01_as_matrix);
  if (!matrix && !transpose_axis01_copied) return;
  const std::vector<double> values = Load<double>(Tensor(a.input));
  const int64_t columns = a.dim1 * a.dim2;
  Change(a.output, [&](double, int64_t i) {
    return values[static_cast<size_t>(matrix ? i % a.dim0 * columns + i / a.dim0 : i)];
  });
}

DIOPI_OVERRIDE(diopiUpdatePaddingCount, a) {
  if (padding_count_of_longest_input) {
    const std::vector<int64_t> lengths = Load<int64_t>(Tensor(a.input_lengths));
    a.max_input_length = *std::max_element(lengths.begin(), lengths.end());
  }
  Good(a);
  if (padding_count_negative) Change(a.total_padding_count, [](double x, int64_t) { return -x; });
}

DIOPI_OVERRIDE(diopiGatherOutput, a) {
  if (gather_output_padding_kept) {
    a.context_length = Replaced(a.ctx, a.context_length,
                                [&](double, int64_t) { return static_cast<double>(a.max_context_len); });
  }
  if (gather_output_first_length) a.context_length = FirstForAll(a.ctx, a.context_length, 1);
  if (gather_output_last_step_lost) --a.max_gen_step;
  Good(a);
}

DIOPI_OVERRIDE(diopiEmbeddingLookupPosEncoding, a) {
  const int64_t step = embedding_lookup_step_before && a.step > 0 ? a.step - 1 : a.step;
  if (embedding_lookup_first_id) a.all_ids = FirstForAll(a.ctx, a.all_ids, 1);
  Good(diopiEmbeddingLookupPosEncodingArgs{a.ctx, a.from_tensor, a.embedding_table, a.all_ids, a.batch_size,
                                           a.hidden_units, step});
}

DIOPI_OVERRIDE(diopiInputIdsEmbeddingLookupPosEncoding, a) {
  if (input_ids_lookup_16_bits) {
    a.input_ids = Replaced(a.ctx, a.input_ids, [](double id, int64_t) { return std::fmod(id, 65536.0); });
  }
  if (input_ids_lookup_last_lost && a.input_lengths > 1) {
    const std::vector<double> ids = Load<double>(Tensor(a.input_ids));
    a.input_ids = Replaced(a.ctx, a.input_ids, [&](double id, int64_t i) {
      return i + 1 == a.input_lengths ? ids[ids.size() - 2] : id;
    });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiLengthCriterion, a) {
  const std::vector<int64_t> before = Load<int64_t>(Tensor(a.finished));
  if (length_criterion_wakes) Change(a.finished, [](double, int64_t) { return 0; });
  if (length_criterion_one_late) --a.step;
  Good(a);
  const double old = static_cast<double>(std::count(before.begin(), before.end(), 1));
  if (length_criterion_counts_new) Change(a.finished_sum, [&](double sum, int64_t) { return sum - old; });
  if (length_criterion_any_stops) {
    const double sum = Load<double>(Tensor(a.finished_sum))[0];
    Change(a.should_stop, [&](double, int64_t) { return sum > 0 ? 1 : 0; });
  }
}

DIOPI_OVERRIDE(diopiStopWordsCriterion, a) {
  const auto list = static_cast<size_t>(2 * a.stop_words_len);
  if (stop_words_first_list) a.stop_words = FirstForAll(a.ctx, a.stop_words, list);
  if (stop_words_last_token) a.stop_words = LastTokens(a.ctx, a.stop_words, a.stop_words_len);
  if (stop_words_wakes) Change(a.finished, [](double, int64_t) { return 0; });
  if (stop_words_step_before) --a.step;
  Good(a);
}

DIOPI_OVERRIDE(diopiBanBadWordsInp, a) {
  const std::vector<double> before = Load<double>(Tensor(a.logits));
  if (ban_words_prefix_ignored) a.bad_words = LastTokens(a.ctx, a.bad_words, a.bad_words_len);
  Good(a);
  const std::vector<int64_t> lists = Load<int64_t>(Tensor(a.bad_words));
  const bool zero = std::find(lists.begin(), lists.end(), 0) != lists.end();
  Change(a.logits, [&](double x, int64_t i) {
    const double old = before[static_cast<size_t>(i)];
    if (ban_words_token_0 && zero && i % a.vocab_size == 0) return -HUGE_VAL;
    if (ban_words_shared_for_first && a.share_words && i >= a.vocab_size) return old;
    return ban_words_lowest && std::isinf(x) && !std::isinf(old) ? -65504.0 : x;
  });
}
