// The text of repro_runtime.c, embedded by the build: a host of its own beside impl_loader/runtime, because
// vendors compile it with the public headers alone.
#ifndef CLIENT_CLI_REPRO_RUNTIME_H_
#define CLIENT_CLI_REPRO_RUNTIME_H_

namespace diopi::cli {

extern const char* const kReproRuntime;

}  // namespace diopi::cli

#endif  // CLIENT_CLI_REPRO_RUNTIME_H_
