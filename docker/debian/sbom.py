#!/usr/bin/python3
"""Writes the SBOM of a release, SPDX 2.3 in JSON, to standard output: every file of the Debian packages and the bundle with
its checksums, the Debian packages of the libraries that our files link to (the bundle contains copies of them), and what was
compiled in: Debian's -dev packages and the npm packages of the dashboards' page.

Versions are those of the machine that built the release, licences those of Debian's copyright files.

usage: sbom.py FOLDER VERSION COMMIT
"""
import datetime
import functools
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Debian's short names of licences that SPDX calls otherwise (https://spdx.org/licenses).
SPDX_NAMES = {"Apache-2.0": "Apache-2.0", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause",
              "BSD-3-Clause~Google": "BSD-3-Clause", "BSL-1.0": "BSL-1.0", "Expat": "MIT", "GPL-3+": "GPL-3.0-or-later",
              "LGPL-2.1": "LGPL-2.1-only", "Zlib": "Zlib"}
TESTS_ONLY = ("libgtest-dev", "libgmock-dev", "libbenchmark-dev")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def identifier(*parts):
    """An SPDX id: letters, digits, dots and dashes."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(parts))


def needed(path):
    """The sonames that a file needs; none if it is not ELF."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
    return re.findall(r"^  NEEDED +(\S+)$", output("objdump", "-p", path), re.M)


@functools.lru_cache(maxsize=None)
def installed():
    """{package: (version, source package, its version)} of this machine's Debian packages."""
    lines = output("dpkg-query", "-W", "-f", "${db:Status-Status}\t${Package}\t${Version}\t${source:Package}\t"
                   "${source:Version}\n").splitlines()
    return {fields[1]: fields[2:] for fields in (line.split("\t") for line in lines) if fields[0] == "installed"}


class Libraries:
    """Knows which Debian package has a shared library of this machine, by soname."""

    def __init__(self):
        lines = re.findall(r"^\t(\S+) \(libc6,x86-64[^)]*\) => (\S+)$", output("/sbin/ldconfig", "-p"), re.M)
        self.paths = dict(reversed(lines))  # of several, the first is the one that is loaded
        self.owners = {}

    def look_up(self, sonames):
        """Asks dpkg once, which takes longer than all the rest."""
        paths = [self.paths[soname] for soname in sonames if soname in self.paths]
        names = {name for path in paths for name in (path, os.path.realpath(path))}  # dpkg knows one of the names
        for package, name in re.findall(r"^([^:\s]+)(?::\S+)?: (\S+)$", output("dpkg-query", "-S", *names), re.M):
            self.owners[name] = package

    def package(self, soname):
        path = self.paths.get(soname, "")
        return self.owners.get(path) or self.owners.get(os.path.realpath(path))


class Document:
    """The SPDX document while it grows; elements are added once, by their id."""

    def __init__(self, version, commit):
        self.version = version
        self.packages, self.files, self.licences, self.relations = {}, {}, {}, {}
        self.root = self.add("diopi-conformance", version, "Apache-2.0",
                             **({"sourceInfo": f"git commit {commit}"} if commit else {}))
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", self.root)

    def add(self, name, version, licence, kind="", **more):
        ref = identifier(*[part for part in (kind, name) if part])
        self.packages.setdefault(ref, {
            "SPDXID": ref, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more})
        return ref

    def relate(self, one, kind, other):
        self.relations[one, kind, other] = {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}

    def licence(self, package):
        """The main licence of a Debian package: the paragraph `Files: *` of its copyright file, or else the file's text."""
        path = f"/usr/share/doc/{package}/copyright"
        if not os.path.exists(path):
            return "NOASSERTION"
        text = read(path)
        main = re.search(r"^Files: *\*.*?^License: *(\S[^\n]*)", text, re.M | re.S)
        words = [SPDX_NAMES.get(word) for word in re.split(r" (?:and|or) ", main[1])] if main else [None]
        if all(words):
            return (" OR " if " or " in main[1] else " AND ").join(words)
        ref = "LicenseRef-Debian-" + re.sub(r"[^A-Za-z0-9.-]", "-", package)
        self.licences[ref] = {"licenseId": ref, "name": main[1] if main else f"copyright file of Debian's package {package}",
                              "extractedText": text}
        return ref

    def debian(self, package):
        version, source, source_version = installed()[package]
        quoted = version.replace("+", "%2B").replace(":", "%3A")
        return self.add(package, version, self.licence(package), "Debian", sourceInfo=f"source package {source} {source_version}",
                        supplier="Organization: Debian",
                        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                       "referenceLocator": f"pkg:deb/debian/{package.replace('+', '%2B')}@{quoted}"
                                                           "?arch=amd64&distro=bookworm"}])

    def artefact(self, path, folder):
        """A package or the bundle, unpacked in the folder. Returns its id and the sonames that it needs and lacks."""
        name = os.path.basename(path)
        sums, wanted, own = [], set(), set()
        ref = identifier("File", name)
        for file in sorted(glob.glob(f"{folder}/**", recursive=True)):
            if os.path.islink(file) or not os.path.isfile(file):
                continue
            with open(file, "rb") as opened:
                content = opened.read()
            sums.append(hashlib.sha1(content).hexdigest())
            wanted.update(needed(file))
            own.add(os.path.basename(file))
            inside = "./" + os.path.relpath(file, folder)
            spdx = identifier(name, inside[2:].replace("_", "-u-"))
            assert spdx not in self.files, spdx
            self.files[spdx] = {
                "SPDXID": spdx, "fileName": inside, "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
                "checksums": [{"algorithm": "SHA1", "checksumValue": sums[-1]},
                              {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}]}
            self.relate(ref, "CONTAINS", spdx)
        with open(path, "rb") as opened:
            whole = hashlib.sha256(opened.read()).hexdigest()
        self.add(name, self.version, "Apache-2.0", "File", packageFileName=name, filesAnalyzed=True,
                 packageVerificationCode={"packageVerificationCodeValue":
                                          hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()},
                 licenseInfoFromFiles=["NOASSERTION"], checksums=[{"algorithm": "SHA256", "checksumValue": whole}])
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", ref)
        self.relate(ref, "GENERATED_FROM", self.root)
        return ref, sorted(wanted - own)

    def depend(self, ref, sonames, libraries):
        for soname in sonames:
            package = libraries.package(soname)
            if package:
                self.relate(ref, "DEPENDS_ON", self.debian(package))
            elif not soname.startswith("libdiopi"):  # NVIDIA's, which come with a machine's driver or toolkit
                self.relate(ref, "DEPENDS_ON", self.add(soname, "NOASSERTION", "NOASSERTION", "Library"))

    def compiled_in(self):
        for name in re.findall(r"^\S+-dev$", read(f"{ROOT}/docker/packages.txt"), re.M):
            if name in installed() and name not in TESTS_ONLY:
                self.relate(self.debian(name), "BUILD_DEPENDENCY_OF", self.root)
        for path, package in json.loads(read(f"{ROOT}/reports/web/package-lock.json"))["packages"].items():
            name = path.removeprefix("node_modules/")
            if name and not package.get("dev"):
                purl = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
                self.relate(self.add(name, package["version"], package["license"], "npm", externalRefs=[
                    {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]),
                    "BUILD_DEPENDENCY_OF", self.root)

    def json(self):
        made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        whole = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                 "name": f"diopi-conformance-{self.version}",
                 "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: sbom.py"]},
                 "packages": list(self.packages.values()), "files": list(self.files.values()),
                 "hasExtractedLicensingInfos": list(self.licences.values()), "relationships": list(self.relations.values())}
        # A name of its own for every content.
        content = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
        return whole | {"documentNamespace": uuid.uuid5(uuid.NAMESPACE_OID, content).urn}


def main():
    release, version, commit = sys.argv[1:]
    document = Document(version, commit)
    wanted, copied, ours = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(f"{release}/*.deb")):
            unpacked = f"{folder}/{os.path.basename(path)}"
            subprocess.run(["dpkg-deb", "-x", path, unpacked], check=True)
            ref, wanted[ref] = document.artefact(path, unpacked)
            ours[os.path.basename(path).partition("_")[0]] = ref
        for path in glob.glob(f"{release}/*.tar.zst"):
            subprocess.run(["tar", "--zstd", "-xf", path, "-C", folder], check=True)
            ref, wanted[ref] = document.artefact(path, f"{folder}/diopi")
            copied[ref] = sorted(os.listdir(f"{folder}/diopi/share/licenses"))
    libraries = Libraries()
    libraries.look_up(sorted(set().union(*wanted.values())))
    for ref, sonames in wanted.items():
        document.depend(ref, sonames, libraries)
    for ref, packages in copied.items():
        for package in packages:
            document.relate(ref, "CONTAINS", document.debian(package))
    for name, ref in ours.items():
        if name != "diopi-common":
            document.relate(ref, "DEPENDS_ON", ours["diopi-common"])
    document.compiled_in()
    json.dump(document.json(), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
