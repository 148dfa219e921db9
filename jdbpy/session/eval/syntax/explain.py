"""The error of a text that the grammar refuses, in the words of javac.

tree-sitter recovers from errors and says little about them; this looks at the tokens instead, for what people really
mistype: an operand or an operator missing, two operands in a row, a keyword where a name must stand.
"""

from __future__ import annotations

from itertools import pairwise

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax.lexer import Token, TokenKind, tokens
from jdbpy.session.eval.syntax.rewrite import Rewritten

_PREFIXES = frozenset(("+", "-", "!", "~", "++", "--", "(", "{", "new", "switch", "throw", "yield", "return"))
KEYWORDS = frozenset(
    [
        "abstract",
        "assert",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "final",
        "finally",
        "float",
        "for",
        "goto",
        "if",
        "implements",
        "import",
        "instanceof",
        "int",
        "interface",
        "long",
        "native",
        "new",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "strictfp",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "throws",
        "transient",
        "try",
        "void",
        "volatile",
        "while",
        "boolean",
    ]
)
_OPERAND_WORDS = frozenset(("this", "super", "class"))
_PRIMITIVES = frozenset(("byte", "short", "char", "int", "long", "float", "double", "boolean", "void"))
_DECLARATIONS = frozenset(
    ("class", "interface", "enum", "import", "package", "try", "do", "while", "for", "synchronized")
)
_BINARY = frozenset(
    [
        "=",
        "+=",
        "-=",
        "*=",
        "/=",
        "%=",
        "&=",
        "|=",
        "^=",
        "<<=",
        ">>=",
        ">>>=",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "&&",
        "||",
        "&",
        "|",
        "^",
        "+",
        "-",
        "*",
        "/",
        "%",
        "<<",
        ">>",
        ">>>",
        "?",
        ":",
        "->",
        "::",
        ".",
        ",",
        "instanceof",
    ]
)
_ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="])
_CLOSERS = frozenset((")", "]", "}", ";"))
_REFUSED = KEYWORDS - _OPERAND_WORDS - _PREFIXES - _PRIMITIVES - _BINARY - {"final", "case", "default"}


def explain(rewritten: Rewritten) -> EvalError:
    """Return the error that describes best what is wrong, with its column in the user's text."""
    found = tokens(rewritten.text)
    message, offset, hint = _fault(found, len(rewritten.text))
    return EvalError(message, rewritten.columns[min(offset, len(rewritten.columns) - 1)], hint=hint)


def _fault(found: list[Token], end: int) -> tuple[str, int, str]:
    if found and found[0].text in _DECLARATIONS:
        return (f"'{found[0].text}' cannot be evaluated", found[0].start, "give expressions, separated by ';'")
    closing = Token(TokenKind.OPERATOR, ";", end, end)
    line = [Token(TokenKind.OPERATOR, ";", 0, 0), *found, closing]
    for index, (before, token) in enumerate(pairwise(line)):
        fault = _fault_between(before, token)
        if fault is not None and not _is_declaration(line, index):
            return (*fault, "")
    questions = [token for token in found if token.text == "?"]
    if len(questions) > sum(token.text == ":" for token in found):
        return ": or -> expected", end, ""
    return "not a statement", found[0].start if found else 0, "this is not a Java expression"


def _fault_between(before: Token, token: Token) -> tuple[str, int] | None:
    """Return what is wrong with one token after another, if anything is."""
    if ".." in (before.text, token.text):
        return "<identifier> expected", token.start + (token.text == "..")
    if (before.text == "." and token.kind is not TokenKind.IDENTIFIER and token.text != "<") or (
        before.text == "new" and token.kind is not TokenKind.IDENTIFIER
    ):
        return "<identifier> expected", before.end
    if token.text in _ASSIGNMENTS and before.kind not in (TokenKind.IDENTIFIER, TokenKind.OPERATOR):
        return "unexpected type: required variable, found value", before.start
    if before.text in _BINARY and _cannot_begin(token):
        return "illegal start of expression", token.start
    if before.text in (";", "{") and token.text in _BINARY - _PREFIXES - {"<"}:
        return "illegal start of expression", token.start
    if _is_operand(before) and _begins_operand(token):
        return "';' expected", before.end
    if token.text in _REFUSED and before.text != ".":
        return "illegal start of expression", token.start
    if before.text in _PREFIXES and token.text in _CLOSERS and before.text not in ("(", "{"):
        return "illegal start of expression", token.start
    return None


def _is_declaration(line: list[Token], index: int) -> bool:
    """True if two names in a row begin a statement: a type and the variable that it declares."""
    names = all(line[index + step].kind is TokenKind.IDENTIFIER for step in (0, 1))
    return names and index > 0 and line[index - 1].text in (";", "{")


def _cannot_begin(token: Token) -> bool:
    """True if the token cannot begin an operand."""
    if token.kind is not TokenKind.OPERATOR:
        return False
    return token.text not in _PREFIXES and token.text not in ("@", "[", "<", ">", "?")


def _is_operand(token: Token) -> bool:
    if token.kind is TokenKind.IDENTIFIER:
        return token.text not in KEYWORDS - _OPERAND_WORDS and token.text not in ("yield", "var", "record")
    return token.kind is not TokenKind.OPERATOR


def _begins_operand(token: Token) -> bool:
    """True if an operand begins here that cannot follow another one; after a name a declaration's name may."""
    if token.kind is TokenKind.IDENTIFIER:
        return token.text not in ("instanceof",)
    return token.kind is not TokenKind.OPERATOR
