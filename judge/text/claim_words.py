"""Specific claims in German, French, Spanish, Hindi, Chinese and Arabic: parts of the scanner's patterns.

Every repetition is bounded.  The texts are plain (``plain``): digits and percent signs are those of ASCII.
"""

from typing import Final

from events.text.segmentation import MARKS, UNSPACED

_ZEROS: Final = (
    "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u0f20\u1040\u17e0\u1810\uff10"
)
"""The zeros of scripts, each followed by the other digits."""
_PLAIN: Final = {ord(zero) + value: str(value) for zero in _ZEROS for value in range(10)} | dict(
    zip(map(ord, "٪％﹪٫٬．，"), "%%%.,.,", strict=True)
)


def plain(text: str) -> str:
    """Return the text with digits and percent signs of ASCII; every character keeps its place."""
    return text if text.isascii() else text.translate(_PLAIN)


JOINED: Final = f"\u0590-\u06ff{UNSPACED}"
"""Ranges of letters that may come directly before a figure: of scripts without spaces, Arabic and Hebrew."""
HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
LETTER: Final = rf"(?:[^\W\d_{UNSPACED}][{MARKS}]{{0,4}})"
"""A letter with its vowel signs, of a script with spaces."""
_BEGINS: Final = rf"(?<![\w{MARKS}])"
_ENDS: Final = rf"(?![\w{MARKS}])"
_WORD: Final = rf"{_BEGINS}{LETTER}{{1,24}}{_ENDS}"
_WORDS: Final = rf"{_BEGINS}(?>[a-z]{{1,24}} |{LETTER}{{1,24}} ){{1,5}}"
"""Words with a space after each; those of Latin letters are read faster."""

SCALES: Final[dict[str, int]] = {
    "tausend": 10**3,
    "millionen": 10**6,
    "milliarden": 10**9,
    "milliarde": 10**9,
    "mille": 10**3,
    "millions": 10**6,
    "milliards": 10**9,
    "milliard": 10**9,
    "mil": 10**3,
    "millones": 10**6,
    "millón": 10**6,
    "हज़ार": 10**3,
    "हजार": 10**3,
    "लाख": 10**5,
    "करोड़": 10**7,
    "अरब": 10**9,
    "ألف": 10**3,
    "آلاف": 10**3,
    "مليون": 10**6,
    "ملايين": 10**6,
    "مليار": 10**9,
}
"""Scales that are words of their own."""
MYRIADS: Final[dict[str, int]] = {
    "百": 10**2,
    "千": 10**3,
    "万": 10**4,
    "萬": 10**4,
    "亿": 10**8,
    "億": 10**8,
}
"""Scales that directly follow the digits; several of them multiply."""
CURRENCIES: Final[dict[str, str]] = {
    "人民币": "cny",
    "元": "cny",
    "美元": "usd",
    "欧元": "eur",
    "日元": "jpy",
    "英镑": "gbp",
    "रुपये": "inr",
    "रुपए": "inr",
    "डॉलर": "usd",
    "यूरो": "eur",
    "دولار": "usd",
    "يورو": "eur",
    "جنيه": "egp",
    "ريال": "sar",
    "درهم": "aed",
    "dólares": "usd",
    "franken": "chf",
}
CURRENCY: Final = (
    rf"(?:人民币|[美欧日]?元|英镑|(?:रुप(?:ये|ए)|डॉलर|यूरो|دولار|يورو|جنيه|ريال|درهم|dólares|franken){_ENDS})"
)
POINTS: Final = rf"(?:个百分点|(?:prozentpunkte?n?|points de pourcentage|puntos porcentuales|प्रतिशत अंक){_ENDS})"
PERCENT: Final = rf"(?:(?:प्रतिशत|फ़?ीसदी?|फ़ीसदी|फीसदी|بالمئة|بالمائة|في المئة|في المائة){_ENDS})"
_NUMERAL: Final = "一二两三四五六七八九十百千零〇点0-9."
SHARE: Final = (
    rf"百分之[{_NUMERAL}]{{1,8}}|[{_NUMERAL}]{{1,6}}分之[{_NUMERAL}]{{1,6}}|一半|半数|[一二两三四五六七八九]成(?![为功立员果])"
    rf"|{_BEGINS}(?:die hälfte|(?:ein|zwei) drittel|(?:ein|drei) viertel"
    r"|jede[rsn]? (?:zweite|dritte|vierte|fünfte|zehnte)"
    r"|la moitié|(?:un|deux) tiers|un quart|trois quarts|une? [\w]{1,12} sur (?:deux|trois|quatre|cinq|dix|[0-9]{1,4})"
    r"|la mitad|(?:un tercio|dos tercios)|(?:un cuarto|tres cuartos)|un[oa] de cada (?:\w{1,12})"
    r"|आध[ेाी]|(?:एक|दो) तिहाई|(?:एक|तीन) चौथाई"
    rf"|(?:و)?(?:نصف|ثلث|ثلثا|ثلثي|ربع|ثلاثة أرباع)){_ENDS}"
)
"""Shares without a figure, and figures that follow the sign of a share."""
UNIT: Final = rf"(?:个月|小时|分钟|公里|公斤|平方米|(?![的和与及或在是了也就都而])[{HAN}])"
"""A measure word behind a figure."""
EMPTY: Final = (
    rf"(?:de|des|du|del|von|der|das|dem|und|oder|et|ou|y|el|la|los|las|le|les|en|con|par|por|sur|pour|para"
    rf"|से|में|की|के|का|को|और|या|है|हैं|पर|ने|من|في|على|عن|إلى|أو){_ENDS}"
)
"""Words that are no unit."""

_NAME: Final = r"(?-i:(?<!\w)[A-ZÀ-ÖØ-Þ][\w’'.&-]{0,30}(?<![.’'-]))"
_NAMES: Final = (
    rf"{_NAME}(?:(?: (?:der|des|für|und|von|zu|de|du|des|la|et|del|y|para|e)){{0,2}} (?:l[’'])?{_NAME}){{0,4}}"
)
_ARTICLE: Final = r"(?:(?:der|des|dem|den|die|das|la|le|les|el|los|las|du) |l[’']){0,2}"
_ARABIC_SOURCE: Final = r"(?:جامعة|منظمة|وزارة|معهد|هيئة|مركز|البنك|مجلة)"
STUDIES: Final = (
    "studie", "umfrage", "untersuchung", "bericht", "erhebung", "étude", "enquête", "rapport", "sondage", "estudio",
    "encuesta", "informe", "sondeo",
)  # fmt: skip
"""Words of Latin letters, of which ``STUDY`` needs one."""
STUDY: Final = (
    rf"{_BEGINS}(?:studie|umfrage|untersuchung|bericht|erhebung) (?:der|des|von|aus|vom|im) {_ARTICLE}{_NAMES}"
    rf"|{_BEGINS}(?:étude|enquête|rapport|sondage) (?:de |du |des |d[’']|(?:menée? |publiée? )?par ){_ARTICLE}{_NAMES}"
    rf"|{_BEGINS}(?:estudio|encuesta|informe|sondeo) (?:de|del|por|realizado por|publicado por) {_ARTICLE}{_NAMES}"
    rf"|{_WORDS}के (?:एक )?(?:अध्ययन|शोध|सर्वेक्षण|सर्वे|रिपोर्ट){_ENDS}"
    rf"|(?:根据|依据|据)?[{HAN}]{{2,14}}的?(?:一项|一份)?(?:研究|调查|报告|论文)(?![{HAN}]{{0,2}}(?:人员|者|所|院))"
    r"|《[^《》\n]{2,60}》"
    rf"|{_BEGINS}(?:ل|ال|ب)?(?:دراسة|تقرير|استطلاع|بحث)(?: (?:أجرتها|أجراها|أجراه|نشرتها|نشره|أعدته|من|صادر عن))?"
    rf" ل?{_ARABIC_SOURCE}(?: {_WORD}){{1,2}}"
)
AUTHORITIES: Final = (
    "laut ", "nach angaben", "zufolge ", "selon ", "d’après ", "d'après ", "según ", "forscher", "wissenschaftler",
    "ökonomen", "chercheurs", "économistes", "investigadores", "expertos", "universität ", "université ",
    "universidad ", "institut ", "instituto ", "ministère ", "ministerio ", "ministerium ", "bundesamt ",
)  # fmt: skip
"""Words of Latin letters, of which ``AUTHORITY`` needs one."""
AUTHORITY: Final = (
    rf"{_BEGINS}(?:laut|nach angaben(?: von| der| des)?|zufolge) {_ARTICLE}{_NAMES}"
    rf"|{_BEGINS}(?:selon|d[’']après) {_ARTICLE}{_NAMES}|{_BEGINS}según {_ARTICLE}{_NAMES}"
    rf"|{_BEGINS}(?:forscher|wissenschaftler|ökonomen|chercheurs|économistes|investigadores|expertos)(?:innen)?"
    rf" (?:der|des|von|aus|de |du |del |d[’']) ?{_ARTICLE}{_NAMES}"
    rf"|{_BEGINS}(?:universität|université|universidad|institut|instituto|ministère|ministerio|ministerium|bundesamt)"
    rf" (?:für |de |du |de la |des |d[’'])?{_NAMES}"
    rf"|{_WORDS}के (?:अनुसार|मुताबिक){_ENDS}"
    rf"|[{HAN}]{{2,8}}(?:大学|学院|研究所|研究院|组织|协会|委员会|统计局|卫生部|银行)"
    rf"|{_BEGINS}(?:وفقًا|وفقا|وبحسب|بحسب|حسب|طبقًا|طبقا) (?:ل|ال)?(?:{_WORD})(?: {_WORD}){{0,2}}"
    rf"|{_BEGINS}ل?{_ARABIC_SOURCE}(?: {_WORD}){{1,2}}"
)
