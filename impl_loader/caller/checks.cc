// Each check compares a mirror with what it must hold: the pattern of canaries, the values before the call,
// the poison between elements. Inputs that are made block by block are made again for the comparison rather
// than kept in a second copy. Findings that are alike are kept once, so that one defect is one line.
#include "impl_loader/caller/checks.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"
#include "cases/findings/finding.h"

namespace diopi::loader {
namespace {

constexpr size_t kMaxFindings = 32;
constexpr int64_t kSamplePart = int64_t{64} << 10;
constexpr int64_t kSampleOneIn = 16;

void CheckLayout(const std::string& key, diopiTensor* tensor, Findings* findings) {
  const std::vector<int64_t> shape = tensor->shape;
  const std::vector<int64_t> strides = tensor->strides;
  if (!tensor->RestoreLayout()) return;
  const bool resized = shape != tensor->shape;
  findings->Add(Found(v1::Finding::LAYOUT_OVERWRITTEN)
                    .Name(key)
                    .Word(resized ? "shape" : "stride")
                    .Expected(ShapeText(resized ? tensor->shape : tensor->strides))
                    .Got(ShapeText(resized ? shape : strides)));
}

void ReportBounds(const std::string& key, const runtime::Buffer& buffer, const runtime::CanaryDamage& damage,
                  Findings* findings) {
  if (damage.count == 0) return;
  const bool before = damage.first < 0;
  const auto bytes = static_cast<int64_t>(buffer.bytes);
  findings->Add(Found(before ? v1::Finding::WRITTEN_BEFORE_START : v1::Finding::WRITTEN_PAST_END)
                    .Name(key)
                    .Count(damage.count)
                    .Of(bytes)
                    .Index(before ? -damage.first : damage.first - bytes));
}

void CheckBounds(const std::string& key, const runtime::Buffer& buffer, Findings* findings) {
  ReportBounds(key, buffer, runtime::CheckCanaries(buffer), findings);
}

// Checks canaries of either kind, and the gap; reports the smaller damage.
void CheckEitherBounds(const std::string& key, runtime::Buffer buffer, size_t gap, Findings* findings) {
  runtime::CanaryDamage damage = runtime::CheckCanaries(buffer);
  if (damage.count > 0) {
    buffer.spreading = true;
    const runtime::CanaryDamage spreading = runtime::CheckCanaries(buffer);
    if (spreading.count < damage.count) damage = spreading;
  }
  const size_t end = buffer.bytes + buffer.tail;
  runtime::CheckZone(buffer.mirror + end, gap, static_cast<int64_t>(end), &damage);
  ReportBounds(key, buffer, damage, findings);
}

// Whether some parts of a large input are unchanged, the first and the last among them.
bool SampleIsUnchanged(const BoundTensor& bound) {
  const runtime::Buffer& storage = bound.tensor.storage;
  const auto bytes = static_cast<int64_t>(storage.bytes);
  const auto holds = [&](int64_t begin) {
    return bound.blocks->Holds(begin, std::min(kSamplePart, bytes - begin), storage.mirror + begin);
  };
  for (int64_t begin = 0; begin < bytes; begin += kSampleOneIn * kSamplePart) {
    if (!holds(begin)) return false;
  }
  return bytes == 0 || holds((bytes - 1) / kSamplePart * kSamplePart);
}

// Whether the input is unchanged.
bool CheckUnchanged(const BoundTensor& bound, Findings* findings) {
  const auto element = static_cast<size_t>(bound.element);
  const runtime::Buffer& storage = bound.tensor.storage;
  if (bound.dense && bound.blocks != nullptr && storage.bytes > 0 &&
      bound.blocks->Holds(0, static_cast<int64_t>(storage.bytes), storage.mirror)) {
    return true;
  }
  int64_t first = -1;
  int64_t count = 0;
  bound.VisitPristine([&](size_t begin, const std::byte* before, size_t bytes) {
    const std::byte* now = storage.mirror + begin;
    if (std::memcmp(now, before, bytes) == 0) return true;
    for (size_t at = 0; at < bytes; at += element) {
      if (std::memcmp(now + at, before + at, element) == 0) continue;
      if (bound.writer != nullptr && bound.writer->Covers((begin + at) / element)) continue;
      if (count++ == 0) first = static_cast<int64_t>((begin + at) / element);
    }
    return true;
  });
  if (count == 0) return true;  // unchanged, or another process has put it back meanwhile
  findings->Add(
      Found(v1::Finding::INPUT_CHANGED).Name(bound.key).Count(count).Index(first).Exact(!bound.dense));
  return false;
}

// The same as far as somebody looks; false where nobody does.
bool IsUnchanged(const BoundTensor& bound, Inputs inputs, Findings* findings) {
  const bool made = bound.dense && bound.blocks != nullptr;
  if (made && inputs == Inputs::kSent) return false;
  return (made && inputs == Inputs::kSample && SampleIsUnchanged(bound)) || CheckUnchanged(bound, findings);
}

struct GapDamage {
  int64_t first = -1;
  int64_t count = 0;
};

GapDamage FindGapDamage(const BoundTensor& bound, uint8_t poison) {
  const runtime::Buffer& buffer = bound.tensor.storage;
  const auto element = static_cast<size_t>(bound.element);
  const std::string poisoned(element, static_cast<char>(poison));
  GapDamage damage;
  for (size_t i = 0; i < bound.covered.size(); ++i) {
    if (bound.covered[i] != 0) continue;
    const char* before = bound.is_output() ? poisoned.data() : bound.image.data() + i * element;
    if (std::memcmp(buffer.mirror + i * element, before, element) == 0) continue;
    if (damage.count++ == 0) damage.first = static_cast<int64_t>(i);
  }
  return damage;
}

void ReportGaps(const BoundTensor& bound, const GapDamage& damage, Findings* findings) {
  if (damage.count == 0) return;
  findings->Add(Found(v1::Finding::STRIDES_IGNORED).Name(bound.key).Count(damage.count).Index(damage.first));
}

}  // namespace

bool AreAlike(const v1::Finding& a, const v1::Finding& b) {
  const auto kind = [](const v1::Finding& finding) {
    return finding.code() == v1::Finding::WRITTEN_BEFORE_START ? v1::Finding::WRITTEN_PAST_END
                                                               : finding.code();
  };
  return kind(a) == kind(b) && a.name() == b.name();
}

void Findings::Add(const v1::Finding& finding) {
  const bool known = std::any_of(list_.begin(), list_.end(),
                                 [&finding](const v1::Finding& one) { return AreAlike(one, finding); });
  if (!known && list_.size() < kMaxFindings) list_.push_back(finding);
}

void CheckFrame(CallFrame* frame, const diopiContext& context, Findings* findings, Inputs inputs) {
  for (BoundTensor& bound : frame->tensors()) {
    CheckLayout(bound.key, &bound.tensor, findings);
    if (bound.shared) continue;  // as its input
    CheckBounds(bound.key, bound.tensor.storage, findings);
    if (bound.role == v1::ROLE_INPUT) {
      bound.intact =
          IsUnchanged(bound, inputs, findings) && !bound.tensor.storage.on_device && bound.writer == nullptr;
    } else if (!bound.dense) {
      ReportGaps(bound, FindGapDamage(bound, frame->poison()), findings);
    }
  }
  for (ScratchMemory& scratch : frame->scratch()) {
    CheckLayout(scratch.key, &scratch.tensor, findings);
    CheckBounds(scratch.key, scratch.tensor.storage, findings);
  }
  int index = 0;
  for (diopiTensor* tensor : context.Required()) {
    std::string key = absl::StrCat("required.", index++);
    for (const LibrarySlot& slot : frame->slots()) {
      if (*slot.handle == tensor) key = slot.key;
    }
    CheckLayout(key, tensor, findings);
    CheckBounds(key, tensor->storage, findings);
  }
}

void WriteGaps(const CallFrame& frame, size_t gap) {
  for (const BoundTensor& bound : frame.tensors()) {
    const runtime::Buffer& buffer = bound.tensor.storage;
    runtime::WriteZone(buffer.mirror + buffer.bytes + buffer.tail, gap);
  }
}

void CheckOthersFrame(const CallFrame& frame, size_t gap, Findings* findings) {
  for (const BoundTensor& bound : frame.tensors()) {
    if (bound.shared) continue;
    CheckEitherBounds(bound.key, bound.tensor.storage, gap, findings);
    if (bound.role == v1::ROLE_INPUT) {
      CheckUnchanged(bound, findings);
    } else if (!bound.dense) {
      const GapDamage one = FindGapDamage(bound, kPoison[0]);
      const GapDamage other = one.count == 0 ? one : FindGapDamage(bound, kPoison[1]);
      ReportGaps(bound, other.count < one.count ? other : one, findings);
    }
  }
}

RunDifference CompareRuns(std::string_view a, std::string_view b, int64_t element, bool poisoned,
                          uint8_t poison_a, uint8_t poison_b) {
  RunDifference difference;
  if (a == b) return difference;  // the poisons differ, so nothing is unwritten either
  const auto bytes = static_cast<size_t>(element);
  for (size_t at = 0; at + bytes <= a.size() && at + bytes <= b.size(); at += bytes) {
    const char* x = a.data() + at;
    const char* y = b.data() + at;
    if (std::memcmp(x, y, bytes) == 0) continue;
    const auto index = static_cast<int64_t>(at / bytes);
    // Unwritten in part counts too: every byte that differs is the poison of its run.
    bool kept = poisoned;
    for (size_t i = 0; i < bytes && kept; ++i) {
      kept =
          x[i] == y[i] || (static_cast<uint8_t>(x[i]) == poison_a && static_cast<uint8_t>(y[i]) == poison_b);
    }
    if (kept) {
      if (difference.unwritten++ == 0) difference.first_unwritten = index;
    } else {
      if (difference.different++ == 0) difference.first_different = index;
    }
  }
  return difference;
}

}  // namespace diopi::loader
