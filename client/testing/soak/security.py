"""What the server of a soak is closed with: an authority and a certificate that outlive every step of the wall clock, and
tokens."""
import os
import struct
import subprocess

YEARS_BEFORE = 20
DAYS = 40 * 366
YEAR_S = 366 * 86400


class Security:
    """Files in a folder: ca.pem, server.pem, server.key, and NAME.token of each token."""

    def __init__(self, folder, shim):
        self.folder = folder
        self.shim = shim
        os.mkdir(folder, 0o700)
        self.ca = f"{folder}/ca.pem"
        self.certificate, self.key = f"{folder}/server.pem", f"{folder}/server.key"
        with open(f"{folder}/long_ago", "wb") as file:
            file.write(struct.pack("q", -YEARS_BEFORE * YEAR_S))
        with open(f"{folder}/names", "w", encoding="utf-8") as file:
            file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        self.openssl("req", "-x509", "-subj", "/CN=soak authority", *self.new_key("ca.key"), "-days", str(DAYS), "-out", self.ca)
        self.openssl("req", "-subj", "/CN=127.0.0.1", *self.new_key("server.key"), "-out", f"{folder}/server.csr")
        self.renew()

    def new_key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{self.folder}/{name}"]

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       env=dict(os.environ, LD_PRELOAD=self.shim, DIOPI_TEST_WALL_OFFSET=f"{self.folder}/long_ago"))

    def renew(self):
        """A new certificate for the same key, in place at once."""
        new = f"{self.certificate}.new"
        self.openssl("x509", "-req", "-in", f"{self.folder}/server.csr", "-CA", self.ca, "-CAkey", f"{self.folder}/ca.key",
                     "-CAcreateserial", "-days", str(DAYS), "-extfile", f"{self.folder}/names", "-out", new)
        os.replace(new, self.certificate)

    def add_token(self, build, data, name, role):
        done = subprocess.run([f"{build}/bin/diopi-server", "token", "add", "--data", data, "--name", name, "--role", role],
                              check=True, stdout=subprocess.PIPE, text=True)
        with open(os.open(self.token_file(name), os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(done.stdout)

    def token_file(self, name):
        return f"{self.folder}/{name}.token"

    def token(self, name):
        with open(self.token_file(name), encoding="utf-8") as file:
            return file.read().strip()

    def server_flags(self):
        return ["--tls-cert", self.certificate, "--tls-key", self.key]

    def client_flags(self, name):
        return ["--tls-ca", self.ca, "--token-file", self.token_file(name)]
