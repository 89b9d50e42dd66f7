"""Reads what the documents claim: fenced blocks, tables, links, names in backticks."""

import re
from dataclasses import dataclass


@dataclass
class Block:
    language: str
    text: str
    line: int
    output: str | None = None  # a `text` block right behind it


def blocks(document):
    """Fenced blocks in their order."""
    result = []
    pattern = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    end = 0
    for match in pattern.finditer(document):
        if match[1] == "text" and result and not document[end : match.start()].strip():
            result[-1].output = match[2]
        else:
            result.append(Block(match[1], match[2], document[: match.start()].count("\n") + 1))
        end = match.end()
    return result


def prose(document):
    """The document without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", document, flags=re.MULTILINE | re.DOTALL)


def links(document):
    return re.findall(r"\]\(([^)\s]+)\)", prose(document))


def names(document):
    """What stands in backticks."""
    return re.findall(r"`([^`\n]+)`", prose(document))


def anchors(document):
    """GitHub's anchors of the headings."""
    headings = re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tables(document):
    """Tables as lists of rows of cells, without the line below the header."""
    result = []
    for match in re.finditer(r"(?:^\|.*\|\n)+", prose(document), re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in match[0].splitlines()]
        result.append([row for row in rows if not all(re.fullmatch(":?-+:?", cell) for cell in row)])
    return result


def section(document, name):
    """What stands between <!-- name:begin --> and <!-- name:end -->."""
    return re.search(rf"<!-- {name}:begin -->\n(.*?)<!-- {name}:end -->", document, re.DOTALL)[1]
