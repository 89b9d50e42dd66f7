"""Packs the tests for a board: pack.py ARCHIVE NAME --strip PROGRAM --data FOLDER --files FILE... --programs FILE...

The same input gives the same bytes: names are sorted; times, owners and modes are fixed.
"""

import argparse
import gzip
import pathlib
import subprocess
import tarfile
import tempfile

TIME = 946684800  # 2000-01-01: tar programs complain of 1970


def entry(name, size=None, is_program=False):
    info = tarfile.TarInfo(name)
    info.type = tarfile.DIRTYPE if size is None else tarfile.REGTYPE
    info.size = size or 0
    info.mode = 0o755 if size is None or is_program else 0o644
    info.mtime = TIME
    return info


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("archive", "name"):
        parser.add_argument(name)
    for name in ("strip", "data"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("files", "programs"):
        parser.add_argument(f"--{name}", nargs="+", type=pathlib.Path, required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        content = {path.name: path for path in arguments.files}
        for program in arguments.programs:
            stripped = pathlib.Path(scratch) / program.name
            subprocess.run([arguments.strip, "-o", stripped, program], check=True)
            content[f"bin/{program.name}"] = stripped
        data = pathlib.Path(arguments.data)
        content |= {f"data/{p.relative_to(data).as_posix()}": p for p in data.rglob("*") if p.is_file() and p.suffix != ".stamp"}
        folders = {parent.as_posix() for name in content for parent in pathlib.PurePosixPath(name).parents}

        with open(arguments.archive, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=TIME) as compressed:
            with tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
                for name in sorted({*folders, *content}):
                    path = (pathlib.PurePosixPath(arguments.name) / name).as_posix()
                    if name in folders:
                        archive.addfile(entry(path))
                    else:
                        is_program = name.startswith("bin/") or name.endswith(".sh")
                        with open(content[name], "rb") as source:
                            archive.addfile(entry(path, content[name].stat().st_size, is_program), source)


if __name__ == "__main__":
    main()
