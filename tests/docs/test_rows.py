"""What people expect, row by row: each row names the checks that hold it, and each check is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE, AUDIT, EXPERIENCE = "browser/test_page.py", "browser/test_audit_page.py", "browser/test_experience.py"
JUDGE, AWAY, ACCESS = "browser/test_judge_page.py", "browser/test_export.py", "browser/test_access.py"
FEED, PLAYER = "web/feed.test.mjs", "web/player.test.mjs"

ROWS: dict[str, list[tuple[str, str]]] = {
    # spectating
    "opens fast, nothing from elsewhere": [
        (EXPERIENCE, "test_the_first_page_is_complete_within_a_second"),
        (PAGE, "test_everything_comes_from_this_server"),
        (PAGE, "test_a_page_loads_at_most_61_kib_of_script_at_first"),
    ],
    "text appears as it is spoken": [(PAGE, "test_text_grows_while_it_is_spoken")],
    "a clear sign: live, catching up, reconnecting, ended": [
        (EXPERIENCE, "test_the_status_shows_each_state_in_turn"),
        (PAGE, "test_the_page_reconnects_to_a_restarted_server"),
    ],
    "a dropped line resumes, nothing lost or doubled": [(PAGE, "test_a_cut_line_resumes_with_nothing_doubled")],
    "reconnecting is polite": [
        (FEED, "back-off doubles to a cap of 20 s, with jitter of half"),
        (FEED, "waits grow while the server is away and start over after the connection has held"),
    ],
    "reading back is never interrupted": [
        (PAGE, "test_reading_back_is_not_interrupted"),
        (PLAYER, "reading back is never interrupted, and new events are counted"),
    ],
    "one press goes back to live": [(PAGE, "test_reading_back_is_not_interrupted")],
    "scrolled up means no auto-scroll": [(PAGE, "test_a_reader_who_scrolled_up_stays_there")],
    "who speaks, how far, how many watch, what it costs": [
        (EXPERIENCE, "test_who_speaks_how_far_how_many_watch_and_what_it_costs"),
    ],
    "a failed or refused turn is seen as such": [(PAGE, "test_failed_attempts_and_missing_scores_are_shown")],
    "hidden directives stay hidden while live, are revealed after": [
        (JUDGE, "test_directives_are_hidden_while_the_debate_runs_and_shown_afterwards"),
        (AUDIT, "test_a_directive_its_traits_and_the_judgement_are_one_chain"),
        ("server/http/test_http.py", "test_while_live_the_director_s_fields_are_withheld_and_the_chain_holds"),
    ],
    # replaying
    "any debate replays from its log alone": [
        ("server/cli/test_cli.py", "test_an_export_imports_into_an_empty_store_as_the_same_debate"),
    ],
    "arrows, Home, End, slider; play, pause, 0.5x to 8x, true pace": [
        (PAGE, "test_keys_move_the_cursor"),
        (PAGE, "test_space_plays_from_the_start_and_brackets_set_the_pace"),
        (PAGE, "test_a_replay_keeps_the_recorded_pace"),
        (PLAYER, "at 4×, 8 s of log take 2 s at the recorded pace"),
    ],
    "a link to one event opens there; Back works": [
        (PAGE, "test_a_link_to_an_event_opens_there"),
        (PAGE, "test_back_undoes_a_jump"),
        (AUDIT, "test_y_copies_a_link_that_opens_the_same_moment"),
    ],
    "a score graph that moves with the cursor, and a click on it jumps": [
        (AUDIT, "test_the_curve_ends_at_the_cursor_and_what_is_to_come_is_dots"),
        (AUDIT, "test_the_bar_and_the_curve_show_the_lead_of_the_view"),
    ],
    "no spoilers": [
        (PAGE, "test_an_earlier_position_tells_nothing_of_later_ones"),
        (JUDGE, "test_reading_back_shows_nothing_that_came_later"),
        (AUDIT, "test_the_log_ends_at_the_cursor"),
    ],
    "replay equals live": [
        ("server/http/test_http.py", "test_the_view_at_any_position_is_the_frames_up_to_it"),
        ("events/view/test_golden.py", "test_its_frames_add_up_to_the_view"),
    ],
    # auditing
    "why did this score change, when, by whom, because of what": [
        (AUDIT, "test_b_lists_every_entry_with_old_new_requested_applied_rule_and_cause"),
        (AUDIT, "test_the_evidence_of_a_docking_is_highlighted_in_both_turns"),
        (JUDGE, "test_the_entries_are_those_of_the_audit"),
    ],
    "see it as it was; what changed between two moments": [
        (AUDIT, "test_as_it_was_before_goes_to_the_entry_less_one_and_shows_the_old_number"),
        (AUDIT, "test_two_moments_are_compared"),
    ],
    "a revised score looks revised": [(AUDIT, "test_a_revised_score_looks_revised")],
    "the exact prompt, model, parameters and raw answer": [
        (AUDIT, "test_the_exact_question_and_the_raw_answer_stand_beside_the_entry"),
    ],
    "the log was not altered": [
        ("server/cli/test_cli.py", "test_one_byte_flipped_in_the_store_is_named_by_its_position"),
    ],
    "filter by side, type, turn; find text": [
        (AUDIT, "test_the_log_is_filtered_by_side_kind_turn_and_words"),
        (AUDIT, "test_slash_searches_the_log"),
    ],
    "take it away: JSON, NDJSON, Markdown, one self-contained HTML that replays offline": [
        (AWAY, "test_the_file_replays_by_keyboard_with_the_network_off"),
    ],
    # everybody
    "dark and light by the system and remembered": [(PAGE, "test_the_theme_is_the_systems_until_chosen")],
    "all by keyboard, focus visible": [(EXPERIENCE, "test_everything_is_reached_by_keyboard_and_the_focus_is_seen")],
    "axe-core, targets, no horizontal scroll at 320 px": [
        (ACCESS, "test_axe_finds_nothing"),
        (ACCESS, "test_axe_finds_nothing_while_it_runs"),
        (PAGE, "test_nothing_scrolls_sideways_at_320"),
    ],
    "reduced motion respected": [(EXPERIENCE, "test_reduced_motion_is_respected")],
    "a strict policy with Trusted Types and an empty console": [
        (EXPERIENCE, "test_the_policy_is_strict_with_trusted_types"),
    ],
    "pro and con differ by word and sign": [(EXPERIENCE, "test_pro_and_con_differ_by_word_and_sign_as_well")],
    "numbers are tabular, a score shows its spread": [
        (EXPERIENCE, "test_numbers_are_tabular"),
        (EXPERIENCE, "test_a_score_shows_its_spread_where_there_are_samples"),
    ],
    "nothing about a turn's score before the turn is complete": [
        (PAGE, "test_no_score_stands_there_before_a_turn_is_complete"),
    ],
    # the shell
    "help leads with examples; a typo suggests": [
        ("server/cli/test_cli_conventions.py", "test_help_begins_with_examples"),
        ("server/cli/test_cli_refusals.py", "test_a_typo_suggests"),
    ],
    "--json: data on stdout, one error object": [
        ("server/cli/test_cli.py", "test_a_run_in_json_is_one_object_a_line_and_the_id_last"),
        ("server/cli/test_cli_refusals.py", "test_a_failure_is_one_line_or_one_object"),
    ],
    "no colour or spinner in a pipe, NO_COLOR respected": [
        ("server/cli/test_cli_conventions.py", "test_a_pipe_gets_no_colour"),
        ("server/cli/test_cli_conventions.py", "test_a_terminal_gets_colour_unless_no_color_is_set"),
    ],
    "Ctrl-C ends in time, and the debate can go on": [
        ("server/cli/test_cli_processes.py", "test_ctrl_c_in_mid_turn_ends_soon_and_the_debate_can_go_on"),
    ],
    "completion; secrets never by flag": [
        ("server/cli/test_cli_conventions.py", "test_names_are_completed"),
        ("server/cli/test_cli_conventions.py", "test_no_flag_takes_a_secret"),
    ],
}


@cache
def named_in(name: str) -> frozenset[str]:
    """The names of a file's tests."""
    text = (TESTS / name).read_text(encoding="utf-8")
    if name.endswith(".mjs"):
        return frozenset(re.findall(r'^test\("([^"]+)"', text, re.MULTILINE))
    tree = ast.parse(text)
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_its_checks(row: str) -> None:
    missing = [f"{name}::{test}" for name, test in ROWS[row] if test not in named_in(name)]

    assert ROWS[row]
    assert missing == []
