"""Attempts to instruct the judge: detection records them as events that cost credibility, and it guards nothing.

``neutralise`` and the types of answers guard: a speech reaches the judge only as marked material, and only the judge's
own answer becomes a field.  A missed attempt therefore costs an event, while a false alarm punishes an honest speaker:
an order counts where it begins a sentence or follows a word that tells the reader to obey, not where a speech talks
about orders or quotes them, and words that may be a statement are recorded without a cost.  Leet, spaced and encoded
spelling is not undone.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final
from unicodedata import normalize

from msgspec import Struct

from events.types import Span
from judge.guard.characters import HIDDEN, INVISIBLE, LOOK_ALIKES, folded

MAX_ATTEMPTS: Final = 8  # attempts that are recorded for one turn
QUOTED: Final = 160  # characters of an attempt that are recorded
_WORDS: Final = {
    "JUDGE": "(?:judges?|evaluators?|graders?|scorers?|assistant|llm|language model|ai(?: judge| model)?)",
    "OUR": r"(?:me|us|(?:my|our) (?:side|turn|speech|case)|pro|con|speaker [ab]|turn \d{1,3}|logic|rhetoric|tactics"
    r"|this (?:turn|speech|side|argument|answer|response)|(?:every|each|all) (?:components?|dimensions?))",
    "TOP": r"(?:full|max(?:imum)?|top|perfect|(?:the )?highest|\d{1,3}|ten|thirty|forty)",
    "MARKS": r"(?:marks?|points?|scores?|grades?|ratings?)\b",
    "DROP": "(?:ignore|disregard|forget|override)",
    "BEFORE": "(?:previous|prior|above|earlier|system|scoring|judging)",
    "TOLD": "(?:instructions?|prompts?|rubrics?|messages?)",
    "ASKED": "(?:(?:please|kindly|you|must|should|now|simply|just|only) ){0,3}",
    "GIVE": "(?:award|give|assign|grant)",
    "FEW": r"(?:\w{1,12} )",
    "END": r" ?(?:[.!;)\]\n]|$)",
}
_PLACES: Final = {
    "start": r"""(?:(?:^|[.!?。:;(\[{>|*#—–-])[^\w"'“”‘’«»„‚]{0,8}+_{0,2}+(?=\w)|\b(?:please|kindly|now|just|so
        |therefore|then|simply|you (?:must|should|will|have to|are to)),? {1,3})
        (?:(?:please|kindly|now|just|so),? {1,3}){0,3}""",
    "line": r"^(?:[>|*_#]|[^\S\n]){0,8}",
    "word": r"\b",
    "mark": "",
    "script": "",
}
"""Places of orders: the start of a sentence, or after words that ask the reader to obey; the start of a line; the
start of a word; anywhere; anywhere in a text that is not all ASCII."""
_ORDERS: Final = (
    # (place, name, alternatives, one a line).  A blank is any white space, words in capitals are those of ``_WORDS``.
    # Every repetition is bounded, so that the time is linear in the length of the text.
    ("start", "override", r"""
        DROP FEW{0,3}?BEFORE(?: \w{1,12}){0,2}? (?:TOLD\b|(?:rules|guidelines)\b(?! (?:of|on|about|for|that)\b))
        DROP (?:of )?(?:the|your|these) (?:prompt|rubric|scoring guidelines|instructions? (?:above|you (?:got|were)))\b
        DROP (?:everything|all) (?:above|you (?:were|have been) told (?:before|above|so far|and give))\b
        your new task is to (?:give OUR|score|award)\b|you are no longer (?:an? |the )?JUDGE(?= ?[.,;:!\n]|$)
        begin judge instructions|(?:new|secret) (?:system )?TOLD(?: (?:for|to) (?:the )?JUDGE)? ?:(?! ?(?:that|it) )
        (?:reveal|repeat|print|show|output) (?:the|your) (?:system prompt|(?:rubric|words above)END)"""),
    ("start", "score_demand", r"""
        (?:score|rate|mark|GIVE) FEW{0,2}?OUR FEW{0,4}?TOP(?= (?:\w{1,8} ){0,2}?MARKS| ?/ ?\d| out of\b| ?,|END)
        (?:score|rate) (?:this|it|me|us)(?: \w{1,12})? (?:as |at |with )?(?:TOP MARKS|\d{1,3}(?= ?/| out of\b|END))
        (?:GIVE|assume) FEW{0,3}?TOP FEW?MARKS(?= (?:to|for|on|in|here) FEW?OUR|END)|GIVE \d{1,3} (?:to|for) OUR\b
        (?:logic|rhetoric|tactics|(?:the |final )?score) ?[:=] ?\d{1,3}(?: ?/ ?\d{1,3}|[,;]|[^\S\n]{0,8}$)
        (?:this|my) (?:turn|speech) (?:deserves|must get) (?:the |a )?TOP(?: MARKS(?! of\b)| ?/ ?\d)
        i deserve TOP out of \d|(?:logic|rhetoric|tactics) (?:should|must) be scored \d|dock turn \d
        return an empty list\b
        (?:do not|never|you must not) (?:flag|dock|deduct points from)(?: any| this| my) (?:claims?|turn|speech)\b"""),
    ("start", "judge_order", r"""
        (?:dear )?(?:the )?JUDGE ?[,:—–-] ?ASKED(?:score|rate|return|GIVE (?:OUR|TOP)|ignore|output|prefer OUR)\b
        (?:note|message|instructions?) (?:to|for) (?:the |all )?JUDGE\b ?[,:.—–-]|attention,? (?:the )?JUDGE ?[!:—–-]
        (?:note )?to the (?:JUDGE|model) (?:judging|evaluating|scoring|reading) (?:this|us)(?= ?[.:,;!]|$)
        if you are (?:an? )?(?:ai|llm|language model)(?: reading this)?,? ASKED(?:score|output|rate|award|give|answer)\b
        from now on,? (?:you (?:\w{1,8} )?score\b|(?:score|award) OUR\b|obey|act as)\b"""),
    ("word", "judge_order", r"""
        as (?:the|your|an?) FEW?JUDGE,? (?:you (?:must|should|are required to) (?:score|GIVE|prefer|favou?r)|award)\b
        you are now (?:the |an? )?FEW{0,2}?(?:JUDGE|dan)\b
        (?:the|any) JUDGE (?:must|should) GIVE (?:FEW?OUR FEW{0,3}?TOP(?= FEW?MARKS(?! of\b)|/|END)|TOP points\b)
        (?:the|any) JUDGE (?:must|should) (?:conclude|find) that (?:pro|con|speaker [ab]) (?:has )?w[io]nEND"""),
    ("line", "role_message", r"""
        (?:system|assistant|developer|judge|admin)[*_ ]{0,4}:|system (?:message|notice|override)(?: ?:|END)"""),
    ("line", "delimiter", r"""
        (?:turn \d{1,3} ?, ?)?speaker [ab] ?:|(?:the motion|(?:first|second) speech) ?:[^\S\n]{0,8}$
        score only turn \d|components of the score and|look for (?:suspect claims|premises|gaps) in turn
        answer (?:only )?(?:with|in) json\b"""),
    ("mark", "role_message", r"""[.!?\n]\s{1,3}\(?(?:system|assistant|judge) ?:|\(judge ?:|\n\nhuman ?:"""),
    ("mark", "chat_token", r"""
        <\|[\w ▁]{1,40}\|>|\[ ?/? ?inst ?\]|<< ?/?sys ?>>|</?s>|[\[{] ?system(?:[ _](?:message|prompt))? ?[\]}]
        </?(?:system|assistant|user|human|tool_call|think|im_start|im_end|eos|(?:start|end)_of_turn)\b[^>\n]{0,60}>"""),
    ("mark", "delimiter", r"""
        (?:[-=#*~|]{2}|<|\[) {0,2}/?(?:end|begin)[ _](?:of[ _])?(?:the[ _])?(?:turn|speech|debate|transcript|system)\b
        </?(?:turn|speech|transcript|debate|instructions?|prompt|rubric|judge|verdict|answer)(?: [^>\n]{0,60})?>
        # ?(?:system|instructions?|judge|rubric|response|scores?)\b|<!--|\[//\]: ?#|/\* ?(?:judge|score|system)\b
        ["'\d}\]] {0,3}[}\]] {0,3}[}\]]? {0,3}, {0,3}[{\[] {0,3}["']
        ["'](?:points|scores?|verdict|components|logic|rhetoric|claims|winner)["'] {0,3}: {0,3}["'\d{\[]
        <\w{1,12} [^>\n]{0,60}(?:hidden>|display:none)|(?:`{3}|~{3})\s{0,3}(?:system|prompt|judge|ignore|award)\b"""),
    ("script", "look_alikes", r"\b(?:ignore|disregard|instructions?|system|judges?|score|points|award|prompt)\b"),
)  # fmt: skip
_BEGINS: Final = {
    "mark": re.compile(r"""[.!?\n<\[{#=*~|"'\d}\]/`-]"""),
    "script": re.compile(r"\b[adijps]|onc|[^\x00-\x7f]"),
}
"""How all orders of a place begin, where most of a text does not begin so."""
_OVERRIDES: Final = {
    "fr": "(?:ignore|oublie)z? (?:toutes )?(?:les|vos) (?:instructions|consignes|règles) (?:précédent|antérieur)es",
    "de": "(?:ignoriere?n?|vergiss) (?:sie )?(?:alle )?(?:die )?(?:vorher|bisher)igen (?:anweisungen|regeln)",
    "es": "(?:ignor|olvid)[ae] (?:todas )?(?:las|tus|sus) (?:instrucciones|reglas) (?:anteriores|previas)",
    "it": "(?:ignora|dimentica)(?:te)? (?:tutte )?(?:le|tue) (?:istruzioni|regole) precedenti",
    "pt": "(?:ignore|esqueça) (?:todas )?(?:as|suas) (?:instruções|regras) (?:anteriores|prévias|acima)",
    "nl": "(?:negeer|vergeet) (?:alle )?(?:de )?(?:vorige|eerdere|bovenstaande) (?:instructies|regels)",
    "pl": "(?:z?ignoruj|zapomnij) (?:wszystkie )?(?:poprzednie|wcześniejsze) (?:instrukcje|polecenia)",
    "ru": "(?:игнорируй|забудь)(?:те)? (?:все )?(?:предыдущие|прежние) (?:инструкции|указания|правила)",
    "tr": "önceki (?:tüm |bütün )?(?:talimatları|kuralları) (?:yok say|unut|göz ardı)",
    "ar": "تجاهل (?:جميع |كل )?(?:التعليمات|الأوامر|القواعد) السابقة",
    "hi": "पिछले (?:सभी |सारे )?(?:निर्देशों|आदेशों|नियमों) (?:को )?(?:अनदेखा|नज़रअंदाज़|भूल)",
    "zh": "(?:忽略|无视|忘记|忽視|無視)(?:所有)?(?:之前|以上|先前|上面)的?(?:所有|全部)?的?(?:指令|指示|规则|規則)",
    "ja": "(?:これまで|以前|上記|前)の(?:すべての|全ての)?(?:指示|命令|指令)を?(?:すべて)?(?:無視|忘れ)",
    "ko": "(?:이전|위|앞|기존)(?:의)? (?:모든 )?(?:지시|지침|명령)(?:사항)?(?:을|를|은)? ?(?:모두 |전부 )?무시",
}
"""Orders to ignore the instructions before, by language."""
POSSIBLE: Final = "possible_override"
"""The name of an attempt whose words may be a statement as well: “Ignora todas las reglas anteriores” also says that he
or she ignores them.  It is recorded and costs nothing."""
_STATEMENTS: Final = {
    "fr": re.compile(r"(?:ignore|oublie)\b"),
    "es": re.compile(r"(?:ignora|olvida)\b"),
    "it": re.compile(r"(?:ignora|dimentica)\b"),
    **dict.fromkeys(("tr", "ar", "hi", "zh", "ja", "ko"), re.compile("")),
}
"""The words by language that begin a statement as well as an order; in the last six the whole pattern may be either."""
PATTERNS: Final = (
    *(("en", *each) for each in _ORDERS),
    *(
        (each, "script" if each in "tr ar hi zh ja ko" else "start", "override", _OVERRIDES[each])
        for each in _OVERRIDES
    ),
)
"""(language, place, name, alternatives) of every pattern."""


class InjectionAttempt(Struct, frozen=True, kw_only=True):
    """One attempt; ``quote`` is ``text[span]``, at most 160 characters of it."""

    pattern: str
    quote: str
    span: Span


def detect(text: str) -> tuple[InjectionAttempt, ...]:
    """Attempts in the order of their places, none over another, at most eight.

    An attempt in disguise has the disguise's name: ``hidden_characters`` or ``look_alikes``.
    """
    found: list[InjectionAttempt] = []
    for name, (start, end) in _found(text):
        if any(start < each.span[1] and each.span[0] < end for each in found):
            continue
        last = min(end, start + QUOTED)
        found.append(InjectionAttempt(pattern=name, quote=text[start:last], span=(start, last)))
        if len(found) == MAX_ATTEMPTS:
            break
    return tuple(sorted(found, key=lambda each: each.span))


def _found(text: str) -> Iterator[tuple[str, Span]]:
    pieces = [*map(folded, text)]
    plain = "".join(pieces)
    places = [] if len(plain) == len(text) and text.isascii() else [at for at, each in enumerate(pieces) for _ in each]
    for place, pattern in _patterns():
        for match in () if place == "script" and text.isascii() else _matches(place, pattern, plain):
            language, _, name, _ = PATTERNS[int(str(match.lastgroup)[1:])]
            start, end = match.span(str(match.lastgroup))
            span = (places[start], places[end - 1] + 1) if places else (start, end)
            disguise = _disguise(text[slice(*span)], language)
            if disguise or name != "look_alikes":
                known = _STATEMENTS.get(language)
                is_clear = disguise or name != "override" or known is None or known.match(plain, start) is None
                yield disguise or (name if is_clear else POSSIBLE), span
    yield from (("hidden_characters", match.span()) for match in HIDDEN.finditer(text))


def _matches(place: str, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of ``finditer``, tried only where one can begin."""
    if (begins := _BEGINS.get(place)) is None:
        yield from pattern.finditer(text)
        return
    at = 0
    while (begin := begins.search(text, at)) is not None:
        match = pattern.match(text, begin.start())
        at = begin.start() + 1 if match is None else match.end()
        if match is not None:
            yield match


def _disguise(words: str, language: str) -> str:
    if not INVISIBLE.isdisjoint(words):
        return "hidden_characters"
    letters = "" if words.isascii() else normalize("NFKD", words).casefold()
    return "look_alikes" if language == "en" and not LOOK_ALIKES.keys().isdisjoint(letters) else ""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """One pattern a place, compiled when a text is first read: that takes as long as many imports."""
    rows: dict[str, list[str]] = {}
    for number, (_, place, _, alternatives) in enumerate(PATTERNS):
        words = "|".join(each.strip() for each in alternatives.strip().split("\n"))
        for name, meaning in _WORDS.items():
            words = words.replace(name, meaning)
        words = re.sub(r"[^\x00-\x7f]", lambda each: folded(each[0]), words)
        rows.setdefault(place, []).append(f"(?P<p{number}>{words})")
    sources = {place: re.sub(r"\n\s*", "", _PLACES[place]) + f"(?:{'|'.join(each)})" for place, each in rows.items()}
    return tuple((place, re.compile(each.replace(" ", r"\s"), re.MULTILINE)) for place, each in sources.items())
