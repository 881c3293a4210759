// Prints a page as PDF with headless Chromium, and embeds a file with qpdf.
#ifndef CLIENT_CLI_PDF_H_
#define CLIENT_CLI_PDF_H_

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::cli {

struct PdfOptions {
  // The program. Empty: $DIOPI_CHROMIUM, else chromium-headless-shell, chromium, chromium-browser or
  // google-chrome on PATH.
  std::string browser = {};
  // A thousand pages take about ten seconds.
  std::chrono::seconds limit = std::chrono::seconds(120);
  // A CSV file to embed under its own name, with qpdf. Empty: none.
  std::string attachment = {};
};

// The browser that PrintPdf would start; InvalidArgument, naming the package, when there is none.
absl::StatusOr<std::string> FindBrowser(const PdfOptions& options);

// Prints a self-contained page into `output`, atomically (output.h). The browser may not fetch anything and
// keeps nothing: its profile is in a temporary folder. It runs without its own sandbox only for root, where
// that sandbox does not work. DeadlineExceeded or Internal, with the program's last output, when it or qpdf
// fails; InvalidArgument when either is missing.
absl::Status PrintPdf(const std::string& html, const std::string& output, const PdfOptions& options);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_PDF_H_
