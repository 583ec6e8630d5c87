"""The journal survives crashes and knows what a resume may skip."""

from magflow.engine.journal import Done, Journal


def finished(stage, digest="d"):
    return {"stage": stage, "digest": digest, "seconds": 1.5}


def test_stages_of_an_unfinished_deploy_can_be_kept(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("deploy_started")
    journal.write("stage_started", stage="cluster")
    journal.write("stage_finished", **finished("cluster"))
    journal.write("stage_started", stage="ingress")
    assert journal.unfinished() == {"cluster": Done("d", 1.5)}


def test_a_deploy_that_ended_well_leaves_nothing_to_keep(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("stage_finished", **finished("cluster"))
    journal.write("deploy_finished")
    assert journal.unfinished() == {}


def test_a_destroy_takes_back_what_was_done(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("stage_finished", **finished("cluster"))
    journal.write("destroy_started")
    assert journal.unfinished() == {}


def test_a_stage_begun_again_is_not_done(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("stage_finished", **finished("cluster"))
    journal.write("stage_started", stage="cluster")
    assert journal.unfinished() == {}


def test_a_line_cut_by_a_crash_is_passed_over_and_does_not_spoil_the_next(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("stage_finished", **finished("cluster"))
    with journal.file.open("a") as stream:
        stream.write('{"time": "2026-01-01", "event": "stage_fin')
    journal.write("stage_finished", **finished("ingress"))
    assert list(journal.unfinished()) == ["cluster", "ingress"]


def test_the_journal_is_private(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("deploy_started")
    assert journal.file.stat().st_mode & 0o777 == 0o600


def test_an_interrupted_stage_is_known_to_the_next_run(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write("stage_started", stage="cluster")
    assert not journal.interrupted("cluster"), "this run itself"
    journal.write("stage_started", stage="cluster")
    assert journal.interrupted("cluster")
    journal.write("stage_finished", **finished("cluster"))
    journal.write("stage_started", stage="cluster")
    assert not journal.interrupted("cluster")
