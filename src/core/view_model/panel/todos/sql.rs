//! Applies the SQL of a todo list: INSERT, UPDATE and DELETE on the table `todos`. A statement that is not
//! understood changes nothing, and marks the list as uncertain.

use super::{Todo, Todos};

/// A piece of a statement.
#[derive(Debug, Clone, PartialEq)]
enum SqlToken {
    /// A keyword, a name, a number.
    Word(String),
    /// `'text'`.
    Text(String),
    /// Anything else, one character.
    Sign(char),
}

/// The rest of a statement.
struct Statement<'a>(&'a [SqlToken]);

/// A condition on one column.
struct Condition {
    column: String,
    values: Vec<String>,
    negated: bool,
}

/// Applies the statements of a query.
pub(super) fn run(query: &str, row: usize, todos: &mut Todos) {
    let tokens = tokens(query);
    for statement in tokens.split(|token| *token == SqlToken::Sign(';')) {
        if changes_table(statement) && apply(&mut Statement(statement), row, todos).is_none() {
            todos.uncertain = true;
        }
    }
}

fn tokens(query: &str) -> Vec<SqlToken> {
    let mut tokens = Vec::new();
    let mut rest = query.chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            ' ' | '\n' | '\t' | '\r' => {}
            '-' if rest.peek() == Some(&'-') => while rest.next_if(|c| *c != '\n').is_some() {},
            '\'' | '"' | '`' => {
                let mut text = String::new();
                let mut closed = false;
                while let Some(c) = rest.next() {
                    if c != first {
                        text.push(c);
                    } else if rest.next_if_eq(&first).is_some() {
                        text.push(first);
                    } else {
                        closed = true;
                        break;
                    }
                }
                tokens.push(match (closed, first) {
                    (false, _) => SqlToken::Sign('\''),
                    (true, '\'') => SqlToken::Text(text),
                    (true, _) => SqlToken::Word(text.to_lowercase()),
                });
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
                    word.push(c);
                }
                tokens.push(SqlToken::Word(word.to_lowercase()));
            }
            sign => tokens.push(SqlToken::Sign(sign)),
        }
    }
    tokens
}

/// Whether a statement changes the table.
fn changes_table(statement: &[SqlToken]) -> bool {
    let changes = |word: &String| matches!(word.as_str(), "insert" | "update" | "delete" | "replace");
    let table = SqlToken::Word("todos".to_owned());
    matches!(statement.first(), Some(SqlToken::Word(word)) if changes(word))
        && statement.iter().take(6).any(|token| *token == table)
}

fn apply(statement: &mut Statement<'_>, row: usize, todos: &mut Todos) -> Option<()> {
    let verb = statement.word()?;
    match verb.as_str() {
        "insert" | "replace" => insert(verb == "replace", statement, row, todos),
        "update" => update(statement, row, todos),
        _ => {
            statement.keyword("from")?;
            statement.keyword("todos")?;
            let conditions = statement.conditions()?;
            todos.items.retain(|todo| !conditions.iter().all(|condition| condition.is_met_by(todo)));
            Some(())
        }
    }
}

fn insert(mut replace: bool, statement: &mut Statement<'_>, row: usize, todos: &mut Todos) -> Option<()> {
    if statement.keyword("or").is_some() {
        match statement.word()?.as_str() {
            "replace" => replace = true,
            "ignore" => {}
            _ => return None,
        }
    }
    statement.keyword("into")?;
    statement.keyword("todos")?;
    let mut columns = Vec::new();
    statement.sign('(')?;
    loop {
        columns.push(statement.word()?);
        if statement.sign(',').is_none() {
            break;
        }
    }
    statement.sign(')')?;
    statement.keyword("values")?;
    let mut fresh = Vec::new();
    loop {
        statement.sign('(')?;
        let mut todo = Todo { status: "pending".to_owned(), row, ..Todo::default() };
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                statement.sign(',')?;
            }
            let value = statement.expression();
            set(&mut todo, column, value)?;
        }
        statement.sign(')')?;
        fresh.push(todo);
        if statement.sign(',').is_none() {
            break;
        }
    }
    if !statement.0.is_empty() {
        return None;
    }
    for todo in fresh {
        match todos.items.iter_mut().find(|known| !todo.id.is_empty() && known.id == todo.id) {
            Some(known) if replace => *known = todo,
            Some(_) => {}
            None => todos.items.push(todo),
        }
    }
    Some(())
}

fn update(statement: &mut Statement<'_>, row: usize, todos: &mut Todos) -> Option<()> {
    statement.keyword("todos")?;
    statement.keyword("set")?;
    let mut changes = Vec::new();
    loop {
        let column = statement.word()?;
        statement.sign('=')?;
        changes.push((column, statement.expression()));
        if statement.sign(',').is_none() {
            break;
        }
    }
    let conditions = statement.conditions()?;
    let mut items = todos.items.clone();
    for todo in &mut items {
        if conditions.iter().all(|condition| condition.is_met_by(todo)) {
            todo.row = row;
            for (column, value) in &changes {
                set(todo, column, value.clone())?;
            }
        }
    }
    todos.items = items;
    Some(())
}

/// Sets a column. A computed value is `None`, which is an error for the columns that people see.
fn set(todo: &mut Todo, column: &str, value: Option<String>) -> Option<()> {
    let slot = match column {
        "id" => &mut todo.id,
        "title" => &mut todo.title,
        "description" => &mut todo.description,
        "status" => &mut todo.status,
        _ => return Some(()),
    };
    *slot = value?;
    Some(())
}

impl Statement<'_> {
    fn next(&mut self) -> Option<SqlToken> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first.clone())
    }

    fn next_if(&mut self, token: &SqlToken) -> Option<()> {
        (self.0.first() == Some(token)).then(|| self.next()).map(drop)
    }

    fn word(&mut self) -> Option<String> {
        match self.next()? {
            SqlToken::Word(word) => Some(word),
            _ => None,
        }
    }

    fn keyword(&mut self, word: &str) -> Option<()> {
        self.next_if(&SqlToken::Word(word.to_owned()))
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        self.next_if(&SqlToken::Sign(sign))
    }

    /// A literal, up to the next comma, bracket or WHERE; `None` for anything that has to be computed.
    fn expression(&mut self) -> Option<String> {
        let mut pieces = Vec::new();
        let mut depth = 0_u32;
        while let Some(token) = self.0.first() {
            match token {
                SqlToken::Sign(',' | ')') if depth == 0 => break,
                SqlToken::Word(word) if depth == 0 && word == "where" => break,
                SqlToken::Sign('(') => depth += 1,
                SqlToken::Sign(')') => depth -= 1,
                _ => {}
            }
            pieces.extend(self.next());
        }
        match pieces.as_slice() {
            [SqlToken::Text(text)] => Some(text.clone()),
            [SqlToken::Word(word)] if word == "null" => Some(String::new()),
            [SqlToken::Word(word)] if word.starts_with(|c: char| c.is_ascii_digit()) => Some(word.clone()),
            _ => None,
        }
    }

    /// The conditions after WHERE, which all have to hold. Without any,
    /// every row is meant. `None` if not understood.
    fn conditions(&mut self) -> Option<Vec<Condition>> {
        let mut conditions = Vec::new();
        if self.0.is_empty() {
            return Some(conditions);
        }
        self.keyword("where")?;
        loop {
            conditions.push(self.condition()?);
            if self.0.is_empty() {
                return Some(conditions);
            }
            self.keyword("and")?;
        }
    }

    fn condition(&mut self) -> Option<Condition> {
        let column = self.word()?;
        if !matches!(column.as_str(), "id" | "title" | "status" | "description") {
            return None;
        }
        let mut condition = Condition { column, values: Vec::new(), negated: false };
        match self.next()? {
            SqlToken::Sign('=') => {
                self.sign('=');
                condition.values.push(self.literal()?);
            }
            sign @ SqlToken::Sign('!' | '<') => {
                self.sign(if sign == SqlToken::Sign('!') { '=' } else { '>' })?;
                condition.negated = true;
                condition.values.push(self.literal()?);
            }
            SqlToken::Word(word) => {
                condition.negated = word == "not";
                if condition.negated {
                    self.keyword("in")?;
                } else if word != "in" {
                    return None;
                }
                self.sign('(')?;
                loop {
                    condition.values.push(self.literal()?);
                    if self.sign(',').is_none() {
                        break;
                    }
                }
                self.sign(')')?;
            }
            _ => return None,
        }
        Some(condition)
    }

    fn literal(&mut self) -> Option<String> {
        match self.next()? {
            SqlToken::Text(text) => Some(text),
            SqlToken::Word(word) if word.starts_with(|c: char| c.is_ascii_digit()) => Some(word),
            _ => None,
        }
    }
}

impl Condition {
    fn is_met_by(&self, todo: &Todo) -> bool {
        let value = match self.column.as_str() {
            "id" => &todo.id,
            "title" => &todo.title,
            "status" => &todo.status,
            _ => &todo.description,
        };
        self.values.contains(value) != self.negated
    }
}
