#include "cases/core/library_checks.h"

#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"

namespace diopi::cases {
namespace {

// Part of the hash: changed whenever a check tests something else.
constexpr int kVersion = 1;

struct Check {
  const char* label;
  const char* reveals;
  const char* function = "";  // the function it tests, if no case can
};

constexpr Check kChecks[] = {
    {"vendor_name", "a library that does not give its vendor's name, or only under a C++ name"},
    {"impl_version", "a library that does not give its version, or only under a C++ name"},
    {"last_error", "an error without a text, or with the text of an earlier one"},
    {"stream_chain", "work that does not wait for what was queued on its stream before it"},
    {"stream_interleaved", "work on one stream that reaches another, state that two streams share"},
    {"stream_threads", "device functions and operators that two threads cannot call at once"},
    {"native_format", "a native memory format that is not written, changes, or costs a tensor its values",
     "diopiGetNativeMemoryFormat"},
    {"native_format_cast", "casts that lose elements, change their input or crash on an unknown format",
     "diopiNativeMemoryFormatCast"},
    {"destruction_hook", "formats that outlive their tensor, memory that is freed or changed with it",
     "diopiTensorDestructionHook"},
    {"attention_dropout", "a backward of attention that drops other weights than the forward did"},
};

}  // namespace

bool IsLibraryCheck(const v1::Case& c) {
  return c.operator_() == kLibraryOperator;
}

std::vector<v1::Case> LibraryChecks() {
  std::vector<v1::Case> checks;
  for (const Check& check : kChecks) {
    v1::Case& c = checks.emplace_back();
    c.set_id(absl::StrCat(kLibraryOperator, ".", check.label));
    c.set_hash(Xxh128Hex(absl::StrCat(c.id(), " version ", kVersion)));
    c.set_family(kLibraryOperator);
    c.set_operator_(kLibraryOperator);
    c.set_function(check.function);
    c.set_dtype(v1::Dtype::float32);
    c.set_label(check.label);
    c.set_reveals(check.reveals);
  }
  return checks;
}

}  // namespace diopi::cases
