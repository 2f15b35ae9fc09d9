//! A markdown list of tasks: `- [x] done`. Agents write their todos so, and those that have another form get this one.

/// The status of a task by its mark.
const MARKS: [(&str, &str); 4] = [(" ", "pending"), (">", "in_progress"), ("x", "done"), ("-", "blocked")];

/// A status by the names that agents have for it: `pending`, `in_progress`, `done`, `blocked`.
pub fn status(word: Option<&str>) -> &'static str {
    match word {
        Some("completed" | "done") => "done",
        Some("in_progress") => "in_progress",
        Some("cancelled" | "canceled" | "blocked") => "blocked",
        _ => "pending",
    }
}

/// The list of these tasks, each with its status and title.
pub fn write<'a>(tasks: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let line = |(status, title): (&str, &str)| {
        let mark = MARKS.iter().find(|(_, known)| *known == status).map_or(" ", |(mark, _)| mark);
        // A title of several lines would be several tasks.
        format!("- [{mark}] {}", title.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    tasks.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The tasks of a list, each with its status and title. What is no task is left out; a mark that is not known is of one in progress.
pub fn read(text: &str) -> impl Iterator<Item = (&'static str, &str)> {
    text.lines().filter_map(|line| {
        let line = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start().strip_prefix('[')?;
        let (mark, title) = line.split_once(']')?;
        let status = match mark {
            "X" => "done",
            "" => "pending",
            mark => {
                MARKS.iter().find(|(known, _)| *known == mark).map_or("in_progress", |(_, status)| status)
            }
        };
        Some((status, title.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let tasks = [("done", "Sand"), ("in_progress", "Paint"), ("pending", "Launch"), ("blocked", "Sail")];
        let list = write(tasks);
        assert_eq!(list, "- [x] Sand\n- [>] Paint\n- [ ] Launch\n- [-] Sail");
        assert_eq!(read(&list).collect::<Vec<_>>(), tasks);
        assert_eq!(write([("else", "Two\n lines")]), "- [ ] Two lines");
    }

    #[test]
    fn a_list_may_have_other_lines_and_marks() {
        let found: Vec<_> = read("# Todo\n- [x] One\n  * [ ] Two\n- no task").collect();
        assert_eq!(found, [("done", "One"), ("pending", "Two")]);
        let found: Vec<_> = read("# Todo\n- [X] One\n  * [] Two\n+ [~] Three\n- no task").collect();
        assert_eq!(found, [("done", "One"), ("pending", "Two"), ("in_progress", "Three")]);
    }

    #[test]
    fn a_status_has_several_names() {
        for (word, known) in
            [("completed", "done"), ("in_progress", "in_progress"), ("canceled", "blocked"), ("", "pending")]
        {
            assert_eq!(status(Some(word)), known);
        }
        assert_eq!(status(None), "pending");
    }
}
