// Identifies itself in odd ways: it exports its vendor's name under a C++ name, and its version depends on
// DIOPI_TEST_FAULT (after_add: wrong once diopiAdd has been called).
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "impl_loader/testdata/vendor_common.h"

__attribute__((visibility("default"))) const char* diopiGetVendorName(void) __asm__(
    "_Z18diopiGetVendorNamev");
const char* diopiGetVendorName() {
  return "mangled";
}

static bool added = false;

DIOPI_SPOILT_ADD {
  Add(add);
  added = true;
  return diopiSuccess;
}

const char* diopiGetImplVersion() {
  static const std::string endless(100'000, 'x');
  const char* fault = std::getenv("DIOPI_TEST_FAULT");
  const std::string how = fault == nullptr ? "" : fault;
  if (how == "after_add" && !added) return "1.0";
  if (how == "null") return nullptr;
  if (how == "empty") return "";
  if (how == "endless") return endless.c_str();
  if (how == "throws") throw std::runtime_error("no version");
  return "1.0\x01";
}
