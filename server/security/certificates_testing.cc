#include "server/security/certificates_testing.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace diopi::server {
namespace {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using File = std::unique_ptr<std::FILE, Freer<std::fclose>>;

void Extend(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate NewCertificate(const std::string& name, EVP_PKEY* key, long from_s, long to_s) {
  static long serial = 0;  // tests issue from one thread
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), to_s);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

void Write(const std::string& path, const X509* certificate) {
  const File file(std::fopen(path.c_str(), "w"));
  ASSERT_NE(file, nullptr) << path;
  ASSERT_EQ(PEM_write_X509(file.get(), certificate), 1);
}

void Write(const std::string& path, const EVP_PKEY* key) {
  const File file(std::fopen(path.c_str(), "w"));
  ASSERT_NE(file, nullptr) << path;
  ASSERT_EQ(PEM_write_PrivateKey(file.get(), key, nullptr, nullptr, 0, nullptr, nullptr), 1);
}

template <typename T, typename Read>
T* ReadPem(const std::string& path, Read read) {
  const File file(std::fopen(path.c_str(), "r"));
  EXPECT_NE(file, nullptr) << path;
  return file == nullptr ? nullptr : read(file.get(), nullptr, nullptr, nullptr);
}

}  // namespace

TestAuthority::TestAuthority() {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = NewCertificate(folder(), key.get(), -3600, 7200);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  Extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  Extend(certificate.get(), NID_key_usage, "critical,keyCertSign");
  EXPECT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  Write(ca(), certificate.get());
  Write(folder_ / "ca.key", key.get());
}

TestPair TestAuthority::Issue(const std::string& name, long from_s, long to_s) const {
  TestPair pair{folder_ / name + ".pem", folder_ / name + ".key"};
  const Certificate authority(ReadPem<X509>(ca(), PEM_read_X509));
  const Key authority_key(ReadPem<EVP_PKEY>(folder_ / "ca.key", PEM_read_PrivateKey));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = NewCertificate(name, key.get(), from_s, to_s);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(authority.get()));
  Extend(certificate.get(), NID_subject_alt_name, "IP:127.0.0.1,IP:::1,DNS:localhost");
  EXPECT_GT(X509_sign(certificate.get(), authority_key.get(), EVP_sha256()), 0);
  Write(pair.certificate, certificate.get());
  Write(pair.key, key.get());
  return pair;
}

}  // namespace diopi::server
