//! Files in: every fixture opens as its expectation says, whole and cut anywhere.
//!
//! `tests/suite/import/<format>/<name>.input.json` (or `.jsonl`, or a text's own ending) stands beside `<name>.expect.json`: what
//! `import::open` answers and each conversation as a native file. A changed expectation is written anew by
//! `GALLEY_WRITE=1 cargo test -p galley-tests --test import` and read before it is committed.

use std::path::{Path, PathBuf};

use galley_core::conversation::{Conversation, from_transcript, read};
use galley_core::import::{self, Ask, Format, Opened};
use galley_core::refusal::{Refusal, Warning};
use galley_core::transcript::{AgentMessage, ContentBlock};
use galley_tests::root;
use serde_json::{Value, json};

/// A file, each conversation on its current branch.
fn open(bytes: &[u8]) -> Result<Opened, Refusal> {
    import::open(bytes, &Ask::default())
}

/// How a fixture is opened: by its shape, but for what is read by a guess.
fn ask(path: &Path) -> Ask {
    let guess = path
        .parent()
        .is_some_and(|folder| folder.ends_with("guess"));
    Ask {
        format: guess.then_some(Format::Guess),
        ..Ask::default()
    }
}

/// The inputs, by path.
fn inputs() -> Vec<PathBuf> {
    let folder = |path: &Path| {
        let entries =
            std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("a folder can be listed").path())
            .collect();
        paths.sort();
        paths
    };
    let formats = folder(&root().join("tests/suite/import"));
    let formats = formats.iter().filter(|path| path.is_dir());
    let files = formats.flat_map(|format| folder(format));
    files
        .filter(|path| path.to_string_lossy().contains(".input."))
        .collect()
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The conversations of an opened file, each with what was noticed in making it one.
fn natives(opened: &Opened, bytes: &[u8]) -> Vec<(Conversation, Vec<Warning>)> {
    match opened.format {
        Format::Galley => vec![read(bytes).expect("a native file that is recognised reads")],
        _ => opened
            .conversations
            .iter()
            .cloned()
            .map(from_transcript)
            .collect(),
    }
}

fn answer(bytes: &[u8], ask: &Ask) -> Value {
    let opened = match import::open(bytes, ask) {
        Ok(opened) => opened,
        Err(refusal) => return json!({ "refused": refusal }),
    };
    let natives: Vec<Value> = natives(&opened, bytes)
        .into_iter()
        .map(|(file, warnings)| json!({"file": file, "warnings": warnings}))
        .collect();
    json!({"opened": opened, "natives": natives})
}

/// An expectation with its native files as this version writes them: which defaults a file spells out is not
/// what is expected of it.
fn as_written(mut expected: Value) -> Value {
    let natives = expected.get_mut("natives").and_then(Value::as_array_mut);
    for native in natives.into_iter().flatten() {
        let file: Conversation =
            serde_json::from_value(native["file"].take()).expect("it is a native file");
        native["file"] = serde_json::to_value(file).expect("a file can be written");
    }
    expected
}

#[test]
fn every_fixture_opens_as_expected() {
    let inputs = inputs();
    for format in Format::all() {
        let format = format.to_string();
        let of_format = inputs
            .iter()
            .filter(|path| path.parent().is_some_and(|p| p.ends_with(&format)));
        assert!(
            of_format.count() >= 3,
            "{format} has a plain, a tool-heavy and a damaged fixture"
        );
    }
    let writes = std::env::var_os("GALLEY_WRITE").is_some();
    for input in inputs {
        let name = input
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let stem = name.split(".input.").next().unwrap_or_default();
        let expect = input.with_file_name(format!("{stem}.expect.json"));
        let found = answer(&bytes(&input), &ask(&input));
        if writes {
            let text = serde_json::to_string_pretty(&found).expect("JSON can be written");
            std::fs::write(&expect, text + "\n").expect("the suite can be written");
        }
        let expected: Value =
            serde_json::from_slice(&bytes(&expect)).expect("an expectation is JSON");
        assert_eq!(found, as_written(expected), "{}", input.display());
    }
}

#[test]
fn what_opens_is_written_and_read_again_the_same() {
    for input in inputs() {
        let bytes = bytes(&input);
        let opened = import::open(&bytes, &ask(&input))
            .unwrap_or_else(|refusal| panic!("{}: {refusal}", input.display()));
        for (file, _) in natives(&opened, &bytes) {
            let (again, _) = read(file.to_json().as_bytes()).expect("what was written reads");
            assert_eq!(again, file, "{}", input.display());
        }
    }
}

#[test]
fn every_branch_opens_when_it_is_asked_for() {
    let mut met = 0;
    for input in inputs() {
        let bytes = bytes(&input);
        let opened = import::open(&bytes, &ask(&input)).expect("a fixture opens");
        for (nth, one) in opened.conversations.iter().enumerate() {
            for branch in &one.branches {
                met += 1;
                let ask = Ask {
                    branch: Some(branch.id.clone()),
                    ..ask(&input)
                };
                let asked = import::open(&bytes, &ask).expect("a fixture opens");
                let asked = &asked.conversations[nth];
                let told = format!("{}, {}", input.display(), branch.id);
                assert_eq!(asked.branches, one.branches, "{told}");
                assert_eq!(asked.messages == one.messages, branch.current, "{told}");
            }
        }
    }
    assert!(met > 0, "there are fixtures with branches");
}

#[test]
fn every_prefix_opens_or_is_refused_at_the_place_where_it_ends() {
    for input in inputs() {
        let bytes = bytes(&input);
        let by_line = input.extension().is_some_and(|ending| ending != "json");
        // At every byte of a small file, and at some of a large one: the time grows with the square.
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 400) {
            let prefix = &bytes[..end];
            match import::open(prefix, &ask(&input)) {
                Ok(opened) => {
                    let whole = bytes[end..].iter().all(u8::is_ascii_whitespace);
                    // Of a list of conversations those are read that are whole.
                    let told = opened.warnings.iter().any(|w| w.code == "file_cut_off");
                    let opens = by_line || whole || told;
                    assert!(opens, "{} cut at {end} opened", input.display());
                    natives(&opened, prefix);
                }
                Err(refusal) => {
                    // The beginning of a text that is no JSON may be any such text.
                    let placed = refusal.message.contains("(byte ")
                        || refusal.message.contains("is empty")
                        || refusal.detail.as_deref() == Some("markdown")
                        // A first line that says `type` and `content` alone may be of several logs, and is no
                        // conversation by itself.
                        || by_line && refusal.message.contains("it is an object with type, content;");
                    assert!(placed, "{} cut at {end}: {refusal}", input.display());
                    let at_the_end = refusal.message.contains(&format!("(byte {end})"));
                    assert!(
                        by_line || end == 0 || at_the_end,
                        "{} cut at {end}: {refusal}",
                        input.display()
                    );
                }
            }
        }
    }
}

/// A file that is said to be something else opens as that, or is refused with what it looks like.
#[test]
fn every_fixture_opens_as_any_format_or_is_refused_with_what_it_looks_like() {
    for input in inputs() {
        let bytes = bytes(&input);
        let looks = open(&bytes);
        for format in Format::all() {
            let ask = Ask {
                format: Some(format),
                ..Ask::default()
            };
            let told = format!("{} as {format}", input.display());
            match (import::open(&bytes, &ask), &looks) {
                (Ok(opened), Ok(looks)) if looks.format == format => assert_eq!(&opened, looks),
                (Ok(opened), _) => {
                    assert_eq!(opened.format, format, "{told}");
                    natives(&opened, &bytes);
                }
                (Err(refusal), looks) => {
                    assert_eq!(refusal.code, import::INVALID, "{told}");
                    let looks = looks.as_ref().map(|looks| looks.format.to_string());
                    let said = looks.map_or(true, |word| refusal.message.contains(&word));
                    assert!(said, "{told}: {refusal}");
                }
            }
        }
    }
}

/// A stored Chat Completion that nobody here wrote is read where it lies beside the checkout; without it the
/// committed log of the same shape stands for it.
#[test]
fn a_stored_completion_reads_without_a_warning() {
    let real = root().join("../shared/samples/chat-completions-stored.json");
    let real = real.exists().then_some((real, 73, 58, 52_529));
    let ours = root().join("tests/suite/import/chat_completions/stored_log.input.json");
    for (path, messages, results, prompt_tokens) in [(ours, 5, 2, 100)].into_iter().chain(real) {
        let bytes = bytes(&path);
        let opened = open(&bytes).unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display()));
        let [one] = opened.conversations.as_slice() else {
            panic!("{} holds one conversation", path.display());
        };
        assert_eq!((&opened.warnings, &one.warnings), (&vec![], &vec![]));
        // The system text stands aside and the choice's message is added.
        assert_eq!((one.system.len(), one.messages.len()), (1, messages));
        let mut called = std::collections::BTreeMap::new();
        let mut answered = 0;
        for message in &one.messages {
            for block in message.content() {
                if let ContentBlock::FunctionCall {
                    id, function_id, ..
                } = block
                {
                    called.insert(id.as_str(), function_id.as_str());
                }
            }
            if let AgentMessage::FunctionResult {
                function_call_id,
                function_id,
                ..
            } = message
            {
                assert_eq!(
                    called.remove(function_call_id.as_str()),
                    Some(function_id.as_str())
                );
                answered += 1;
            }
        }
        assert_eq!((answered, called.len()), (results, 0));
        let (file, warnings) = from_transcript(one.clone());
        assert_eq!(warnings, []);
        assert_eq!(file.turns.len(), 1);
        let body = &file.turns[0].body;
        let usage = body.usage.as_ref().expect("the provider's count is kept");
        assert_eq!(
            (usage.status.as_str(), usage.input_tokens),
            ("succeeded", prompt_tokens)
        );
        let source: Value = serde_json::from_slice(&bytes).expect("the file is JSON");
        let sealed = body.request.as_ref().expect("the request is kept");
        for member in ["model", "messages", "tools"] {
            assert_eq!(sealed.get(member), source.get(member), "{member}");
        }
        // Every text of the file is in the conversation as it was.
        let written = file.to_json();
        for message in source["messages"].as_array().expect("messages are a list") {
            let text = message["content"].to_string();
            assert!(text == "null" || written.contains(&text), "{text}");
        }
    }
}

/// Real files that nobody here wrote open with the warnings that are listed for them and no others: lines of a log,
/// each as a file of its own and all as one, and a session. Without their folder there is nothing to read.
#[test]
fn real_files_open_with_the_listed_warnings() {
    let real = root().join("../shared/samples");
    let list = root().join("tests/suite/import/samples.json");
    if !real.exists() {
        return;
    }
    let entries = std::fs::read_dir(real.join("claude-code-lines")).expect("it can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let mut found = serde_json::Map::new();
    let mut open_one = |name: String, bytes: &[u8], format: Format| {
        let opened = open(bytes).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert_eq!(opened.format, format, "{name}");
        assert!(!opened.conversations.is_empty(), "{name}");
        let conversations = opened.conversations.iter();
        let warnings: Vec<&str> = opened
            .warnings
            .iter()
            .chain(conversations.flat_map(|one| &one.warnings))
            .map(|warning| warning.code.as_str())
            .collect();
        if !warnings.is_empty() {
            found.insert(name, json!(warnings));
        }
        natives(&opened, bytes);
        let messages = opened.conversations.iter().map(|one| one.messages.len());
        messages.sum::<usize>()
    };
    let mut all = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = bytes(&path);
        open_one(
            format!("claude-code-lines/{name}"),
            &bytes,
            Format::ClaudeCode,
        );
        all.extend(bytes);
    }
    open_one("claude-code-lines".to_owned(), &all, Format::ClaudeCode);
    let session = bytes(&real.join("cline-session.messages.json"));
    let messages = open_one(
        "cline-session.messages.json".to_owned(),
        &session,
        Format::Cline,
    );
    // Its 32 messages and the facts of the session.
    assert_eq!(messages, 33);
    let found = Value::Object(found);
    if std::env::var_os("GALLEY_WRITE").is_some() {
        let text = serde_json::to_string_pretty(&found).expect("JSON can be written");
        std::fs::write(&list, text + "\n").expect("the suite can be written");
    }
    let listed: Value = serde_json::from_slice(&bytes(&list)).expect("the list is JSON");
    assert_eq!(found, listed);
}
