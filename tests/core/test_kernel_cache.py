"""Compiled kernels do not outlive the sources that they were made from."""

from pathlib import Path

from trireme.core.kernel_cache import forget_stale_kernels


def test_compiled_files_stay_until_a_source_changes(tmp_path: Path) -> None:
    sources = [tmp_path / "a_kernels.py", tmp_path / "layout.py"]
    for source in sources:
        source.write_text("X = 1\n")
    assert forget_stale_kernels(sources)
    compiled = tmp_path / "__pycache__" / "a_kernels.f-1.py311.1.nbc"
    compiled.write_bytes(b"machine code")
    assert not forget_stale_kernels(sources)
    assert compiled.exists()
    sources[1].write_text("X = 2\n")
    assert forget_stale_kernels(reversed(sources))
    assert not compiled.exists()
    assert not forget_stale_kernels(sources)


def test_other_files_of_the_cache_are_left_alone(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text("")
    (tmp_path / "__pycache__").mkdir()
    kept = tmp_path / "__pycache__" / "kernels.cpython-311.pyc"
    kept.write_bytes(b"bytecode")
    forget_stale_kernels([source])
    assert kept.exists()


def test_a_source_in_another_folder_counts_too(tmp_path: Path) -> None:
    other, own = tmp_path / "a" / "kernels.py", tmp_path / "b" / "kernels.py"
    for source in (other, own):
        source.parent.mkdir()
        source.write_text("X = 1\n")
    forget_stale_kernels([other, own], folder=own.parent)
    compiled = own.parent / "__pycache__" / "kernels.f-1.py311.1.nbi"
    compiled.write_bytes(b"index")
    assert not forget_stale_kernels([other, own], folder=own.parent)
    other.write_text("X = 2\n")
    assert forget_stale_kernels([other, own], folder=own.parent)
    assert not compiled.exists()
    assert not (other.parent / "__pycache__").exists()
