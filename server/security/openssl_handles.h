// OpenSSL's objects with owners.
#ifndef SERVER_SECURITY_OPENSSL_HANDLES_H_
#define SERVER_SECURITY_OPENSSL_HANDLES_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace diopi::server {

template <auto Free>
struct OpenSslFree {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, OpenSslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;

// Reads `text`, which must outlive it.
inline Bio MemoryBio(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace diopi::server

#endif  // SERVER_SECURITY_OPENSSL_HANDLES_H_
