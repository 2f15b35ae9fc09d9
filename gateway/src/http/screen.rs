//! The first screen of a session or of the board: in the page, where it stands until the program takes its place, and of a session
//! for the pages of others.

use std::borrow::Cow;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

use pilothouse_core::client::board::session_of;
use pilothouse_core::i18n::in_language;
use pilothouse_core::markup::board::{BoardReader, board};
use pilothouse_core::model::board::{Board, Summary};

use super::state::AppState;
use crate::access::Role;
use crate::access::gate::Pass;
use crate::languages::preferred;
use crate::sessions::Sessions;
use crate::sessions::board::first_list;
use crate::sessions::session::Session;
use crate::time;

/// What the elements of the page begin with, where the screen comes.
const SESSION: &str = "<pilot-house ";
const BOARD: &str = "<pilot-house-board ";
/// What only the reader's browser knows of a screen. It stands behind the element, so that it runs before the first frame.
const SCRIPT: &str = include_str!("first_screen.js");

/// Who asks for a page; none where a gateway has roles and they have not signed in.
#[derive(Clone, Copy, Debug)]
pub struct Visitor(pub Option<Role>);

/// Whether who asks for a page can sign out.
#[derive(Clone, Copy, Debug)]
pub struct SignedIn(pub bool);

/// Serves `GET /api/sessions/{id}/screen`: the screen as a fragment of HTML.
pub async fn screen(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let session = match state.session(&id, 0).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let markup = render(session, pass.role(), &headers).await.unwrap_or_default();
    let content = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    keep_private((content, markup).into_response())
}

/// The page with the screen of the session that it shows, which its address may have named; none if there is nothing to show, or the
/// visitor may not see it.
pub async fn page(
    state: &AppState,
    visitor: Option<Visitor>,
    named: Option<&str>,
    page: &[u8],
    headers: &HeaderMap,
) -> Option<Cow<'static, [u8]>> {
    let role = visitor?.0?;
    let screen = match named {
        Some(id) => render(state.session(id, 0).await.ok()?, Some(role), headers).await?,
        None if state.sessions.needs_board() => render_board(&state.sessions, role, headers).await?,
        None => render(state.sessions.find(None)?, Some(role), headers).await?,
    };
    Some(Cow::Owned(with_screen(&String::from_utf8_lossy(page), &screen)?.into_bytes()))
}

/// The page with this screen in the element's shadow root.
fn with_screen(page: &str, screen: &str) -> Option<String> {
    let name = [SESSION, BOARD].into_iter().find(|name| page.contains(name))?;
    let (before, element) = page.split_once(name)?;
    let (attributes, children) = element.split_once('>')?;
    let close = ["</", name.trim_matches(['<', ' ']), ">"].concat();
    let (children, after) = children.split_once(&close)?;
    let (start, end) = ("<template shadowrootmode=\"open\">", "</template>");
    let script = ["\n<script>\n", SCRIPT, "</script>"].concat();
    // It is seen when the script has run, so that nothing moves in the reader's sight.
    let mark = " data-begins>";
    Some([before, name, attributes, mark, start, screen, end, children, &close, &script, after].concat())
}

/// The board for somebody with this role; none while nothing is known of any session.
async fn render_board(sessions: &Sessions, role: Role, headers: &HeaderMap) -> Option<String> {
    let language = preferred(headers);
    let readonly = role != Role::Operator;
    let (list, capabilities) = (first_list(sessions).await?, sessions.capabilities());
    let machines = sessions.machines().map(|machines| machines.list());
    let agents = sessions.agent_names();
    let make = move || {
        let mut sessions = Board::default();
        sessions.merge_list(&list);
        sessions.take_agents(&agents.into());
        if let Some(machines) = machines {
            sessions.take_machines(&machines);
        }
        let requests =
            |known: &Summary, show: &mut dyn FnMut(&pilothouse_core::State)| show(session_of(known).state());
        let reader = BoardReader { readonly, capabilities, now: time::milliseconds(), requests };
        in_language(language, || board(&sessions, reader))
    };
    tokio::task::spawn_blocking(make).await.ok()
}

/// The screen of a session for somebody with this role. Reducing a long log takes its time, so it runs on a blocking thread.
async fn render(session: Arc<Session>, role: Option<Role>, headers: &HeaderMap) -> Option<String> {
    let language = preferred(headers);
    let readonly = role != Some(Role::Operator);
    tokio::task::spawn_blocking(move || session.screen(readonly, language)).await.ok().flatten()
}

/// Keeps an answer with data of a session out of shared caches, and apart from those for other visitors.
pub fn keep_private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    let vary = HeaderValue::from_static("Cookie, Authorization, Accept-Language, Accept-Encoding");
    headers.insert(header::VARY, vary);
    response
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::http::HeaderMap;
    use tokio::sync::watch;

    use super::{AppState, Visitor, page, with_screen};
    use crate::access::{Access, Role};
    use crate::agents::recording::open;
    use crate::agents::secrets::Secrets;
    use crate::http::headers::page_policy;
    use crate::playback::player::Pace;
    use crate::playback::recording::Recording;
    use crate::push::{self, Push};
    use crate::sessions::Sessions;

    const INDEX: &str = include_str!("../../../index.html");

    #[test]
    fn the_screen_stands_in_the_element_and_the_policy_knows_its_styles() {
        let page = with_screen(INDEX, "<style>p{color:red}</style><p>Hi</p>").unwrap();
        assert!(page.contains(
            "lang=\"\" data-begins><template shadowrootmode=\"open\"><style>p{color:red}</style><p>Hi</p></template>"
        ));
        let policy = |page: &str| page_policy(page).unwrap().to_str().unwrap().to_owned();
        let (with, without) = (policy(&page), policy(INDEX));
        // Two sources more, for exactly these rules and the script of the screen.
        assert_eq!(with.matches("'sha256-").count(), without.matches("'sha256-").count() + 2);
        assert!(!with.contains("unsafe-inline"));
        let board = with_screen("<pilot-house-board history><p></p></pilot-house-board>!", "Tiles").unwrap();
        let start = "<pilot-house-board history data-begins><template shadowrootmode=\"open\">Tiles</template><p></p></pilot-house-board>\n<script>";
        assert!(board.starts_with(start) && board.ends_with("</script>!"), "{board}");
        assert_eq!(with_screen("<p>", ""), None);
    }

    fn state(sessions: Sessions, stopping: watch::Receiver<bool>) -> AppState {
        let settings = push::Settings::default();
        let (push, _) = Push::open(&settings, None, sessions.clone(), Access::default(), Secrets::default());
        AppState {
            sessions,
            access: Access::default(),
            logs: None,
            far_behind: 0,
            push,
            phone_origin: None,
            stopping,
            sockets: crate::http::state::Sockets::default(),
        }
    }

    #[tokio::test]
    async fn nobody_who_has_not_signed_in_gets_anything_of_a_session() {
        let said = r#"{"type":"user.message","id":"u","data":{"content":"Moor the boat","messageId":"u"}}"#;
        let recording = Recording::from_bytes("boats", said.as_bytes());
        let (session, player, _handle) = open(recording, Pace::Max, false);
        let (_stop, stopping) = watch::channel(false);
        let sessions = Sessions::new(vec![Arc::clone(&session)]);
        let state = state(sessions, stopping);
        let served = async |role: Option<Role>| {
            let page = page(&state, Some(Visitor(role)), None, INDEX.as_bytes(), &HeaderMap::new()).await;
            page.map(|page| String::from_utf8(page.into_owned()).unwrap())
        };
        assert_eq!(served(Some(Role::Operator)).await, None, "nothing has happened");
        let (mut grown, _viewer) = (session.journal.follow(), session.watch(None));
        let playing = tokio::spawn(player.run());
        grown.wait_for(|position| position.length > 0).await.unwrap();
        for role in [Role::Viewer, Role::Operator] {
            assert!(served(Some(role)).await.unwrap().contains("Moor the boat"));
        }
        assert_eq!(served(None).await, None);
        assert!(page(&state, None, None, INDEX.as_bytes(), &HeaderMap::new()).await.is_none());
        playing.abort();
    }

    #[tokio::test]
    async fn a_board_is_for_who_may_see_the_list_of_sessions_and_starts_no_recording() {
        let asked = r#"{"type":"permission.requested","id":"p","data":{"requestId":"p","permissionRequest":{"kind":"shell","fullCommandText":"moor the boat"}}}"#;
        let recording = |name: &str| open(Recording::from_bytes(name, asked.as_bytes()), Pace::Max, false);
        let ((first, player, _a), (second, _unplayed, _b)) = (recording("boats"), recording("docks"));
        let (_stop, stopping) = watch::channel(false);
        let sessions = Sessions::new(vec![Arc::clone(&first), Arc::clone(&second)]);
        let state = state(sessions, stopping);
        let index = INDEX
            .replace("<pilot-house ", "<pilot-house-board ")
            .replace("</pilot-house>", "</pilot-house-board>");
        let served = async |visitor| {
            let page = page(&state, visitor, None, index.as_bytes(), &HeaderMap::new()).await;
            page.map(|page| String::from_utf8(page.into_owned()).unwrap())
        };
        let operator = Some(Visitor(Some(Role::Operator)));
        assert_eq!(served(operator).await, None, "nothing has happened");
        let (mut grown, _viewer) = (first.journal.follow(), first.watch(None));
        let playing = tokio::spawn(player.run());
        grown.wait_for(|position| position.length > 0).await.unwrap();
        let page = served(operator).await.unwrap();
        assert!(page.contains("Run ") && page.contains("moor the boat") && page.contains("Allow once"));
        assert_eq!(page.matches("<li class=\"tile\"").count(), 3, "two, and one as it is beside a session");
        let viewer = served(Some(Visitor(Some(Role::Viewer)))).await.unwrap();
        assert!(viewer.contains("moor the boat") && !viewer.contains("Allow once"));
        assert_eq!(served(Some(Visitor(None))).await, None);
        assert_eq!(served(None).await, None);
        // A session that the address names is alone on the page, for those who may see it.
        let named = async |visitor, id| {
            let page = super::page(&state, visitor, Some(id), INDEX.as_bytes(), &HeaderMap::new()).await;
            page.map(|page| String::from_utf8(page.into_owned()).unwrap())
        };
        let page = named(operator, "boats").await.unwrap();
        assert!(page.contains("moor the boat") && !page.contains("class=\"tile\""));
        assert_eq!(named(operator, "no such").await, None);
        assert_eq!(named(Some(Visitor(None)), "boats").await, None);
        assert_eq!(second.journal.follow().borrow().length, 0, "nobody watches it");
        playing.abort();
    }
}
