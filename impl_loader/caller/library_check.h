// The checks of a library as a whole (cases/core/library_checks.h), in the process that has loaded it: its
// names, its errors, its streams, its native memory formats.
#ifndef IMPL_LOADER_CALLER_LIBRARY_CHECK_H_
#define IMPL_LOADER_CALLER_LIBRARY_CHECK_H_

#include <string>

#include "diopi/v1/worker.pb.h"
#include "impl_loader/caller/vendor_library.h"

namespace diopi::loader {

using LibraryCheck = v1::WorkerReply::LibraryCheck;

// Makes the check of that label. PASS, FAIL, ERROR (a call failed), NOT_IMPLEMENTED or SKIPPED (the library
// lacks what is looked at), HARNESS_ERROR for a label that nobody knows; always with a reason, but for PASS.
LibraryCheck RunLibraryCheck(const std::string& label, VendorLibrary* vendor);

// Its parts, by what they look at.
LibraryCheck CheckVendorName(VendorLibrary* vendor);
LibraryCheck CheckImplVersion(VendorLibrary* vendor);
LibraryCheck CheckLastError(VendorLibrary* vendor);
LibraryCheck CheckStreamChain(VendorLibrary* vendor);
LibraryCheck CheckInterleavedStreams(VendorLibrary* vendor);
LibraryCheck CheckStreamThreads(VendorLibrary* vendor);
LibraryCheck CheckNativeFormat(VendorLibrary* vendor);
LibraryCheck CheckNativeFormatCast(VendorLibrary* vendor);
LibraryCheck CheckDestructionHook(VendorLibrary* vendor);

LibraryCheck Checked(v1::Outcome outcome, const std::string& reason);
// An error with what the library says of it, where it says something; others as they are.
LibraryCheck WithLastError(LibraryCheck check, VendorLibrary* vendor);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_LIBRARY_CHECK_H_
