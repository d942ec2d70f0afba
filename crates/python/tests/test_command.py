"""Tests the command that the wheel installs."""

import os
import shutil
import signal
import socket
import subprocess

import pytest

import gleaner

GLEANER = shutil.which("gleaner")


def run(*arguments, **options):
    return subprocess.run([GLEANER, *arguments], capture_output=True, text=True, **options)


def test_version_and_help():
    version = run("--version")
    assert (version.returncode, version.stdout) == (0, f"gleaner {gleaner.__version__}\n")
    assert "Usage: gleaner extract" in run("extract", "--help").stdout


def test_exit_codes(page, tmp_path):
    (tmp_path / "page.html").write_text(page)
    (tmp_path / "empty.html").write_text("")
    found = run("extract", "page.html", cwd=tmp_path)
    assert found.returncode == 0 and "number 70" in found.stdout
    failed = run("extract", "empty.html", cwd=tmp_path)
    assert (failed.returncode, failed.stdout, failed.stderr) == (1, "", "gleaner: empty.html is empty\n")
    assert run("extract", "absent.html", cwd=tmp_path).returncode == 2
    assert run("nonsense").returncode == 2


def test_a_closed_pipe_is_no_error(page, tmp_path):
    """The reader of standard output closes the pipe at once."""
    for number in range(400):
        (tmp_path / f"{number}.html").write_text(page)
    program = subprocess.Popen(
        [GLEANER, "extract", ".", "--format", "jsonl"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.close()
    errors = program.stderr.read()
    program.stderr.close()
    assert (program.wait(), errors) == (0, b"")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_is_the_programs(tmp_path):
    """A crawl waits for a site that accepts connections but never responds. SIGINT stops it with exit code 130."""
    with socket.create_server(("127.0.0.1", 0)) as site:
        port = site.getsockname()[1]
        settings = ["--set", "fetch.contact=a@b.example", "--set", 'fetch.allow_addresses=["127.0.0.0/8"]']
        program = subprocess.Popen(
            [GLEANER, "crawl", f"http://127.0.0.1:{port}/", "--data", "data", *settings],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        connection, _ = site.accept()
        program.send_signal(signal.SIGINT)
        # The request in flight is finished first.
        connection.close()
        site.close()
        output, errors = program.communicate()
    assert program.returncode == 130, (output, errors)
    assert "KeyboardInterrupt" not in errors and "Traceback" not in errors
