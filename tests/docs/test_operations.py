"""What operators copy works: metrics that are asked for exist, settings and commands too, images have a version."""

import configparser
import json
import re
import shlex
import tomllib
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from server.cli.main import COMMANDS, main
from server.http.body import MAX_IMPORT
from server.http.metrics import ServiceGauges
from server.process import observe
from server.service import running
from server.settings import NAMES, PREFIX, Settings
from tests.docs.pages import PAGES as EVERY_PAGE
from tests.docs.plain_yaml import parse

ROOT = Path(__file__).parents[2]
FILES = ROOT / "deploy"
PAGES = [ROOT / "docs" / "operations.md", ROOT / "docs" / "capacity.md"]
EXPRESSION = re.compile(r"\b(?:moot|process)_[a-z_]+")
PINNED = re.compile(r"[a-z/]+:\d[\w.-]*")
ROLES = {"moot_owner", "moot_node", "moot_reader"}
"""Of PostgreSQL: their names look like those of metrics."""
FROM_OUTSIDE = {"MOOT_HOSTS", "MOOT_LIMITS", "MOOT_PUBLIC_METRICS", "FORWARDED_ALLOW_IPS"}
"""What a node behind a proxy needs to be told, and its limits."""
EXTRAS = ("lab", "mcp", "pdf", "postgres", "preview")
"""Those of the image."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def text(name: str) -> str:
    return (FILES / name).read_text(encoding="utf-8")


def families() -> dict[str, set[str]]:
    """Every name that /metrics can say, with the labels that it can have."""
    known: dict[str, set[str]] = {"up": {"job", "instance"}}
    for metric in observe.METRICS.collect():
        labels = set(getattr(observe_metric(metric.name), "_labelnames", ()))
        endings = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}.get(metric.type, ("",))
        known |= {metric.name + ending: labels | {"le"} for ending in endings}
    return known


def observe_metric(name: str) -> Any:
    return next((each for each in vars(observe).values() if getattr(each, "_name", None) == name), None)


async def all_families() -> dict[str, set[str]]:
    settings = Settings(store="memory:")
    async with running(settings) as service:
        standing = {
            sample.name: {label for each in family.samples for label in each.labels}
            for family in ServiceGauges(service, {}).collect()
            for sample in family.samples
        }
    return families() | standing


def unknown(expression: str, known: dict[str, set[str]]) -> set[str]:
    """Metrics in an expression that do not exist, and labels that none of its metrics has."""
    names = set(EXPRESSION.findall(expression))
    labels = {each for group in re.findall(r"by \(([^)]*)\)", expression) for each in re.split(r",\s*", group)}
    labels |= set(re.findall(r"[{,](\w+)=", expression))
    has = {"instance", "job"}.union(*(known.get(name, set()) for name in names))
    return (names - known.keys()) | {f"label {each}" for each in labels - has}


@pytest.mark.anyio
async def test_every_metric_of_the_dashboard_exists() -> None:
    known = await all_families()
    panels = [each for each in json.loads(text("dashboard.json"))["panels"] if each["type"] != "row"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]

    assert {each: unknown(each, known) for each in asked if unknown(each, known)} == {}
    assert all(EXPRESSION.search(each) for each in asked)


@pytest.mark.anyio
async def test_every_metric_is_on_the_dashboard() -> None:
    asked = set(EXPRESSION.findall(text("dashboard.json")))
    known = {name for name in await all_families() if name.startswith("moot_")}
    of_histograms = {name for name in known if name.endswith(("_sum", "_count", "_bucket"))}

    assert known - of_histograms - asked == set()


def test_panels_stand_beside_each_other_and_have_numbers_of_their_own() -> None:
    panels = json.loads(text("dashboard.json"))["panels"]
    places = [
        (x, y)
        for panel in panels
        for at in [panel["gridPos"]]
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]

    assert len(places) == len(set(places))
    assert max(x for x, _ in places) < 24
    assert len(panels) == len({panel["id"] for panel in panels})


@pytest.mark.anyio
async def test_every_alert_asks_for_what_exists_and_is_on_the_page() -> None:
    known = await all_families()
    rules = [rule for group in parse(text("alerts.yaml"))["groups"] for rule in group["rules"]]
    page = PAGES[0].read_text(encoding="utf-8")

    assert {rule["alert"]: unknown(rule["expr"], known) for rule in rules if unknown(rule["expr"], known)} == {}
    assert [rule["alert"] for rule in rules if f"`{rule['alert']}`" not in page] == []
    assert {rule["labels"]["severity"] for rule in rules} == {"page", "ticket"}


# compose.yaml


def services() -> dict[str, Any]:
    return dict(parse(text("compose.yaml"))["services"])


def test_two_nodes_a_database_and_a_bus_are_composed() -> None:
    found = services()
    nodes = [each for name, each in found.items() if name.startswith("node")]

    assert {"postgres", "nats", "migrate", "rights", "node1", "node2"} == found.keys()
    stores = [each["environment"]["MOOT_STORE"] for each in (found["migrate"], *nodes)]
    assert ["moot_owner", "moot_node", "moot_node"] == [urlsplit(store).username for store in stores]
    assert len({store.partition("@")[2] for store in stores}) == 1
    assert not [each for each in nodes if "POSTGRES_PASSWORD" in str(each) or "OWNER_PASSWORD" in str(each)]
    assert len({str(each["ports"]) for each in nodes}) == len(nodes)
    assert all(port.startswith("127.0.0.1:") for each in nodes for port in each["ports"])


def test_the_composed_database_has_the_documented_roles_and_rights() -> None:
    docs = (ROOT / "docs" / "postgres.md").read_text(encoding="utf-8")
    roles, rights, _ = re.findall(r"^```sql\n(.*?)^```$", docs, re.MULTILINE | re.DOTALL)
    written = re.sub(r" PASSWORD :'\w+'|^\\getenv .*\n|^--.*\n", "", text("roles.sql"), flags=re.MULTILINE)
    asked = re.findall(r"^\\getenv \w+ (\w+)$", text("roles.sql"), re.MULTILINE)

    assert roles == written
    assert rights == re.sub(r"^--.*\n", "", text("rights.sql"))
    assert set(asked) <= services()["postgres"]["environment"].keys()


def test_the_image_gets_nothing_but_the_package() -> None:
    first, *others = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] not in {"", "#"}]
    kept = {line.removeprefix("!") for line in others if line.startswith("!")}
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert "*" == first
    ours = {"deploy/wheel", "deploy/constraints.txt"}
    assert {"LICENSE", "README.md", "pyproject.toml", *wheel["only-include"], *ours} == kept
    assert {"**/moot.toml", "**/.env", "**/*.db"} <= set(others)


def test_every_image_has_a_version() -> None:
    images = [each["image"] for each in services().values()]
    base = re.findall(r"^ARG BASE=(.+)$", text("Containerfile"), re.MULTILINE)
    stages = re.findall(r"^FROM (\S+)", text("Containerfile"), re.MULTILINE)
    images += [image.replace("${BASE}", *base) for image in stages]

    assert [image for image in images if not PINNED.fullmatch(image)] == []
    assert f"moot:{version('moot')}" in images


def test_what_the_nodes_are_told_are_settings() -> None:
    for name, each in services().items():
        said = each.get("environment", {}).keys()
        ours = {key.removeprefix(PREFIX).lower() for key in said if key.startswith(PREFIX)}

        assert ours <= set(NAMES), name
        if name.startswith("node"):
            assert said >= FROM_OUTSIDE
            assert vendors() == {key for key in said - FROM_OUTSIDE if not key.startswith(PREFIX)}
            assert {None} == {each["environment"][key] for key in FROM_OUTSIDE | vendors()}, "unset stays unset"


def vendors() -> set[str]:
    """The variables of providers, as the page of settings names them."""
    said = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").partition("## Variables that are not Moot's")[2]
    return set(re.findall(r"`([A-Z_]+(?:_API_KEY|_BASE_URL|_HOST))`", said))


@pytest.mark.parametrize("name", ["postgres", "nats", "migrate", "rights", "node1", "node2"])
def test_a_container_may_do_little(name: str) -> None:
    service = services()[name]

    assert service["read_only"] is True
    assert ["ALL"] == service["cap_drop"]
    assert name == "postgres" or "cap_add" not in service
    assert ["no-new-privileges:true"] == service["security_opt"]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert service["pids_limit"] > 0


def test_the_bus_has_a_password() -> None:
    found = services()
    assert found["nats"]["command"] == ["--config", "/nats.conf"]
    assert "password: $NATS_PASSWORD" in text("nats.conf")
    for name in ("node1", "node2"):
        assert "nats://moot:${NATS_PASSWORD}@nats:4222" == found[name]["environment"]["MOOT_BUS"]


def pins() -> dict[str, list[Requirement]]:
    """The constraints of the image, by name: one for each version of Python that has its own."""
    found: dict[str, list[Requirement]] = {}
    for line in text("constraints.txt").splitlines():
        if line and not line.startswith("#"):
            pin = Requirement(line)
            found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


def needed(name: str, extras: set[str], seen: dict[str, set[str]]) -> None:
    """Collect what a package needs here, with the requirements on each, as far as it is installed."""
    for line in requires(name) or ():
        each = Requirement(line)
        if each.marker is not None and not any(each.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            continue
        key = canonicalize_name(each.name)
        first = key not in seen
        seen.setdefault(key, set()).add(str(each.specifier))
        if first:
            needed(each.name, each.extras, seen)


def test_every_package_of_the_image_has_a_version() -> None:
    """A dependency that is added must be added to the constraints too."""
    found, pinned = dict[str, set[str]](), pins()
    needed("moot", set(EXTRAS), found)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    for each in map(Requirement, build):
        found.setdefault(canonicalize_name(each.name), set()).add(str(each.specifier))

    assert found.keys() <= pinned.keys(), "see the first lines of deploy/constraints.txt"
    for name, specifiers in found.items():
        for pin in pinned[name]:
            (exact,) = pin.specifier
            assert "==" == exact.operator
            assert all(SpecifierSet(each).contains(exact.version, prereleases=True) for each in specifiers), pin
    assert f"[{','.join(EXTRAS)}]" in text("Containerfile")


# the proxies


@pytest.mark.parametrize(
    "line",
    [
        "proxy_http_version 1.1;",
        "proxy_set_header Host $http_host;",
        "proxy_set_header Upgrade $http_upgrade;",
        "proxy_set_header Connection $connection_upgrade;",
        "proxy_set_header X-Forwarded-For $remote_addr;",
        "proxy_set_header X-Forwarded-Proto $scheme;",
        "proxy_buffering off;",
        "proxy_read_timeout 75s;",
        f"client_max_body_size {MAX_IMPORT >> 20}m;",
    ],
)
def test_the_file_of_nginx_has_what_moot_needs(line: str) -> None:
    assert 1 == text("nginx.conf").count(line)


def test_the_file_of_caddy_has_what_moot_needs() -> None:
    for line in ("health_uri /readyz", "respond /metrics 403", f"max_size {MAX_IMPORT >> 20}MiB", "flush_interval -1"):
        assert 1 == text("Caddyfile").count(line)


def test_every_service_that_others_wait_for_says_when_it_is_there() -> None:
    found = services()
    for each in found.values():
        for name, how in each.get("depends_on", {}).items():
            assert name in found
            assert how["condition"] != "service_healthy" or "healthcheck" in found[name]
    for name in ("node1", "node2"):
        (check,) = [part for part in found[name]["healthcheck"]["test"] if "http://" in part]
        assert "/readyz" in check
        compile(check, name, "exec")


def test_a_node_has_time_to_hand_its_debates_over() -> None:
    grace = [each["stop_grace_period"] for name, each in services().items() if name.startswith("node")]

    assert all(int(each.removesuffix("s")) > Settings().drain_s + 10 for each in grace)


def exists(words: list[str]) -> None:
    """A command line of Moot's names a command and options that there are."""
    assert words[0] == "moot"
    command = main.get_command(click.Context(main), words[1])
    assert command is not None, words
    with command.make_context(words[1], words[2:]) as context:
        assert context.params is not None


def test_the_commands_of_the_containers_exist() -> None:
    exists(services()["migrate"]["command"])
    exists(json.loads(re.findall(r"^CMD (.+)$", text("Containerfile"), re.MULTILINE)[0]))


# the unit


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's names have capitals
    parser.read_string(text("moot.service"))
    return parser


def test_the_unit_starts_a_command_that_exists_with_settings_that_exist() -> None:
    service = unit()["Service"]
    exists(shlex.split(service["ExecStart"]))
    name, _, value = service["Environment"].partition("=")

    assert name.removeprefix(PREFIX).lower() in NAMES
    assert value.startswith("sqlite:%S/")
    assert int(service["TimeoutStopSec"]) > Settings().drain_s + 10


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("DynamicUser", "yes"),
        ("PrivateTmp", "yes"),
        ("PrivateDevices", "yes"),
        ("CapabilityBoundingSet", ""),
        ("UMask", "0077"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
    ],
)
def test_the_unit_may_do_little(name: str, value: str) -> None:
    assert unit()["Service"][name] == value


# the pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_exists(page: Path) -> None:
    said = page.read_text(encoding="utf-8")
    commands = set(re.findall(r"`moot ([a-z]+)", said))
    settings = set(re.findall(r"\bMOOT_([A-Z_]+)", said)) - {"TOKEN"}
    linked = re.findall(r"\]\(([^)#:]+)\)", said)

    assert commands <= set(COMMANDS)
    assert {each.lower() for each in settings} <= set(NAMES)
    assert [each for each in linked if not (page.parent / each).exists()] == []


@pytest.mark.anyio
async def test_metrics_that_a_page_names_exist() -> None:
    known = await all_families()
    for page in EVERY_PAGE:
        named = set(re.findall(r"`(moot_[a-z_]+)", page.read_text(encoding="utf-8"))) - ROLES

        assert {each for each in named if not any(name.startswith(each) for name in known)} == set()


# the reader of YAML


@pytest.mark.parametrize(
    "wrong", ["a: [1,", "a:\n  - b\n c: 1", "a: 1\na: 2", "a: b: c", "a:", "a: *b", "a: |\n  b", "- a\nb"]
)
def test_yaml_that_is_not_ours_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own is one
        parse(wrong)


def test_yaml_is_read() -> None:
    said = '# c\na:\n  b: ["x", 1]\n  c: ${D:?say it}\nl:\n  - n: 1\n    m: text with spaces\n  - plain\ne: {}\n'

    assert parse(said) == {
        "a": {"b": ["x", 1], "c": "${D:?say it}"},
        "l": [{"n": 1, "m": "text with spaces"}, "plain"],
        "e": {},
    }
