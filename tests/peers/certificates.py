"""Certificates of a private authority, valid for an hour."""

import subprocess


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr}")


class Authority:
    """Signs certificates; clients trust `root`."""

    def __init__(self, folder, name):
        self.folder = folder / name
        self.folder.mkdir(mode=0o755)
        self.root = self.folder / "root.pem"
        self.key = self.folder / "root.key"
        openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.root,
        )

    def issue(self, host):
        """A certificate of this host and its key: the paths of both, readable by all."""
        number = len(list(self.folder.iterdir()))
        certificate, key = self.folder / f"{number}.pem", self.folder / f"{number}.key"
        request, names = self.folder / f"{number}.csr", self.folder / f"{number}.ext"
        names.write_text(f"subjectAltName=DNS:{host}\nbasicConstraints=CA:FALSE\n")
        openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={host}",
            "-keyout", key, "-out", request,
        )
        openssl(
            "x509", "-req", "-in", request, "-CA", self.root, "-CAkey", self.key, "-CAcreateserial", "-days", "1",
            "-extfile", names, "-out", certificate,
        )
        key.chmod(0o644)
        return certificate, key
