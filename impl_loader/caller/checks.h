// What a call did to the memory of its frame.
#ifndef IMPL_LOADER_CALLER_CHECKS_H_
#define IMPL_LOADER_CALLER_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "diopi/v1/finding.pb.h"
#include "impl_loader/caller/call_frame.h"

namespace diopi::loader {

// The byte that fills outputs before odd calls, and that before even ones; the two differ in every bit.
inline constexpr uint8_t kPoison[2] = {0xA5, 0x5A};

// Whether two findings about memory are of one kind and of one tensor: writes before its start and past its
// end are of one kind.
bool AreAlike(const v1::Finding& a, const v1::Finding& b);

// A list that keeps the first of the findings that are alike.
class Findings {
 public:
  void Add(const v1::Finding& finding);
  const std::vector<v1::Finding>& list() const { return list_; }

 private:
  std::vector<v1::Finding> list_;
};

// Damaged canaries of every buffer, those the library required included; changed inputs; bytes written
// between the elements of strided tensors; sizes and strides of tensors that the library overwrote, which are
// put right. The frame's mirrors must be current.
enum class Inputs {
  kAll,     // every element of every input
  kSample,  // of those made in blocks a part of 64 KiB in sixteen: somebody else looks at the rest after the
            // last call, which shows every change that a later call has not undone
  kSent,    // none of those made in blocks: somebody else looks at them
};
void CheckFrame(CallFrame* frame, const diopiContext& context, Findings* findings,
                Inputs inputs = Inputs::kAll);

// The same, without overwritten layouts and required buffers, for a frame that another process has prepared
// and called, whichever call came last. The other process may still be writing. `gap`: bytes after each
// buffer's zone that WriteGaps has filled.
void WriteGaps(const CallFrame& frame, size_t gap);
void CheckOthersFrame(const CallFrame& frame, size_t gap, Findings* findings);

// Two runs of one case, the first with outputs poisoned with `poison_a`, the second with `poison_b`.
struct RunDifference {
  int64_t unwritten = 0;  // elements that kept the poison in both runs
  int64_t first_unwritten = -1;
  int64_t different = 0;  // elements that were written differently
  int64_t first_different = -1;
};
// `poisoned`: false for tensors that were not filled with poison, whose every difference counts as written.
RunDifference CompareRuns(std::string_view a, std::string_view b, int64_t element, bool poisoned,
                          uint8_t poison_a, uint8_t poison_b);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CHECKS_H_
