#include "client/setup/credential_flags.h"

#include <string>

#include "client/command_line/options.h"

namespace diopi::agent {

void AddCredentialFlags(CLI::App* app, rpc::CredentialFiles* files) {
  Heading(kSecurityHeading, app);
  app->add_option("--tls-ca", files->tls_ca,
                  "Certificate of the authority that signed the server's, PEM (default: $DIOPI_TLS_CA)");
  app->add_option("--tls-cert", files->tls_cert,
                  "Client certificate for mutual TLS, PEM (default: $DIOPI_TLS_CERT)");
  app->add_option("--tls-key", files->tls_key,
                  "Private key of the client certificate, PEM (default: $DIOPI_TLS_KEY)");
  app->add_option("--token-file", files->token_file,
                  "File with the token (default: the token in $DIOPI_TOKEN)");
  app->add_flag("--insecure", files->insecure, "Connect to another machine without encryption");
  app->add_option_function<std::string>("--token",
                                        [](const std::string&) {
                                          throw CLI::ValidationError(
                                              "--token",
                                              "every user of this machine can see a token on the command "
                                              "line; use --token-file FILE or $DIOPI_TOKEN");
                                        })
      ->group("");
}

}  // namespace diopi::agent
