"""Attempts to instruct whoever judges.  Detection makes them an event that costs credibility; it guards nothing.

What guards is ``neutralise`` and the types of answers: a speech reaches the judge only as marked material, and nothing
but the judge's own answer ever becomes a field.  So a miss costs nothing but an event, while a false alarm would punish
an honest speaker: orders count where a sentence begins or where somebody is told to obey them, not where they are
talked about or quoted.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import category, normalize

from msgspec import Struct

from events.types import InjectionDetected, Span
from judge import disguises
from judge.desk import Desk
from judge.disguises import View
from judge.entries import misconduct

MOST: Final = 8
"""Attempts that one turn is charged with; more of them tell nobody more."""
QUOTED: Final = 160
"""Characters of an attempt that are kept."""

_LEAD: Final = (
    r"(?:(?:^|[.!?:;(\[{>|*#—–-])[^\w\"'“”‘’«»„‚]{0,8}_{0,2}|\b(?:please|kindly|now|just|so|therefore|hence|then|simply|"
    r"you (?:must|should|shall|will|can|may|need to|have to|are to|ought to)),?\s{1,3})"
    r"(?:(?:please|kindly|now|just|simply|also|always|only|you must|so|therefore|then),?\s{1,3}){0,3}"
)
_JUDGE: Final = r"(?:judges?|evaluators?|graders?|scorers?|adjudicators?|assistant|llm|language model|ai(?: judge| model)?)"
_OUR: Final = (
    r"(?:me|us|my (?:side|turn|speech|argument|case|team)|our (?:side|turn|speech|argument|case|team)|pro|con|"
    r"(?:this|the above|the present) (?:turn|speech|side|argument|answer|response|debater|speaker|text)|speaker [ab]|"
    r"turn \d{1,3}|every (?:component|dimension)|all (?:components|dimensions)|logic|rhetoric|tactics)"
)
_TOP: Final = r"(?:full|maximum|max|maximal|top|perfect|highest|the highest|best possible|all(?: the)?|\d{1,3})"
_MARKS: Final = r"(?:marks?|points?|scores?|grades?|credits?|ratings?)\b"
_RATE: Final = r"(?:score|grade|rate|mark|award|give|assign|allocate|grant)"
_BEFORE: Final = r"(?:previous|prior|above|earlier|preceding|foregoing|initial|original|former|existing|system|judging)"
_DROP: Final = r"(?:ignore|disregard|forget|override|bypass|discard|neglect|drop|skip)"
_ABROAD: Final = (
    r"(?:ignorez|oubliez|ignore|oublie|ne tenez pas compte de)\s(?:toutes\s)?(?:les|vos|des)\s(?:instructions|consignes|"
    r"regles)\s(?:precedentes|anterieures|ci-dessus)",
    r"(?:ignoriere?n?|vergiss|vergessen|missachte)\s(?:sie\s)?(?:alle\s)?(?:die\s|deine\s|ihre\s)?(?:vorherigen|bisherigen|"
    r"vorigen|obigen|fruheren|vorangegangenen)\s(?:anweisungen|regeln|instruktionen|vorgaben)",
    r"(?:ignora|ignore|olvida|olvide|descarta)\s(?:todas\s)?(?:las|tus|sus)\s(?:instrucciones|reglas|indicaciones)\s"
    r"(?:anteriores|previas|precedentes)",
    r"(?:ignora|dimentica|ignorate)\s(?:tutte\s)?(?:le|tue)\s(?:istruzioni|regole)\s(?:precedenti|sopra)",
    r"(?:ignore|esqueca|desconsidere)\s(?:todas\s)?(?:as|suas)\s(?:instrucoes|regras)\s(?:anteriores|previas|acima)",
    r"(?:negeer|vergeet)\s(?:alle\s)?(?:de\s)?(?:vorige|eerdere|bovenstaande)\s(?:instructies|regels|opdrachten)",
    r"(?:игнорируй|игнорируйте|забудь|забудьте)\s(?:все\s)?(?:предыдущие|прежние)\s(?:инструкции|указания|правила)",
    r"(?:zignoruj|ignoruj|zapomnij)\s(?:wszystkie\s)?(?:poprzednie|wczesniejsze)\s(?:instrukcje|polecenia)",
    r"(?:忽略|无视|忘记|忽視|無視)(?:所有|全部|一切)?(?:之前|以上|先前|前面|上面)?的?(?:所有|全部)?的?(?:指令|指示|说明|規則|规则|提示)",
    r"(?:これまで|以前|上記|前)の(?:すべての|全ての)?(?:指示|命令|指令)を?(?:無視|忘れ)",
)
_LEADING: Final[tuple[tuple[str, str], ...]] = (
    ("override", rf"{_DROP}\s(?:\w{{1,12}}\s){{0,3}}?{_BEFORE}(?:\s\w{{1,12}}){{0,2}}?\s(?:instructions?|prompts?|rubrics?|"
     r"messages?|rules|guidelines|directions|directives|orders|criteria|context)\b"),
    ("override", rf"{_DROP}\s(?:all\s|any\s)?(?:of\s)?(?:the|your|those|these)\s(?:system\s|judging\s|scoring\s)?(?:prompt|"
     r"rubric|instructions? (?:above|before|you (?:got|were given|received)))\b"),
    ("override", r"(?:new|updated|revised|real|additional|special|secret)\s(?:system\s)?(?:instructions?|prompts?|directives?|"
     rf"orders?|rubric)(?:\s(?:for|to)\s(?:the\s)?{_JUDGE})?\s?[:—–]"),
    ("reveal", r"(?:reveal|repeat|print|show|output|display|leak|recite)\s(?:\w{1,10}\s){0,2}?(?:your|the)\s(?:system prompt|"
     r"(?:hidden|secret|initial|original|system)\s(?:prompt|instructions?|directives?|message)|instructions above)\b"),
    ("score_demand", rf"{_RATE}\s(?:\w{{1,10}}\s){{0,2}}?{_OUR}\s(?:\w{{1,10}}\s){{0,4}}?{_TOP}"
     r"(?=\s(?:\w{1,8}\s){0,2}?" + _MARKS + r"|\s?/\s?\d|\sout of\b|\s?(?:[.!,;)\]\n]|$))"),
    ("score_demand", rf"(?:score|grade|rate|mark)\s(?:this|it|me|us|that)(?:\s\w{{1,12}})?\s(?:as\s|at\s|a\s|an\s|with\s|with a\s)?"
     r"(?:full|maximum|perfect|\d{1,3})(?=\W|$)"),
    ("score_demand", rf"(?:award|give|assign|allocate|grant)\s(?:\w{{1,10}}\s){{0,3}}?{_TOP}\s(?:\w{{1,10}}\s)?(?:marks?|points?|"
     rf"scores?|rating)(?=\s(?:to|for|on|in|here)\s(?:\w{{1,10}}\s)?{_OUR}|\s?(?:[.!;)\]\n]|$))"),
    ("score_demand", r"(?:logic|rhetoric|tactics|composite|frame[ _]control|credibility)\s?[:=]\s?\d{1,3}\s?(?:/\s?\d{1,3}|[,;]|$)"),
    ("score_demand", r"(?:your |the )?(?:final )?score\s?[:=]\s?\d{1,3}\s?/\s?\d{1,3}"),
    ("score_demand", rf"(?:donne|donnez|attribue|attribuez|gib|geben sie|dame|deme|dai)[ -](?:\w{{1,8}}\s){{0,3}}?(?:\w{{1,12}}\s)?"
     r"(?:\d{1,3}|tous|todos|volle|maximale|maxima|toute|massima|la note|alle)\s(?:\w{1,4}\s)?(?:points?|punkte|punktzahl|puntos|"
     r"note|maximale|puntuacion|nota|punti)\b"),
    ("judge_order", rf"(?:dear\s|attention,?\s|hey,?\s|hello,?\s|to\s)?(?:the\s)?{_JUDGE}\s?[,:—–-]\s?(?:\w{{1,12}}\s){{0,3}}?(?:score|award|"
     r"give|grant|declare|ignore|disregard|mark|rate|vote|output|print|respond|reply|rule (?:for|in)|find for|favou?r)\b"),
    ("judge_order", rf"(?:a\s)?(?:note|message|notice|reminder|instructions?|attention|memo)\s(?:to|for)\s(?:the\s|all\s)?{_JUDGE}\b\s?[,:.—–-]"),
    ("judge_order", r"from now on,?\s(?:you\s)?(?:\w{1,8}\s)?(?:score|award|answer only|respond only|obey|act as|you are the)\b"),
    ("role_message", rf"(?:system|assistant|developer)\s(?:message|prompt|notice|note|override|update|alert|instructions?)\s?(?:to {_JUDGE}\s?)?[:—\n]"),
    ("role_message", r"\(\s?(?:system|judge|assistant|moderator)\s?:"),
)
_ANYWHERE: Final[tuple[tuple[str, str], ...]] = (
    *(("override", rf"(?<!\w){phrase}") for phrase in _ABROAD[:8]),
    *(("override", phrase) for phrase in _ABROAD[8:]),
    ("judge_order", rf"\bas (?:the|an?|your) (?:\w{{1,12}} )?{_JUDGE},? (?:you (?:must|should|shall|will|need to|have to|are (?:required|"
     r"instructed|ordered|obliged|told))|(?:score|award|give us|give me|declare))\b"),
    ("judge_order", rf"\byou are now (?:the |an? )?(?:\w{{1,12}} ){{0,2}}?(?:{_JUDGE}|dan|system|referee)\b"),
    ("judge_order", rf"\b(?:the|this|any|every) {_JUDGE} (?:must|should|shall|has to|needs to|will|is (?:required|instructed|ordered|"
     rf"obliged|told|bound) to) (?:\w{{1,12}} ){{0,2}}?(?:score|award|give|grant|mark|rate|assign) (?:\w{{1,12}} ){{0,2}}?(?:{_OUR} "
     rf"(?:\w{{1,10}} ){{0,3}}?{_TOP}\b|{_TOP} (?:\w{{1,10}} )?(?:marks|points)\b)"),
    ("judge_order", rf"\b(?:the|this|any|every) {_JUDGE} (?:must|should|shall|has to|needs to|is (?:required|instructed|ordered|obliged|"
     rf"told|bound) to) (?:\w{{1,12}} )?(?:declare|name|pick|choose|vote for|rule for|find for|rule in favou?r of|ignore|disregard) "
     r"(?:me|us|my side|our side|pro|con|speaker [ab]|the (?:other speaker|rubric|opponent|opposing speech|other speech))\b"),
    ("outcome_claim", r"\b(?:opponent|other side|other speaker|opposing speaker|pro|con|speaker [ab]|they)(?: has| have|’ve|'ve)? (?:already |"
     r"just |formally )?(?:conceded|forfeited|surrendered|resigned|withdrawn|given up)\b[^\n]{0,60}?\b(?:score [^\s]|scores? (?:is|are|of|must)|"
     r"full (?:points|marks)|zero points|0 points|award|declare (?:me|us|my|pro|con|speaker)|judge (?:must|should|will|has)|\d{1,3} points)"),
    ("chat_token", r"<\|[\w \u2581]{1,40}\|>|\[\s?/?\s?inst\s?\]|<<\s?/?sys\s?>>|</?(?:system|assistant|user|human|tool_calls?|tool_use|"
     r"function_calls?|invoke|think|thinking|im_start|im_end|bos|eos|start_of_turn|end_of_turn|s)(?:\s[^>\n]{0,60})?>"),
    ("chat_token", r"[\[{]\s?(?:system|assistant|developer|admin)(?:[ _](?:message|prompt|note|override|instructions?))?\s?[\]}]"),
    ("role_message", r"^[ \t>|*_#]{0,8}(?:system|assistant|user|human|developer|judge|moderator|tool|ai)[ \t*_]{0,4}(?:\([^)\n]{0,30}\)\s?)?:"),
    ("role_message", r"[.!?][ \t]{1,3}(?:system|assistant)\s?:"),
    ("delimiter", r"(?:[-=#*~<\[({|_]{2,}|^\[|<)\s{0,2}/?(?:end|begin|start|stop)[ _]?(?:of[ _])?(?:the[ _])?(?:turn|speech|debate|transcript|"
     r"user|input|material|text|argument|data|prompt|context|instructions?|quote)"),
    ("delimiter", r"^[ \t>|]{0,6}(?:turn \d{1,3}\s?,\s?)?speaker [ab]\s?(?:\([^)\n]{0,30}\)\s?)?:"),
    ("delimiter", r"^[ \t>|]{0,6}(?:score|judge|grade) (?:only )?turn \d{1,3}\b"),
    ("delimiter", r"^[ \t>|]{0,6}#{1,6}\s?(?:system|instructions?|judge|judging|rubric|answer|output|response|score|scores|verdict)\b"),
    ("delimiter", r"</?(?:turn|speech|transcript|input|debate|arguments?|instructions?|prompt|rubric|scores?|points|judge|verdict|answer|"
     r"winner)(?:\s[^>\n]{0,60})?>"),
    ("json_breakout", r"[\"'\d}\]]\s{0,3}[}\]]\s{0,3}[}\]]?\s{0,3}[,;]\s{0,3}[{\[]\s{0,3}[\"']"),
    ("json_breakout", r"[\"'](?:points|scores?|verdict|components|logic|rhetoric|tactics|claims|outcomes|winner|premises|gaps)[\"']\s{0,3}:"
     r"\s{0,3}(?:[\d{\[]|[\"'](?:pro|con|draw|neither|later|earlier|\d))"),
    ("hidden_comment", r"<!--[^\n]{0,200}|<(?:script|style|template)\b|\sstyle=[\"']?(?:display:\s?none|font-size:\s?0)|\[//\]:\s?#"),
    ("hidden_comment", r"/\*[^*\n]{0,80}\b(?:judge|score|points|system|instructions?)\b[^*\n]{0,80}\*/"),
    ("fenced_order", r"(?:`{3}|~{3})\s?(?:system|instructions?|prompt|judge|output|answer)\b"),
    ("fenced_order", r"(?:`{3}|~{3})[^`]{0,200}?\b(?:ignore|disregard|award|full marks|full points|\"points\"|you must|the judge|score:)"),
)


def _compiled(pattern: str) -> re.Pattern[str]:
    """Patterns are matched against folded text, so their own letters lose their marks as well."""
    plain = "".join(each for each in normalize("NFKD", pattern) if category(each) != "Mn")
    return re.compile(plain, re.MULTILINE)


PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    *((name, _compiled(f"(?P<words>{pattern})")) for name, pattern in _ANYWHERE),
    *((name, _compiled(f"{_LEAD}(?P<words>{pattern})")) for name, pattern in _LEADING),
)
_RUN_TOGETHER: Final = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any|the|your|my)*(?:previous|prior|above|earlier)(?:instructions?|rules|prompts?|rubric)|"
    r"score(?:this|me|us|my)|(?:full|maximum|perfect)(?:marks|points|score)|systemprompt|givemefull|youmustaward|asthejudge"
)
_KEYWORDS: Final = re.compile(
    r"\b(?:ignore|disregard|instructions?|system|assistant|judges?|score|points|award|prompt|rubric|full marks|override)\b"
)
_LATIN: Final = r"[A-Za-z\u00c0-\u024f\u0370-\u052f]"
_INSIDE: Final = re.compile(
    rf"(?<={_LATIN})[\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]{{1,80}}(?={_LATIN})"
)
_STRANGE: Final = re.compile(r"[\u202d\u202e]|(?<!\U0001f3f4)(?<![\U000e0000-\U000e0fff])[\U000e0020-\U000e007f]{2,80}")


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt; ``quote`` is ``text[span]``, at most 160 characters of it."""

    pattern: str
    quote: str
    span: Span


def detect(text: str) -> tuple[Attempt, ...]:
    """Attempts in the order of their places, none over another, at most eight.

    What shows only after a disguise is taken off is named by the disguise.
    """
    found: list[Attempt] = []
    for name, (start, end) in _found(text):
        if any(start < each.span[1] and each.span[0] < end for each in found):
            continue
        end = min(end, start + QUOTED)
        found.append(Attempt(pattern=name, quote=text[start:end], span=(start, end)))
        if len(found) == MOST:
            break
    return tuple(sorted(found, key=lambda each: each.span))


def record(desk: Desk, turn: int, attempts: Sequence[Attempt]) -> None:
    """Record every attempt; together they cost the turn once, what the rubric says."""
    spoken = desk.debate.transcript.turns[turn].spoken
    events = [
        InjectionDetected(turn=turn, pattern=each.pattern, quote=each.quote, span=each.span) for each in attempts
    ]
    positions = [desk.add(event, spoken) for event in events]
    rubric = desk.debate.ledger.rubric
    if positions and rubric is not None:
        misconduct(
            desk, turn, rubric.conduct.get("injection"), rule="injection", because_of=positions[0],
            reason=f"the turn tries to instruct the judge ({_names(attempts)})",
        )


def _names(attempts: Sequence[Attempt]) -> str:
    return ", ".join(dict.fromkeys(each.pattern.replace("_", " ") for each in attempts))


def _found(text: str) -> Iterator[tuple[str, Span]]:
    for view in disguises.views(text):
        for name, start, end in _phrases(view.text):
            yield view.disguise or name, view.span(start, end)
        if view.disguise == "look_alikes":
            yield from _disguised_words(view, text)
    for pattern in (_INSIDE, _STRANGE):
        for match in pattern.finditer(text):
            yield "hidden_characters", match.span()
    for words, span in disguises.spaced(text):
        if _RUN_TOGETHER.search(words) or any(_phrases(words)):
            yield "spaced_letters", span
    for words, span in disguises.decoded(text):
        if any(_phrases(words)):
            yield "encoded", span


def _phrases(text: str) -> Iterator[tuple[str, int, int]]:
    for name, pattern in PATTERNS:
        for match in pattern.finditer(text):
            yield name, *match.span("words")


def _disguised_words(view: View, text: str) -> Iterator[tuple[str, Span]]:
    """Words of an order that are spelt with letters of another script."""
    for match in _KEYWORDS.finditer(view.text):
        start, end = view.span(*match.span())
        if any(map(disguises.is_lookalike, text[start:end])):
            yield view.disguise, (start, end)
