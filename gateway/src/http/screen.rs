//! The first screen of a session: in the page, where it stands until the program takes its place, and for the pages of others.

use std::borrow::Cow;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

use super::state::AppState;
use crate::access::Role;
use crate::access::gate::Pass;
use crate::languages::preferred;
use crate::sessions::session::Session;

/// What an element of the page begins with, where the screen comes.
const ELEMENT: &str = "<pilot-house ";

/// Who asks for a page; none where a gateway has roles and they have not signed in.
#[derive(Clone, Copy, Debug)]
pub struct Visitor(pub Option<Role>);

/// Serves `GET /api/sessions/{id}/screen`: the screen as a fragment of HTML.
pub async fn screen(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let session = match state.session(&id).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let markup = render(session, pass.role(), &headers).await.unwrap_or_default();
    let content = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    keep_private((content, markup).into_response())
}

/// The page with the screen of the session that it shows; none if there is nothing to show, or the visitor may not see it.
pub async fn page(
    state: &AppState,
    visitor: Option<Visitor>,
    page: &[u8],
    headers: &HeaderMap,
) -> Option<Cow<'static, [u8]>> {
    let role = visitor?.0?;
    let session = state.sessions.find(None)?;
    let screen = render(session, Some(role), headers).await?;
    Some(Cow::Owned(with_screen(&String::from_utf8_lossy(page), &screen)?.into_bytes()))
}

/// The page with this screen in the element's shadow root.
fn with_screen(page: &str, screen: &str) -> Option<String> {
    let (before, element) = page.split_once(ELEMENT)?;
    let (attributes, children) = element.split_once('>')?;
    let (start, end) = ("<template shadowrootmode=\"open\">", "</template>");
    Some([before, ELEMENT, attributes, ">", start, screen, end, children].concat())
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
    use crate::agents::copilot::secrets::Secrets;
    use crate::agents::recording::open;
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
            "lang=\"\"><template shadowrootmode=\"open\"><style>p{color:red}</style><p>Hi</p></template>"
        ));
        let policy = |page: &str| page_policy(page).unwrap().to_str().unwrap().to_owned();
        let (with, without) = (policy(&page), policy(INDEX));
        // One source more, for exactly these rules.
        assert_eq!(with.matches("'sha256-").count(), without.matches("'sha256-").count() + 1);
        assert!(!with.contains("unsafe-inline"));
        assert_eq!(with_screen("<pilot-house-board history></pilot-house-board>", ""), None);
    }

    #[tokio::test]
    async fn nobody_who_has_not_signed_in_gets_anything_of_a_session() {
        let said = r#"{"type":"user.message","id":"u","data":{"content":"Moor the boat","messageId":"u"}}"#;
        let recording = Recording::from_bytes("boats", said.as_bytes());
        let (session, player, _handle) = open(recording, Pace::Max, false);
        let (_stop, stopping) = watch::channel(false);
        let sessions = Sessions::new(vec![Arc::clone(&session)]);
        let settings = push::Settings::default();
        let (push, _) = Push::open(&settings, None, sessions.clone(), Access::default(), Secrets::default());
        let state = AppState { sessions, push, stopping };
        let served = async |role: Option<Role>| {
            let page = page(&state, Some(Visitor(role)), INDEX.as_bytes(), &HeaderMap::new()).await;
            page.map(|page| String::from_utf8(page.into_owned()).unwrap())
        };
        assert_eq!(served(Some(Role::Operator)).await, None, "nothing has happened");
        let (mut grown, _viewer) = (session.journal.follow(), session.watch());
        let playing = tokio::spawn(player.run());
        grown.wait_for(|position| position.length > 0).await.unwrap();
        for role in [Role::Viewer, Role::Operator] {
            assert!(served(Some(role)).await.unwrap().contains("Moor the boat"));
        }
        assert_eq!(served(None).await, None);
        assert!(page(&state, None, INDEX.as_bytes(), &HeaderMap::new()).await.is_none());
        playing.abort();
    }
}
