from hub_stand_in import COMMIT, HubStandIn

FILES = {"README.md": "---\ntitle: Board\nsdk: static\n---\n", "a.css": "p{}", "index.html": "<p>", "jfleg.json": "{}"}


def test_dry_run_upload_and_refusal(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    command = ["push", "leaderboard", tmp_path, "--repo", "me/it"]
    with HubStandIn().running() as hub:
        tried = hub.gecbench(*command, "--dry-run")
        assert tried.returncode == 0
        assert [line.split()[0] for line in tried.stdout.splitlines()[1:-2]] == list(FILES)
        assert "nothing was uploaded" in tried.stdout
        assert not hub.requests
        done = hub.gecbench(*command)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == f"{hub.url}/spaces/me/it/commit/{COMMIT}"
        assert sorted(hub.commits[0].files) == list(FILES)
        failed = hub.gecbench(*command, token="wrong")
        assert failed.returncode == 2
        assert failed.stderr.splitlines()[-1].startswith("gecbench: me/it: not uploaded:")
