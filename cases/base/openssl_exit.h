// What becomes of OpenSSL when a program ends.
#ifndef CASES_BASE_OPENSSL_EXIT_H_
#define CASES_BASE_OPENSSL_EXIT_H_

namespace diopi {

// Call it at the start of main, before anything else uses OpenSSL: exit() then leaves OpenSSL's state to the
// kernel. By default OpenSSL frees its locks in an exit handler, while gRPC's threads may still be closing
// TLS connections, and the process ends with SIGSEGV instead of its exit status.
void KeepOpenSslUntilProcessEnds();

}  // namespace diopi

#endif  // CASES_BASE_OPENSSL_EXIT_H_
