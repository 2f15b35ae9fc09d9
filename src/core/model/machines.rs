//! The machines of a cluster, as a gateway names them: which there are, which of them can create sessions, and since when one is away.

use serde_json::Value;

use crate::wire::time::parse_iso;

/// The method of the notification that carries the list.
pub const METHOD: &str = "pilothouse.machines";

/// A machine of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// The agents with which it can create sessions, the one it takes where nobody says which first.
    pub agents: Vec<String>,
    /// It can't be reached.
    pub away: Option<Away>,
    /// It is the one whose gateway this is.
    pub here: bool,
}

/// A machine that can't be reached now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Away {
    /// Milliseconds since 1970 when it was heard of last; none if the gateway does not say.
    pub since: Option<i64>,
}

/// A session's machine that can't be reached now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwayMachine {
    /// Its name.
    pub name: String,
    /// Milliseconds since 1970 when it was heard of last; none if the gateway does not say.
    pub since: Option<i64>,
}

impl Away {
    /// Reads the field `away`: the time since when, or nothing where the machine is there.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null | Value::Bool(false) => None,
            value => Some(Self { since: value.as_str().and_then(parse_iso) }),
        }
    }
}

impl Machine {
    /// That it can't be reached, with its name.
    pub fn away_machine(&self) -> Option<AwayMachine> {
        self.away.map(|away| AwayMachine { name: self.name.clone(), since: away.since })
    }

    /// Whether it could create a session now.
    pub fn can_create(&self) -> bool {
        !self.agents.is_empty() && self.away.is_none()
    }
}

/// The names in a list of agents.
pub fn agent_names(list: &Value) -> Vec<String> {
    let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The machines in a list: this gateway's own first, the others by their names. What has no name is left out.
pub fn list(value: &Value) -> Vec<Machine> {
    let one = |row: &Value| {
        let name = row["name"].as_str().filter(|name| !name.is_empty())?.to_owned();
        // A gateway that knows of one agent names only that.
        let first = row["agent"].as_str().map(|name| vec![name.to_owned()]);
        let agents = Some(agent_names(&row["agents"])).filter(|agents| !agents.is_empty()).or(first);
        let agents = agents.unwrap_or_default();
        Some(Machine { name, agents, away: Away::of(&row["away"]), here: row["here"] == true })
    };
    let mut all: Vec<Machine> = value.as_array().into_iter().flatten().filter_map(one).collect();
    all.sort_by(|a, b| (!a.here, &a.name).cmp(&(!b.here, &b.name)));
    all.dedup_by(|later, first| later.name == first.name);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn this_gateway_s_own_machine_comes_first_and_one_that_is_away_creates_nothing() {
        let all = list(&json!([
            {"name": "ws", "agent": "copilot", "away": "2026-11-28T14:03:00.000Z"},
            {"name": "laptop", "agent": null, "here": true},
            {"name": "runner-1", "agent": "copilot", "agents": ["copilot", "codex", 7, ""], "away": null},
            {"name": "runner-1"},
            {"name": ""},
            {"agent": "copilot"},
            7,
        ]));
        let names: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.can_create())).collect();
        assert_eq!(names, [("laptop", false), ("runner-1", true), ("ws", false)]);
        let since = all.last().and_then(|one| one.away).and_then(|away| away.since);
        assert_eq!(since, parse_iso("2026-11-28T14:03:00.000Z"));
        assert_eq!(list(&json!(null)), []);
        let agents: Vec<_> = all.iter().map(|one| one.agents.join(" ")).collect();
        assert_eq!(agents, ["", "copilot codex", "copilot"]);
    }

    #[test]
    fn a_time_that_can_t_be_read_is_away_all_the_same() {
        for (value, away) in [
            (json!(null), None),
            (json!(false), None),
            (json!(true), Some(Away { since: None })),
            (json!("lately"), Some(Away { since: None })),
        ] {
            assert_eq!(Away::of(&value), away, "{value}");
        }
    }
}
