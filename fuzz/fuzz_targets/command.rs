//! Commands that a person decides about: any text is read, and what is named is a part of the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::view_model::risk::{of_command, read_path, shell, warnings, written_path};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for (project, folder) in [(None, None), (Some("/workspace/boats"), Some("/workspace/boats/src"))] {
        let found = of_command(&text, project, folder);
        for danger in &found {
            assert!(text.get(danger.part.clone()).is_some(), "{danger:?}");
            assert!(!danger.operands.is_empty(), "{danger:?}");
        }
        assert_eq!(warnings(&found).is_empty(), found.is_empty());
        read_path(&text, project);
        written_path(&text, project);
    }
    let reading = shell::read(&text);
    for part in reading.commands.iter().map(|command| &command.part).chain(&reading.unread) {
        assert!(text.get(part.clone()).is_some(), "{part:?}");
    }
    for (at, command) in reading.commands.iter().enumerate() {
        assert!(command.subshell < reading.parents.len());
        assert!(command.source.is_none_or(|source| source < at), "{command:?}");
    }
});
