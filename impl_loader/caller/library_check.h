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
// lacks what is checked), HARNESS_ERROR for an unknown label; always with a finding, except for PASS.
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

LibraryCheck Passing();
inline bool Passed(const LibraryCheck& check) {
  return check.outcome() == v1::OUTCOME_PASS;
}
LibraryCheck Checked(v1::Outcome outcome, v1::Finding found);
// A failure that no other code covers. `word` tells each such sentence of the checks from the others.
LibraryCheck Wrong(const std::string& word, const std::string& said);
// An error in a step that is no call of a function under test.
LibraryCheck StepFailed(const std::string& step, int32_t code);
LibraryCheck SyncFailed(const std::string& function, int32_t code);
LibraryCheck NoMemory();
// Where in the check something was found; nothing where it passed. `word` as above.
LibraryCheck In(const std::string& word, const std::string& where, LibraryCheck check);
// Adds the library's last-error string, if it has one, to an error; returns other checks unchanged.
LibraryCheck WithLastError(LibraryCheck check, VendorLibrary* vendor);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_LIBRARY_CHECK_H_
