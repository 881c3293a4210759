// Says hostile things wherever a library can say something: in its prints, its name and version, its error
// texts and exceptions, the names of its threads and symbols. DIOPI_TEST_FAULT selects how diopiAdd ends:
// throws, aborts, or (otherwise) returns an error.
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cases/base/text_testing.h"
#include "impl_loader/testdata/vendor_common.h"

// A function with the ABI's name and a control sequence in it.
__asm__(
    ".globl \"diopi\x1b[2J\xe2\x80\xaeReluu\"\n"
    ".type \"diopi\x1b[2J\xe2\x80\xaeReluu\", @function\n"
    "\"diopi\x1b[2J\xe2\x80\xaeReluu\":\n"
    "ret\n");

static const std::string& Said() {
  static const std::string& text = *new std::string(diopi::HostileText());
  return text;
}

const char* diopiGetVendorName() {
  return Said().c_str();
}
const char* diopiGetImplVersion() {
  return Said().c_str();
}
const char* diopiGetLastErrorString() {
  return Said().c_str();
}

DIOPI_SPOILT_ADD {
  std::printf("%s\n", Said().c_str());
  std::fprintf(stderr, "%s\n", Said().c_str());
  std::fflush(nullptr);
  prctl(PR_SET_NAME, "\x1b[2J\xc2\x9b\xff");
  const char* fault = std::getenv("DIOPI_TEST_FAULT");
  const std::string how = fault == nullptr ? "" : fault;
  if (how == "throws") throw std::runtime_error(Said());
  if (how == "aborts") std::abort();
  return diopiErrorOccurred;
}
