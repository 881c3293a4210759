#include "cases/base/file_error.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace diopi {
namespace {

std::string Text(absl::string_view path, absl::string_view what, int error) {
  return absl::StrCat(path, ": ", what, ": ", std::generic_category().message(error));
}

// Whether the path itself is at fault.
bool NamesSomethingElse(int error) {
  return error == EISDIR || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG || error == EINVAL ||
         error == ENXIO || error == EEXIST;
}

bool IsForbidden(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ETXTBSY;
}

}  // namespace

absl::Status ReadError(absl::string_view path, int error) {
  if (error == EISDIR)
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, expected a file"));
  const std::string text = Text(path, "cannot be read", error);
  if (error == ENOENT) return absl::NotFoundError(text);
  if (NamesSomethingElse(error)) return absl::InvalidArgumentError(text);
  return IsForbidden(error) ? absl::PermissionDeniedError(text) : absl::UnavailableError(text);
}

absl::StatusCode WriteErrorCode(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return absl::StatusCode::kResourceExhausted;
  if (error == ENOENT || NamesSomethingElse(error)) return absl::StatusCode::kFailedPrecondition;
  return IsForbidden(error) ? absl::StatusCode::kPermissionDenied : absl::StatusCode::kUnavailable;
}

absl::Status WriteError(absl::string_view path, int error) {
  return absl::Status(WriteErrorCode(error), Text(path, "cannot be written", error));
}

}  // namespace diopi
