"""What an order to the judge looks like, in folded text (``deobfuscation.folded``).

Patterns as people read them: line breaks in them mean nothing and a blank stands for any white space.  Every repetition
is bounded, so that the time is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final
from unicodedata import category, normalize

_LEAD: Final = r"""
    (?:(?:^|[.!?:;(\[{>|*#—–-])[^\w"'“”‘’«»„‚]{0,8}+_{0,2}+(?=\w)
    |\b(?:please|kindly|now|just|so|therefore|hence|then|simply
    |you (?:must|should|shall|will|can|may|need to|have to|are to|ought to)),? {1,3})
    (?:(?:please|kindly|now|just|simply|also|always|only|you must|so|therefore|then),? {1,3}){0,3}
"""
"""Where an order begins: a sentence, or words that tell somebody to obey.  Not inside quotation marks: that is talk
about orders."""
_BLANK: Final = r"[^\S\n]"
_JUDGE: Final = r"""
    (?:judges?|evaluators?|graders?|scorers?|adjudicators?|assistant|llm|language model|ai(?: judge| model)?)"""
_OUR: Final = r"""
    (?:me|us|(?:my|our) (?:side|turn|speech|argument|case|team)|pro|con|speaker [ab]|turn \d{1,3}|logic|rhetoric|tactics
    |(?:this|the above|the present) (?:turn|speech|side|argument|answer|response|debater|speaker|text)
    |(?:every|each|all) (?:components?|dimensions?))"""
_TOP: Final = r"""
    (?:full|maximum|max|maximal|top|perfect|highest|the highest|best possible|all(?: the)?|\d{1,3}|ten|thirty|forty)"""
_MARKS: Final = r"(?:marks?|points?|scores?|grades?|credits?|ratings?)\b"
_BEFORE: Final = "(?:previous|prior|above|earlier|preceding|foregoing|initial|original|former|existing|system|judging)"
_DROP: Final = "(?:ignore|disregard|forget|override|bypass|discard|neglect|drop|skip)"
_END: Final = r" ?(?:[.!;)\]\n]|$)"
_MUST: Final = "(?:must|should|shall|has to|needs to|is (?:required|instructed|ordered|obliged|told|bound) to)"
_FEW: Final = r"(?:\w{1,12} )"
_ASKED: Final = "(?:(?:please|kindly|you|must|should|shall|do|now|simply|just|always|only|therefore) )"

_AT_THE_START: Final[dict[str, tuple[str, ...]]] = {
    "override": (
        rf"""{_DROP} {_FEW}{{0,3}}?{_BEFORE}(?: \w{{1,12}}){{0,2}}? (?:instructions?|prompts?|rubrics?|messages?)
            \b""",
        rf"""{_DROP} {_FEW}{{0,3}}?(?:previous|prior|above|earlier|preceding|foregoing|system|judging)
            (?: \w{{1,12}}){{0,2}}?(?: rules| guidelines| directions| directives| orders| criteria)\b
            (?! (?:of|on|about|for|that)\b)""",
        rf"""{_DROP} (?:all |any )?(?:of )?(?:the|your|those|these) (?:system |judging |scoring )?
            (?:prompt|rubric|(?<=scoring )guidelines
            |instructions? (?:above|before|you (?:got|were given|received)))\b""",
        rf"""{_DROP} (?:everything|anything|all|whatever) (?:that )?you (?:were|have been|had been) (?:told|given|asked
            |instructed)(?: so far| before| above| earlier| until now| up to now
            |,? (?:and|then) (?:give|score|award|declare|rate))""",
        rf"""your (?:new|real|actual|only) (?:task|job|role|instructions?) (?:is|are)(?: now)? to
            (?: (?:give|rate|mark) {_OUR}| score| award| vote for)\b""",
        rf"""you are no longer (?:a |an |the )?{_FEW}?(?:{_JUDGE}(?= ?[.,;:!\n]|$)
            |bound by (?:the|your) (?:rubric|instructions)\b)""",
        r"(?:begin|start)(?: of)? (?:judge|judging|system|scoring) (?:instructions?|prompt|message) ?(?:[.:!\n]|$)",
        rf"""(?:new|updated|revised|real|additional|special|secret) (?:system )?
            (?:instructions?|prompts?|directives?|orders?|rubric)(?: (?:for|to) (?:the )?{_JUDGE})? ?[:—–]
            (?! ?(?:that|this|it|which|they|these|those|how|what) )""",
    ),
    "reveal": (
        rf"(?:print|reveal|repeat) (?:the|your) (?:rubric|words above|text above){_END}",
        rf"""(?:reveal|repeat|print|show|output|display|leak|recite) {_FEW}{{0,2}}?(?:your|the) (?:system prompt
            |(?:hidden|secret|initial|original|system) (?:prompt|instructions?|directives?|message)
            |instructions above)\b""",
    ),
    "score_demand": (
        rf"""(?:score|grade|rate|mark|award|give|assign|allocate|grant) {_FEW}{{0,2}}?{_OUR} {_FEW}{{0,4}}?{_TOP}
            (?= (?:\w{{1,8}} ){{0,2}}?{_MARKS}| ?/ ?\d| out of\b| ?,|{_END})""",
        rf"""(?:score|grade|rate|mark) (?:this|it|me|us|that)(?: \w{{1,12}})? (?:as |at |a |an |with |with a )?
            (?:(?:full|maximum|perfect) {_MARKS}|\d{{1,3}}(?= ?/| out of\b| points?\b| marks?\b| for\b| ?,|{_END}))""",
        rf"""(?:award|give|assign|allocate|grant) {_FEW}{{0,3}}?{_TOP} {_FEW}?{_MARKS}
            (?= (?:to|for|on|in|here) {_FEW}?{_OUR}|{_END})""",
        rf"""(?:logic|rhetoric|tactics|composite|frame[ _]control|credibility) ?[:=] ?\d{{1,3}}
            (?: ?/ ?\d{{1,3}}|[,;]|{_BLANK}{{0,8}}$)""",
        r"(?:your |the )?(?:final )?score ?[:=] ?\d{1,3} ?/ ?\d{1,3}",
        rf"""set {_FEW}{{0,3}}?(?:points|scores?|logic|rhetoric|tactics|credibility) {_FEW}{{0,3}}?(?:to|at)
            (?: the)? (?:\d|max|full|highest)""",
        rf"""(?:(?:this|my|our) (?:turn|speech) (?:deserves?|earns?|merits?|(?:should|must) (?:get|receive
            |be (?:given|awarded|scored))) (?:the |a )?{_TOP}(?: {_MARKS}(?! of\b)| out of| ?/ ?\d)
            |(?:i|we) (?:deserve|earn|merit|should get) {_TOP}(?: out of \d| ?/ ?\d))""",
        r"(?:logic|rhetoric|tactics) (?:should|must|shall) be (?:scored|rated|graded|set)(?: at| to| as)? \d",
        r"""(?:do not|don[’']t|never|you must not) (?:flag|dock|penali[sz]e|deduct points from)
            (?: any| this| my| our) (?:claims?|turn|speech)\b""",
        rf"(?:award|give|assign|allocate|grant) \d{{1,3}} (?:points )?(?:to|for) {_OUR}\b",
        rf"assume (?:the )?{_TOP} {_MARKS}",
        r"dock turn \d{1,3}\b",
        r"(?:return|output|answer with|reply with) (?:an? )?empty (?:list|array|answer|json)\b",
        rf"""(?:donne|donnez|attribue|attribuez|gib|geben sie|dame|deme|dai)[ -]{_FEW}{{0,4}}?
            (?:\d{{1,3}}|tous|todos|volle|maximale|maxima|toute|massima|la note|alle) (?:\w{{1,4}} )?
            (?:points?|punkte|punktzahl|puntos|note|maximale|puntuacion|nota|punti)\b""",
    ),
    "judge_order": (
        rf"""(?:dear |attention,? |hey,? |hello,? |to )?(?:the )?{_JUDGE} ?[,:—–-] ?{_ASKED}{{0,3}}?
            (?:score|(?:award|give|grant) (?:{_OUR}|{_TOP}|an? (?:win|point)|the (?:win|round|points|victory))|declare
            |ignore|disregard|mark|rate|vote|output|print|respond|reply|rule (?:for|in)|find for
            |favou?r)\b""",
        rf"""(?:a )?(?:note|message|notice|reminder|instructions?|attention|memo) (?:to|for) (?:the |all )?{_JUDGE}
            \b ?[,:.—–-]""",
        rf"""(?:dear |attention,? |hey,? |hello,? |to )?(?:the )?{_JUDGE} ?[,:—–-] ?{_ASKED}{{0,3}}?
            (?:prefer|choose|pick|side with|vote for) (?:me|us|pro|con|speaker [ab]|this (?:answer|turn|speech)
            |(?:my|our) (?:side|turn))\b""",
        rf"attention,? (?:all |the )?{_JUDGE} ?[!:—–-]",
        rf"""(?:note |message |memo |a word )?(?:to|for) (?:the |any |every |whichever )?(?:{_JUDGE}|model|llm)
            (?: judging| evaluating| grading| scoring| reading| assessing) (?:this|me|us|the debate)
            (?= ?[.:,;!—–-]|$| (?:turn|speech|transcript|argument|debate)\b)""",
        rf"""if you(?:[’']re| are) (?:an? )?(?:large )?
            (?:ai|llm|language model|ai (?:judge|model)|assistant|chatbot)(?: (?:reading|judging) this)?
            ,? {_ASKED}{{0,3}}?
            (?:score|output|rate|award|give|answer|print|respond|reply|declare|vote|prefer|choose)\b""",
        rf"""from now on,? (?:you (?:\w{{1,8}} )?score\b|(?:you )?(?:\w{{1,8}} )?
            (?:(?:score|award) (?:{_OUR}|it|{_TOP})|award only|answer only|respond only|obey|act as|you are the)\b)""",
    ),
    "delimiter": (r"answer (?:only )?(?:with|in) json\b",),
    "role_message": (
        rf"""(?:system|assistant|developer) (?:message|prompt|notice|note|override|update|alert|instructions?)
            (?: to {_JUDGE})? ?[:—\n]""",
        rf"system override{_END}",
    ),
}

_ANYWHERE: Final[dict[str, tuple[str, ...]]] = {
    "override": (
        r"""\b(?:ignorez|ignore|oubliez|oublie|ne tenez pas compte de) (?:toutes )?(?:les|vos|des)
            (?: instructions| consignes| regles) (?:precedentes|anterieures|ci-dessus)""",
        r"""\b(?:ignoriere?n?|vergiss|vergessen|missachte) (?:sie )?(?:alle )?(?:die |deine |ihre )?(?:vorherigen
            |bisherigen|vorigen|obigen|fruheren|vorangegangenen) (?:anweisungen|regeln|instruktionen|vorgaben)""",
        r"""\b(?:ignora|ignore|olvida|olvide|descarta) (?:todas )?(?:las|tus|sus) (?:instrucciones|reglas|indicaciones)
            (?: anteriores| previas| precedentes)""",
        r"\b(?:ignora|dimentica|ignorate) (?:tutte )?(?:le|tue) (?:istruzioni|regole) (?:precedenti|sopra)",
        r"\b(?:ignore|esqueca|desconsidere) (?:todas )?(?:as|suas) (?:instrucoes|regras) (?:anteriores|previas|acima)",
        r"\b(?:negeer|vergeet) (?:alle )?(?:de )?(?:vorige|eerdere|bovenstaande) (?:instructies|regels|opdrachten)",
        r"\b(?:игнорируй|забудь)(?:те)? (?:все )?(?:предыдущие|прежние) (?:инструкции|указания|правила)",
        r"\b(?:zignoruj|ignoruj|zapomnij) (?:wszystkie )?(?:poprzednie|wczesniejsze) (?:instrukcje|polecenia)",
        r"""(?:忽略|无视|忘记|忽視|無視)(?:所有|全部|一切)?(?:之前|以上|先前|前面|上面)的?(?:所有|全部)?的?
            (?:指令|指示|说明|規則|规则|提示)""",
        r"تجاهل (?:جميع |كل )?(?:التعليمات|الأوامر|القواعد) السابقة",
        r"(?:이전|위|앞|기존)(?:의)? (?:모든 )?(?:지시|지침|명령)(?:사항)?(?:을|를|은)? ?(?:모두 |전부 )?무시",
        r"(?:önceki|yukarıdaki) (?:tüm |bütün )?(?:talimatları|yönergeleri|kuralları) (?:yok say|unut|göz ardı)",
        r"पिछले (?:सभी |सारे )?(?:निर्देशों|आदेशों|नियमों) (?:को )?(?:अनदेखा|नज़रअंदाज़|भूल)",
        r"(?:これまで|以前|上記|前)の(?:すべての|全ての)?(?:指示|命令|指令)を?(?:すべて)?(?:無視|忘れ)",
    ),
    "judge_order": (
        rf"""\bas (?:the|your) {_FEW}?{_JUDGE},? (?:you (?:must|should|shall|will|need to|have to
            |are (?:required|instructed|ordered|obliged|told))|(?:score|award|give us|give me|declare))\b""",
        rf"""\bas an? {_FEW}?{_JUDGE},? (?:you [^.!?\n]{{0,40}}?\b)?(?:score|award|give us|give me
            |give (?:pro|con|speaker [ab])|declare)\b""",
        rf"\byou are now (?:the |an? )?{_FEW}{{0,2}}?(?:{_JUDGE}|dan|system|referee)\b",
        rf"""\b(?:the|this|any|every) {_JUDGE} {_MUST} {_FEW}{{0,2}}?
            (?:score|award|give|grant|mark|rate|assign) {_FEW}{{0,2}}?
            (?:{_OUR} {_FEW}{{0,3}}?{_TOP}(?= {_FEW}?{_MARKS}(?! of\b)| ?/ ?\d| out of\b|{_END})
            |{_TOP} {_FEW}?(?:marks|points)\b)""",
        rf"""\b(?:the|this|any|every) {_JUDGE} {_MUST} (?:conclude|find|say|accept|agree|declare|record) that
            (?: pro| con| speaker [ab]| we| i) (?:has |have |had )?(?:already |clearly )?(?:won|wins)
            (?: the (?:debate|round|exchange))?{_END}""",
        rf"""\b(?:the|this|any|every) {_JUDGE} {_MUST} {_FEW}?(?:declare|name|pick|choose|vote for|rule for|find for
            |rule in favou?r of) (?:me|us){_END}""",
        rf"""\b(?:the|this|any|every) {_JUDGE} {_MUST} {_FEW}?(?:declare|name|pick|choose|vote for|rule for|find for
            |rule in favou?r of|ignore|disregard) (?:my side|our side|pro|con|speaker [ab]
            |the (?:other speaker|rubric|opponent|opposing speech|other speech))\b""",
    ),
    "outcome_claim": (
        r"""\b(?:opponent|other side|other speaker|opposing speaker|pro|con|speaker [ab]|they)(?: has| have|[’']ve)?
            (?: already| just| formally)? (?:conceded|forfeited|surrendered|resigned|withdrawn|given up)\b[^\n]{0,60}?
            \b(?:score \S|scores? (?:is|are|of|must)|full (?:points|marks)|zero points|award
            |declare (?:me|us|my|pro|con|speaker)
            |judge (?:must|should|will|has) (?:\w{1,12} ){0,2}?(?:score|award|give|record|declare|note|rule|win)
            |\d{1,3} points)""",
        r"""\b(?:opponent|other side|other speaker|pro|con|speaker [ab]|they)(?: has| have|[’']ve)?(?: already)? lost\b
            [^.!?\n]{0,40}?[,;:] (?:so )?(?:please )?(?:score|award|give (?:me|us|pro|con|speaker [ab])
            |declare (?:me|us|pro|con|speaker)|record (?:it|that|this|a win)|note that)\b""",
        r"""\b(?:debate|round|exchange|contest) (?:is|has been) (?:already |now )?(?:over|decided|settled|won)
            [,;:]?(?: and)? (?:pro|con|speaker [ab]) (?:has |have )?(?:already )?won\b""",
    ),
    "chat_token": (
        r"<\|[\w ▁]{1,40}\|>",
        r"\[ ?/? ?inst ?\]|<< ?/?sys ?>>",
        r"""</?(?:system|assistant|user|human|tool_calls?|tool_use|function_calls?|invoke|think|thinking|im_start|im_end
            |bos|eos|start_of_turn|end_of_turn)(?: [^>\n]{0,60})?>|</s>""",
        r"[\[{] ?(?:system|assistant|developer|admin)(?:[ _](?:message|prompt|note|override|instructions?))? ?[\]}]",
    ),
    "role_message": (
        rf"""^(?:[|>*_#]|{_BLANK}){{0,8}}(?:system|assistant|developer|judge|moderator|admin)
            (?:[*_]|{_BLANK}){{0,4}}(?:\([^)\n]{{0,30}}\) ?)?:""",
        rf"[.!?]{_BLANK}{{1,3}}(?:system|assistant) ?:",
        r"(?<=\n\n)(?:human|user|ai|tool) ?:",
        r"[(\[{] ?(?:judge|assistant|moderator) ?:",
    ),
    "delimiter": (
        r"""(?:[-=#*~<\[({|_]{2}|^\[|<) {0,2}/?(?:end|begin|start|stop)[ _]?(?:of[ _])?(?:the[ _])?
            (?:system[ _]|judge[ _]|user[ _])?
            (?:turn|speech|debate|transcript|user|input|material|text|argument|data|prompt|context|instructions?|quote)""",
        rf"^(?:[>|]|{_BLANK}){{0,6}}(?:turn \d{{1,3}} ?, ?)?speaker [ab] ?(?:\([^)\n]{{0,30}}\) ?)?:",
        rf"^(?:[>|]|{_BLANK}){{0,6}}(?:score|judge|grade) (?:only )?turn \d{{1,3}}\b",
        rf"^(?:[>|]|{_BLANK}){{0,6}}(?:the motion|(?:first|second) speech|argument of the opponent) ?:{_BLANK}{{0,8}}$",
        r"\bcomponents of the score and their highest points\b",
        rf"^(?:[>|]|{_BLANK}){{0,6}}look (?:only )?for (?:suspect claims|premises|gaps) in turn \d",
        rf"""^(?:[>|]|{_BLANK}){{0,6}}#{{1,6}} ?(?:system|instructions?|judge|judging|rubric|answer|output|response
            |scores?|verdict)\b""",
        r"""</?(?:turn|speech|transcript|input|debate|arguments?|instructions?|prompt|rubric|scores?|points|judge|verdict
            |answer|winner)(?: [^>\n]{0,60})?>""",
    ),
    "json_breakout": (
        r"""["'\d}\]] {0,3}[}\]] {0,3}[}\]]? {0,3}[,;] {0,3}[{\[] {0,3}["']""",
        r"""["'](?:points|scores?|verdict|components|logic|rhetoric|tactics|claims|outcomes|winner|premises|gaps)["']
            (?: {0,3}): {0,3}(?:[\d{\[]|["'](?:pro|con|draw|neither|later|earlier|first|second|\d))""",
    ),
    "score_demand": (r"\b(?:logic|rhetoric|tactics) ?= ?\d{1,3}\b[^\n]{0,20}\b(?:logic|rhetoric|tactics) ?= ?\d",),
    "hidden_comment": (
        r"<!--[^\n]{0,200}",
        r"""<(?:script|style|template)\b|<\w{1,12} (?:[^<>\n]{0,60} )?hidden\b
            |(?: )style=["']?(?:display: ?none|font-size: ?0)|\[//\]: ?#""",
        r"/\*[^*\n]{0,80}\b(?:judge|score|points|system|instructions?)\b[^*\n]{0,80}\*/",
    ),
    "fenced_order": (
        r"(?:`{3}|~{3}) ?(?:system|instructions?|prompt|judge|output|answer)\b",
        r"""(?:`{3}|~{3})[^`]{0,200}?(?:\b(?:ignore|disregard|award|full marks|full points|you must|the judge)\b
            |"points"|score:)""",
    ),
}


def _compiled(pattern: str) -> re.Pattern[str]:
    """Folding takes accents off a text, so they come off the pattern's own letters too."""
    joined = re.sub(r"\n\s*", "", pattern).replace(" ", r"\s")
    return re.compile("".join(each for each in normalize("NFKD", joined) if category(each) != "Mn"), re.MULTILINE)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compiled when a text is first read: that takes as long as many imports."""
    return (
        *((name, _compiled(each)) for name, some in _ANYWHERE.items() for each in some),
        *((name, _compiled(f"{_LEAD}(?P<words>{'|'.join(some)})")) for name, some in _AT_THE_START.items()),
    )


KEYWORDS: Final = re.compile(
    r"\b(?:ignore|disregard|override|instructions?|system|assistant|judges?|score|points|award|prompt|rubric)\b"
)
"""Words of an order that nobody spells with another script's letters by accident."""
RUN_TOGETHER: Final = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any|the|your|my){0,3}(?:previous|prior|above|earlier)?(?:instruction|rule|prompt)|"
    r"score(?:this|me|us|my)|(?:full|maximum|perfect)(?:marks|points|score)|systemprompt|givemefull|asthejudge"
)
"""Orders without the blanks between their words."""


def orders(text: str) -> Iterator[tuple[str, int, int]]:
    """The name and the place of every order in a folded text."""
    for name, pattern in _patterns():
        for match in pattern.finditer(text):
            yield name, *match.span(match.lastgroup or 0)
