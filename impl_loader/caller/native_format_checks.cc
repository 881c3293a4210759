// The library checks of native memory formats: a chip's own layouts behind a tensor's shape and strides,
// identified by numbers that only the library understands. For any such number this must hold: a format that
// the library reports can be requested, a cast can be undone, and a destroyed tensor leaves nothing behind.
//
// A result in another format may have any shape: only the library reads it. A refusal must be an error code
// or an exception, because callers may look only at the tensor. A cast may also return a plain tensor.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/layout.h"
#include "cases/base/tensor.h"
#include "cases/findings/finding.h"
#include "impl_loader/caller/check_context.h"
#include "impl_loader/caller/library_check.h"

namespace diopi::loader {
namespace {

constexpr int64_t kImpossible = -12345;
constexpr int64_t kFormats = 64;  // the check tries formats 0 to 63
constexpr uint64_t kUntouched = 0x5A5A5A5A5A5A5A5A;
constexpr uint64_t kUpperHalf = 0xFFFFFFFF00000000;

std::vector<int64_t> Images() {  // a shape that most formats fit
  return {2, 3, 4, 5};
}

std::vector<std::vector<int64_t>> Shapes() {
  return {{}, {7}, {3, 5}, Images(), {2, 2, 2, 2, 3}};
}

std::string Bytes(const diopiTensor& downloaded) {
  return {reinterpret_cast<const char*>(downloaded.storage.mirror), downloaded.storage.bytes};
}

std::string CastTo(int64_t format) {
  return absl::StrCat("the cast to format ", format);
}

// Tensors whose values are known, calls, and the first finding. A function that returns false has found
// something, and the check ends.
class FormatCheck {
 public:
  // `function`: the function under test.
  FormatCheck(VendorLibrary* vendor, const std::string& function)
      : get_(FindFirst(vendor, {"diopiGetNativeMemoryFormat"})),
        cast_(FindFirst(vendor, {"diopiNativeMemoryFormatCast"})),
        hook_(FindFirst(vendor, {"diopiTensorDestructionHook"})),
        vendor_(vendor),
        context_(vendor) {
    if (vendor->Symbol(function) == nullptr) {
      Find(Checked(v1::OUTCOME_NOT_IMPLEMENTED, Found(v1::Finding::NOT_EXPORTED).Name(function)));
    } else if (const int32_t code = context_.MakeStream(); code != 0) {
      Find(StepFailed("make_stream", code));
    }
  }

  bool Good() const { return Passed(found_); }
  LibraryCheck Result() const { return WithLastError(found_, vendor_); }

  // Calls diopiGetNativeMemoryFormat for two tensors of the shape.
  bool DistinguishesFormats(const std::vector<int64_t>& shape);
  // Casts tensors to the format that they already have.
  bool CastsToItsOwn(const std::vector<int64_t>& shape);
  // Casts to a format that the library may or may not have, and back.
  bool CastsThereAndBack(int64_t format);
  // Calls the destruction hook for tensors that were never cast, and for a null pointer.
  bool HooksPlainTensors();
  // Calls the destruction hook for one of two tensors that were cast to the format.
  bool HooksOneOfTwo(int64_t format);
  // False, and the check is skipped, if formats cannot be read.
  bool CanReadFormats() {
    return get_.symbol != nullptr ||
           Find(Checked(v1::OUTCOME_SKIPPED,
                        Found(v1::Finding::LIBRARY_CHECK)
                            .Word("cannot_read_formats")
                            .Said("the library does not export diopiGetNativeMemoryFormat, "
                                  "which shows what a cast has done")));
  }
  bool HasFormats() const { return get_.symbol != nullptr && cast_.symbol != nullptr; }

 private:
  struct Held {
    diopiTensor* tensor = nullptr;
    std::vector<float> values;
  };

  bool Find(LibraryCheck found) {
    found_ = std::move(found);
    return false;
  }
  bool Wrong(const std::string& word, const std::string& said) { return Find(loader::Wrong(word, said)); }

  // Makes a tensor with distinct values, which Intact compares until LetGo.
  bool Hold(const std::vector<int64_t>& shape, Held* held);
  void LetGo(const Held& held) {
    std::erase_if(held_, [&held](const Held& one) { return one.tensor == held.tensor; });
  }
  // Whether the values of all held tensors and the memory beside all tensors are unchanged.
  bool Intact(const std::string& after);
  bool InBounds(diopiTensor* tensor, const std::string& after);
  // Copies the tensor's memory to its mirror.
  bool Download(const diopiTensor& tensor);
  bool HasElements(const diopiTensor& tensor, const std::vector<float>& values, const std::string& what);

  // Calls the function and waits. False: the check cannot go on.
  bool Try(const CheckedFunction& function, const std::vector<ArgValue>& args, CheckedCall* call);
  // The same for a call that must succeed; `doing`: In's where.
  bool Call(const CheckedFunction& function, const std::vector<ArgValue>& args, const std::string& doing);
  bool ReadFormat(const diopiTensor* tensor, const std::string& of, int64_t* format);
  // Sets `out` to null if the library refuses.
  bool Cast(diopiTensor* in, int64_t format, diopiTensor** out);
  // Casts a tensor that `of` describes; the library must not refuse.
  bool CastBack(diopiTensor* in, int64_t format, const std::string& of, diopiTensor** out);
  bool IsPlain(const diopiTensor& tensor, const Held& from, const std::string& what);
  bool Hook(const diopiTensor* tensor, const std::string& of);
  // Calls the hook for the first of two tensors of the format; the other one and the memory of both must stay
  // intact.
  bool HookFirst(const std::array<diopiTensor*, 2>& cast, int64_t format);

  const CheckedFunction get_;
  const CheckedFunction cast_;
  const CheckedFunction hook_;
  VendorLibrary* const vendor_;
  CheckContext context_;
  std::vector<Held> held_;
  int made_ = 0;
  CheckedCall refusal_;
  LibraryCheck found_ = Passing();
};

bool FormatCheck::Hold(const std::vector<int64_t>& shape, Held* held) {
  held->tensor = context_.NewTensor(shape);
  if (held->tensor == nullptr) return Find(NoMemory());
  held->tensor->SealLayout();
  ++made_;
  held->values.clear();
  for (int64_t i = 0; i < held->tensor->numel; ++i) {
    held->values.push_back(static_cast<float>(made_) + static_cast<float>(i) / 1024);
  }
  std::memcpy(held->tensor->storage.mirror, held->values.data(), held->tensor->storage.bytes);
  int32_t code = context_.Upload(*held->tensor);
  if (code == 0) code = context_.context().Synchronize();
  if (code != 0) return Find(StepFailed("copy_in", code));
  held_.push_back(*held);
  return true;
}

bool FormatCheck::Download(const diopiTensor& tensor) {
  int32_t code = context_.Download(tensor);
  if (code == 0) code = context_.context().Synchronize();
  return code == 0 || Find(StepFailed("copy_out", code));
}

bool FormatCheck::InBounds(diopiTensor* tensor, const std::string& after) {
  if (tensor->RestoreLayout()) {
    return Wrong("layout_overwritten",
                 absl::StrCat(after, " overwrote the shape or the strides of a tensor of shape ",
                              ShapeText(tensor->shape), ", which belong to the host"));
  }
  if (!Download(*tensor)) return false;
  const runtime::CanaryDamage damage = runtime::CheckCanaries(tensor->storage);
  return damage.count == 0 ||
         Wrong("written_outside", absl::StrCat(after, " wrote ", damage.count, " bytes outside a tensor of ",
                                               tensor->storage.bytes, " bytes"));
}

bool FormatCheck::HasElements(const diopiTensor& tensor, const std::vector<float>& values,
                              const std::string& what) {
  if (tensor.dtype != diopi_dtype_float32) {
    return Wrong("result_dtype", absl::StrCat(what, " is not float32, unlike the tensor that was cast"));
  }
  if (tensor.numel != static_cast<int64_t>(values.size())) {
    return Wrong("result_size",
                 absl::StrCat(what, " has ", tensor.numel, " elements, expected ", values.size()));
  }
  if (!Download(tensor)) return false;
  std::vector<float> found(values.size());
  GatherFromStorage(tensor.storage.mirror, tensor.shape, tensor.strides, tensor.storage_offset, sizeof(float),
                    found.data());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::bit_cast<uint32_t>(found[i]) == std::bit_cast<uint32_t>(values[i])) continue;
    return Wrong("result_element",
                 absl::StrCat("element ", i, " of ", what, " is ", found[i], ", expected ", values[i]));
  }
  return true;
}

bool FormatCheck::Intact(const std::string& after) {
  for (const Held& held : held_) {
    const std::string what =
        absl::StrCat("a tensor of shape ", ShapeText(held.tensor->shape), ", after ", after, ",");
    if (!InBounds(held.tensor, after) || !HasElements(*held.tensor, held.values, what)) return false;
  }
  const std::vector<diopiTensor*> required = context_.context().Required();
  return std::all_of(required.begin(), required.end(),
                     [&](diopiTensor* tensor) { return InBounds(tensor, after); });
}

bool FormatCheck::Try(const CheckedFunction& function, const std::vector<ArgValue>& args, CheckedCall* call) {
  *call = CallChecked(function, &context_, args);
  if (call->outcome == v1::OUTCOME_HARNESS_ERROR) return Find(Checked(call->outcome, call->found));
  const int32_t code = context_.context().Synchronize();
  return code == 0 || Find(SyncFailed(function.name(), code));
}

bool FormatCheck::Call(const CheckedFunction& function, const std::vector<ArgValue>& args,
                       const std::string& doing) {
  CheckedCall call;
  if (!Try(function, args, &call)) return false;
  return call.outcome == v1::OUTCOME_PASS || Find(In("call", doing, Checked(call.outcome, call.found)));
}

bool FormatCheck::ReadFormat(const diopiTensor* tensor, const std::string& of, int64_t* format) {
  uint64_t said[] = {kUntouched, ~kUntouched};
  for (uint64_t& one : said) {
    auto* handle = const_cast<diopiTensor*>(tensor);
    if (!Call(get_, {static_cast<void*>(handle), static_cast<void*>(&one)},
              "asking for the format of " + of)) {
      return false;
    }
  }
  *format = static_cast<int64_t>(said[0]);
  if (said[0] == said[1]) return true;
  const std::string start = absl::StrCat("diopiGetNativeMemoryFormat of ", of);
  const uint64_t differs = said[0] ^ said[1];
  if (differs == ~uint64_t{0})
    return Wrong("format_not_written", start + " returned success and wrote no format");
  if (differs == kUpperHalf) return Wrong("format_half_written", start + " wrote 4 of the format's 8 bytes");
  return Wrong("format_wanders",
               absl::StrCat(start, " said ", *format, " and then ", static_cast<int64_t>(said[1])));
}

bool FormatCheck::Cast(diopiTensor* in, int64_t format, diopiTensor** out) {
  *out = nullptr;
  diopiTensorHandle_t made = nullptr;
  const std::vector<ArgValue> args = {static_cast<void*>(&made), static_cast<void*>(in), format};
  if (!Try(cast_, args, &refusal_)) return false;
  const std::string words = CastTo(format);
  if (refusal_.outcome != v1::OUTCOME_PASS) {
    const bool says =
        vendor_->Symbol("diopiGetLastErrorString") != nullptr || vendor_->functions().last_error != nullptr;
    const bool silent = says && refusal_.outcome == v1::OUTCOME_ERROR && refusal_.error_code != 0 &&
                        vendor_->LastError().empty();
    return !silent || Wrong("refusal_unexplained", absl::StrCat(words, " failed with ", refusal_.error_code,
                                                                ", but the last-error string is empty"));
  }
  const std::vector<diopiTensor*> required = context_.context().Required();
  if (made == nullptr) return Wrong("cast_gave_nothing", words + " returned success and no tensor");
  if (made != in && std::find(required.begin(), required.end(), made) == required.end()) {
    return Wrong("cast_gave_foreign",
                 words + " returned a tensor that is neither its input nor from diopiRequireTensor");
  }
  *out = made;
  return true;
}

bool FormatCheck::CastBack(diopiTensor* in, int64_t format, const std::string& of, diopiTensor** out) {
  if (!Cast(in, format, out)) return false;
  if (*out != nullptr) return true;
  const bool absent = refusal_.outcome == v1::OUTCOME_NOT_IMPLEMENTED;
  return Find(In("cast_back", absl::StrCat(CastTo(format), " of ", of),
                 Checked(absent ? refusal_.outcome : v1::OUTCOME_ERROR, refusal_.found)));
}

bool FormatCheck::IsPlain(const diopiTensor& tensor, const Held& from, const std::string& what) {
  if (tensor.shape != from.tensor->shape) {
    return Wrong("result_shape", absl::StrCat(what, " has shape ", ShapeText(tensor.shape), ", expected ",
                                              ShapeText(from.tensor->shape)));
  }
  return HasElements(tensor, from.values, what);
}

bool FormatCheck::DistinguishesFormats(const std::vector<int64_t>& shape) {
  const std::string of = absl::StrCat("a tensor of shape ", ShapeText(shape));
  Held held[2];
  int64_t formats[2] = {0, 0};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!Hold(shape, &held[i]) || !ReadFormat(held[i].tensor, of, &formats[i]) || !Intact(get_.name()))
      return false;
  }
  return formats[0] == formats[1] ||
         Wrong("formats_of_plain_differ",
               absl::StrCat("diopiGetNativeMemoryFormat said ", formats[0], " of ", of, " and ", formats[1],
                            " of another one, though neither was cast"));
}

bool FormatCheck::CastsToItsOwn(const std::vector<int64_t>& shape) {
  const std::string of = absl::StrCat("a tensor of shape ", ShapeText(shape));
  Held held;
  int64_t own = 0;
  if (!Hold(shape, &held) || !ReadFormat(held.tensor, of, &own)) return false;
  const std::string words = absl::StrCat(CastTo(own), ", which ", of, " has,");
  for (int round = 0; round < 2; ++round) {
    diopiTensor* out = nullptr;
    int64_t format = 0;
    if (!CastBack(held.tensor, own, of, &out) || !Intact(words) ||
        !IsPlain(*out, held, "the result of " + words) || !ReadFormat(out, "its result", &format)) {
      return false;
    }
    if (format != own)
      return Wrong("own_format_lost", absl::StrCat(words, " made a tensor of format ", format));
  }
  return true;
}

bool FormatCheck::CastsThereAndBack(int64_t format) {
  context_.context().ReleaseRequired();  // of earlier formats
  const std::string words = CastTo(format);
  Held held;
  int64_t plain = 0;
  int64_t made = 0;
  diopiTensor* out = nullptr;
  if (!Hold(Images(), &held) || !ReadFormat(held.tensor, "a plain tensor", &plain) ||
      !Cast(held.tensor, format, &out)) {
    return false;
  }
  if (out == held.tensor) LetGo(held);  // the library may have rearranged its memory
  if (!Intact(words)) return false;
  if (out != held.tensor) {
    int64_t kept = 0;
    if (!ReadFormat(held.tensor, "the input of " + words, &kept)) return false;
    if (kept != plain) {
      return Wrong("input_marked",
                   absl::StrCat(words, out == nullptr ? " was refused" : " made another tensor",
                                ", but its input now has format ", kept, " and not ", plain));
    }
  }
  LetGo(held);
  if (out == nullptr) return true;
  const std::string result = "the result of " + words;
  if (!ReadFormat(out, result, &made)) return false;
  if (made == plain) return IsPlain(*out, held, absl::StrCat(result, ", of format ", plain, ","));
  if (made != format) return Wrong("another_format", absl::StrCat(result, " has format ", made));
  diopiTensor* back = nullptr;
  if (!CastBack(out, plain, result, &back) || !Intact(CastTo(plain)) ||
      !HasElements(*back, held.values, absl::StrCat(result, ", cast back to ", plain, ",")) ||
      !ReadFormat(back, result + ", cast back,", &made)) {
    return false;
  }
  return made == plain || Wrong("back_in_another_format",
                                absl::StrCat(result, ", cast back to ", plain, ", has format ", made));
}

bool FormatCheck::Hook(const diopiTensor* tensor, const std::string& of) {
  void* data = nullptr;
  if (tensor != nullptr) diopiGetTensorData(const_cast<diopiTensor*>(tensor), &data);
  const std::string words = absl::StrCat("diopiTensorDestructionHook of ", of);
  return Call(hook_, {data}, words) && Intact(words);
}

bool FormatCheck::HooksPlainTensors() {
  Held held[2];
  int64_t before = 0;
  for (Held& one : held) {
    if (!Hold(Images(), &one)) return false;
    if (get_.symbol != nullptr && !ReadFormat(one.tensor, "a plain tensor", &before)) return false;
  }
  const std::string never_cast = "a tensor that was never cast";
  if (!Hook(nullptr, "a null pointer, as tensors without elements have,") ||
      !Hook(held[0].tensor, never_cast) || !Hook(held[0].tensor, never_cast + ", for the second time,")) {
    return false;
  }
  for (const Held& one : held) {
    int64_t after = before;
    if (get_.symbol != nullptr && !ReadFormat(one.tensor, never_cast, &after)) return false;
    if (after != before) {
      return Wrong("hook_changes_plain", absl::StrCat("diopiTensorDestructionHook of ", never_cast,
                                                      " changed a format from ", before, " to ", after));
    }
  }
  return true;
}

bool FormatCheck::HookFirst(const std::array<diopiTensor*, 2>& cast, int64_t format) {
  const std::string of = absl::StrCat("a tensor of format ", format);
  std::string before[2];
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!Download(*cast[i])) return false;
    before[i] = Bytes(*cast[i]);
  }
  if (!Hook(cast[0], of) || !Hook(cast[0], of + ", for the second time,")) return false;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!Download(*cast[i])) return false;
    if (Bytes(*cast[i]) == before[i]) continue;
    return Wrong(i == 0 ? "hook_changes_own_memory" : "hook_changes_other_memory",
                 absl::StrCat("diopiTensorDestructionHook of ", of, " changed the memory of ",
                              i == 0 ? "that tensor, which belongs to the host" : "another tensor"));
  }
  int64_t kept = 0;
  if (!ReadFormat(cast[1], of, &kept)) return false;
  return kept == format || Wrong("hook_changes_other_format",
                                 absl::StrCat("diopiTensorDestructionHook of ", of,
                                              " gave another tensor of that format the format ", kept));
}

bool FormatCheck::HooksOneOfTwo(int64_t format) {
  context_.context().ReleaseRequired();
  Held held[2];
  std::array<diopiTensor*, 2> cast = {nullptr, nullptr};
  int64_t plain = 0;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    int64_t made = 0;
    if (!Hold(Images(), &held[i]) || !ReadFormat(held[i].tensor, "a plain tensor", &plain) ||
        (format != plain && !Cast(held[i].tensor, format, &cast[i]))) {
      return false;
    }
    LetGo(held[i]);
    if (cast[i] == nullptr) return true;
    if (!ReadFormat(cast[i], "the result of " + CastTo(format), &made)) return false;
    if (made != format) return true;  // the hook has nothing to clear
  }
  if (!HookFirst(cast, format)) return false;
  // The framework puts the next tensor where the destroyed one was.
  diopiTensor next = *held[0].tensor;
  next.storage = cast[0]->storage;
  int64_t again = 0;
  if (!ReadFormat(&next, "a new tensor", &again)) return false;
  if (again != plain) {
    return Wrong(
        "hook_clears_nothing",
        absl::StrCat("diopiTensorDestructionHook did not clear the format: a new tensor where one of format ",
                     format, " was destroyed has format ", again, ", expected ", plain));
  }
  diopiTensor* back = nullptr;
  return CastBack(cast[1], plain, "another tensor", &back) &&
         HasElements(*back, held[1].values,
                     absl::StrCat("another tensor of format ", format, ", cast back to ", plain,
                                  " after diopiTensorDestructionHook,"));
}

}  // namespace

LibraryCheck CheckNativeFormat(VendorLibrary* vendor) {
  FormatCheck check(vendor, "diopiGetNativeMemoryFormat");
  for (const std::vector<int64_t>& shape : Shapes()) {
    if (!check.Good() || !check.DistinguishesFormats(shape)) break;
  }
  return check.Result();
}

LibraryCheck CheckNativeFormatCast(VendorLibrary* vendor) {
  FormatCheck check(vendor, "diopiNativeMemoryFormatCast");
  if (check.Good()) check.CanReadFormats();
  for (const std::vector<int64_t>& shape : Shapes()) {
    if (!check.Good() || !check.CastsToItsOwn(shape)) break;
  }
  for (int64_t format = 0; format < kFormats && check.Good(); ++format) check.CastsThereAndBack(format);
  if (check.Good()) check.CastsThereAndBack(kImpossible);
  return check.Result();
}

LibraryCheck CheckDestructionHook(VendorLibrary* vendor) {
  FormatCheck check(vendor, "diopiTensorDestructionHook");
  if (check.Good()) check.HooksPlainTensors();
  for (int64_t format = 0; format < kFormats && check.Good() && check.HasFormats(); ++format) {
    check.HooksOneOfTwo(format);
  }
  return check.Result();
}

}  // namespace diopi::loader
