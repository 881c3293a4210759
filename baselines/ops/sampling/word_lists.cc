// Lists of words in the last tokens: stop_words_criterion, ban_bad_words.
#include <limits>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The token of sequence b at a step is ids[step * batch + first + b].
struct History {
  In<int64_t> ids;
  int64_t batch, first;
};

// A list is two rows: the tokens of all words one behind the other, and the end of each word in the first
// row; ends below 0 fill the second row up.
struct WordLists {
  In<int64_t> lists;
  int64_t length;

  DIOPI_HD int64_t Token(int64_t list, int64_t place) const { return lists[2 * list * length + place]; }
  DIOPI_HD int64_t End(int64_t list, int64_t word) const { return lists[(2 * list + 1) * length + word]; }
  DIOPI_HD int64_t Start(int64_t list, int64_t word) const { return word > 0 ? End(list, word - 1) : 0; }

  // Whether sequence b has the tokens from `start` to `end` at the steps that end at `last`.
  DIOPI_HD bool Found(int64_t list, int64_t start, int64_t end, const History& history, int64_t last,
                      int64_t b) const {
    const int64_t first = last + 1 - (end - start);
    if (first < 0) return false;
    for (int64_t i = 0; i < end - start; ++i) {
      const int64_t token = history.ids[(first + i) * history.batch + history.first + b];
      if (token != Token(list, start + i)) return false;
    }
    return true;
  }
};

struct StopAtWords {
  Out<int64_t> finished;
  WordLists words;
  History history;
  int64_t step;
  DIOPI_HD void operator()(int64_t b) const {
    for (int64_t word = 0; word < words.length; ++word) {
      const int64_t end = words.End(b, word), start = words.Start(b, word);
      if (end > start && words.Found(b, start, end, history, step, b)) finished.Set(b, 1);
    }
  }
};

template <typename C>
struct BanWords {
  Out<C> logits;
  WordLists words;
  History history;
  C banned;
  bool share;
  int64_t vocabulary, step;
  DIOPI_HD void operator()(int64_t b) const {
    const int64_t list = share ? 0 : b;
    for (int64_t word = 0; word < words.length; ++word) {
      const int64_t end = words.End(list, word), start = words.Start(list, word);
      if (end <= start || !words.Found(list, start, end - 1, history, step - 1, b)) continue;
      const int64_t token = words.Token(list, end - 1);
      if (token > 0 && token < vocabulary) logits.Set(b * vocabulary + token, banned);
    }
  }
};

void CheckWords(const Tensor& ids, int64_t batch, int64_t offset, int64_t rows) {
  Check(offset >= 0 && offset + rows * batch <= ids.numel(), rows, " steps of ", batch,
        " sequences lie outside output_ids of shape ", ShapeText(ids.shape()));
}

}  // namespace

DIOPI_KERNEL(diopiStopWordsCriterion, a) {
  const Tensor finished(a.finished), ids(a.output_ids), words(a.stop_words);
  CheckShape(finished, Shape{a.batch_size}, "finished");
  CheckShape(words, Shape{a.batch_size, 2, a.stop_words_len}, "stop_words");
  CheckWords(ids, a.batch_size, a.id_offset, a.step + 1);
  ForEach(Queue(a.ctx), a.batch_size,
          StopAtWords{Out<int64_t>(finished),
                      {In<int64_t>(words), a.stop_words_len},
                      {In<int64_t>(ids), a.batch_size, a.id_offset},
                      a.step});
}

DIOPI_KERNEL(diopiBanBadWordsInp, a) {
  const Tensor logits(a.logits), ids(a.output_ids), words(a.bad_words);
  CheckShape(logits, Shape{a.batch_size, a.vocab_size}, "logits");
  Check(words.numel() == (a.share_words ? 1 : a.batch_size) * 2 * a.bad_words_len,
        "bad_words do not fit, got shape ", ShapeText(words.shape()));
  CheckWords(ids, a.batch_size, a.id_offset, a.step);
  DispatchFloating(logits.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), a.batch_size,
            BanWords<C>{Out<C>(logits),
                        {In<int64_t>(words), a.bad_words_len},
                        {In<int64_t>(ids), a.batch_size, a.id_offset},
                        C(-std::numeric_limits<double>::infinity()),
                        a.share_words,
                        a.vocab_size,
                        a.step});
  });
}

}  // namespace diopi::ops::both
