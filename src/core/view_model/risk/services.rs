//! Commands that act on what services keep: databases, volumes, clusters, clouds, registries, stores of secrets.

use super::command::Command;

/// A program and the words that its arguments begin with.
type Verbs = (&'static [&'static str], &'static [&'static [&'static str]]);

const DELETES: [Verbs; 18] = [
    (&["docker", "podman"], &[&["volume", "rm"], &["volume", "prune"]]),
    (&["kubectl", "oc"], &[&["delete"]]),
    (&["helm"], &[&["uninstall"], &["delete"]]),
    (&["terraform", "tofu", "terragrunt", "pulumi", "cdk"], &[&["destroy"]]),
    (&["aws"], &[&["s3", "rm"], &["s3", "rb"]]),
    (&["gsutil"], &[&["rm"], &["rb"]]),
    (&["rclone"], &[&["delete"], &["purge"]]),
    (&["gh"], &[&["repo", "delete"], &["release", "delete"], &["secret", "delete"], &["gist", "delete"]]),
    (&["glab"], &[&["repo", "delete"]]),
    (&["dropdb"], &[&[]]),
    (&["mysqladmin"], &[&["drop"]]),
    (&["prisma"], &[&["migrate", "reset"]]),
    (&["supabase"], &[&["db", "reset"]]),
    (&["flyctl", "fly"], &[&["apps", "destroy"], &["destroy"], &["volumes", "destroy"]]),
    (&["heroku"], &[&["pg:reset"], &["apps:destroy"]]),
    (&["npm", "pnpm", "yarn"], &[&["unpublish"]]),
    (&["cargo"], &[&["yank"]]),
    (&["vercel", "netlify"], &[&["rm"], &["remove"], &["sites:delete"]]),
];
/// Tasks of web frameworks that empty a database.
const TASKS: [&str; 8] = [
    "db:drop",
    "db:reset",
    "db:wipe",
    "db:drop:all",
    "migrate:fresh",
    "migrate:reset",
    "db:schema:load",
    "reset_db",
];
const RUNNERS: [&str; 12] = [
    "rails",
    "rake",
    "php",
    "artisan",
    "bin/rails",
    "bundle",
    "npm",
    "pnpm",
    "yarn",
    "npx",
    "python",
    "python3",
];
const SQL: [&str; 9] =
    ["psql", "mysql", "mariadb", "sqlite3", "duckdb", "sqlcmd", "clickhouse-client", "cockroach", "bq"];

const SECRETS: [Verbs; 12] = [
    (&["gh"], &[&["auth", "token"]]),
    (
        &["gcloud"],
        &[
            &["auth", "print-access-token"],
            &["auth", "print-identity-token"],
            &["secrets", "versions", "access"],
        ],
    ),
    (&["op"], &[&["read"], &["item", "get"]]),
    (
        &["aws"],
        &[
            &["secretsmanager", "get-secret-value"],
            &["sts", "get-session-token"],
            &["iam", "create-access-key"],
        ],
    ),
    (&["az"], &[&["account", "get-access-token"], &["keyvault", "secret", "show"]]),
    (&["kubectl", "oc"], &[&["get", "secret"], &["get", "secrets"]]),
    (&["vault"], &[&["read"], &["kv", "get"], &["print", "token"]]),
    (&["pass"], &[&["show"]]),
    (&["bw"], &[&["get"], &["export"]]),
    (&["git"], &[&["credential", "fill"]]),
    (&["doppler"], &[&["secrets"]]),
    (&["heroku"], &[&["config"], &["auth:token"]]),
];

const SENDS: [Verbs; 9] = [
    (&["npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "lerna"], &[&["publish"], &["npm", "publish"]]),
    (&["gem"], &[&["push"]]),
    (&["twine"], &[&["upload"]]),
    (&["docker", "podman"], &[&["push"], &["image", "push"]]),
    (&["gh"], &[&["gist", "create"], &["release", "create"], &["release", "upload"]]),
    (&["vsce", "ovsx"], &[&["publish"]]),
    (&["dotnet"], &[&["nuget", "push"]]),
    (&["nuget"], &[&["push"]]),
    (&["firebase", "fly", "flyctl", "netlify", "vercel", "wrangler", "serverless"], &[&["deploy"]]),
];

/// Commands that change accounts, services, the firewall, the registry.
const MACHINE: [Verbs; 7] = [
    (
        &[
            "useradd",
            "adduser",
            "userdel",
            "usermod",
            "chpasswd",
            "passwd",
            "chsh",
            "setenforce",
            "insmod",
            "modprobe",
            "mount",
            "umount",
            "swapoff",
            "Set-ExecutionPolicy",
            "bcdedit",
        ],
        &[&[]],
    ),
    (&["ufw"], &[&["disable"], &["reset"]]),
    (&["systemctl"], &[&["stop"], &["disable"], &["mask"]]),
    (&["reg"], &[&["add"], &["delete"]]),
    (&["net"], &[&["user"], &["localgroup"]]),
    (&["defaults"], &[&["write"], &["delete"]]),
    (&["nft"], &[&["flush"]]),
];

/// The command, if it changes settings of the machine.
pub(super) fn changes_machine(seen: &Command<'_>) -> Option<String> {
    let firewall =
        seen.is(&["iptables", "ip6tables"]) && seen.flag(&['F', 'P', 'X'], &["--flush", "--policy"]);
    let kernel = seen.is(&["sysctl"]) && seen.operands().any(|word| word.contains('='));
    let changes = matches_verbs(seen, &MACHINE) && seen.operands().next().is_some();
    (firewall || kernel || changes).then(|| seen.line())
}

/// A folder or file of this machine that a container gets.
pub(super) struct Mount {
    pub path: String,
    pub read_only: bool,
}

/// What a container gets of this machine.
pub(super) fn mounts(seen: &Command<'_>) -> Vec<Mount> {
    if !seen.is(&["docker", "podman", "nerdctl"]) {
        return Vec::new();
    }
    let volumes = seen.values(&["-v", "--volume"]).into_iter().filter_map(|volume| {
        let (path, rest) = volume.split_once(':')?;
        Some(Mount { path: path.to_owned(), read_only: rest.ends_with(":ro") })
    });
    let mounts = seen.values(&["--mount"]).into_iter().filter_map(|mount| {
        let mut parts = mount.split(',');
        let path = parts.find_map(|part| part.strip_prefix("source=").or(part.strip_prefix("src=")))?;
        let read_only = mount.split(',').any(|part| part == "readonly" || part == "ro");
        Some(Mount { path: path.to_owned(), read_only })
    });
    volumes.chain(mounts).collect()
}

/// Whether PowerShell is given what a web client fetches.
pub(super) fn downloads(seen: &Command<'_>) -> bool {
    let fetches = ["downloadstring", "downloadfile", "net.webclient"];
    seen.texts().any(|text| fetches.iter().any(|part| text.to_ascii_lowercase().contains(part)))
}

fn matches_verbs(seen: &Command<'_>, table: &[Verbs]) -> bool {
    let tried = seen.has(&["--dry-run", "--dry-run=client", "--dry-run=server", "--dryrun", "--help", "-h"]);
    let mut rows = table.iter().filter(|(programs, _)| seen.is(programs));
    !tried && rows.any(|(_, verbs)| verbs.iter().any(|words| seen.starts_with(words)))
}

/// The command, if it deletes what a service keeps.
pub(super) fn deletes(seen: &Command<'_>) -> Option<String> {
    let docker = seen.is(&["docker", "podman", "docker-compose"]) && {
        let down = seen.starts_with(&["compose", "down"]) || seen.starts_with(&["down"]);
        let all = seen.starts_with(&["system", "prune"]) && seen.has(&["--volumes"]);
        (down && seen.has(&["-v", "--volumes"])) || all
    };
    let destroys = seen.is(&["terraform", "tofu"])
        && !seen.starts_with(&["plan"])
        && seen.has(&["-destroy", "--destroy"]);
    // `aws ec2 terminate-instances`, `gcloud sql instances delete x`
    let cloud = match seen.program {
        "aws" => seen
            .operands()
            .nth(1)
            .is_some_and(|verb| verb.starts_with("delete-") || verb.starts_with("terminate-")),
        "gcloud" | "az" | "doctl" => seen.operands().any(|word| word == "delete"),
        _ => false,
    };
    let request = match seen.program {
        "gh" => seen.starts_with(&["api"]) && method(seen) == Some("DELETE"),
        "curl" => method(seen) == Some("DELETE") && !seen.operands().any(is_own_machine),
        _ => false,
    };
    let redis = seen.is(&["redis-cli", "valkey-cli"])
        && seen
            .operands()
            .any(|word| ["flushall", "flushdb"].iter().any(|all| word.eq_ignore_ascii_case(all)));
    let mongo = seen.is(&["mongosh", "mongo"])
        && seen.texts().any(|text| text.contains("dropDatabase(") || text.contains(".drop("));
    let task = seen.is(&RUNNERS) && seen.operands().any(|word| TASKS.contains(&word))
        || seen.program.starts_with("python") && seen.starts_with(&["manage.py", "flush"])
        || seen.is(&["npx", "pnpm", "yarn", "bunx"]) && seen.starts_with(&["prisma", "migrate", "reset"]);
    let sql = seen.is(&SQL) && seen.texts().any(|text| drops_or_deletes_all(&text));
    let any = matches_verbs(seen, &DELETES)
        || docker
        || destroys
        || cloud
        || request
        || redis
        || mongo
        || task
        || sql;
    any.then(|| seen.line())
}

fn method<'a>(seen: &Command<'a>) -> Option<&'a str> {
    seen.values(&["-X", "--request", "--method"]).into_iter().next()
}

/// True for an address on this machine.
pub(super) fn is_own_machine(word: &str) -> bool {
    let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // What is before `@` is a name and a password.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let own =
        |own: &&str| host.strip_prefix(*own).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"].iter().any(own)
}

/// True for SQL that drops something, or that deletes or changes all rows of a table.
fn drops_or_deletes_all(text: &str) -> bool {
    let text = text.strip_prefix("-c").or(text.strip_prefix("-e")).unwrap_or(text);
    text.split(';').any(|statement| {
        let lines = statement.lines().map(|line| line.split("--").next().unwrap_or_default());
        let words: Vec<String> =
            lines.flat_map(str::split_whitespace).take(400).map(str::to_ascii_uppercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let all = !words.contains(&"WHERE");
        match words.as_slice() {
            ["DROP", "DATABASE" | "SCHEMA" | "TABLE" | "OWNED" | "KEYSPACE", ..] => true,
            ["TRUNCATE", ..] => words.len() > 1,
            ["DELETE", "FROM", ..] | ["UPDATE", _, "SET", ..] => all,
            _ => false,
        }
    })
}

/// The command, if it prints a password, a key or a token.
pub(super) fn prints_secret(seen: &Command<'_>) -> Option<String> {
    let keychain = seen.is(&["security"])
        && seen.arguments.first().is_some_and(|verb| verb.ends_with("-password"))
        && seen.has(&["-w", "-g"]);
    let gpg = seen.is(&["gpg", "gpg2"]) && seen.has(&["--export-secret-keys", "--export-secret-subkeys"]);
    let aws = seen.is(&["aws"])
        && (seen.starts_with(&["configure", "get"])
            && seen.operands().any(|word| word.contains("secret") || word.contains("token"))
            || seen.starts_with(&["ssm"]) && seen.has(&["--with-decryption"]));
    // A list of names says nothing secret.
    let names_only = seen.is(&["kubectl", "oc"]) && !seen.flag(&['o'], &["--output"]);
    let any = matches_verbs(seen, &SECRETS) && !names_only || keychain || gpg || aws;
    any.then(|| seen.line())
}

/// True if the command sends files to a registry or a store.
pub(super) fn sends(seen: &Command<'_>) -> bool {
    let store = |word: &str| ["s3://", "gs://", "az://"].iter().any(|kind| word.starts_with(kind));
    let copies = seen.is(&["aws", "gsutil", "gcloud", "s3cmd"])
        && seen.operands().any(|word| ["cp", "sync", "mv", "rsync", "put"].contains(&word))
        && seen.operands().filter(|word| !word.contains('=')).last().is_some_and(store);
    matches_verbs(seen, &SENDS) || copies
}
