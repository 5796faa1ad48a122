//! The house's walls: which room may use which, and who may know what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use galley_tests::root;

/// What each room of `core` may use. Leaves (`json`, `refusal`, `role`, `wording`) are open to every room.
const ARROWS: &[(&str, &[&str])] = &[
    ("json", &["refusal"]),
    ("refusal", &[]),
    ("role", &[]),
    ("wording", &["refusal"]),
    ("tokens", &[]),
    ("transcript", &["tokens"]),
    ("seal", &[]),
    ("template", &[]),
    ("wire", &["transcript", "seal"]),
    ("import", &["wire", "transcript"]),
    ("fit", &["transcript", "tokens"]),
    ("conversation", &["transcript", "seal", "tokens"]),
    ("assembly", &["conversation", "template", "seal", "tokens"]),
    (
        "doors",
        &[
            "assembly",
            "conversation",
            "import",
            "template",
            "seal",
            "tokens",
            "transcript",
            "wire",
        ],
    ),
    (
        "session",
        &["doors", "assembly", "conversation", "import", "tokens"],
    ),
];

const LEAVES: &[&str] = &["json", "refusal", "role", "wording"];

#[test]
fn rooms_use_only_what_stands_behind_them() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> = ARROWS
        .iter()
        .map(|(room, uses)| (*room, uses.iter().chain(LEAVES).copied().collect()))
        .collect();
    let mut wrong = Vec::new();
    let mut rooms = BTreeSet::new();
    for file in engine_files() {
        let room = room_of(&file);
        if room == "lib" {
            continue;
        }
        rooms.insert(room.clone());
        let Some(allowed) = allowed.get(room.as_str()) else {
            wrong.push(format!(
                "core/src/{room} is no room of the plan; say in this test what it may use"
            ));
            continue;
        };
        for used in rooms_used(&code(&file)) {
            if used != room && !allowed.contains(used.as_str()) {
                wrong.push(format!("{} uses {used}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let planned: BTreeSet<String> = ARROWS.iter().map(|(room, _)| (*room).to_owned()).collect();
    assert_eq!(rooms, planned, "the plan names exactly the rooms there are");
}

#[test]
fn numbers_only_rooms_see_only_numbers() {
    for file in [
        "core/src/assembly/allocator.rs",
        "core/src/assembly/select.rs",
    ] {
        let code = code(&root().join(file));
        assert!(
            !code.contains("crate::") && !code.contains("super::"),
            "{file} uses nothing of the engine"
        );
    }
}

#[test]
fn only_import_and_wire_know_vendors() {
    let vendors = ["openai", "anthropic", "gemini", "chatgpt", "claude"];
    // A catalogue is a list of vendors' models; a seed's own words name wires.
    let may = ["import", "wire", "tokens"];
    let mut wrong = Vec::new();
    for file in engine_files()
        .into_iter()
        .filter(|file| !may.contains(&room_of(file).as_str()))
    {
        let code = code(&file).to_lowercase();
        for vendor in vendors.iter().filter(|vendor| code.contains(*vendor)) {
            wrong.push(format!("{} knows {vendor}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_package_knows_wasm_bindgen_and_only_the_engine_file_knows_a_worker() {
    for file in engine_files() {
        let code = code(&file);
        for word in [
            "wasm_bindgen",
            "js_sys",
            "web_sys",
            "std::fs",
            "std::net",
            "std::thread",
            "std::time",
            "std::env",
            "thread_local",
        ] {
            assert!(!code.contains(word), "{} names {word}", file.display());
        }
    }
    let knows: Vec<PathBuf> = rust_files(&root().join("web/src"))
        .into_iter()
        .filter(|file| !file.components().any(|part| part.as_os_str() == "bin"))
        .filter(|file| code(file).contains("web_sys::Worker") || code(file).contains("Worker::new"))
        .collect();
    assert_eq!(knows, [root().join("web/src/engine.rs")]);
}

#[test]
fn the_engine_depends_on_nothing_that_does_io() {
    let manifest =
        std::fs::read_to_string(root().join("core/Cargo.toml")).expect("core has a manifest");
    let dependencies = manifest
        .split("[dependencies]")
        .nth(1)
        .and_then(|rest| rest.split("\n[").next())
        .unwrap_or_default();
    let names: Vec<&str> = dependencies
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    let pure = [
        "serde",
        "serde_json",
        "serde_path_to_error",
        "indexmap",
        // They work on bytes in memory; what reads and writes files in them is given a slice.
        "zip",
        "flate2",
        "ruzstd",
        "saphyr-parser",
        "base64",
        "sha2",
        "tsify",
        "schemars",
        "wasm-bindgen",
    ];
    let others: Vec<&&str> = names.iter().filter(|name| !pure.contains(name)).collect();
    assert!(
        others.is_empty(),
        "new dependencies of core: {others:?}; say here that they are pure"
    );
    let optional = dependencies
        .lines()
        .filter(|line| line.contains("optional = true"))
        .count();
    assert_eq!(
        optional, 3,
        "tsify, schemars and wasm-bindgen stay behind the `types` feature"
    );
}

#[test]
fn files_stay_small() {
    let mut long = Vec::new();
    for folder in [
        "core/src",
        "pkg/src",
        "pkg/counter/src",
        "web/src",
        "tests/src",
        "tests/tests",
        "fuzz/src",
        "fuzz/targets",
    ] {
        for file in rust_files(&root().join(folder)) {
            let lines = std::fs::read_to_string(&file)
                .unwrap_or_default()
                .lines()
                .count();
            if lines > 600 {
                long.push(format!("{}: {lines} lines", file.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The engine's own files, without those that hold only unit tests.
fn engine_files() -> Vec<PathBuf> {
    let mut files = rust_files(&root().join("core/src"));
    files.retain(|file| file.file_name().is_some_and(|name| name != "tests.rs"));
    files
}

/// `core/src/<room>/…` or `core/src/<room>.rs`.
fn room_of(file: &Path) -> String {
    let src = root().join("core/src");
    let inside = file.strip_prefix(&src).unwrap_or(file);
    let first = inside
        .components()
        .next()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .unwrap_or_default();
    first.trim_end_matches(".rs").to_owned()
}

/// A file without its comments and without its unit tests.
fn code(file: &Path) -> String {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let body = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    body.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every room named as `crate::room`, in a path or in a `use crate::{…}` list.
fn rooms_used(code: &str) -> BTreeSet<String> {
    let word = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut used = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            None => drop(used.insert(word(after))),
            Some(list) => {
                let (mut depth, mut start) = (0, true);
                for (at, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if c.is_whitespace() => {}
                        _ if depth == 0 && start => {
                            used.insert(word(list.get(at..).unwrap_or_default()));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used
}

#[test]
fn the_reader_of_use_lines_reads_them() {
    let code = "use crate::json::typed;\nuse crate::{seal::{Entry, Part}, tokens, wording::{self}};\ncrate::role::Role";
    let used: Vec<String> = rooms_used(code).into_iter().collect();
    assert_eq!(used, ["json", "role", "seal", "tokens", "wording"]);
}
