//! The agent's todo list, rebuilt from the statements that write it, as no event carries the list itself.
//! A statement on the table `todos` that is not understood makes the list uncertain.

mod sql;

use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::text::checklist;

/// One todo.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Todo {
    /// The agent's key for it.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// `pending`, `in_progress`, `done`, `blocked`.
    pub status: String,
    /// The place of the call that last changed it.
    pub row: usize,
}

/// The todo list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Todos {
    /// In the agent's order.
    pub items: Vec<Todo>,
    /// A statement could not be read, so the list may be out of date.
    pub uncertain: bool,
}

/// Applies every successful call in order.
pub(super) fn of(state: &State) -> Todos {
    let mut todos = Todos::default();
    for (row, entry) in state.entries.iter().enumerate() {
        if let Some(call) = entry.tool()
            && matches!(call.stage, CallStage::Succeeded(_))
        {
            apply(row, call, &mut todos);
        }
    }
    todos
}

fn apply(row: usize, call: &ToolCall, todos: &mut Todos) {
    match call.name.as_str() {
        "sql" => {
            // The agent has other databases as well; its todos are in the
            // session's own one, which is the default.
            let own = call.argument("database").is_none_or(|database| database == "session");
            if let Some(query) = call.argument("query").filter(|_| own) {
                sql::run(query, row, todos);
            }
        }
        "update_todo" | "todo_write" => {
            if let Some(list) = call.argument("todos") {
                let todo = |(status, title): (&str, &str)| Todo {
                    title: title.to_owned(),
                    status: status.to_owned(),
                    row,
                    ..Todo::default()
                };
                *todos = Todos { items: checklist::read(list).map(todo).collect(), uncertain: false };
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(queries: &[&str]) -> (Vec<String>, bool) {
        let mut todos = Todos::default();
        for query in queries {
            sql::run(query, 0, &mut todos);
        }
        let line = |todo: &Todo| format!("{} {}: {}", todo.id, todo.status, todo.title);
        (todos.items.iter().map(line).collect(), todos.uncertain)
    }

    const MADE: &str = "INSERT INTO todos (id, title, status) VALUES ('a', 'It''s first; still', 'in_progress'), ('b', 'Second', 'pending');";

    #[test]
    fn what_is_inserted_and_updated_is_the_list() {
        let (items, uncertain) = list(&[
            MADE,
            "INSERT INTO todo_deps (todo_id, depends_on) VALUES ('b', 'a'); SELECT * FROM todos WHERE status = 'x'",
            "UPDATE todos SET status = 'done', updated_at = datetime('now', 'x') WHERE id IN ('a', 'b'); -- both\n",
            "update \"todos\" set title = 'Two' where id = 'b' and status = 'done'",
        ]);
        assert_eq!(items, ["a done: It's first; still", "b done: Two"]);
        assert!(!uncertain);
    }

    #[test]
    fn a_row_is_replaced_ignored_or_deleted_as_the_statement_says() {
        let (items, uncertain) = list(&[
            MADE,
            "INSERT OR REPLACE INTO todos (id, title) VALUES ('a', 'Anew')",
            "INSERT OR IGNORE INTO todos (id, title) VALUES ('b', 'Never')",
            "DELETE FROM todos WHERE status <> 'pending'",
        ]);
        assert_eq!(items, ["a pending: Anew", "b pending: Second"]);
        assert!(!uncertain);
        assert_eq!(list(&[MADE, "DELETE FROM todos"]).0, Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_read_makes_the_list_uncertain_and_nothing_else() {
        for odd in [
            "UPDATE todos SET status = CASE id WHEN 'a' THEN 'done' ELSE status END",
            "UPDATE todos SET status = 'done' WHERE id LIKE 'a%'",
            "DELETE FROM todos WHERE id = 'a' OR id = 'b'",
            "INSERT INTO todos (id, title) SELECT id, title FROM ideas",
            "UPDATE todos SET",
            "INSERT INTO todos (id) VALUES ('a",
        ] {
            let (items, uncertain) = list(&[MADE, odd]);
            assert_eq!(items.len(), 2, "{odd}");
            assert!(uncertain, "{odd}");
        }
        assert!(!list(&[MADE, "SELECT * FROM todos WHERE id LIKE 'a%'", "CREATE TABLE x (id)"]).1);
    }
}
