#include "impl_loader/caller/library_check.h"

#include <cstring>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
      return Checked(v1::OUTCOME_SKIPPED, absl::StrCat("the library does not export ", name));
    }
    return Checked(v1::OUTCOME_FAIL, absl::StrCat("the library exports ", name, " under its C++ name ",
                                                  mangled, ": it is not declared extern \"C\""));
  }
  const char* text = nullptr;
  try {
    text = reinterpret_cast<const char* (*)()>(symbol)();
  } catch (const std::exception& e) {
    return Checked(v1::OUTCOME_ERROR,
                   absl::StrCat(name, " threw a C++ exception: ", PrintableText(e.what())));
  } catch (...) {
    return Checked(v1::OUTCOME_ERROR, absl::StrCat(name, " threw a C++ exception"));
  }
  if (text == nullptr) return Checked(v1::OUTCOME_FAIL, absl::StrCat(name, " returned a null pointer"));
  const std::string said(text, strnlen(text, kMaxVendorText));
  if (said.empty()) return Checked(v1::OUTCOME_FAIL, absl::StrCat(name, " returned an empty text"));
  if (said.size() == kMaxVendorText) {
    return Checked(v1::OUTCOME_FAIL, absl::StrCat(name, " returned a text without a terminating null"));
  }
  const std::string printable = PrintableText(said);
  if (printable == said) return Checked(v1::OUTCOME_PASS, "");
  return Checked(v1::OUTCOME_FAIL,
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

LibraryCheck Checked(v1::Outcome outcome, const std::string& reason) {
  LibraryCheck check;
  check.set_outcome(outcome);
  check.set_reason(reason);
  return check;
}

LibraryCheck WithLastError(LibraryCheck check, VendorLibrary* vendor) {
  if (check.outcome() != v1::OUTCOME_ERROR) return check;
  const std::string text = vendor->LastError();
  if (!text.empty()) check.set_reason(absl::StrCat(check.reason(), ": ", text));
  return check;
}

LibraryCheck RunLibraryCheck(const std::string& label, VendorLibrary* vendor) {
  for (const auto& [name, run] : kChecks) {
    if (label == name) return run(vendor);
  }
  return Checked(v1::OUTCOME_HARNESS_ERROR,
                 absl::StrCat("this worker does not know the library check ", label));
}

LibraryCheck CheckVendorName(VendorLibrary* vendor) {
  return CheckText(vendor, "diopiGetVendorName");
}

LibraryCheck CheckImplVersion(VendorLibrary* vendor) {
  return CheckText(vendor, "diopiGetImplVersion");
}

LibraryCheck CheckLastError(VendorLibrary* vendor) {
  if (vendor->Symbol("diopiGetLastErrorString") == nullptr && vendor->functions().last_error == nullptr) {
    return Checked(v1::OUTCOME_NOT_IMPLEMENTED,
                   "the library neither exports diopiGetLastErrorString nor registers a replacement");
  }
  CheckContext context(vendor);
  if (const int32_t code = context.MakeStream(); code != 0) {
    return Checked(v1::OUTCOME_ERROR, absl::StrCat("creating a stream failed with ", code));
  }
  std::vector<diopiConstTensorHandle_t> list;
  std::vector<std::string> succeeded;
  for (const MustFail& must_fail : CallsThatMustFail(vendor, &context, &list)) {
    const std::string before = vendor->LastError();
    const CheckedCall call = CallChecked(must_fail.function, &context, must_fail.args);
    const int32_t synchronised = context.context().Synchronize();
    if (call.outcome == v1::OUTCOME_HARNESS_ERROR) return Checked(call.outcome, call.text);
    if (call.outcome != v1::OUTCOME_PASS && call.error_code == 0) {
      return Checked(v1::OUTCOME_ERROR, absl::StrCat(must_fail.words, ": ", call.text));
    }
    if (call.outcome == v1::OUTCOME_NOT_IMPLEMENTED) continue;
    if (call.outcome == v1::OUTCOME_PASS && synchronised == 0) {
      succeeded.push_back(must_fail.words);
      continue;
    }
    const int32_t code = call.outcome == v1::OUTCOME_PASS ? synchronised : call.error_code;
    const std::string after = vendor->LastError();
    const std::string failed =
        absl::StrCat(must_fail.words, " failed with ", code, " as expected, but the last-error string ");
    if (after.empty()) return Checked(v1::OUTCOME_FAIL, absl::StrCat(failed, "is empty"));
    if (after == before) {
      return Checked(v1::OUTCOME_FAIL, absl::StrCat(failed, "is unchanged: ", after));
    }
    return Checked(v1::OUTCOME_PASS, "");
  }
  if (succeeded.empty()) {
    return Checked(
        v1::OUTCOME_NOT_IMPLEMENTED,
        "the library has none of the functions that this check makes fail: diopiCat, diopiMatmul, diopiMm");
  }
  return Checked(v1::OUTCOME_FAIL,
                 absl::StrCat(absl::StrJoin(succeeded, " and "), " returned success instead of an error"));
}

}  // namespace diopi::loader
