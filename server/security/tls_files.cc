#include "server/security/tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "server/security/openssl_handles.h"

namespace diopi::server {
namespace {

constexpr size_t kMaxBytes = 4 << 20;

absl::Status Bad(const std::string& flag, const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " ", path, ": ", what));
}

absl::StatusOr<std::string> ReadPem(const std::string& flag, const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path, kMaxBytes);
  if (!text.ok())
    return absl::Status(
        absl::IsNotFound(text.status()) ? absl::StatusCode::kInvalidArgument : text.status().code(),
        absl::StrCat(flag, " ", text.status().message()));
  return text;
}

std::vector<Certificate> Certificates(const std::string& pem) {
  std::vector<Certificate> found;
  const Bio bio = MemoryBio(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    found.emplace_back(certificate);
  }
  ERR_clear_error();
  return found;
}

std::string Text(const ASN1_TIME* time) {
  const Bio bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), time);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : "an unknown time";
}

absl::Status CheckDates(const std::string& flag, const std::string& path, const X509* certificate) {
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    return Bad(flag, path,
               absl::StrCat("the certificate expired on ", Text(X509_get0_notAfter(certificate))));
  }
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0) {
    return Bad(flag, path,
               absl::StrCat("the certificate is not valid before ", Text(X509_get0_notBefore(certificate))));
  }
  return absl::OkStatus();
}

// Notes that OpenSSL wants a pass phrase, and gives none.
int NoPassPhrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

absl::Status CheckKey(const TlsFiles& files, const TlsTexts& texts, const X509* certificate) {
  const Bio bio = MemoryBio(texts.key);
  bool asked = false;
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, &asked));
  ERR_clear_error();
  if (asked) return Bad("--tls-key", files.key, "the key has a pass phrase; a program needs one without");
  if (key == nullptr) return Bad("--tls-key", files.key, "no private key in PEM");
  const bool matches = X509_check_private_key(certificate, key.get()) == 1;
  ERR_clear_error();
  if (matches) return absl::OkStatus();
  return Bad("--tls-key", files.key,
             absl::StrCat("the key does not belong to the certificate in --tls-cert ", files.certificate));
}

absl::Status ReadPair(const TlsFiles& files, TlsTexts* texts) {
  ASSIGN_OR_RETURN(std::string certificate, ReadPem("--tls-cert", files.certificate));
  ASSIGN_OR_RETURN(std::string key, ReadPem("--tls-key", files.key));
  texts->certificate = std::move(certificate);
  texts->key = std::move(key);
  const std::vector<Certificate> chain = Certificates(texts->certificate);
  if (chain.empty()) return Bad("--tls-cert", files.certificate, "no certificate in PEM");
  absl::Status status = CheckDates("--tls-cert", files.certificate, chain.front().get());
  return status.ok() ? CheckKey(files, *texts, chain.front().get()) : status;
}

}  // namespace

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files) {
  TlsTexts texts;
  if (files.certificate.empty() != files.key.empty()) {
    return absl::InvalidArgumentError(files.key.empty() ? "--tls-cert needs --tls-key"
                                                        : "--tls-key needs --tls-cert");
  }
  if (!files.ca.empty()) {
    ASSIGN_OR_RETURN(texts.ca, ReadPem(files.ca_flag, files.ca));
    const std::vector<Certificate> authorities = Certificates(texts.ca);
    if (authorities.empty()) return Bad(files.ca_flag, files.ca, "no certificate in PEM");
    // A bundle may contain expired ones; a single one must be valid.
    if (authorities.size() == 1) {
      RETURN_IF_ERROR(CheckDates(files.ca_flag, files.ca, authorities.front().get()));
    }
  }
  if (!files.certificate.empty()) {
    RETURN_IF_ERROR(ReadPair(files, &texts));
  }
  return texts;
}

}  // namespace diopi::server
