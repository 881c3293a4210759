#include "cases/base/openssl_exit.h"

#include <openssl/crypto.h>

namespace diopi {

void KeepOpenSslUntilProcessEnds() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

}  // namespace diopi
