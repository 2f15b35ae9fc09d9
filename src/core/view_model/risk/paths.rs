//! What is dangerous about a path: secrets, places outside of the project, files that are run
//! later. Works on the text of the path alone.

use super::{Danger, Effect};

/// Folders and files that hold keys and passwords. All lists of this file are matched in lowercase.
const SECRETS: [&str; 17] = [
    "/.ssh/",
    "/.aws/",
    "/.gnupg/",
    "/.kube/config",
    "/.docker/config.json",
    "/.config/gh/",
    "/.azure/",
    "/.config/gcloud/",
    "/.netrc",
    "/_netrc",
    "/.npmrc",
    "/.pypirc",
    "/.git-credentials",
    "/etc/shadow",
    "/etc/sudoers",
    "/.vault-token",
    "/proc/self/environ",
];

/// Files that are run later without being asked for: on a commit, on the
/// server, when a shell or an editor starts.
const RUNS_LATER: [&str; 16] = [
    "/.git/hooks/",
    "/.git/config",
    "/.husky/",
    "/.github/workflows/",
    "/.github/actions/",
    "/.gitlab-ci.yml",
    "/.circleci/",
    "/jenkinsfile",
    "/azure-pipelines.yml",
    "/.vscode/tasks.json",
    "/.envrc",
    "/crontab",
    "/launchagents/",
    "/systemd/system/",
    "/systemd/user/",
    "/cron.d/",
];

/// Top-level folders that only the system and its administrators write to.
const SYSTEM: [&str; 12] =
    ["etc", "usr", "bin", "sbin", "boot", "lib", "lib64", "opt", "root", "sys", "system", "library"];

/// A path for comparing: lowercase, with forward slashes and one at the start.
fn plain(path: &str) -> String {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    if path.starts_with('/') { path } else { format!("/{path}") }
}

fn within(path: &str, parts: &[&str]) -> bool {
    let path = plain(path);
    parts.iter().any(|part| {
        path.contains(part)
            || path.strip_suffix('/') == Some(part)
            || part.strip_suffix('/').is_some_and(|part| path.ends_with(part))
    })
}

/// True if a file holds keys or passwords.
pub(super) fn is_secret(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let sample = ["example", "sample", "template", "dist", "test"].iter().any(|end| name.ends_with(end));
    let dotenv = name == ".env" || (name.starts_with(".env.") && !sample);
    let key = ["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"].contains(&name)
        || name.rsplit_once('.').is_some_and(|(_, end)| end == "p12");
    dotenv || key || within(path, &SECRETS)
}

/// True if what is written there is run later without being asked for.
pub(super) fn runs_later(path: &str) -> bool {
    within(path, &RUNS_LATER)
}

/// True for a hidden file or folder directly in a home folder: shells and tools read those when they start.
pub(super) fn is_dotfile(path: &str) -> bool {
    let own = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| path.strip_prefix(home));
    let homes = ["/home/", "/Users/"].iter().find_map(|home| path.strip_prefix(home));
    let own = own.or_else(|| homes.and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest));
    // `~name/` is the home of another account.
    let other = || path.strip_prefix('~').and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
    own.or_else(other).is_some_and(|own| own.starts_with('.') && !own.starts_with(".cache/"))
}

/// True for a place that only the system writes to.
pub(super) fn is_system(path: &str) -> bool {
    let low = path.to_ascii_lowercase();
    let first = low.strip_prefix('/').and_then(|below| below.split('/').next());
    first.is_some_and(|first| SYSTEM.contains(&first)) || low.starts_with("c:\\windows")
}

/// True if a path leads out of the folder `cwd`, judging by its text.
/// Temporary folders and `/dev/null` don't count.
pub(super) fn leads_outside(path: &str, cwd: Option<&str>) -> bool {
    if ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&path) {
        return false;
    }
    let low = path.to_ascii_lowercase();
    if ["%userprofile%", "%homepath%", "$env:userprofile", "$env:home"]
        .iter()
        .any(|home| low.starts_with(home))
    {
        return true;
    }
    if path.starts_with('~') || path.starts_with("$HOME") || path.starts_with("${HOME}") {
        return true;
    }
    let absolute =
        path.starts_with('/') || path.get(1..3).is_some_and(|start| start == ":\\" || start == ":/");
    if !absolute {
        return leads_above_start(path);
    }
    let Some(cwd) = cwd.map(|cwd| cwd.trim_end_matches('/')).filter(|cwd| !cwd.is_empty()) else {
        return false;
    };
    let temporary = ["/tmp/", "/var/tmp/", "/private/tmp/"].iter().any(|folder| path.starts_with(folder));
    match path.strip_prefix(cwd) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            leads_above_start(rest.trim_start_matches('/'))
        }
        _ => !temporary || path.contains("/../"),
    }
}

/// True for a path outside of the project, and for all of the machine.
pub(super) fn is_outside(path: &str, project: Option<&str>) -> bool {
    path == "/" || path.starts_with("/*") || path.starts_with("//") || leads_outside(path, project)
}

/// A path as it is meant in a folder.
pub(super) fn join(folder: &str, path: &str) -> String {
    let rooted = path.starts_with(['/', '~', '$', '`', '\\']) || path.get(1..2) == Some(":");
    if folder.is_empty() || rooted {
        return path.to_owned();
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    match (folder.trim_end_matches('/'), path) {
        (folder, "." | "") => if folder.is_empty() { "/" } else { folder }.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// True for a path that has names and `/` alone: no address, nothing on another machine, and no path of Windows.
fn has_plain_names(path: &str) -> bool {
    !path.contains('\\') && !path.split('/').next().is_some_and(|first| first.contains(':'))
}

/// A path as people read it: without `.` and `..` that lead nowhere, relative to the project where it begins with it,
/// and from `~` where the project is in a home folder.
pub fn for_people(path: &str, project: Option<&str>) -> String {
    let project = project.map(|project| project.trim_end_matches('/')).filter(|project| !project.is_empty());
    let below = |folder: &str| path.strip_prefix(folder)?.strip_prefix('/');
    let inside = || project.and_then(below).map(|rest| normalized("", rest)).filter(|rest| rest != ".");
    let whole = || {
        let whole = resolved(path, None);
        let rest = project.and_then(home_of).and_then(|home| whole.strip_prefix(home)?.strip_prefix('/'));
        rest.map_or_else(|| whole.clone(), |rest| format!("~/{rest}"))
    };
    inside().filter(|_| has_plain_names(path)).unwrap_or_else(whole)
}

/// The path that a path of a project leads to, judging by its text.
pub(super) fn resolved(path: &str, project: Option<&str>) -> String {
    match path.split_once('/') {
        _ if !has_plain_names(path) => path.to_owned(),
        Some(("", rest)) => normalized("/", rest),
        Some(("~", rest)) => normalized("~", rest),
        _ if leads_above_start(path) => match project.and_then(|project| project.strip_prefix('/')) {
            Some(project) => normalized("/", &format!("{project}/{path}")),
            None => normalized("", path),
        },
        Some(_) => normalized("", path),
        None => path.to_owned(),
    }
}

/// The home folder that a folder is in.
fn home_of(folder: &str) -> Option<&str> {
    let homes = ["/home/", "/Users/"].into_iter().find(|homes| folder.starts_with(homes))?;
    let name = folder.get(homes.len()..)?.split('/').next().filter(|name| !name.is_empty())?;
    folder.get(..homes.len() + name.len())
}

/// The path `rest` below a root, without `.` and without the names that `..` takes back.
/// A name that is not known before it runs may stand for several folders, so nothing takes it back.
fn normalized(root: &str, rest: &str) -> String {
    let known = |name: &str| name != ".." && !name.contains(['$', '`', '*', '?', '{', '[']);
    let mut names: Vec<&str> = Vec::new();
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| known(last)) => drop(names.pop()),
            ".." if names.is_empty() && root == "/" => {}
            name => names.push(name),
        }
    }
    let below = names.join("/");
    match (root, below.as_str()) {
        ("", "") => ".".to_owned(),
        ("", _) => below,
        (root, "") => root.to_owned(),
        ("/", _) => format!("/{below}"),
        (root, _) => format!("{root}/{below}"),
    }
}

/// True if `..` leads above the start of the path.
fn leads_above_start(path: &str) -> bool {
    let mut depth = 0_i32;
    path.split(['/', '\\']).any(|part| {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        depth < 0
    })
}

/// The dangers of writing a file.
pub fn written_path(path: &str, cwd: Option<&str>) -> Vec<Danger> {
    let leads = resolved(path, cwd);
    let mut effects = Vec::new();
    if runs_later(&leads) {
        effects.push(Effect::RunsLater);
    }
    if is_secret(&leads) {
        effects.push(Effect::Secrets);
    } else if is_dotfile(&leads) || is_system(&leads) {
        effects.push(Effect::Settings);
    } else if leads_outside(&leads, cwd) {
        effects.push(Effect::Outside);
    }
    effects.into_iter().map(|effect| Danger::of_path(effect, path, cwd)).collect()
}

/// The dangers of reading a file.
pub fn read_path(path: &str, cwd: Option<&str>) -> Vec<Danger> {
    let leads = resolved(path, cwd);
    let effect = if is_secret(&leads) {
        Effect::Secrets
    } else if leads_outside(&leads, cwd) {
        Effect::Outside
    } else {
        return Vec::new();
    };
    vec![Danger::of_path(effect, path, cwd)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_where_a_path_leads() {
        const PROJECT: Option<&str> = Some("/home/me/boats");
        for (path, read) in [
            ("/home/me/boats/../old", "../old"),
            ("/home/me/boats/src/../../old", "../old"),
            ("/home/me/boats/./src//a.rs", "src/a.rs"),
            ("/home/me/boats2/a", "~/boats2/a"),
            ("/home/me/Documents", "~/Documents"),
            ("/home/me/../you/x", "/home/you/x"),
            ("/home/you/x", "/home/you/x"),
            ("/home/me/boats", "~/boats"),
            ("/home/me/boats/", "~/boats"),
            ("~/a/../b", "~/b"),
            ("~/../x", "~/../x"),
            ("sub/../../old", "../old"),
            ("./build", "build"),
            ("/etc/../etc/hosts", "/etc/hosts"),
            ("/../etc", "/etc"),
            ("/", "/"),
            ("..", ".."),
            (".", "."),
            ("build/$X/../..", "build/$X/../.."),
            ("*/../x", "*/../x"),
            ("C:\\x\\..\\y", "C:\\x\\..\\y"),
            ("https://x.example/a/../b", "https://x.example/a/../b"),
            ("host:a/../../b", "host:a/../../b"),
        ] {
            assert_eq!(for_people(path, PROJECT), read, "{path}");
        }
        assert_eq!(for_people("/workspace/boats/../old", Some("/workspace/boats/")), "../old");
        assert_eq!(for_people("/home/me/x", None), "/home/me/x");
    }

    #[test]
    fn a_path_is_judged_by_where_it_leads() {
        let effects = |path| {
            let found = written_path(path, Some("/home/me/boats"));
            found.into_iter().map(|danger| danger.effect).collect::<Vec<_>>()
        };
        for path in ["../.bashrc", "src/../../.bashrc", "/home/me/boats/../.bashrc", "../../../etc/hosts"] {
            assert_eq!(effects(path), [Effect::Settings], "{path}");
        }
        assert_eq!(effects("/tmp/../var/x"), [Effect::Outside]);
        assert_eq!(effects("../boats/src/a.rs"), []);
        assert_eq!(effects("src/../.env"), [Effect::Secrets]);
    }
}
