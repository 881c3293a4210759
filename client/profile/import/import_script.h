// The text of import_profile.py, embedded by the build.
#ifndef CLIENT_PROFILE_IMPORT_IMPORT_SCRIPT_H_
#define CLIENT_PROFILE_IMPORT_IMPORT_SCRIPT_H_

namespace diopi::profile {

extern const char* const kImportScript;

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_IMPORT_IMPORT_SCRIPT_H_
