#include "client/setup/credential_flags.h"

#include <string>

#include "client/command_line/command_line.h"

namespace diopi::agent {

void AddCredentialFlags(CLI::App* app, rpc::CredentialFiles* files) {
  app->add_option("--tls-ca", files->tls_ca,
                  "Who signs the server's certificate, PEM (default: $DIOPI_TLS_CA)");
  app->add_option("--tls-cert", files->tls_cert,
                  "Our certificate, for mutual TLS (default: $DIOPI_TLS_CERT)");
  app->add_option("--tls-key", files->tls_key, "Its private key (default: $DIOPI_TLS_KEY)");
  app->add_option("--token-file", files->token_file,
                  "File with the token (default: the token in $DIOPI_TOKEN)");
  app->add_flag("--insecure", files->insecure, "Speak to another machine without encryption");
  app->add_option_function<std::string>(
         "--token",
         [](const std::string&) {
           throw CLI::ValidationError("--token",
                                      "a token on the command line is seen by everybody on the machine; "
                                      "use --token-file FILE or $DIOPI_TOKEN");
         })
      ->group("");
  GroupOptions("Security", {"--tls-ca", "--tls-cert", "--tls-key", "--token-file", "--insecure"}, app);
}

}  // namespace diopi::agent
