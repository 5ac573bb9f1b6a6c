"""Writes a container image as an OCI archive: image.py WORK VERSION COMMIT ARCHIVE.

WORK has base.tar (Debian's libraries), java (a runtime) and tree (the unpacked Debian package).
"""
import datetime, gzip, hashlib, io, json, os, pathlib, sys, tarfile

work, version, commit, archive = sys.argv[1:]
work = pathlib.Path(work)
epoch = int(os.environ["SOURCE_DATE_EPOCH"])
ACCOUNT = 10001
FILES = {
    "etc/passwd": f"root:x:0:0::/root:/bin/sh\nkeyline:x:{ACCOUNT}:{ACCOUNT}::/var/lib/keyline:/usr/sbin/nologin\n",
    "etc/group": f"root:x:0:\nkeyline:x:{ACCOUNT}:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}


def entry(name, mode, size=0, owner=0, type=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.mode, info.size, info.uid, info.gid, info.type, info.mtime = mode, size, owner, owner, type, epoch
    return info


def layer(write):
    """Returns the digest of a layer and its packed bytes."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as tar:
        write(tar)
    return packed(plain.getvalue())


def packed(plain):
    return hashlib.sha256(plain).hexdigest(), gzip.compress(plain, 6, mtime=0)


def add(tar, source, name):
    """Adds a file or all below a directory; who may execute a file is all that its mode keeps."""
    if source.is_symlink():
        info = entry(name, 0o777, type=tarfile.SYMTYPE)
        info.linkname = os.readlink(source)
        tar.addfile(info)
    elif source.is_dir():
        tar.addfile(entry(name, 0o755, type=tarfile.DIRTYPE))
        for child in sorted(source.iterdir()):
            add(tar, child, f"{name}/{child.name}")
    else:
        data = source.read_bytes()
        tar.addfile(entry(name, 0o755 if source.stat().st_mode & 0o100 else 0o644, len(data)), io.BytesIO(data))


def keyline(tar):
    for name, text in FILES.items():
        tar.addfile(entry(name, 0o644, len(text)), io.BytesIO(text.encode()))
    for name in ("usr/bin/keyline", "usr/share/keyline", "usr/share/doc/keyline/copyright"):
        add(tar, work / "tree" / name, name)
    tar.addfile(entry("var/lib/keyline", 0o700, owner=ACCOUNT, type=tarfile.DIRTYPE))


layers = [packed((work / "base.tar").read_bytes()), layer(lambda tar: add(tar, work / "java", "opt/java")), layer(keyline)]
created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
labels = {
    "org.opencontainers.image.title": "keyline",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": commit,
    "org.opencontainers.image.licenses": "Apache-2.0",
}
config = {
    "created": created,
    "architecture": "amd64",
    "os": "linux",
    "config": {
        "User": f"{ACCOUNT}:{ACCOUNT}",
        # The heap is half of the container's memory; the embedded engine and buffers have the rest.
        "Env": [
            "PATH=/opt/java/bin:/usr/bin:/bin",
            "LANG=C.UTF-8",
            "KEYLINE_ARCHIVES=/var/lib/keyline",
            "KEYLINE_JAVA_OPTS=-XX:MaxRAMPercentage=50",
        ],
        "Entrypoint": ["/usr/bin/keyline"],
        "Cmd": ["serve", "--listen", "0.0.0.0:9030", "--http", "0.0.0.0:9031", "--store", "duckdb:/var/lib/keyline/keyline.duckdb"],
        "WorkingDir": "/var/lib/keyline",
        "Volumes": {"/var/lib/keyline": {}},
        "ExposedPorts": {"9030/tcp": {}, "9031/tcp": {}},
        "Labels": labels,
        "StopSignal": "SIGTERM",
    },
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{plain}" for plain, _ in layers]},
    "history": [{"created": created, "created_by": by} for by in ("Debian", "jlink", "keyline")],
}

blobs = {}


def blob(kind, data):
    digest = hashlib.sha256(data).hexdigest()
    blobs[f"blobs/sha256/{digest}"] = data
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}


def text(value):
    return json.dumps(value, sort_keys=True).encode()


manifest = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": blob("config.v1+json", text(config)),
    "layers": [blob("layer.v1.tar+gzip", data) for _, data in layers],
    "annotations": labels,
}
index = {
    "schemaVersion": 2,
    "manifests": [
        blob("manifest.v1+json", text(manifest))
        | {"annotations": {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"docker.io/library/keyline:{version}"}}
    ],
}
with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
    for name, data in [("oci-layout", text({"imageLayoutVersion": "1.0.0"})), ("index.json", text(index)), *sorted(blobs.items())]:
        tar.addfile(entry(name, 0o644, len(data)), io.BytesIO(data))
