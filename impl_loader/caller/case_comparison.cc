// What differs between calls of one case. Nobody keeps the elements of a large output: its hash tells that it
// differs, and the first call is repeated to see where. Outputs are full of another poison in every second
// call, so bytes that hold both calls' poison were not written, and any other difference is the function's.
// If repeating the first call never differs, but changing the bytes around an input does, the function reads
// outside of that input.
#include <algorithm>
#include <utility>

#include "cases/findings/finding.h"
#include "impl_loader/caller/case_attempt.h"
#include "impl_loader/caller/case_runner.h"

namespace diopi::loader {
namespace {

constexpr int kRepeats = 12;   // further calls when two differ
constexpr int kConfirmed = 3;  // times that the outputs follow the bytes around an input, and no others
constexpr int kReplays = 3;    // of the first call, until its outputs are there again
constexpr int64_t kSome = -1;  // elements differ, but how many is not known

// How an output is compared between two calls.
struct OutputRules {
  bool poisoned = true;  // required memory is poisoned too
  bool judged = true;
  bool may_stay_unwritten = false;
  bool holds_values = false;  // callers put something there before the call
};

OutputRules RulesOf(const CallFrame& frame, const std::string& key) {
  for (const BoundTensor& bound : frame.tensors()) {
    if (bound.key != key) continue;
    return {bound.is_output() && !bound.shared, bound.judged, bound.may_stay_unwritten,
            bound.holds != nullptr};
  }
  for (const LibrarySlot& slot : frame.slots()) {
    if (slot.key == key) return {true, slot.judged, false, false};
  }
  return {};
}

bool SameElements(const OutputTensor& a, const OutputTensor& b) {
  if (a.bytes() != b.bytes() || a.large.has_value() != b.large.has_value()) return false;
  if (!a.large.has_value()) return a.data == b.data;
  const bool known = a.large->hash.has_value() && b.large->hash.has_value();
  return !known || a.large->hash == b.large->hash;
}

// Copies of later elements, one for each output, where a judged large one has changed; empty: none has.
std::vector<std::string> UnequalElements(const CallFrame& frame, const std::vector<OutputTensor>& first,
                                         const std::vector<OutputTensor>& now) {
  std::vector<std::string> later;
  for (size_t i = 0; i < first.size() && i < now.size(); ++i) {
    if (!now[i].large.has_value() || SameElements(first[i], now[i])) continue;
    if (!RulesOf(frame, now[i].key).judged || first[i].shape != now[i].shape) continue;
    later.resize(first.size());
    later[i] = now[i].large->elements;
  }
  return later;
}

v1::Finding Differing(v1::Finding::Code code, const std::string& key, const RunDifference& d,
                      int64_t elements) {
  if (d.different == kSome) return Found(code).Name(key);
  return Found(code).Name(key).Count(d.different).Of(elements).Index(d.first_different);
}

}  // namespace

// Whether a further call gives other outputs than the first. A failed call counts as no difference.
bool CaseRunner::Differs(Attempt* attempt, const Setting& setting) {
  bool differs = false;
  if (CallOnce(attempt, setting) && Inspect(attempt)) {
    std::vector<OutputTensor> outputs;
    if (Gather(attempt, &outputs)) {
      for (size_t i = 0; i < outputs.size() && i < attempt->result->outputs.size(); ++i) {
        const OutputTensor& first = attempt->result->outputs[i];
        const bool judged = RulesOf(*attempt->frame, first.key).judged;
        differs =
            differs || (judged && (!SameElements(outputs[i], first) || outputs[i].shape != first.shape));
      }
      Recycle(std::move(outputs));
    }
  }
  EndCall(*attempt);
  return differs;
}

// Two equal calls differed: repeats the first call, to see how often its results differ. If they never do,
// and the difference follows the bytes around an input, the function reads outside of that input.
void CaseRunner::Examine(Attempt* attempt) {
  v1::WorkerReply& reply = attempt->result->reply;
  const v1::WorkerReply before = reply;
  int different = 0;
  for (int i = 0; i < kRepeats; ++i) different += Differs(attempt, {kPoison[0]}) ? 1 : 0;
  std::string reads;
  for (const BoundTensor& bound : attempt->frame->tensors()) {
    if (different > 0 || !attempt->options->alone || bound.is_output() || bound.host_output) continue;
    bool follows = true;
    for (int i = 0; follows && i < kConfirmed; ++i)
      follows = Differs(attempt, {kPoison[0], false, true, bound.key}) && !Differs(attempt, {kPoison[0]});
    if (!follows) continue;
    reads = bound.key;
    break;
  }
  reply = before;
  if (reads.empty()) {
    *reply.add_differs() = Found(v1::Finding::FURTHER_CALLS_DIFFER).Count(different).Of(kRepeats);
    return;
  }
  reply.clear_differs();
  attempt->findings.Add(Found(v1::Finding::READS_OUTSIDE).Name(reads).Parts(before.differs()));
}

// The outputs of a further call like the first one; its large ones are the first call's, unless that does not
// come again.
std::vector<OutputTensor> CaseRunner::Replay(Attempt* attempt, const std::vector<OutputTensor>& first) {
  Inspect(attempt);  // inputs, too, before they are made again
  const v1::WorkerReply before = attempt->result->reply;
  const bool held = attempt->held;
  std::vector<OutputTensor> outputs;
  for (int i = 0; i < kReplays; ++i) {
    EndCall(*attempt);
    outputs.clear();
    if (!CallOnce(attempt, {kPoison[0]}) || !Inspect(attempt) || !Gather(attempt, &outputs)) {
      outputs.clear();
      break;
    }
    if (std::equal(first.begin(), first.end(), outputs.begin(), outputs.end(), SameElements)) break;
  }
  attempt->result->reply = before;
  attempt->held = held;
  return outputs;
}

void CaseRunner::Compare(Attempt* attempt, const std::vector<OutputTensor>& first,
                         const std::vector<OutputTensor>& now, uint8_t poison, bool fill) {
  const std::vector<std::string> later = UnequalElements(*attempt->frame, first, now);
  std::vector<OutputTensor> replayed;
  if (!later.empty()) replayed = Replay(attempt, first);
  v1::WorkerReply& reply = attempt->result->reply;
  const auto differ = [&](v1::Finding how) {
    if (!reply.differs().empty()) return;
    *reply.add_differs() = std::move(how);
    if (attempt->held) *reply.add_differs() = Found(v1::Finding::INPUTS_OVERTAKEN);
  };
  for (size_t i = 0; i < first.size() && i < now.size(); ++i) {
    const OutputTensor& a = first[i];
    const OutputTensor& b = now[i];
    const OutputRules rules = RulesOf(*attempt->frame, a.key);
    if (!rules.judged) continue;  // anything may be there, even the poison
    if (a.dtype != b.dtype || a.shape != b.shape) {
      differ(Found(v1::Finding::OTHER_FORM).Name(a.key));
      continue;
    }
    // Calls with the first call's poison do not show what is unwritten: the poison is equal.
    const bool poisoned = poison != kPoison[0] && rules.poisoned && !rules.holds_values;
    const int64_t element = runtime::ElementBytes(a.dtype);
    RunDifference d;
    if (!a.large.has_value()) {
      d = CompareRuns(a.data, b.large.has_value() ? b.large->elements : b.data, element, poisoned, kPoison[0],
                      poison);
    } else if (!SameElements(a, b)) {
      if (i < replayed.size() && replayed[i].large.has_value())
        d = CompareRuns(replayed[i].large->elements, later[i], element, poisoned, kPoison[0], poison);
      if (d.unwritten == 0 && d.different == 0) d.different = kSome;
    }
    const auto elements = static_cast<int64_t>(a.bytes()) / std::max<int64_t>(1, element);
    if (rules.holds_values && !fill) {
      if (d.different == 0) continue;
      *reply.add_relied_on() = Differing(v1::Finding::RELIES_ON_OUTPUT, a.key, d, elements);
      continue;
    }
    if (rules.may_stay_unwritten && d.unwritten == elements && elements > 0) {
      const auto& known = reply.unwritten();
      if (std::find(known.begin(), known.end(), a.key) == known.end()) reply.add_unwritten(a.key);
      continue;
    }
    if (d.unwritten > 0) {
      attempt->findings.Add(Found(v1::Finding::NOT_WRITTEN)
                                .Name(a.key)
                                .Count(d.unwritten)
                                .Of(elements)
                                .Index(d.first_unwritten));
    }
    if (d.different != 0) differ(Differing(v1::Finding::CALLS_DIFFER, a.key, d, elements));
  }
}

}  // namespace diopi::loader
