"""Logs without debaters: five personas judge an artifact, two raters judge known cases."""

from typing import Any, Final

from msgspec import UNSET

from events.types import (
    Argument,
    Artifact,
    ArtifactJudged,
    BothSides,
    Case,
    DebateConcluded,
    DeliberationHeld,
    Disagreement,
    Event,
    OpinionGiven,
    RaterCalibrated,
    Reason,
)
from judge.panel.raters import shipped
from tests.browser.panel_logs import changed
from tests.browser.protocol_logs import opened, rater

HEX: Final = "0" * 64
TEXT: Final = """Release plan for the payment service

1. The migration runs during business hours so that the team is present.
2. Secrets are read from the environment; the old ones stay valid for a week.
3. A rollback is possible as long as no new column has been written.

Tests: the suite passes. Load tests will follow after the release.
"""


def artifact(finding: str = "Load tests come after the release.") -> list[Event]:
    """Five personas on a release plan."""
    names = list(shipped().personas)
    verdicts = {
        0: ("CONDITIONAL", "FAIL", "FAIL", "PASS", "CONDITIONAL"),
        1: ("CONDITIONAL", "FAIL", "FAIL", "CONDITIONAL", "CONDITIONAL"),
        2: ("CONDITIONAL", "CONDITIONAL", "FAIL", "CONDITIONAL", "CONDITIONAL"),
    }
    quote = "Load tests will follow after the release."
    moves = {
        1: ("domain_expert", "PASS", "CONDITIONAL", "evidence", quote),
        2: ("compliance_auditor", "FAIL", "CONDITIONAL", "conformity", ""),
    }
    events: list[Event] = [opened(
        "deliberation", panel=tuple(rater(name, persona=True) for name in names), motion="Does release-plan.md pass?",
        artifact=Artifact(name="release-plan.md", text=TEXT, digest=HEX),
    )]  # fmt: skip
    for number, said in verdicts.items():
        for name, verdict in zip(names, said, strict=True):
            if name == "domain_expert" and number == 2:
                silent = Reason("the model timed out")
                events.append(OpinionGiven(rater=name, model=f"scripted:{name}", round=2, missing=silent))
                continue
            events.append(
                OpinionGiven(
                    rater=name,
                    model=f"scripted:{name}",
                    round=number,
                    verdict=verdict,
                    confidence=0.7,  # type: ignore[arg-type]
                    scores={"soundness": 2.0, "completeness": 1.0, "clarity": 3.0, "risk": 1.0},
                    findings=(finding,),
                    remediation=("Run the load tests first.",),
                    rationale="A release that is tested afterwards is an experiment on customers.",
                    quote=quote if name != "qa_evaluator" else "words that nobody wrote",
                    verified=name != "qa_evaluator",
                )
            )
        if number:
            events.append(
                DeliberationHeld(
                    round=number,
                    before=0.55 + 0.1 * (number - 1),
                    after=0.65 + 0.1 * (number - 1),
                    elapsed_ms=3000,
                    changes=(changed(*moves[number]),),
                    carried={"domain_expert": 1} if number == 2 else UNSET,
                    ended="nobody moves any more" if number == 2 else "",
                    disagreements=(
                        Disagreement(
                            dimension="risk",
                            positions={"security_analyst": 1.0, "domain_expert": 3.0},
                            severity=1.0,
                        ),
                    ),
                )
            )
    return [
        *events,
        ArtifactJudged(
            verdict="CONDITIONAL",
            shares={"CONDITIONAL": 0.76, "FAIL": 0.24},
            independent="FAIL",
            independent_shares={"FAIL": 0.45, "CONDITIONAL": 0.4, "PASS": 0.15},
            agreement=0.75,
            independent_agreement=0.55,
            findings=(finding, "The old secrets stay valid for a week."),
            remediation=("Run the load tests first.", "Revoke the old secrets on the day."),
            reasons=("the greatest weight stands behind CONDITIONAL",),
        ),
        DebateConcluded(winner="neither", by_rule="artifact"),
    ]


def calibration() -> list[Event]:
    """Two raters on three known cases."""
    truths = {"aspirin": "pro", "canals": "con", "tulips": "neither"}
    claimed = {"claim": "A claim of its own", "reasoning": "Because of this and that", "evidence": "Counted"}
    pro, con = (tuple(Argument(id=f"{side}-{n}", **claimed) for n in (1, 2)) for side in ("PRO", "CON"))
    cases = tuple(
        Case(
            id=name,
            motion=f"On {name}: it did what was claimed",
            pro=pro,
            con=con,
            truth=truth,  # type: ignore[arg-type]
            source="The record of 1998",
            digest=f"{n:064x}",
        )
        for n, (name, truth) in enumerate(truths.items())
    )
    events: list[Event] = [
        opened(
            "calibration",
            panel=(rater("technical"), rater("risk")),
            cases=cases,
            motion="Raters measured by 3 debates with known outcomes",
        )
    ]
    said = {"technical": ("pro", "con", "neither"), "risk": ("pro", "pro", None)}
    for name, verdicts in said.items():
        for case, verdict in zip(cases, verdicts, strict=True):
            given: dict[str, Any] = (
                {"missing": Reason("the model gave nothing usable")}
                if verdict is None
                else {"said": verdict, "right": verdict == case.truth, "mean": BothSides(pro=6.2, con=5.1)}
            )
            events.append(
                RaterCalibrated(
                    rater=name,
                    model=f"scripted:{name}",
                    case=case.id,
                    digest=case.digest,
                    truth=case.truth,
                    **given,
                )
            )
    return [*events, DebateConcluded(winner="neither", by_rule="calibration")]
