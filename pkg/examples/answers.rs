//! Reads `[{"source": text, "steps": […]}, …]`, opens each source and takes its steps (`{"request"}`,
//! `{"seal", "as"?}`, `{"settle", "answer"}` or `{"append"}`), and prints what was noticed at opening, each
//! answer or refusal, and the native file at the end. The package's tests hold the wasm's answers against it.

use std::io;

use galley_core::doors::SealAs;
use galley_core::refusal::Refusal;
use galley_core::session::Session;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Asked {
    source: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    request: Option<Value>,
    seal: Option<Value>,
    #[serde(rename = "as", default)]
    seal_as: SealAs,
    settle: Option<String>,
    #[serde(default)]
    answer: Value,
    append: Option<Value>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Vec<Asked> = serde_json::from_reader(io::stdin().lock())?;
    let mut answered = Vec::with_capacity(asked.len());
    for Asked { source, steps } in asked {
        let mut session = Session::open(source.as_bytes())?;
        let mut answers = Vec::with_capacity(steps.len());
        for step in steps {
            answers.push(match take(&mut session, step) {
                Ok(answer) => answer?,
                Err(refusal) => json!({ "refusal": refusal }),
            });
        }
        answered.push(json!({ "warnings": session.warnings(), "answers": answers, "file": session.conversation() }));
    }
    serde_json::to_writer(io::stdout().lock(), &answered)?;
    Ok(())
}

fn take(session: &mut Session, step: Step) -> Result<serde_json::Result<Value>, Refusal> {
    if let Some(request) = step.seal {
        return Ok(serde_json::to_value(session.seal(&request, step.seal_as)?));
    }
    let turn = match (step.settle, step.append) {
        (Some(id), _) => session.settle(&id, &step.answer)?,
        (None, Some(turn)) => session.append(&turn)?,
        (None, None) => {
            let request = step.request.unwrap_or_default();
            return Ok(serde_json::to_value(session.estimate(&request)?));
        }
    };
    Ok(serde_json::to_value(turn).map(|turn| json!({ "turn": turn })))
}
