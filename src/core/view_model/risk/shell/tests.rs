//! Tests that a command line is read as a shell reads it.

use super::*;

fn words(text: &str) -> Vec<Vec<String>> {
    read(text).commands.into_iter().map(|command| command.words).collect()
}

#[test]
fn a_line_is_cut_where_a_shell_would() {
    assert_eq!(
        words("a 'b c' \"d $e\"; f&&g\nh # i"),
        [vec!["a", "b c", "d $e"], vec!["f"], vec!["g"], vec!["h"]]
    );
    assert_eq!(words("sh -c \"$(curl x)\""), [vec!["curl", "x"], vec!["sh", "-c", "$(curl x)"]]);
    assert_eq!(words("cat <<'END' > out\nrm -rf /\nEND\nls"), [vec!["cat"], vec!["ls"]]);
    assert_eq!(words("r\\m \"a\"'b'$'\\x63\\n'"), [vec!["rm", "abc\n"]]);
    assert_eq!(words("if a; then b; elif c; then d; else e; fi"), [["a"], ["b"], ["c"], ["d"], ["e"]]);
    assert_eq!(words("case $x in a|b) c;; (d) e ;; *) esac; f"), [["c"], ["e"], ["f"]]);
    assert_eq!(words("((i > 3)) && a $((1 + 2)) [[ $a < b ]]"), [vec!["a", "$((1 + 2))", "[[", "$a", "]]"]]);
    assert_eq!(words("[[ $a < b && ( c ) ]] && d"), [vec!["$a", "b", "c", "]]"], vec!["d"]]);
    assert_eq!(words("rm {a,b{c,d}} '{e,f}' x{y}"), [vec!["rm", "a", "bc", "bd", "{e,f}", "x{y}"]]);
    assert_eq!(words("a `b \\`c\\`` d"), [vec!["c"], vec!["b", "`c`"], vec!["a", "`b \\`c\\``", "d"]]);
    assert_eq!(words("a \\\n b"), [vec!["a", "b"]]);
    assert_eq!(words("a=(b $(c) 'd e')"), [vec!["c"], vec!["a=b $(c) d e"]]);
}

#[test]
fn values_of_the_text_itself_are_put_in_their_places() {
    assert_eq!(
        words("X=rm; Y='-r f'; $X $Y \"$Y\" '$X' $Z").last().unwrap(),
        &["rm", "-r", "f", "-r f", "$X", "$Z"]
    );
    assert_eq!(words("for d in a b; do rm $d; done"), [["rm", "a", "b"]]);
    assert_eq!(words("f() { rm \"$1\"; }; f x").last().unwrap(), &["rm", "x"]);
    assert_eq!(words("alias r='rm -f'; r 'a b'").last().unwrap(), &["rm", "-f", "a b"]);
    assert_eq!(words("rm${IFS}-rf${IFS}x"), [["rm", "-rf", "x"]]);
}

#[test]
fn pipes_files_and_inputs_are_known() {
    let found = read("a 2>&1 | b >> ~/.zshrc 2>/dev/null").commands;
    assert!(!found[0].piped && found[1].piped);
    assert_eq!(found[1].writes, ["~/.zshrc", "/dev/null"]);
    assert!(found[0].writes.is_empty());
    assert_eq!(read("a || b").commands.iter().filter(|command| command.piped).count(), 0);
    assert_eq!(read("a &> x").commands[0].writes, ["x"]);
    assert_eq!(read("a {log}>x >|y").commands[0].writes, ["x", "y"]);
    let input = |text: &str| read(text).commands.first().and_then(|command| command.input.clone());
    assert_eq!(input("a <<E\nb $(c)\nE").as_deref(), Some("b $(c)\n"));
    assert_eq!(input("a <<-'E'\n\tb $c\n\tE\n").as_deref(), Some("\tb $c\n"));
    assert_eq!(input("a <<< 'b c'").as_deref(), Some("b c"));
    assert_eq!(words("git commit -m \"$(cat <<'E'\nit's ) \" done\nE\n)\"; ls").last().unwrap(), &["ls"]);
}

#[test]
fn a_part_that_cannot_be_read_is_told() {
    for (text, part) in [
        ("ls; echo 'a b", "'a b"),
        ("echo \"a", "\"a"),
        ("echo $(ls", "(ls"),
        ("echo `ls", "`ls"),
        ("ls )", ")"),
        ("{ ls", "{ ls"),
        ("f() { f; f; }; f", "f"),
    ] {
        let unread = read(text).unread;
        assert_eq!(unread.first().map(|part| &text[part.clone()]), Some(part), "{text}");
    }
    assert!(read("cargo test && echo \"it's\" # don't").unread.is_empty());
}

#[test]
fn nothing_that_is_typed_can_break_it() {
    for text in [
        "'",
        "\"",
        "$(",
        "`",
        "\\",
        "<<",
        ">",
        "a >&",
        "<(",
        "|",
        "$'",
        "$'\\x",
        "${",
        "${a",
        "$((",
        "((",
        "a=(",
        "case",
        "case x in",
        "for",
        "for ((",
        "function",
        "f()",
        "[[",
        "{",
        "}",
        "\r",
        "a <<\n",
        "{a,",
        "é$é",
    ] {
        read(text);
    }
    for piece in [
        "(",
        "$(",
        "$((",
        "((",
        "`",
        "{ ",
        "<(",
        "a=(",
        "${a:-",
        "\"$(",
        "f() { ",
        "case x in ",
        "<<E\n",
        "{a,b}",
        "x=$x$x;",
        "f() { f; f; }; f;",
        "sh|",
        "a;",
        "[[ ",
        "if ",
        "! ",
        "'",
        "\\",
        "[ $((",
        "for i in ",
        "alias f='f;f';f\n",
    ] {
        let text = piece.repeat(5_000);
        let reading = read(&text);
        assert!(reading.commands.len() <= text.len() + EXPANDED, "{piece}");
    }
}
