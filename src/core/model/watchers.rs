//! Who else watches the session now, as the gateway tells it: people by name, people without one, and who came by a link.

use serde_json::Value;

/// The method of the notification that carries the list.
pub const METHOD: &str = "pilothouse.watching";

/// The most that are kept. Nobody looks at more.
const MOST: usize = 256;

/// One that watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watcher {
    /// Somebody with this name.
    Named(String),
    /// Somebody who signed in where the way in tells no name.
    Unnamed,
    /// Somebody who came by a link.
    ByLink,
}

/// The list in a notification, which is given as JSON text; none if it has none.
pub fn list(notification: &str) -> Option<Vec<Watcher>> {
    let message = serde_json::from_str::<Value>(notification).ok()?;
    let watcher = |watcher: &Value| {
        if watcher["link"] == true {
            return Watcher::ByLink;
        }
        let name = watcher["who"].as_str().map(str::trim).filter(|name| !name.is_empty());
        name.map_or(Watcher::Unnamed, |name| Watcher::Named(name.to_owned()))
    };
    let watchers = message["params"]["watchers"].as_array()?;
    Some(watchers.iter().filter(|watcher| watcher.is_object()).take(MOST).map(watcher).collect())
}

#[cfg(test)]
mod tests {
    use super::{Watcher, list};

    #[test]
    fn a_list_is_read_as_far_as_it_can_be() {
        let read = |watchers: &str| list(&format!(r#"{{"params":{{"watchers":{watchers}}}}}"#));
        assert_eq!(
            read(
                r#"[{"who":"Ana","role":"operator"},{"role":"viewer"},{"who":7},{"who":" "},null,{"link":true,"who":"x"}]"#
            ),
            Some(vec![
                Watcher::Named("Ana".to_owned()),
                Watcher::Unnamed,
                Watcher::Unnamed,
                Watcher::Unnamed,
                Watcher::ByLink
            ])
        );
        assert_eq!(read("[]"), Some(vec![]));
        assert_eq!((read("7"), list("{"), list("{}")), (None, None, None));
    }
}
