"""What do tools print when they fail? Their own wordings, by kind of failure.

Shells, git, package managers, build tools, containers, hooks; anchored where they print them. The order is that of
trust: the first kind that fits is the one. `word` (or `word2`) is what of the command a tool complains of.
"""

from __future__ import annotations

from typing import Final

from wisen.core.signals.error_kinds import Kind

_VARIABLE: Final = r"^.{0,80}\b(?P<word>[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[\"'`]? (?:environment variable )?"
_NAME: Final = r"[\"'`‘“]?(?P<word>[^\s\"'`’”,;]+)[\"'`’”]?"
SHELL: Final = r"^(?:\(eval\)|(?:-|/\S*/)?(?:ba|z|da|k|fi)?sh)(?::[\w]+)?(?:: ?(?:line )?\d+)?:(?:\d+:)? ?"

PATTERNS: Final[tuple[tuple[Kind, tuple[str, ...]], ...]] = (
    (
        Kind.TRANSIENT,
        (
            r"index\.lock\b|\.lock': (?:File exists|Operation not permitted)|^Another git process seems",
            r"\bdatabase (?:table )?is locked\b|SQLITE_BUSY|Text file busy|Resource temporarily unavailable",
            r"\b(?:API )?rate limit|secondary rate|HTTP (?:429|5\d\d)\b|\b50[234] (?:Bad|Service|Gateway)",
            r"Connection (?:reset|timed out)|TLS handshake timeout|unexpected disconnect|i/o timeout",
            r"ETIMEDOUT|ECONNRESET",
            r"EADDRINUSE|[Aa]ddress already in use|[Pp]ort \d+ is (?:already )?in use",
            r"No space left on device|aborted by user|^Command timed out|^signal: killed",
        ),
    ),
    (Kind.IGNORED, (r"^The following paths are ignored by one of your \.gitignore files",)),
    (
        Kind.PROTECTED,
        (
            r"protected branch|GH006|GH013|[Rr]epository rule violations|pre-receive hook declined",
            r"not allowed to (?:push|merge)|[Mm]erge commits? (?:are|is) not allowed",
            r"(?:Squash|Rebase) merg\w+ (?:are|is) not",
        ),
    ),
    (
        Kind.SIGNING,
        (
            r"gpg failed to sign|failed to sign the data|agent refused operation",
            r"^error: (?:gpg|ssh)\S* .*sign|signing failed",
        ),
    ),
    (
        Kind.GLOB,
        (
            SHELL + r"(?:no matches found|bad pattern|no match): ?(?P<word>.+?)$",
            r"^(?:zsh|fish): (?:no matches found|No matches for wildcard)[:' ]+(?P<word>[^\s']+)",
        ),
    ),
    (Kind.EXPANDED, (SHELL + r"(?P<word>=\S*) not found$", SHELL + r"(?P<word>!\S*): event not found$")),
    (Kind.RESERVED, (SHELL + r"read-only variable: (?P<word>\w+)", SHELL + r"(?P<word>\w+): readonly variable")),
    (
        Kind.PLAIN,
        (
            SHELL
            + r".{0,30}(?:parse error|syntax error|unmatched|unexpected (?:EOF|end)|bad substitution"
            + r"|command not found: -)",
            SHELL + r"(?:cd: .*)?[Nn]o such file or directory|^cd: |^Working directory \".*\" was deleted",
            r"^CONFLICT \(|^error: could not apply|fix conflicts and then|has no upstream branch",
            r"non-fast-forward|fetch first",
            r"nothing to commit|no changes added to commit|did not match any file|already exists\.?$",
            r"pathspec '",
            r"^jq: error|failed to parse jq|HTTP 404|^fatal: (?:ambiguous|bad) |unknown revision",
            r"not something we can merge",
            r"^  File \"<(?:stdin|string)>\"|^\[?(?:eval|stdin)\]?:\d+$",
        ),
    ),
    (
        Kind.UNTRUSTED,
        (
            r"(?:config files?|\.toml|\.envrc|Config file\S*) .{0,200}(?:not trusted|is blocked)",
            r"\bis blocked\. Run `direnv allow`",
            r"detected dubious ownership|not in the list of trusted|Trust them with `?mise trust",
        ),
    ),
    (Kind.MANAGED, (r"externally-managed-environment|externally managed",)),
    (
        Kind.MISSING_PROGRAM,
        (
            SHELL + r"command not found: (?P<word>[^-\s]\S*)$",
            SHELL + r"(?P<word>[^\s:]+): (?:command )?not found$",
            r"^(?P<word>[\w.-]+): command not found$",
            r"^(?:env|nohup|timeout|sudo|time|xargs): [‘'`]?(?P<word>[^\s:'’]+)['’]?: (?:No such file|command not)",
            r"^No (?:version is set for command|preset version installed for command) (?P<word>\S+)",
            r"^(?:pyenv|rbenv|nodenv|asdf|mise|volta|fnm): .{0,40}?"
            + _NAME
            + r":? (?:command )?not (?:found|installed)",
            r"exec(?:utable file)?: \"(?P<word>[^\"]+)\": executable file not found in \$PATH",
            r"\bspawn (?P<word>[\w./-]+) ENOENT|^xcrun: error: unable to find utility \"(?P<word2>[^\"]+)\"",
            r"^(?:make|gmake): (?P<word>[^\s:*]+): (?:Command not found|No such file or directory)",
            r"'(?P<word>[\w.-]+)' is not recognized as an internal or external command",
            r"^Unknown command: (?P<word>\S+)$|The term '(?P<word2>[^']+)' is not recognized",
        ),
    ),
    (
        Kind.NO_SCRIPT,
        (
            r"^(?:npm (?:ERR!|error) )+[Mm]issing script: " + _NAME,
            r"^error: Script not found " + _NAME,
            r"ERR_PNPM_NO_SCRIPT|ERR_PNPM_RECURSIVE_RUN_NO_SCRIPT|\bMissing script: " + _NAME,
            r"^Usage Error: Couldn't find a script named " + _NAME,
            r"^error Command \"(?P<word>[^\"]+)\" not found\.",
            r"^error: Module not found \"(?P<word>[^\"/]+)\"",
            r"\*\*\* No rule to make target ['`](?P<word>[^']+)'(?!, needed)",
            r"^error: (?:Justfile|The Justfile) does not contain recipes? `(?P<word>[^`]+)`",
            r"\bno tasks? named? "
            + _NAME
            + r"|^mise (?:ERROR )?no task[s]? "
            + _NAME.replace("word", "word2")
            + " found",
            r"^task: Task \"(?P<word>[^\"]+)\" does not exist",
            r"^Don't know how to build task '(?P<word>[^']+)'",
            r"^Task '(?P<word>[^']+)' not found in|^Could not find task '(?P<word2>[^']+)'",
            r"^error: no such command: `(?P<word>[^`]+)`",
            r"\bNo script named \"(?P<word>[^\"]+)\"|^Script '(?P<word2>[^']+)' (?:not found|is not defined)",
            r"^error: no (?:bin|example|test|bench) target named `(?P<word>[^`]+)`",
        ),
    ),
    (
        Kind.WRONG_PLACE,
        (
            r"could not find `Cargo\.toml`|go: (?:cannot find main module|go\.mod file not found)",
            r"no go files in",
            r"directory .{0,120} (?:does not contain main module|outside (?:main|available) module)",
            r"outside (?:main module|modules listed)",
            r"(?:ENOENT|Could not read|open|find|No)\b.{0,200}package\.json|No package\.json",
            r"\bno package\.json",
            r"^(?:pyproject\.toml|ERROR: .*neither 'setup\.py' nor 'pyproject\.toml' found)",
            r"Poetry could not find a pyproject",
            r"does not appear to be a Python project|No `pyproject\.toml` found",
            r"^no configuration file provided: not found",
            r"(?:open|find).{0,120}(?:docker-)?compose\.ya?ml: no such file",
            r"failed to read dockerfile|unable to (?:prepare context|evaluate symlinks in Dockerfile)",
            r"[Nn]o (?:j|J)ustfile found|No targets specified and no makefile found|No Rakefile found",
            r"No Taskfile found",
            r"Could not locate Gemfile|Could not find (?:a )?(?:gradle|build\.gradle)",
            r"does not contain a Gradle build",
            r"there is no POM in this directory|MSB1003|Couldn't find a project to run",
            r"no config file was found|Terraform initialized in an empty directory|Could not find config file",
        ),
    ),
    (
        Kind.UNKNOWN_SUBCOMMAND,
        (
            r"^(?:\w+: )?error: (?:unrecognized|unknown|unexpected) (?:sub)?command:? " + _NAME,
            r"\b(?:unrecognized|unknown|invalid) sub-?command:? " + _NAME,
            r"^(?:Error: |ERROR: |error: |npm error )?[Uu]nknown command:? " + _NAME,
            r"^(?:Error: |error: )?[Nn]o such command:? " + _NAME,
            r"^(?:git|docker|gh|kubectl|hg): '(?P<word>[^']+)' is not an? \w+ command",
            r"\binvalid choice: '(?P<word>[^']+)'",
            r"'(?P<word2>[\w:-]+)' is not a (?:docker|valid|known|wp|php) ?\w* ?command",
            r"^error: no such subcommand:? `(?P<word>[^`]+)`|^Could not find command \"(?P<word2>[^\"]+)\"",
        ),
    ),
    (
        Kind.UNKNOWN_OPTION,
        (
            r"\b(?:[Uu]nknown|[Uu]nrecogni[sz]ed|[Uu]nexpected|[Ii]nvalid|[Ii]llegal|[Uu]nsupported|[Nn]o such)"
            r" (?:shorthand )?(?:command[- ]line )?(?:option|flag|switch|argument|parameter)s?(?: name)?:?(?: --)?:? "
            + _NAME,
            r"^flag provided but not defined: (?P<word>-\S+)",
            r"error: Found argument '(?P<word>[^']+)' which wasn't expected",
            r"^Unknown JSON field: \"(?P<word>[^\"]+)\"",
            r"\bunknown shorthand flag: '(?P<word>.)' in",
            r"\b(?:option|flag|argument)s? [\"'`]?(?P<word>--?[\w-]+)[\"'`]? (?:is|are) (?:not [a-z]+|unknown)",
            r"^Option (?P<word>-\S+) is unknown",
            r"^(?P<word2>-\S+): (?:unknown|invalid) (?:option|primary|predicate)",
        ),
    ),
    (
        Kind.LOCKFILE,
        (
            r"ERR_PNPM_OUTDATED_LOCKFILE|frozen-lockfile",
            r"can only install packages when your package(?:\.json)?",
            r"lockfile (?:would have been|needs to be) (?:modified|updated)",
            r"lock file .{0,80}needs to be updated|but --locked was passed",
            r"lockfile had changes, but lockfile is frozen|poetry\.lock is not up to date",
            r"pyproject\.toml changed significantly",
        ),
    ),
    (
        Kind.VERSION,
        (
            r"Unsupported engine|engine \"?\w+\"? is incompatible|EBADENGINE|ERR_PNPM_UNSUPPORTED_ENGINE",
            r"requires go ?>=? ?[\d.]+|rustc [\d.]+ is not supported|requires rustc [\d.]+",
            r"(?:requires?|needs|[Ee]xpected) (?:at least )?(?:Node(?:\.js)?|Python|Ruby|Go|Java|JDK)\b.{0,20}\d",
            r"is not in the (?:supported|required) range|Requires-Python|version solving failed",
            r"Your Ruby version is",
            r"was compiled against a different Node\.js version|Unsupported class file major version",
            r"invalid (?:target|source) release",
        ),
    ),
    (
        Kind.MISSING_ENV,
        (
            _VARIABLE
            + r"(?:is |was |has |are )?(?:not (?:been )?set|required|missing|undefined|unset|not defined|empty)",
            _VARIABLE + r"must be (?:set|defined|provided)",
            r"(?:[Mm]issing|[Rr]equired|[Uu]ndefined|[Uu]nset) (?:required )?env(?:ironment)? var(?:iable)?s?:?\s+"
            + _NAME,
            r"[Ee]nvironment variable (?:not found:? )?"
            + _NAME
            + r"(?: (?:is |was )?(?:not|missing|required|undefined)|\.?$)",
            r"^KeyError: '(?P<word>[A-Z][A-Z0-9_]+)'$",
            r"(?<!\w)(?P<word>\w{1,60}): (?:unbound variable|parameter (?:null or )?not set)",
            r"^NameError: .*ENV\[",
        ),
    ),
    (
        Kind.INTERACTIVE,
        (
            r"not a (?:tty|TTY|terminal)|no tty present|stdin is not|[Ii]nappropriate ioctl",
            r"a terminal is required",
            r"(?:when|while|if) not running interactively",
            r"non-?interactive(?:ly)? (?:mode|terminal|shell|environment|session)",
            r"cannot (?:prompt|run interactively)",
            r"interactive (?:mode|prompt|terminal) (?:is )?(?:not|required)|could not prompt",
            r"could not read Username for|terminal prompts disabled",
            r"Please (?:use|pass|provide) (?:the )?`?--(?:yes|force|no-input)",
        ),
    ),
    (Kind.NOT_FOUND_REPO, (r"Could not resolve to a Repository|Repository not found\.|repository '[^']+' not found",)),
    (
        Kind.SELECTION,
        (
            r"build constraints exclude all Go files|requires the features?:|matched no packages",
            r"no packages to test",
            r"No test files? found|No tests? found|[Nn]o tests? (?:were )?(?:executed|collected)",
            r"collected 0 items",
            r"No projects? matched|did not match any packages|package ID specification|No workspaces? found",
            r"No packages? matched",
            r"None of the (?:selected|provided) packages|Invalid (?:workspace|project) name",
            r"Unknown (?:project|workspace)",
            r"No files matching the pattern|all of the files .{0,30} are ignored|no files were processed",
        ),
    ),
    (Kind.MEMORY, (r"JavaScript heap out of memory|OutOfMemoryError|cannot allocate memory",)),
    (
        Kind.SERVICE,
        (
            r"Cannot connect to the Docker daemon|[Ii]s the docker daemon running",
            r"failed to connect to the docker API",
            r"[Cc]onnection refused|ECONNREFUSED|[Cc]ould not connect to (?:server|the database)",
            r"Can't reach database server",
            r"Can't connect to (?:local )?(?:MySQL|server)|is the server running|No such container",
            r"is not running\.?$",
            r"Error connecting to Redis|Failed to connect to (?:localhost|127\.0\.0\.1)",
        ),
    ),
    (
        Kind.DEPENDENCY,
        (
            r"Cannot find (?:module|package) '|ERR_MODULE_NOT_FOUND|\bMODULE_NOT_FOUND",
            r"Failed to resolve import",
            r"ModuleNotFoundError: No module named|No module named '?\w|node_modules missing",
            r"has not been installed",
            r"Could not find gem|Bundler::GemNotFound|bundler: command not found|cannot load such file",
            r"vendor/autoload\.php",
            r"\b(?:sh|bash): (?:line )?\d+: [\w-]+: (?:command )?not found",
            r"Please run `?(?:bundle|npm|pnpm|yarn|composer) install",
            r"Executable doesn't exist at .*playwright|playwright install",
            r"[Bb]rowser(?:s)? (?:is|are) not installed",
            r"did not initialize yet\. Please run \"prisma generate\"|target may not be installed",
            r"can't find crate for `core`",
        ),
    ),
    (
        Kind.PERMISSION,
        (r"[Oo]peration not permitted|[Pp]ermission denied|\bEACCES\b|\bEPERM\b|[Rr]ead-only file system",),
    ),
    (
        Kind.NETWORK,
        (
            r"no such host|[Cc]ould not resolve (?:host|proxy)|ENOTFOUND|[Nn]etwork is unreachable",
            r"error connecting to \S+\.\w+",
            r"getaddrinfo|Temporary failure in name resolution|Failed to fetch .{0,120}https?://",
            r"certificate (?:verify failed|signed by unknown)",
        ),
    ),
)

CODE: Final = (
    r"^[ \t]*--- FAIL|^FAIL\b|^FAILED\b|error TS\d+|error\[E\d+\]|^\S+:\d+:\d+:? |^\S+\(\d+,\d+\): ",
    r"AssertionError|\bexpect\(",
    r"^E\s{2,}|^Traceback \(most|^panic: |[Ww]ould (?:be )?reformat|Formatter would have printed",
    r"^[ \t]*[✗✕×✖●]\s|\blint/",
    r"\b(?:[1-9]\d*) (?:failed|failing|failures?|errors?|problems?|issues?|warnings?|offenses?)\b",
    r"[Bb]uild failed|BUILD FAILED",
    r"test result: FAILED|^not ok \d|SyntaxError|TypeError|ReferenceError|undefined: |cannot find symbol",
    r"^error: .*\n\s*-->",
    r"need(?:s)? to be formatted|Code style issues|not formatted|^[ \t]+at .+:\d+:\d+\)?$|^\(fail\) ",
    r"\bpanicked at\b|exit status \d+$",
    r"\w\.(?:go|rs|ts|tsx|js|jsx|py|rb|java|c|cc|cpp|h|swift|kt|cs|php|vue):\d+\b",
)
