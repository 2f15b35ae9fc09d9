//! The page as an app that a phone installs: its manifest and icons, its service worker, its words, and what makes the page start it.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pilothouse_core::i18n::words::{app, board};
use pilothouse_core::i18n::{Word, in_language};
use serde_json::{Map, json};

use super::answers;
use super::files;
use super::state::AppState;
use crate::access::Role;
use crate::languages::preferred;

/// Response header of the page: the version of its files.
pub const VERSION_HEADER: HeaderName = HeaderName::from_static("pilothouse-page");
/// The query of the page's address that asks for it as the worker keeps it: without anything of a session.
pub const KEPT: &str = "kept";

/// Stands at the beginning of the page's head, so that its script runs before the program does. A session in the address is the
/// only one on the page, and the token of a link to it stands in the fragment, which no server gets. What the page needs to be read comes first, so the rest waits
/// until the page has caught up, unless a request is to be found.
const HEAD: &str = r#"<head>
<link rel="manifest" href="/app/manifest.webmanifest">
<link rel="apple-touch-icon" href="/app/icons/apple-touch-icon.png">
<style>
.app-place { display: inline-block; width: 34px; height: 34px; }
pilot-house-board > .app-place[data-app=notify] { display: none; }
@media (pointer: coarse) { .app-place { width: 44px; height: 44px; } }
@media (width < 560px) {
  pilot-house > .app-place[slot=menu] { display: none; }
  pilot-house-board > .app-place { width: 44px; height: 44px; }
}
@media (width < 560px) and (pointer: coarse) {
  pilot-house-board > .app-place[data-app=notify] { display: inline-block; }
  pilot-house-board > .app-place[data-app=phone] { display: none; }
}
</style>
<script type="module">
const id = new URLSearchParams(location.search).get("session");
const element = document.querySelector("pilot-house");
if (id && element) element.removeAttribute("board"), element.setAttribute("session", id);
const share = new URLSearchParams(location.hash.slice(1)).get("share");
if (share && element) element.setAttribute("token", share);
const start = () => import("/app/app.js").catch(console.warn);
const busy = ":is(pilot-house, pilot-house-board):is(:not([data-connection]), [data-connection=connecting], [data-reading])";
const startWhenCaughtUp = () => (document.querySelector(busy) ? setTimeout(startWhenCaughtUp, 1000) : start());
addEventListener("load", () => (location.hash.includes("request=") ? start() : setTimeout(startWhenCaughtUp, 2000)));
</script>"#;
const WORKER: &str = include_str!("../../app/worker.js");
/// The app's own files, below `/app/`.
static FILES: [(&str, &[u8]); 12] = [
    ("app.js", include_bytes!("../../app/app.js")),
    ("dialog.js", include_bytes!("../../app/dialog.js")),
    ("notify.js", include_bytes!("../../app/notify.js")),
    ("phone.js", include_bytes!("../../app/phone.js")),
    ("share.js", include_bytes!("../../app/share.js")),
    ("manifest.webmanifest", include_bytes!("../../app/manifest.webmanifest")),
    ("icons/apple-touch-icon.png", include_bytes!("../../app/icons/apple-touch-icon.png")),
    ("icons/badge.png", include_bytes!("../../app/icons/badge.png")),
    ("icons/icon-192.png", include_bytes!("../../app/icons/icon-192.png")),
    ("icons/icon-512.png", include_bytes!("../../app/icons/icon-512.png")),
    ("icons/icon.svg", include_bytes!("../../app/icons/icon.svg")),
    ("icons/maskable-512.png", include_bytes!("../../app/icons/maskable-512.png")),
];
/// What only the system asks for.
const NOT_KEPT: [&str; 2] = ["icons/apple-touch-icon.png", "icons/maskable-512.png"];
const WORDS_PATH: &str = "/app/words.json";

/// The words of the app's scripts, by their names there.
const WORDS: [(&str, Word); 45] = [
    ("notify", app::NOTIFY),
    ("on", app::ON),
    ("says", app::SAYS),
    ("saysWaiting", app::SAYS_WAITING),
    ("saysTitle", app::SAYS_TITLE),
    ("saysAsked", app::SAYS_ASKED),
    ("done", app::DONE),
    ("hint", app::HINT),
    ("test", app::TEST),
    ("testSent", app::TEST_SENT),
    ("close", app::CLOSE),
    ("needsHttps", app::NEEDS_HTTPS),
    ("needsInstall", app::NEEDS_INSTALL),
    ("blocked", app::BLOCKED),
    ("unsupported", app::UNSUPPORTED),
    ("noWorker", app::NO_WORKER),
    ("failed", app::FAILED),
    ("share", app::SHARE),
    ("shareHint", app::SHARE_HINT),
    ("howLong", app::HOW_LONG),
    ("hour", app::HOUR),
    ("day", app::DAY),
    ("week", app::WEEK),
    ("makeLink", app::MAKE_LINK),
    ("until", app::UNTIL),
    ("copy", app::COPY),
    ("copied", app::COPIED),
    ("takeBack", app::TAKE_BACK),
    ("saveHtml", app::SAVE_HTML),
    ("saveHint", app::SAVE_HINT),
    ("notShared", app::NOT_SHARED),
    ("phone", app::PHONE),
    ("phoneHint", app::PHONE_HINT),
    ("phoneOpen", app::PHONE_OPEN),
    ("phoneCode", app::PHONE_CODE),
    ("phoneSignIn", app::PHONE_SIGN_IN),
    ("phoneSignsIn", app::PHONE_SIGNS_IN),
    ("phoneNotReached", app::PHONE_NOT_REACHED),
    ("signOut", app::SIGN_OUT),
    ("signOutAs", app::SIGN_OUT_AS),
    ("byLink", app::BY_LINK),
    ("newVersion", app::NEW_VERSION),
    ("reload", app::RELOAD),
    ("later", app::LATER),
    ("lastConnected", app::LAST_CONNECTED),
];

/// The routes, but for the page's.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/sw.js", get(worker))
        .route(WORDS_PATH, get(words))
        .route("/app/{*name}", get(|path: axum::extract::Path<String>| async move { file(&path.0) }))
}

/// The page with what makes it an app.
pub fn with_app(page: &str) -> String {
    page.replacen("<head>", HEAD, 1)
}

/// The page with the places of the app's buttons, which come seconds after it: so the header of a session or a board does not move then.
/// Who watches by a link has none, and of them the gateway knows nothing here.
pub fn with_places(page: &str, role: Option<Role>, signed_in: bool, is_alone: bool) -> String {
    let Some(role) = role else { return page.to_owned() };
    let Some((end, is_board)) = [("</pilot-house-board>", true), ("</pilot-house>", false)]
        .into_iter()
        .find(|(end, _)| page.contains(end))
    else {
        return page.to_owned();
    };
    let shares = role == Role::Operator && !is_board;
    let places = [
        ("notify", true),
        ("phone", true),
        ("share", shares),
        ("signOut", signed_in),
        ("back", is_alone && !is_board),
    ];
    let place = |(name, _)| {
        let slot = if name == "back" { "header-start" } else { "menu" };
        format!("<span slot=\"{slot}\" class=\"app-place\" data-app=\"{name}\"></span>")
    };
    let places: String = places.into_iter().filter(|(_, is_there)| *is_there).map(place).collect();
    page.replacen(end, &(places + end), 1)
}

/// The version of the page's files, and the paths of those that a start needs. In a chunk is only what fits the program that it was
/// built with, so all chunks are among them.
fn manifest() -> (String, Vec<String>) {
    let mut hasher = DefaultHasher::new();
    let mut paths = Vec::new();
    (WORKER, HEAD).hash(&mut hasher);
    for name in files::names() {
        let Some(bytes) = files::file(&name) else { continue };
        let of_start = !name.contains('/') || name.starts_with("snippets/");
        if of_start && [".js", ".wasm", ".html"].iter().any(|end| name.ends_with(end)) {
            (&name, &*bytes).hash(&mut hasher);
            paths.extend((name != "index.html").then(|| format!("/{name}")));
        }
    }
    for (name, bytes) in FILES {
        (name, bytes).hash(&mut hasher);
        paths.extend((!NOT_KEPT.contains(&name)).then(|| format!("/app/{name}")));
    }
    paths.push(WORDS_PATH.to_owned());
    (format!("{:016x}", hasher.finish()), paths)
}

/// Names the version of the page's files in an answer with the page.
pub fn mark_version(headers: &mut HeaderMap) {
    if let Ok(version) = HeaderValue::from_str(&version()) {
        headers.insert(VERSION_HEADER, version);
    }
}

/// The version, which a release binary works out once; for a debug binary the files may change.
fn version() -> String {
    static KNOWN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    if cfg!(debug_assertions) { manifest().0 } else { KNOWN.get_or_init(|| manifest().0).clone() }
}

/// Serves `GET /sw.js`. Another version is another text, so that browsers install it beside the one in use.
async fn worker() -> Response {
    let (version, paths) = manifest();
    let mut text = String::new();
    // Writing into a String can't fail.
    let _ = writeln!(text, "const VERSION = {};\nconst FILES = {};\n{WORKER}", json!(version), json!(paths));
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let policy = "default-src 'none'; connect-src 'self'; img-src 'self'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// Serves `GET /app/words.json`, in the reader's language.
async fn words(headers: HeaderMap) -> Response {
    let language = preferred(&headers);
    let tag = language.map_or("en", |language| language.tag);
    let right_to_left = language.is_some_and(|language| language.right_to_left);
    let words: Map<_, _> = in_language(language, || {
        let own = WORDS.iter().map(|(name, word)| ((*name).to_owned(), word.with(&[]).into()));
        own.chain([("back".to_owned(), board::BACK.text().into())]).collect()
    });
    let mut response = answers::json(json!({"lang": tag, "rtl": right_to_left, "words": words}).to_string());
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept-Language, Accept-Encoding"));
    response
}

fn file(name: &str) -> Response {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((_, bytes)) => {
            let content =
                [(header::CONTENT_TYPE, files::content_type(name)), (header::CACHE_CONTROL, "no-cache")];
            (content, *bytes).into_response()
        }
        None => answers::error(StatusCode::NOT_FOUND, &format!("nothing at /app/{name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_starts_the_app_before_the_program_and_names_each_word() {
        let index = include_str!("../../../index.html");
        let page = with_app(index);
        let at = |text: &str| page.find(text).unwrap();
        assert!(at("rel=\"manifest\"") < at("data-trunk"));
        let scripts = [
            include_str!("../../app/app.js"),
            include_str!("../../app/notify.js"),
            include_str!("../../app/phone.js"),
            include_str!("../../app/share.js"),
        ]
        .concat();
        let of_links = ["hour", "day", "week"];
        for (name, _) in WORDS {
            assert!(of_links.contains(&name) || scripts.contains(&format!("words.{name}")), "{name} is used");
        }
    }

    #[test]
    fn the_buttons_have_their_places_by_who_looks() {
        let names = |page: &str, role, signed_in| {
            let page = with_places(page, role, signed_in, signed_in);
            let names = page.split("data-app=\"").skip(1).filter_map(|rest| rest.split('"').next());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let (session, board) = ("<pilot-house></pilot-house>", "<pilot-house-board></pilot-house-board>");
        assert_eq!(
            names(session, Some(Role::Operator), true),
            ["notify", "phone", "share", "signOut", "back"]
        );
        assert_eq!(names(session, Some(Role::Viewer), false), ["notify", "phone"]);
        assert_eq!(names(board, Some(Role::Operator), false), ["notify", "phone"]);
        assert!(names(session, None, false).is_empty());
    }

    #[test]
    fn the_worker_names_what_it_is_to_keep_and_nothing_of_the_api() {
        let (version, paths) = manifest();
        assert_eq!(version, manifest().0);
        assert!(paths.contains(&"/app/app.js".to_owned()) && paths.contains(&WORDS_PATH.to_owned()));
        assert!(paths.iter().all(|path| !path.starts_with("/api") && !path.contains(".br")));
        assert!(!WORKER.contains("const VERSION") && !WORKER.contains("const FILES"));
    }
}
