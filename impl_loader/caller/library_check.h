// Runs the checks of a library as a whole (cases/core/library_checks.h) in the process that has loaded it:
// its names, its errors, its streams, its native memory formats, the dropout of its attention.
#ifndef IMPL_LOADER_CALLER_LIBRARY_CHECK_H_
#define IMPL_LOADER_CALLER_LIBRARY_CHECK_H_

#include <string>

#include "diopi/v1/worker.pb.h"
#include "impl_loader/caller/vendor_library.h"

namespace diopi::loader {

using LibraryCheck = v1::WorkerReply::LibraryCheck;

// Runs the check with that label. PASS, FAIL, ERROR (a call failed), NOT_IMPLEMENTED or SKIPPED (the library
// lacks what is checked), HARNESS_ERROR for an unknown label; always with a reason, except for PASS.
LibraryCheck RunLibraryCheck(const std::string& label, VendorLibrary* vendor);

// Each runs one check.
LibraryCheck CheckVendorName(VendorLibrary* vendor);
LibraryCheck CheckImplVersion(VendorLibrary* vendor);
LibraryCheck CheckLastError(VendorLibrary* vendor);
LibraryCheck CheckStreamChain(VendorLibrary* vendor);
LibraryCheck CheckInterleavedStreams(VendorLibrary* vendor);
LibraryCheck CheckStreamThreads(VendorLibrary* vendor);
LibraryCheck CheckNativeFormat(VendorLibrary* vendor);
LibraryCheck CheckNativeFormatCast(VendorLibrary* vendor);
LibraryCheck CheckDestructionHook(VendorLibrary* vendor);
LibraryCheck CheckAttentionDropout(VendorLibrary* vendor);

LibraryCheck Checked(v1::Outcome outcome, const std::string& reason);
// Adds the library's last-error string, if it has one, to an error; returns other checks unchanged.
LibraryCheck WithLastError(LibraryCheck check, VendorLibrary* vendor);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_LIBRARY_CHECK_H_
