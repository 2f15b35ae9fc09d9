//! Tests of the first screen: what it has of a session, in whose language, and for whom.

use super::access::{OPERATOR, VIEWER, closed, first};
use super::client::{Sse, first_id, get, play};

#[tokio::test]
async fn the_fragment_is_the_session_as_it_stands() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let path = format!("/api/sessions/{id}/screen");
    let before = get(&gateway, &path, &[]).await;
    assert_eq!((before.status, before.body.as_str()), (200, ""), "nothing has happened");
    Sse::open(&gateway, &id, "", &[]).await.until("permission.requested").await;
    let reply = get(&gateway, &path, &[]).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(reply.header("cache-control"), Some("private, no-cache"));
    assert!(reply.header("vary").unwrap().contains("Cookie"));
    assert!(reply.body.starts_with("<style>") && reply.body.contains("data-request-id=\""));
    assert!(reply.body.contains("Allow once") && !reply.body.contains("<script"));
    // A recording takes no messages.
    assert!(!reply.body.contains("class=\"composer-whole"));
    let german = get(&gateway, &path, &[("Accept-Language", "fr, de-CH;q=0.9")]).await;
    assert!(german.body.contains("lang=\"de\" dir=\"ltr\"") && !german.body.contains("Allow once"));
    assert!(get(&gateway, &path, &[]).await.body.contains("Allow once"), "a language is that of one answer");
}

#[tokio::test]
async fn it_is_found_where_the_events_are_and_for_whom_they_are() {
    let gateway = play(&["permission"]).await;
    let reply = get(&gateway, "/api/sessions/nothing/screen", &[]).await;
    assert_eq!(reply.status, 404);
    assert_eq!(reply.json(), get(&gateway, "/api/sessions/nothing/events", &[]).await.json());
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, VIEWER).await;
    let as_role = async |path: &str, token: &str| {
        get(&gateway, path, &[("Authorization", &format!("Bearer {token}"))]).await
    };
    let bearer = format!("Bearer {VIEWER}");
    Sse::open(&gateway, &id, "", &[("Authorization", &bearer)]).await.until("permission.requested").await;
    let path = format!("/api/sessions/{id}/screen");
    let refused = get(&gateway, &path, &[]).await;
    assert_eq!((refused.status, refused.header("www-authenticate").is_some()), (401, true));
    assert!(!refused.body.contains("data-"));
    assert!(as_role(&path, OPERATOR).await.body.contains("Allow once"));
    let viewer = as_role(&path, VIEWER).await.body;
    assert!(viewer.contains("data-request-id") && !viewer.contains("Allow once"), "a viewer answers nothing");
}
