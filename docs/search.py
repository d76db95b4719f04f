"""What docs/site makes beside the pages of the libraries.

    guides FOLDER   a catalogue of the Markdown documents that people use, as articles
    types FOLDER    takes fields, cases and initializers out of the symbol graphs in the folder
    index SITE      search.json in the site: of each page its address, title, summary and words
"""

import json
import pathlib
import re
import sys

# The name of the page, and the document. A link to one of them leads to its page; of others the words stay.
GUIDES = {
    "Tool": "docs/corebluetooth.md", "Messenger": "docs/blueear.md", "Services": "docs/services.md",
    "Gateway": "docs/gateway.md", "ComingFrom": "docs/coming-from.md", "Neighbours": "docs/neighbours.md",
    "Privacy": "docs/privacy.md", "FlowControl": "docs/flow-control.md", "Packages": "Packaging/README.md",
    "ThreatModel": "THREAT_MODEL.md",
}


def guides(folder):
    folder.mkdir(parents=True)
    names = {pathlib.Path(path).resolve(): name for name, path in GUIDES.items()}
    for name, path in GUIDES.items():
        def link(match):
            words, target = match[1], match[2]
            if "://" in target:
                return match[0]
            page = names.get((pathlib.Path(path).parent / target.split("#")[0]).resolve())
            return f"[{words}](doc:{page})" if page else words
        text = re.sub(r"!?\[([^\]]*)\]\(([^)]*)\)", link, pathlib.Path(path).read_text())
        (folder / f"{name}.md").write_text(text)
    topics = "\n".join(f"- <doc:{name}>" for name in GUIDES)
    (folder / "Guides.md").write_text(
        "# Guides\n\n@Metadata {\n    @TechnologyRoot\n}\n\nThe programs, the packages, and what they keep of whom.\n\n"
        f"## Topics\n\n### Documents\n\n{topics}\n")


def types(folder):
    for file in folder.glob("*.json"):
        graph = json.loads(file.read_text())
        required = {each["source"] for each in graph["relationships"] if each["kind"] == "requirementOf"}
        graph["symbols"] = [
            symbol for symbol in graph["symbols"]
            if symbol["identifier"]["precise"] in required
            or symbol["kind"]["identifier"] not in
            ("swift.enum.case", "swift.property", "swift.type.property", "swift.init")]
        kept = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
        # A link to what has no page is code.
        pages = {part for symbol in graph["symbols"]
                 for part in ("/".join(symbol["pathComponents"]), symbol["pathComponents"][-1])}
        for symbol in graph["symbols"]:
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = re.sub(r"``([^`]+)``", lambda match: match[0] if match[1] in pages else f"`{match[1]}`",
                                      line["text"])
        graph["relationships"] = [each for each in graph["relationships"] if each["source"] in kept]
        file.write_text(json.dumps(graph))


def words(node):
    """The texts in a part of a page."""
    if isinstance(node, list):
        return " ".join(map(words, node))
    if not isinstance(node, dict):
        return ""
    own = [node[key] if isinstance(node[key], str) else " ".join(node[key])
           for key in ("text", "code") if isinstance(node.get(key), (str, list))]
    return " ".join(own + [words(value) for key, value in node.items() if key != "declarations"])


def index(site):
    pages = []
    for file in sorted((site / "data").rglob("*.json")):
        page = json.loads(file.read_text())
        title = page.get("metadata", {}).get("title", "").replace("`", "")
        if not title:
            continue
        path = file.relative_to(site / "data").with_suffix("").as_posix()
        summary = "".join(part.get("text") or part.get("code") or "" for part in page.get("abstract", []))
        text = words([page.get("abstract"), page.get("primaryContentSections"), page.get("sections")])
        # An article before a symbol.
        rank = 1 if page["metadata"].get("role") == "symbol" else 0
        tokens = sorted(set(re.findall(r"\w{2,}", text.lower())))
        pages.append([path + "/", title, summary[:160], rank, " ".join(tokens)])
    found = {page[0] for page in pages}
    missing = [name for name in GUIDES if f"documentation/guides/{name.lower()}/" not in found]
    if missing:
        sys.exit(f"the search lacks {missing}")
    (site / "search.json").write_text(json.dumps(pages, ensure_ascii=False, separators=(",", ":")))


{"guides": guides, "types": types, "index": index}[sys.argv[1]](pathlib.Path(sys.argv[2]))
