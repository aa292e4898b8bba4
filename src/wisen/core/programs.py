"""What is known of programs in general: which are everybody's, which only look, which run others.

A lesson about a program that the whole world uses the same way is no lesson about a repository.
"""

from __future__ import annotations

from typing import Final

PACKAGE_MANAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun", "deno"})

INTERPRETERS: Final = frozenset(
    {"python", "python2", "python3", "node", "nodejs", "ruby", "perl", "php", "bash", "sh", "zsh", "tsx", "ts-node"}
)

TASK_RUNNERS: Final = frozenset({"make", "gmake", "just", "task", "mise", "rake", "nox", "tox", "invoke", "gradlew"})

THIRD_WORD: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(PACKAGE_MANAGERS, frozenset({"run", "run-script", "workspace", "x", "exec", "task"})),
    "mise": frozenset({"run", "tasks", "r"}),
    "git": frozenset(
        {"stash", "remote", "worktree", "submodule", "lfs", "bisect", "notes", "subtree", "flow", "config"}
    ),
    "docker": frozenset({"compose", "container", "image", "volume", "network", "buildx", "system"}),
    "go": frozenset({"mod", "tool", "work", "run"}),
    "cargo": frozenset({"xtask", "nextest", "make"}),
    "uv": frozenset({"pip", "python", "tool", "cache"}),
    "dotnet": frozenset({"tool", "ef", "nuget"}),
    "terraform": frozenset({"workspace", "state"}),
    "rustup": frozenset({"target", "component", "toolchain"}),
    "bundle": frozenset({"config"}),
    "poetry": frozenset({"env", "self", "config"}),
}
"""Sub-commands that say too little without the word behind them. Of `gh` and `glab` all do."""

ALWAYS_THIRD: Final = frozenset({"gh", "glab", "aws", "gcloud", "az"})

SERVICES: Final = frozenset({"docker", "docker-compose", "podman", "colima", "systemctl", "service", "brew"})
"""Programs that start what others need."""

PREPARING: Final = frozenset(
    {"rm", "cp", "ln", "createdb", "nvm", "fnm", "volta", "pyenv", "rbenv", "direnv", "rustup", "bundle", "corepack"}
)
"""Everybody's programs that put something in place, or out of the way."""

LOOKING: Final = frozenset(
    {
        "ack", "ag", "awk", "bat", "cat", "cmp", "column", "comm", "cut", "date", "df", "diff", "dirname", "du",
        "echo", "basename", "egrep", "env", "fd", "fgrep", "file", "find", "fzf", "gawk", "grep", "head", "hexdump",
        "hostname", "id", "jq", "less", "locate", "ls", "lsof", "md5sum", "more", "netstat", "nl", "od", "pgrep",
        "printenv", "printf", "ps", "pwd", "readlink", "realpath", "rg", "sed", "sha256sum", "shasum", "sort", "ss",
        "stat", "strings", "tac", "tail", "test", "[", "[[", "top", "tr", "tree", "true", "false", "type", "uname",
        "uniq", "wc", "whereis", "which", "who", "whoami", "xargs", "xxd", "yq", "zcat", "zgrep", "zipinfo",
        "command",
    }
)  # fmt: skip
"""Programs that only look; what they do in a line changes nothing."""

LOOKING_SUBCOMMANDS: Final[dict[str, frozenset[str]]] = {
    "git": frozenset(
        {
            "blame", "branch", "cat-file", "check-ignore", "describe", "diff", "diff-tree", "for-each-ref", "grep",
            "log", "ls-files", "ls-remote", "ls-tree", "merge-base", "name-rev", "reflog", "remote", "rev-list",
            "rev-parse", "shortlog", "show", "show-ref", "status", "tag", "var", "version", "whatchanged",
        }
    ),
    "docker": frozenset({"images", "info", "inspect", "logs", "ps", "stats", "top", "version"}),
    "docker-compose": frozenset({"logs", "ps", "config", "top"}),
    "kubectl": frozenset({"describe", "explain", "get", "logs", "top", "version", "wait", "rollout"}),
    "npm": frozenset({"ls", "list", "view", "info", "outdated", "why", "explain", "search", "audit", "root", "bin"}),
    "pnpm": frozenset({"ls", "list", "why", "outdated", "view", "root", "bin"}),
    "yarn": frozenset({"list", "why", "info", "outdated"}),
    "bun": frozenset({"pm", "why"}),
    "pip": frozenset({"list", "show", "freeze", "check"}),
    "pip3": frozenset({"list", "show", "freeze", "check"}),
    "go": frozenset({"list", "env", "doc", "version", "vet"}),
    "cargo": frozenset({"metadata", "tree", "search", "version"}),
    "mise": frozenset({"ls", "tasks", "current", "doctor", "which"}),
    "brew": frozenset({"list", "info", "search"}),
    "systemctl": frozenset({"status", "show", "list-units", "is-active"}),
    "rustup": frozenset({"show"}),
}  # fmt: skip
LOOKING_THIRD: Final = frozenset({"view", "list", "status", "checks", "diff", "watch", "ls", "show", "logs", "ps"})
"""Of `gh pr view` and the like, and `docker compose logs`."""

SELF_BUILDING: Final = frozenset({"go", "cargo", "swift", "dotnet", "zig", "gradle", "mvn", "bazel"})
"""Programs that build what they need by themselves: that one of them built before says nothing."""

POLLING: Final = frozenset({"sleep", "wait", "watch", "tail", "ps", "pgrep", "nc", "wait-for-it", "until"})

EVERYBODYS: Final = LOOKING | PACKAGE_MANAGERS | INTERPRETERS | PREPARING | SERVICES | frozenset(
    {
        "7z", "ansible", "apt", "apt-get", "aws", "az", "biome", "black", "brew", "bundle", "bunx", "bzip2", "cargo",
        "cd", "chmod", "chown", "clang", "cmake", "conda", "cp", "createdb", "ctest", "curl", "dig", "docker",
        "docker-compose", "dotnet", "dropdb", "eslint", "export", "ffmpeg", "flake8", "g++", "gcc", "gcloud", "gem",
        "gh", "git", "glab", "go", "gofmt", "golangci-lint", "gradle", "gunzip", "gzip", "helm", "hg", "java",
        "javac", "jest", "kill", "killall", "kubectl", "ld", "ln", "make", "man", "mkdir", "mktemp", "mocha",
        "mongosh", "mv", "mvn", "mypy", "mysql", "nano", "next", "nohup", "nvm", "openssl", "patch", "pip", "pip3",
        "pipenv", "pipx", "pkill", "playwright", "podman", "poetry", "prettier", "protoc", "psql", "pyenv", "pyright",
        "pytest", "rails", "rake", "redis-cli", "rm", "rmdir", "rspec", "rsync", "rubocop", "ruff", "rustc",
        "rustfmt", "rustup", "scp", "set", "shellcheck", "shfmt", "source", "sqlite3", "ssh", "strace", "sudo",
        "swift", "systemctl", "tar", "tee", "terraform", "touch", "tsc", "turbo", "unzip", "uv", "uvx", "vim", "vite",
        "vitest", "wasm-pack", "webpack", "wget", "xcodebuild", "xcrun", "zip", ".", ":", "time", "timeout", "jar",
        "nx", "lerna", "golint", "staticcheck", "just", "mise", "task", "dpkg", "yum", "dnf", "pacman", "apk", "expr",
        "seq", "read", "exit", "return", "unset", "alias",
    }
)  # fmt: skip
"""Programs that a model knows from thousands of repositories: how they take their options is no news."""

QUIET: Final = frozenset(
    {"cd", "pushd", "popd", "export", "set", "unset", "source", ".", "mkdir", "touch", "exit", ":"}
)
"""Programs that prepare a line and are not what it is for."""
