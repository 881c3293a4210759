#include "cases/base/openssl_exit.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cstdlib>

namespace diopi {
namespace {

constexpr int kWorks = 42;

// Runs after the exit handlers that were registered later, OpenSSL's among them.
void ExitWithWhatOpenSslCan() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  _exit(EVP_Digest("", 0, digest, nullptr, EVP_sha256(), nullptr) == 1 ? kWorks : 0);
}

void End(bool kept) {
  std::atexit(ExitWithWhatOpenSslCan);
  if (kept) KeepOpenSslUntilProcessEnds();
  EVP_MD_CTX_free(EVP_MD_CTX_new());
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, nullptr);
  std::exit(7);
}

TEST(OpenSslExitDeathTest, OtherThreadsCanUseOpenSslWhileTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(End(true), testing::ExitedWithCode(kWorks), "");
  // Why the call is needed: OpenSSL fails, or takes a lock that is gone.
  EXPECT_EXIT(
      End(false), [](int status) { return !testing::ExitedWithCode(kWorks)(status); }, "");
}

}  // namespace
}  // namespace diopi
