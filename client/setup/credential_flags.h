// The flags of every command that connects to a server.
#ifndef CLIENT_SETUP_CREDENTIAL_FLAGS_H_
#define CLIENT_SETUP_CREDENTIAL_FLAGS_H_

#include <CLI/CLI.hpp>

#include "client/rpc/credentials.h"

namespace diopi::agent {

// Adds --tls-ca --tls-cert --tls-key --token-file --insecure, under their own heading. Refuses --token VALUE,
// because everybody on the machine can see it. `files` must outlive the app.
void AddCredentialFlags(CLI::App* app, rpc::CredentialFiles* files);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_CREDENTIAL_FLAGS_H_
