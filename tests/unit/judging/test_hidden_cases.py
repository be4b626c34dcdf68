"""Whoever wrote a candidate hears nothing of cases that no export shows, but that one failed."""

from __future__ import annotations

from crawler.judging.hidden_cases import hide_cases
from crawler.judging.judgement import CaseJudgement, Judgement


def make_judgement(**messages: str) -> Judgement:
    cases = tuple(
        CaseJudgement(name=name, passes=not message, message=message)
        for name, message in messages.items()
    )
    wrong = [f"{case.name}: {case.message}" for case in cases if not case.passes]
    return Judgement(
        task_id="t",
        number=0,
        completion="c",
        pass_call=True,
        pass_exe=not wrong,
        exe_err_msg=next(iter(wrong), ""),
        cases=cases,
    )


def test_a_hidden_case_that_fails_is_told_of_without_its_name_and_its_values() -> None:
    hidden = hide_cases(
        make_judgement(shown="", secret="out[3] is 1 where 42 is expected"), {"secret"}
    )
    assert [case.name for case in hidden.cases] == ["shown"]
    assert hidden.pass_exe is False
    assert "not shown" in hidden.exe_err_msg
    assert "42" not in repr(hidden)
    assert "secret" not in repr(hidden)


def test_a_shown_case_that_fails_is_told_of_in_its_words() -> None:
    hidden = hide_cases(make_judgement(secret="it is 42", shown="it is 7"), {"secret"})
    assert hidden.exe_err_msg == "shown: it is 7"
    assert "42" not in repr(hidden)


def test_nothing_is_said_where_all_are_right_or_none_is_hidden() -> None:
    right = make_judgement(shown="", secret="")
    assert hide_cases(right, {"secret"}).exe_err_msg == ""
    wrong = make_judgement(shown="it is 7")
    assert hide_cases(wrong, {"secret"}) == wrong
