// Browser and qpdf work in a temporary folder, and the output is replaced only by a file that begins as a PDF
// does: a browser may exit with 0 without having made one. The page is self-contained, so the browser
// resolves no host names.
#include "client/cli/pdf.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/process.h"
#include "cases/base/status_macros.h"
#include "cases/base/temporary_folder.h"
#include "client/cli/output.h"

namespace diopi::cli {
namespace {

namespace fs = std::filesystem;

// The browser without a window first: it starts faster.
constexpr const char* kBrowsers[] = {"chromium-headless-shell", "chromium", "chromium-browser",
                                     "google-chrome"};

std::string OnPath(const char* name) {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    std::string file = absl::StrCat(folder, "/", name);
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The last output of a program that failed; browsers print much.
std::string LastWords(const std::string& log) {
  constexpr size_t kLines = 3;
  std::vector<std::string> lines = absl::StrSplit(ReadAll(log), '\n', absl::SkipWhitespace());
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return lines.empty() ? "" : absl::StrCat(": ", absl::StrJoin(lines, "; "));
}

std::vector<std::string> BrowserCommand(const std::string& browser, const TemporaryFolder& scratch,
                                        const std::string& pdf) {
  std::vector<std::string> command = {
      browser,
      "--headless",
      "--disable-gpu",
      "--no-first-run",
      "--disable-extensions",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-dev-shm-usage",  // a container has only 64 MB of it
      "--host-resolver-rules=MAP * ~NOTFOUND",
      absl::StrCat("--user-data-dir=", scratch / "profile"),
      "--no-pdf-header-footer",
      "--generate-pdf-document-outline",  // bookmarks; Chromium before 122 ignores it
      absl::StrCat("--print-to-pdf=", pdf),
  };
  if (geteuid() == 0) command.emplace_back("--no-sandbox");
  command.push_back(absl::StrCat("file://", scratch / "page.html"));
  return command;
}

// Runs a program that makes `pdf`. A browser may exit with 0 without having made anything.
absl::Status Make(const std::string& pdf, std::vector<std::string> command, const TemporaryFolder& scratch,
                  std::chrono::seconds limit) {
  const std::string program = command.front();
  const std::string log = scratch / "log";
  const Descriptor out(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (out.get() < 0) return absl::PermissionDeniedError(absl::StrCat(log, ": cannot be written"));
  ProcessOptions options;
  options.command = std::move(command);
  options.descriptors = {{out.get(), STDOUT_FILENO}, {out.get(), STDERR_FILENO}};
  ASSIGN_OR_RETURN(Process process, Process::Start(options));
  const std::optional<ExitStatus> ended = process.WaitFor(limit);
  if (!ended.has_value()) {
    return absl::DeadlineExceededError(
        absl::StrCat(program, " made no PDF within ", limit.count(), " s", LastWords(log)));
  }
  if (ended->code != 0 || ended->signal != 0 || !absl::StartsWith(ReadAll(pdf), "%PDF-")) {
    return absl::InternalError(absl::StrCat(program, " made no PDF, ", ended->Text(), LastWords(log)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> FindQpdf() {
  std::string path = OnPath("qpdf");
  if (!path.empty()) return path;
  return absl::FailedPreconditionError(
      "qpdf, which embeds the list of failures in the PDF, is not on PATH: install Debian's package qpdf, or "
      "write --format html, which has the list in a file of its own");
}

}  // namespace

absl::StatusOr<std::string> FindBrowser(const PdfOptions& options) {
  const char* variable = std::getenv("DIOPI_CHROMIUM");
  std::string given =
      !options.browser.empty() ? options.browser : std::string(variable == nullptr ? "" : variable);
  if (!given.empty()) {
    if (access(given.c_str(), X_OK) == 0) return given;
    return absl::InvalidArgumentError(absl::StrCat(
        "$DIOPI_CHROMIUM is ", given,
        ", which is not a program; PDF needs Debian's package chromium-headless-shell or chromium"));
  }
  for (const char* name : kBrowsers) {
    std::string path = OnPath(name);
    if (!path.empty()) return path;
  }
  return absl::FailedPreconditionError(
      "Chromium, which prints PDF, is not on PATH: install Debian's packages chromium-headless-shell and "
      "fonts-dejavu-core (apt-get install --no-install-recommends chromium-headless-shell "
      "fonts-dejavu-core), "
      "name it in $DIOPI_CHROMIUM, or write --format html and print that page");
}

absl::Status PrintPdf(const std::string& html, const std::string& output, const PdfOptions& options) {
  ASSIGN_OR_RETURN(const std::string browser, FindBrowser(options));
  const bool attaches = !options.attachment.empty();
  ASSIGN_OR_RETURN(const std::string qpdf, attaches ? FindQpdf() : "");
  ASSIGN_OR_RETURN(const TemporaryFolder scratch, TemporaryFolder::Make());
  absl::Status status = WriteOutput(html, scratch / "page.html");
  if (!status.ok()) return status;
  const std::string printed = scratch / "page.pdf", whole = scratch / "whole.pdf";
  status = Make(printed, BrowserCommand(browser, scratch, printed), scratch, options.limit);
  if (status.ok() && attaches) {
    status = Make(whole,
                  {qpdf, "--warning-exit-0", printed, "--add-attachment", options.attachment,
                   "--mimetype=text/csv", "--", whole},
                  scratch, options.limit);
  }
  if (!status.ok()) return status;
  return WriteOutput(ReadAll(attaches ? whole : printed), output);
}

}  // namespace diopi::cli
