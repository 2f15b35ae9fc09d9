//! The sessions that an agent lists (`session/list`): its own of other programs as well, made in a terminal or an editor.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::connection::{Connection, Failure};

/// The most sessions that are taken of one agent. It lists the newest first.
const MOST: usize = 1000;
/// The most pages that are asked for, should pages be empty.
const MOST_PAGES: usize = 200;

/// A session that an agent lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedSession {
    /// The agent's id for it.
    pub agent_id: String,
    /// Its folder.
    pub folder: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// When it changed last.
    pub modified: Option<String>,
}

/// What an agent lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The sessions.
    pub sessions: Vec<ListedSession>,
    /// Whether these are all that it has.
    pub is_whole: bool,
}

impl Listing {
    /// Asks for the list, page after page.
    pub async fn ask(connection: &Connection) -> Result<Self, Failure> {
        let (mut listing, mut asked) = (Self::default(), HashSet::new());
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let page = connection.call("session/list", &params).await?;
            let next = listing.take(&page);
            let Some(cursor) = next else {
                listing.is_whole = true;
                return Ok(listing);
            };
            // The same page again would go on for ever.
            if listing.sessions.len() >= MOST || !asked.insert(cursor.clone()) {
                return Ok(listing);
            }
            params = json!({"cursor": cursor});
        }
        Ok(listing)
    }

    /// Adds a page. Returns the cursor of the next one.
    fn take(&mut self, page: &Value) -> Option<String> {
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let session = |row: &Value| {
            let agent_id = text(&row["sessionId"])?;
            let (folder, title) = (text(&row["cwd"]), text(&row["title"]));
            Some(ListedSession { agent_id, folder, title, modified: text(&row["updatedAt"]) })
        };
        let rows = page["sessions"].as_array();
        self.sessions.extend(rows.into_iter().flatten().filter_map(session));
        text(&page["nextCursor"])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};

    use super::{Connection, Listing, MOST_PAGES};

    /// What is read from an agent that answers each call so, and how often it was asked.
    async fn read(answer: impl Fn(&Value) -> Value + Send + 'static) -> (Listing, usize) {
        let (ours, theirs) = duplex(1 << 16);
        let (from, to) = split(ours);
        let connection = Connection::open(BufReader::new(from), to, |_, _| {});
        let count = Arc::new(AtomicUsize::new(0));
        let asked = Arc::clone(&count);
        let agent = tokio::spawn(async move {
            let (from, mut to) = split(theirs);
            let mut lines = BufReader::new(from).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                asked.fetch_add(1, Ordering::Relaxed);
                let call: Value = serde_json::from_str(&line).unwrap();
                let answer = json!({"id": call["id"], "result": answer(&call["params"])});
                to.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
            }
        });
        let listing = Listing::ask(&connection).await.unwrap();
        agent.abort();
        (listing, count.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn all_pages_are_read_and_no_page_twice() {
        let (listing, asked) = read(|params| match params["cursor"].as_str() {
            None => json!({"sessions": [{"sessionId": "a", "cwd": "/w", "title": "A", "updatedAt": "2026"}, {"cwd": "/w"}], "nextCursor": "1"}),
            // A page may be empty and not the last.
            Some("1") => json!({"sessions": [], "nextCursor": "2"}),
            Some(_) => json!({"sessions": [{"sessionId": "b", "title": null}], "nextCursor": null}),
        })
        .await;
        let ids: Vec<_> = listing.sessions.iter().map(|session| session.agent_id.as_str()).collect();
        assert_eq!((ids, listing.is_whole, asked), (vec!["a", "b"], true, 3));
        assert_eq!(listing.sessions[0].title.as_deref(), Some("A"));

        let same = |_: &Value| json!({"sessions": [{"sessionId": "a"}], "nextCursor": "again"});
        let (listing, asked) = read(same).await;
        assert_eq!((listing.is_whole, asked), (false, 2), "a cursor that does not move");
        assert_eq!(read(|_| json!(null)).await.0.sessions, []);
    }

    #[tokio::test]
    async fn a_list_without_an_end_is_not_read_for_ever() {
        let endless = |params: &Value| {
            let page = params["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u64>().unwrap());
            json!({"sessions": [], "nextCursor": (page + 1).to_string()})
        };
        assert_eq!(read(endless).await.1, MOST_PAGES);
    }
}
