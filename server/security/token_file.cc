// The file is replaced by rename, so readers need no lock and see the old file or the new one. Writers lock a
// file beside it, because a lock on the replaced file would be lost. Opening follows no links and waits for
// no pipe, and a file that others can access is refused rather than trusted.
#include "server/security/token_file.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"
#include "server/security/secret.h"

namespace diopi::server {
namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kSaltBytes = 16;
constexpr size_t kHashDigits = 64;
constexpr size_t kMaxName = 64;
constexpr off_t kMaxFileBytes = 16 << 20;
constexpr char kTimeFormat[] = "%Y-%m-%dT%H:%M:%SZ";
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr absl::string_view kChip = "chip=";

// Closing the descriptor unlocks the file.
Descriptor Open(const std::string& path, int flags) {
  return Descriptor(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
}

bool IsHex(std::string_view text, size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isxdigit(static_cast<unsigned char>(c));
         });
}

// Empty when OpenSSL fails, as no stored hash is.
std::string Hash(std::string_view salt, std::string_view token) {
  const std::string text = absl::StrCat(std::string(salt), std::string(token));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) return "";
  return absl::BytesToHexString(std::string(digest.begin(), digest.begin() + size));
}

bool ParseLine(const std::string& line, TokenRecord* record) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words.size() < 5 || !IsName(words[0]) || !IsHex(words[3], 2 * kSaltBytes) ||
      !IsHex(words[4], kHashDigits)) {
    return false;
  }
  const absl::StatusOr<Role> role = ParseRole(words[1]);
  if (!role.ok()) return false;
  *record = {words[0], *role, words[2], words[3], words[4]};
  size_t next = 5;
  std::string ignored;
  if (next < words.size() && !absl::StartsWith(words[next], kChip) &&
      !absl::ParseTime(kTimeFormat, words[next++], &record->expires, &ignored)) {
    return false;
  }
  for (; next < words.size(); ++next) {
    if (!absl::StartsWith(words[next], kChip)) return false;
    record->chips.push_back(
        absl::StrReplaceAll(words[next].substr(kChip.size()), {{"%20", " "}, {"%25", "%"}}));
  }
  return true;
}

std::string Text(const std::vector<TokenRecord>& records) {
  std::string text;
  for (const TokenRecord& r : records) {
    absl::StrAppend(&text, r.name, " ", RoleWord(r.role), " ", r.created, " ", r.salt, " ", r.hash);
    if (r.expires != absl::InfiniteFuture()) absl::StrAppend(&text, " ", ExpiryText(r.expires));
    for (const std::string& chip : r.chips) {
      absl::StrAppend(&text, " ", kChip, absl::StrReplaceAll(chip, {{" ", "%20"}, {"%", "%25"}}));
    }
    text += '\n';
  }
  return text;
}

absl::StatusOr<std::string> ReadAll(const Descriptor& file, off_t bytes, const std::string& path) {
  std::string text(static_cast<size_t>(bytes), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ReadError(path, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  text.resize(done);
  return text;
}

// Replaces the file atomically: a reader sees the old one or the new one.
absl::Status Replace(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  unlink(fresh.c_str());
  {
    const Descriptor file = Open(fresh, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.valid() || !WriteAll(file.get(), text) || fsync(file.get()) != 0)
      return WriteError(fresh, errno);
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) return WriteError(path, errno);
  return absl::OkStatus();
}

// Reads the file, lets `edit` change the records, and writes them, under a lock.
template <typename Edit>
absl::Status Change(const std::string& data_folder, Edit edit) {
  std::error_code error;
  std::filesystem::create_directories(data_folder, error);
  const std::string path = TokenPath(data_folder);
  const std::string lock_path = path + ".lock";
  const Descriptor lock = Open(lock_path, O_RDWR | O_CREAT);
  if (lock.get() < 0 || flock(lock.get(), LOCK_EX) != 0) return WriteError(lock_path, errno);
  absl::StatusOr<std::vector<TokenRecord>> records = ReadTokens(path);
  if (absl::IsNotFound(records.status())) records = std::vector<TokenRecord>();
  if (!records.ok()) return records.status();
  RETURN_IF_ERROR(edit(&*records));
  return Replace(path, Text(*records));
}

auto Named(const std::string& name) {
  return [&name](const TokenRecord& record) { return record.name == name; };
}

}  // namespace

std::string RoleWord(Role role) {
  switch (role) {
    case Role::kRead:
      return "read";
    case Role::kRun:
      return "run";
    case Role::kAdmin:
      break;
  }
  return "admin";
}

absl::StatusOr<Role> ParseRole(std::string_view word) {
  for (const Role role : {Role::kRead, Role::kRun, Role::kAdmin}) {
    if (word == RoleWord(role)) return role;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(word), "' is not a role; expected read, run or admin"));
}

std::string TokenPath(const std::string& data_folder) {
  return (std::filesystem::path(data_folder) / "tokens").string();
}

absl::StatusOr<std::vector<TokenRecord>> ReadTokens(const std::string& path) {
  const Descriptor file = Open(path, O_RDONLY | O_NONBLOCK);  // a named pipe must not keep us waiting
  if (file.get() < 0) {
    return ReadError(path, errno);
  }
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return ReadError(path, errno);
  if (!S_ISREG(info.st_mode) || info.st_size > kMaxFileBytes) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": not a file of tokens"));
  }
  if ((info.st_mode & kOthers) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": other users can read or write it; run: chmod 600 ", path));
  }
  ASSIGN_OR_RETURN(const std::string text, ReadAll(file, info.st_size, path));
  std::vector<TokenRecord> records;
  int number = 0;
  for (const auto line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    TokenRecord record;
    if (!ParseLine(std::string(line), &record)) {
      return absl::DataLossError(absl::StrCat(path, ":", number, ": not a token"));
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::string ExpiryText(absl::Time expires) {
  if (expires == absl::InfiniteFuture()) return "never";
  return absl::FormatTime(kTimeFormat, expires, absl::UTCTimeZone());
}

absl::StatusOr<absl::Time> ParseExpiry(std::string_view text, absl::Time now) {
  constexpr int kMaxDays = 100 * 366;
  if (text.empty()) return absl::InfiniteFuture();
  absl::Time expires;
  int count = 0;
  std::string ignored;
  const absl::string_view given(text.data(), text.size());
  const absl::string_view number = given.substr(0, given.size() - 1);
  if ((text.back() == 'd' || text.back() == 'h') && absl::SimpleAtoi(number, &count) && count > 0 &&
      count <= kMaxDays) {
    expires = now + count * absl::Hours(text.back() == 'd' ? 24 : 1);
  } else if (absl::ParseTime("%Y-%m-%d", given, &expires, &ignored)) {
    expires += absl::Hours(24);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("'", absl::CHexEscape(given),
                     "' is not an expiry time; expected days (90d), hours (12h) or a date (2027-01-31)"));
  }
  if (expires <= now) return absl::InvalidArgumentError(absl::StrCat("'", given, "' has passed"));
  return expires;
}

absl::StatusOr<std::string> AddToken(const std::string& data_folder, const std::string& name, Role role,
                                     absl::Time expires, const std::vector<std::string>& chips) {
  if (name == kAnyone) {
    return absl::InvalidArgumentError("'anyone' means callers without a token; choose another name");
  }
  if (!IsName(name)) {
    return absl::InvalidArgumentError(absl::StrCat("'", absl::CHexEscape(name),
                                                   "' is not a valid name for a token; expected 1 to ",
                                                   kMaxName, " letters, digits, '.', '_' or '-'"));
  }
  const absl::StatusOr<std::string> secret = RandomHex(kTokenBytes);
  const absl::StatusOr<std::string> salt = RandomHex(kSaltBytes);
  if (!secret.ok()) return secret.status();
  if (!salt.ok()) return salt.status();
  std::string token = "diopi_" + *secret;
  const std::string hash = Hash(*salt, token);
  if (hash.empty()) return absl::InternalError("SHA-256 is not available");
  absl::Status status = Change(data_folder, [&](std::vector<TokenRecord>* records) {
    if (std::any_of(records->begin(), records->end(), Named(name))) {
      return absl::AlreadyExistsError(absl::StrCat("'", name, "' has a token; revoke it first"));
    }
    const std::string now = ExpiryText(absl::Now());
    records->push_back({name, role, now, *salt, hash, expires, chips});
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return token;
}

absl::Status RevokeToken(const std::string& data_folder, const std::string& name) {
  return Change(data_folder, [&](std::vector<TokenRecord>* records) {
    const auto gone = std::remove_if(records->begin(), records->end(), Named(name));
    if (gone == records->end()) {
      return absl::NotFoundError(absl::StrCat("'", absl::CHexEscape(name), "' has no token"));
    }
    records->erase(gone, records->end());
    return absl::OkStatus();
  });
}

const TokenRecord* FindToken(const std::vector<TokenRecord>& records, std::string_view token) {
  const TokenRecord* found = nullptr;
  for (const TokenRecord& record : records) {
    if (SameSecret(Hash(record.salt, token), record.hash)) found = &record;
  }
  return found;
}

}  // namespace diopi::server
