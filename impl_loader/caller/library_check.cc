// One table has the checks by the labels of cases/core/library_checks.h. A check that does not pass has one
// finding; In and WithLastError add where it was found and what the library said, so that a check itself
// states only what went wrong.
#include "impl_loader/caller/library_check.h"

#include <cstring>
#include <exception>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/findings/finding.h"
#include "impl_loader/caller/check_context.h"
#include "impl_loader/caller/text.h"

namespace diopi::loader {
namespace {

constexpr std::pair<const char*, LibraryCheck (*)(VendorLibrary*)> kChecks[] = {
    {"vendor_name", CheckVendorName},
    {"impl_version", CheckImplVersion},
    {"last_error", CheckLastError},
    {"stream_chain", CheckStreamChain},
    {"stream_interleaved", CheckInterleavedStreams},
    {"stream_threads", CheckStreamThreads},
    {"native_format", CheckNativeFormat},
    {"native_format_cast", CheckNativeFormatCast},
    {"destruction_hook", CheckDestructionHook},
    {"attention_dropout", CheckAttentionDropout},
};

// Checks a function without arguments that returns a text. An absent function is a note, not a failure.
LibraryCheck CheckText(VendorLibrary* vendor, const std::string& name) {
  void* symbol = vendor->Symbol(name);
  if (symbol == nullptr) {
    const std::string mangled = absl::StrCat("_Z", name.size(), name, "v");
    if (vendor->Symbol(mangled) == nullptr) {
      return Checked(v1::OUTCOME_SKIPPED, Found(v1::Finding::NOT_EXPORTED).Name(name));
    }
    return Checked(v1::OUTCOME_FAIL, Found(v1::Finding::CPP_NAME).Name(name).Got(mangled));
  }
  const char* text = nullptr;
  try {
    text = reinterpret_cast<const char* (*)()>(symbol)();
  } catch (const std::exception& e) {
    return Checked(v1::OUTCOME_ERROR, Found(v1::Finding::THREW).Name(name).Said(PrintableText(e.what())));
  } catch (...) {
    return Checked(v1::OUTCOME_ERROR, Found(v1::Finding::THREW).Name(name));
  }
  if (text == nullptr) return Wrong("null_text", absl::StrCat(name, " returned a null pointer"));
  const std::string said(text, strnlen(text, kMaxVendorText));
  if (said.empty()) return Wrong("empty_text", absl::StrCat(name, " returned an empty text"));
  if (said.size() == kMaxVendorText)
    return Wrong("endless_text", absl::StrCat(name, " returned a text without a terminating null"));
  const std::string printable = PrintableText(said);
  if (printable == said) return Passing();
  return Wrong("unprintable_text",
               absl::StrCat(name, " returned a text that cannot be printed: ", printable));
}

// A call that must fail in every library; without a symbol there is no call.
struct MustFail {
  CheckedFunction function;
  std::string words;
  std::vector<ArgValue> args;
};

// First diopiCat of no tensors, as in the public harness; then shapes that do not match.
std::vector<MustFail> CallsThatMustFail(VendorLibrary* vendor, CheckContext* context,
                                        std::vector<diopiConstTensorHandle_t>* list) {
  std::vector<MustFail> calls;
  diopiTensor* two = context->NewTensor({2});
  diopiTensor* left = context->NewTensor({2, 3});
  diopiTensor* right = context->NewTensor({4, 5});
  diopiTensor* product = context->NewTensor({2, 5});
  if (two == nullptr || left == nullptr || right == nullptr || product == nullptr) return calls;
  *list = {two};
  const CheckedFunction cat = FindFirst(vendor, {"diopiCat"});
  if (cat.symbol != nullptr) {
    calls.push_back({cat,
                     "diopiCat of zero tensors",
                     {static_cast<void*>(two), static_cast<void*>(list->data()), int64_t{0}, int64_t{0}}});
  }
  const CheckedFunction matmul = FindFirst(vendor, {"diopiMatmul", "diopiMm"});
  if (matmul.symbol != nullptr) {
    calls.push_back({matmul,
                     absl::StrCat(matmul.name(), " of (2, 3) by (4, 5)"),
                     {static_cast<void*>(product), static_cast<void*>(left), static_cast<void*>(right)}});
  }
  return calls;
}

}  // namespace

LibraryCheck Passing() {
  LibraryCheck check;
  check.set_outcome(v1::OUTCOME_PASS);
  return check;
}

LibraryCheck Checked(v1::Outcome outcome, v1::Finding found) {
  LibraryCheck check;
  check.set_outcome(outcome);
  *check.add_findings() = std::move(found);
  return check;
}

LibraryCheck Wrong(const std::string& word, const std::string& said) {
  return Checked(v1::OUTCOME_FAIL, Found(v1::Finding::LIBRARY_CHECK).Word(word).Said(said));
}

LibraryCheck StepFailed(const std::string& step, int32_t code) {
  return Checked(v1::OUTCOME_ERROR, Found(v1::Finding::STEP_FAILED).Word(step).Got(absl::StrCat(code)));
}

LibraryCheck SyncFailed(const std::string& function, int32_t code) {
  return Checked(v1::OUTCOME_ERROR, Found(v1::Finding::SYNC_FAILED).Name(function).Got(absl::StrCat(code)));
}

LibraryCheck NoMemory() {
  return Checked(v1::OUTCOME_ERROR, Found(v1::Finding::LIBRARY_CHECK)
                                        .Word("no_memory")
                                        .Said("the library has no memory for small tensors"));
}

LibraryCheck In(const std::string& word, const std::string& where, LibraryCheck check) {
  if (Passed(check)) return check;
  const v1::Finding& found = check.findings(0);
  const std::string inner = found.code() == v1::Finding::LIBRARY_CHECK
                                ? found.word()
                                : absl::AsciiStrToLower(v1::Finding::Code_Name(found.code()));
  return Checked(check.outcome(), Found(v1::Finding::LIBRARY_CHECK)
                                      .Word(absl::StrCat(word, "_", inner))
                                      .Said(where)
                                      .Parts(check.findings()));
}

LibraryCheck WithLastError(LibraryCheck check, VendorLibrary* vendor) {
  if (check.outcome() != v1::OUTCOME_ERROR) return check;
  const std::string text = vendor->LastError();
  if (text.empty()) return check;
  v1::Finding* inner = check.mutable_findings(0);
  while (inner->parts_size() > 0) inner = inner->mutable_parts(0);
  inner->set_said(inner->said().empty() ? text : absl::StrCat(inner->said(), ": ", text));
  return check;
}

LibraryCheck RunLibraryCheck(const std::string& label, VendorLibrary* vendor) {
  for (const auto& [name, run] : kChecks) {
    if (label == name) return run(vendor);
  }
  return Checked(v1::OUTCOME_HARNESS_ERROR,
                 Found(v1::Finding::HARNESS)
                     .Word("unknown_check")
                     .Said(absl::StrCat("this worker does not know the library check ", label)));
}

LibraryCheck CheckVendorName(VendorLibrary* vendor) {
  return CheckText(vendor, "diopiGetVendorName");
}

LibraryCheck CheckImplVersion(VendorLibrary* vendor) {
  return CheckText(vendor, "diopiGetImplVersion");
}

LibraryCheck CheckLastError(VendorLibrary* vendor) {
  if (vendor->Symbol("diopiGetLastErrorString") == nullptr && vendor->functions().last_error == nullptr) {
    return Checked(v1::OUTCOME_NOT_IMPLEMENTED, Found(v1::Finding::NO_LAST_ERROR));
  }
  CheckContext context(vendor);
  if (const int32_t code = context.MakeStream(); code != 0) return StepFailed("make_stream", code);
  std::vector<diopiConstTensorHandle_t> list;
  std::vector<std::string> succeeded;
  for (const MustFail& must_fail : CallsThatMustFail(vendor, &context, &list)) {
    const std::string before = vendor->LastError();
    const CheckedCall call = CallChecked(must_fail.function, &context, must_fail.args);
    const int32_t synchronised = context.context().Synchronize();
    if (call.outcome == v1::OUTCOME_HARNESS_ERROR) return Checked(call.outcome, call.found);
    if (call.outcome != v1::OUTCOME_PASS && call.error_code == 0)
      return In("must_fail", must_fail.words, Checked(v1::OUTCOME_ERROR, call.found));
    if (call.outcome == v1::OUTCOME_NOT_IMPLEMENTED) continue;
    if (call.outcome == v1::OUTCOME_PASS && synchronised == 0) {
      succeeded.push_back(must_fail.words);
      continue;
    }
    const int32_t code = call.outcome == v1::OUTCOME_PASS ? synchronised : call.error_code;
    const std::string after = vendor->LastError();
    const std::string failed =
        absl::StrCat(must_fail.words, " failed with ", code, " as expected, but the last-error string ");
    if (after.empty()) return Wrong("last_error_empty", absl::StrCat(failed, "is empty"));
    if (after == before) return Wrong("last_error_unchanged", absl::StrCat(failed, "is unchanged: ", after));
    return Passing();
  }
  if (succeeded.empty()) return Checked(v1::OUTCOME_NOT_IMPLEMENTED, Found(v1::Finding::NOTHING_TO_FAIL));
  return Wrong("no_error",
               absl::StrCat(absl::StrJoin(succeeded, " and "), " returned success instead of an error"));
}

}  // namespace diopi::loader
