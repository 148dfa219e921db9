"""The extension for VS Code as one file that the editor installs (``./dev vsix``): build/jdbpy-VERSION.vsix.

A package is a zip archive with the extension's directory, a manifest that repeats facts of ``package.json``, and the
types of its files.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from jdbpy.process.openings import options_for

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors/vscode"

_DATE = (2026, 1, 1, 0, 0, 0)
"""The time of all files: the same package comes of the same files."""

_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher} />
    <DisplayName>{display}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Categories>{categories}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine} />
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
"""

_TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json" />
  <Default Extension=".md" ContentType="text/markdown" />
  <Default Extension=".txt" ContentType="text/plain" />
  <Default Extension=".vsixmanifest" ContentType="text/xml" />
</Types>
"""


def attributes(request: str) -> dict[str, Any]:
    """Return what the editor is told of the configurations for a request: ``configurationAttributes``."""
    return {each.key: each.schema() for each in options_for("dap", request)}


def write() -> None:
    """Write them into ``package.json``."""
    path = EXTENSION / "package.json"
    text = path.read_text(encoding="utf-8")
    for request in ("attach", "launch"):
        lines = [f'{" " * 14}"{name}": {_one_line(each)}' for name, each in attributes(request).items()]
        pattern = rf'("{request}": {{\n +(?:"required": .*\n +)?"properties": {{\n).*?(\n {{12}}}})'
        text = re.sub(pattern, lambda found: found[1] + ",\n".join(lines) + found[2], text, flags=re.DOTALL)  # noqa: B023
    path.write_text(text, encoding="utf-8")


def _one_line(schema: dict[str, Any]) -> str:
    return f"{{ {json.dumps(schema)[1:-1]} }}"


def build(directory: Path) -> Path:
    """Write the package into a directory; return its path."""
    facts = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    manifest = _MANIFEST.format(
        name=quoteattr(facts["name"]),
        version=quoteattr(facts["version"]),
        publisher=quoteattr(facts["publisher"]),
        display=facts["displayName"],
        description=facts["description"],
        categories=",".join(facts["categories"]),
        engine=quoteattr(facts["engines"]["vscode"]),
    )
    files = {
        "extension.vsixmanifest": manifest.encode(),
        "[Content_Types].xml": _TYPES.encode(),
        "extension/package.json": (EXTENSION / "package.json").read_bytes(),
        "extension/README.md": (EXTENSION / "README.md").read_bytes(),
        "extension/LICENSE.txt": (ROOT / "LICENSE").read_bytes(),
    }
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{facts['name']}-{facts['version']}.vsix"
    with ZipFile(path, "w", ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(ZipInfo(name, _DATE), content, ZIP_DEFLATED)
    return path


if __name__ == "__main__":
    sys.stdout.write(f"{build(ROOT / 'build')}\n")
