#!/usr/bin/python3
"""Checks the SBOM of a release: its form, and that it has every file, checksum and needed library of the packages.

usage: sbom_test.py FOLDER BUILD_FOLDER
"""
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def digest(path, algorithm):
    with open(path, "rb") as file:
        return hashlib.new(algorithm, file.read()).hexdigest()


def check_form(sbom):
    for key, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")):
        check(sbom[key] == value, f"{key} is {sbom[key]}")
    check(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", sbom["documentNamespace"]), sbom["documentNamespace"])
    ids = [element["SPDXID"] for element in sbom["packages"] + sbom["files"]]
    check(len(ids) == len(set(ids)), "an id stands for two elements")
    check(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in ids), "an id has other characters than SPDX allows")
    for relation in sbom["relationships"]:
        for end in (relation["spdxElementId"], relation["relatedSpdxElement"]):
            check(end in ids or end == "SPDXRef-DOCUMENT", f"{end} is not in the document")
    defined = {licence["licenseId"] for licence in sbom["hasExtractedLicensingInfos"]}
    for package in sbom["packages"]:
        licence = package["licenseDeclared"]
        check(licence, f"{package['name']} has no licence")
        used = set(re.findall(r"LicenseRef-[A-Za-z0-9.-]+", licence))
        check(used <= defined, f"{package['name']}: {used - defined} is not defined")
    described = [one for one in sbom["relationships"] if one["relationshipType"] == "DESCRIBES"]
    check(len(described) == 6, f"the document describes {len(described)} packages")


class Machine:
    """The shared libraries of this machine and their Debian packages, as the loader and dpkg know them."""

    def __init__(self, programs):
        found = re.findall(r"^\t(?:\S*/)?(\S+)(?: => | )(/\S+) \(0x", output("ldd", *programs), re.M)
        self.paths = dict(found) | {"ld-linux-x86-64.so.2": "/lib64/ld-linux-x86-64.so.2"}
        names = {name for path in self.paths.values() for name in (path, os.path.realpath(path))}
        self.owners = {path: re.split("[:,]", packages)[0]
                       for packages, path in re.findall(r"^(.*): (/.*)$", output("dpkg-query", "-S", *names), re.M)}
        listed = output("dpkg-query", "-W", "-f", "${Package} ${Version} ${source:Package}\n").splitlines()
        self.versions = {line.split()[0]: line.split()[1:] for line in listed if len(line.split()) == 3}

    def package(self, soname):
        path = self.paths[soname]
        return self.owners.get(path) or self.owners.get(os.path.realpath(path))


def check_package(sbom, path, folder, machine):
    name = os.path.basename(path)
    package = next(one for one in sbom["packages"] if one["name"] == name)
    related = [(one["relationshipType"], one["relatedSpdxElement"]) for one in sbom["relationships"]
               if one["spdxElementId"] == package["SPDXID"]]
    check(package["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest(path, "sha256")}], f"{name}: checksum")

    listed = {one["fileName"]: one for one in sbom["files"] if ("CONTAINS", one["SPDXID"]) in related}
    files = [file for file in glob.glob(f"{folder}/**", recursive=True) if os.path.isfile(file) and not os.path.islink(file)]
    check(sorted(listed) == sorted("./" + os.path.relpath(file, folder) for file in files), f"{name}: other files")
    for file in files:
        sums = {one["algorithm"]: one["checksumValue"] for one in listed["./" + os.path.relpath(file, folder)]["checksums"]}
        check(sums == {"SHA1": digest(file, "sha1"), "SHA256": digest(file, "sha256")}, f"{name}: checksums of {file}")

    depends = {one["name"]: one for one in sbom["packages"] if ("DEPENDS_ON", one["SPDXID"]) in related}
    programs = [file for file in files if "/lib/diopi/" in file and os.access(file, os.R_OK) and
                open(file, "rb").read(4) == b"\x7fELF"]
    sonames = set(re.findall(r"NEEDED +(\S+)", output("objdump", "-p", *programs))) if programs else set()
    for soname in sorted(sonames):
        if soname.startswith("libdiopi"):
            continue
        needed = machine.package(soname)
        check(needed in depends, f"{name} needs {soname}, of {needed}: not in the SBOM")
        if needed in depends:
            version, source = machine.versions[needed]
            check(depends[needed]["versionInfo"] == version, f"{needed}: version {depends[needed]['versionInfo']}")
            check(depends[needed]["sourceInfo"].startswith(f"source package {source} "), depends[needed]["sourceInfo"])
    return len(sonames)


def main():
    folder, build = sys.argv[1:]
    with open(glob.glob(f"{folder}/*.spdx.json")[0], encoding="utf-8") as file:
        sbom = json.load(file)
    check_form(sbom)
    machine = Machine(glob.glob(f"{build}/bin/diopi-*") + glob.glob(f"{build}/lib/libdiopi*.so"))
    count = 0
    for path in glob.glob(f"{folder}/*.deb"):
        with tempfile.TemporaryDirectory() as unpacked:
            subprocess.run(["dpkg-deb", "-x", path, unpacked], check=True)
            count += check_package(sbom, path, unpacked, machine)
    check(count > 60, f"only {count} needed libraries were found")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
