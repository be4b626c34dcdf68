"""What GitHub's REST API shows of repositories and their owners."""

from __future__ import annotations

from typing import Any

from .kept import Repository

API = "/api/v3"
_OWN = [
    "archive_url",
    "assignees_url",
    "blobs_url",
    "branches_url",
    "collaborators_url",
    "comments_url",
    "commits_url",
    "compare_url",
    "contents_url",
    "contributors_url",
    "deployments_url",
    "downloads_url",
    "events_url",
    "forks_url",
    "git_commits_url",
    "git_refs_url",
    "git_tags_url",
    "issue_comment_url",
    "issue_events_url",
    "issues_url",
    "keys_url",
    "labels_url",
    "languages_url",
    "merges_url",
    "milestones_url",
    "notifications_url",
    "pulls_url",
    "releases_url",
    "stargazers_url",
    "statuses_url",
    "subscribers_url",
    "subscription_url",
    "tags_url",
    "teams_url",
    "trees_url",
    "hooks_url",
]
_USERS = [
    "followers_url",
    "following_url",
    "gists_url",
    "starred_url",
    "subscriptions_url",
    "organizations_url",
    "repos_url",
    "events_url",
    "received_events_url",
]


def repository_shape(web: str, repository: Repository, kind: str) -> dict[str, Any]:
    """Return what the REST API shows of a repository."""
    full = f"{repository.owner}/{repository.name}"
    url = f"{web}{API}/repos/{full}"
    return (
        {name: f"{url}/{name.removesuffix('_url')}" for name in _OWN}
        | {
            "id": repository.id,
            "node_id": f"R_{repository.id}",
            "name": repository.name,
            "full_name": full,
            "owner": owner_shape(web, repository.owner, kind),
            "private": False,
            "visibility": "public",
            "html_url": f"{web}/{full}",
            "description": None,
            "fork": False,
            "url": url,
            "git_url": f"git://127.0.0.1/{full}.git",
            "ssh_url": f"git@127.0.0.1:{full}.git",
            "clone_url": f"{web}/{full}.git",
            "svn_url": f"{web}/{full}",
            "mirror_url": None,
            "homepage": None,
            "language": "Cuda",
            "forks_count": 0,
            "forks": 0,
            "stargazers_count": 7,
            "watchers_count": 7,
            "watchers": 7,
            "subscribers_count": 1,
            "network_count": 0,
            "size": 12,
            "default_branch": "main",
            "open_issues_count": 0,
            "open_issues": 0,
            "is_template": False,
            "topics": [],
            "has_issues": True,
            "has_projects": True,
            "has_wiki": True,
            "has_pages": False,
            "has_downloads": True,
            "has_discussions": False,
            "archived": False,
            "disabled": False,
            "license": {
                "key": "mit",
                "name": "MIT License",
                "spdx_id": "MIT",
                "url": "https://api.github.com/licenses/mit",
                "node_id": "L_1",
            },
            "pushed_at": repository.pushed_at,
            "created_at": "2020-01-01T00:00:00Z",
            "updated_at": repository.pushed_at,
        }
        | repository.facts
    )


def owner_shape(web: str, login: str, kind: str) -> dict[str, Any]:
    """Return what the REST API shows of an owner."""
    url = f"{web}{API}/users/{login}"
    return {name: f"{url}/{name.removesuffix('_url')}" for name in _USERS} | {
        "login": login,
        "id": 1,
        "node_id": "U_1",
        "avatar_url": f"{web}/a.png",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{web}/{login}",
        "type": kind,
        "site_admin": False,
    }
