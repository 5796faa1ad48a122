//! What a file holds, read once when it opens: the lines of the rail, who can be addressed, the models.

use std::collections::BTreeMap;

use galley_core::conversation::Conversation;
use galley_core::conversation::native::{
    Access, Call, Mechanism, PrefaceEntry, Turn, TurnKind, Usage, UserKind,
};
use galley_core::conversation::voice;
use galley_core::import::Format;
use galley_core::refusal::Warning;
use galley_core::session::Session;
use galley_core::template;
use galley_core::tokens::{CounterRow, ModelRow, catalogue};
use galley_web::protocol::{Addressee, Doc, Model, Notice, RailRow, Upload};

/// Characters of a text shown in the rail.
const HEAD: usize = 120;

/// Characters of a call's arguments shown in the rail.
const ARGUMENTS: usize = 60;

/// What one line of the rail is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The turn's index in the file.
    pub turn: usize,
    /// What of it.
    pub what: What,
}

/// A part of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The words of a message or a summary.
    Words,
    /// An entry of the preface.
    Preface(usize),
    /// The words that opened a reply.
    Seed,
    /// A round of its run.
    Round(usize),
    /// Its final text, when it has no rounds.
    Answer,
}

impl What {
    /// The round, when it is one.
    pub fn round(self) -> Option<usize> {
        match self {
            What::Round(round) => Some(round),
            _ => None,
        }
    }
}

/// The lines of the rail, and what those cost that no plan prices.
#[derive(Default)]
pub struct Rows {
    /// One per line.
    pub lines: Vec<Line>,
    /// Tokens of lines that no plan priced, by line, under the counter in use.
    pub priced: BTreeMap<usize, u64>,
    /// What counted them.
    pub priced_by: Option<CounterRow>,
}

/// Reads a session's conversation.
pub fn read(session: &Session) -> (Doc, Rows) {
    let c = session.conversation();
    let (rail, lines) = rail(c);
    let doc = Doc {
        format: format_word(session.format()),
        warnings: session.warnings().iter().map(notice).collect(),
        rail,
        addressees: addressees(c),
        answering_user: c.answering_user.clone(),
        models: models(session),
        current_model: current_model(c).map(|id| listed_as(c, id)),
        default_template: template::default_order_json(),
        uploads: c
            .uploads
            .iter()
            .map(|(id, upload)| Upload {
                id: id.clone(),
                filename: upload.filename.clone(),
                content_type: upload.content_type.clone(),
                byte_size: upload.byte_size,
            })
            .collect(),
        pending: session.pending().map(|seed| seed.text.clone()),
        ..Doc::default()
    };
    (
        doc,
        Rows {
            lines,
            ..Rows::default()
        },
    )
}

/// What a file is, in words: the wire's own word, spelled as its makers do where that differs.
fn format_word(format: Format) -> String {
    let word = serde_json::to_value(format)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default();
    match word.as_str() {
        "galley" => "native file".to_owned(),
        "openai_responses" | "responses" => "OpenAI Responses".to_owned(),
        "ai_studio" => "AI Studio prompt".to_owned(),
        "chatgpt" => "ChatGPT export".to_owned(),
        "pi" => "pi session".to_owned(),
        _ => {
            let capital = |part: &str| {
                part.chars().next().map(|first| {
                    first.to_uppercase().collect::<String>() + &part[first.len_utf8()..]
                })
            };
            word.split('_')
                .filter_map(capital)
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

/// A warning with its place in words.
pub fn notice(warning: &Warning) -> Notice {
    let at = match (&warning.path, warning.line, warning.offset) {
        (Some(path), Some(line), _) if !path.is_empty() => format!("line {line}, {path}"),
        (_, Some(line), _) => format!("line {line}"),
        (Some(path), ..) => path.clone(),
        (_, _, Some(offset)) => format!("byte {offset}"),
        _ => String::new(),
    };
    Notice {
        at,
        message: warning.message.clone(),
        offset: warning.offset,
    }
}

fn rail(c: &Conversation) -> (Vec<RailRow>, Vec<Line>) {
    let mut rows: Vec<RailRow> = Vec::new();
    let mut lines = Vec::new();
    for index in c.reachable() {
        let Some(turn) = c.turns.get(index) else {
            continue;
        };
        let position = c.position(index);
        let mut opens = true;
        let first = rows.len();
        let mut push = |what: What,
                        round: Option<&str>,
                        kind: &str,
                        speaker: String,
                        text: &str,
                        calls: &[Call]| {
            rows.push(RailRow {
                turn: turn.id.clone(),
                position,
                round: round.map(str::to_owned),
                kind: kind.to_owned(),
                speaker,
                head: first_words(text, HEAD),
                calls: calls.iter().map(gist).collect(),
                opens,
                reported: None,
            });
            lines.push(Line { turn: index, what });
            opens = false;
        };
        let voice = || name(c, turn.speaker(c));
        match turn.kind {
            TurnKind::Message => push(What::Words, None, "message", voice(), turn.words(), &[]),
            TurnKind::CompactionSummary => push(
                What::Words,
                None,
                "summary",
                "Summary".to_owned(),
                turn.words(),
                &[],
            ),
            TurnKind::DirectReply => {
                let candidate = turn.active();
                for (at, laid) in candidate
                    .preface
                    .iter()
                    .enumerate()
                    .filter(|(_, laid)| !laid.carried)
                {
                    push(
                        What::Preface(at),
                        None,
                        "preface",
                        laid.block.clone().unwrap_or_else(|| "preface".to_owned()),
                        &preface_text(laid),
                        &[],
                    );
                }
                if let Some(seed) = candidate
                    .prompt
                    .filter(|seed| !seed.text.trim().is_empty() || !seed.uploads.is_empty())
                {
                    push(What::Seed, None, "seed", voice(), &seed.text, &[]);
                }
                let answerer = name(c, turn.answerer(c));
                let rounds = candidate
                    .body
                    .run
                    .as_ref()
                    .map(|run| run.rounds.as_slice())
                    .unwrap_or_default();
                for (at, round) in rounds.iter().enumerate() {
                    push(
                        What::Round(at),
                        Some(&round.key),
                        "round",
                        answerer.clone(),
                        &round.output,
                        &round.calls,
                    );
                }
                if let Some(content) = candidate
                    .body
                    .content
                    .as_deref()
                    .filter(|content| rounds.is_empty() && !content.trim().is_empty())
                {
                    push(What::Answer, None, "answer", answerer, content, &[]);
                }
                let turns = candidate.body.usage.as_ref();
                for (row, line) in rows.iter_mut().zip(&lines).skip(first) {
                    row.reported = match line.what {
                        What::Round(at) => {
                            let last = turns.filter(|_| at + 1 == rounds.len());
                            reported(
                                rounds
                                    .get(at)
                                    .and_then(|round| round.usage.as_ref())
                                    .or(last),
                            )
                        }
                        What::Answer => reported(turns),
                        _ => None,
                    };
                }
            }
        }
    }
    (rows, lines)
}

/// What a provider counted of a request.
fn reported(usage: Option<&Usage>) -> Option<u64> {
    let usage = usage.filter(|usage| usage.status == "succeeded")?;
    Some(usage.input_tokens).filter(|tokens| *tokens > 0)
}

/// The texts of a line of the rail, for pricing what no plan prices.
pub fn texts(turn: &Turn, what: What) -> Vec<String> {
    let candidate = turn.active();
    match what {
        What::Words => vec![turn.words().to_owned()],
        What::Preface(at) => candidate
            .preface
            .get(at)
            .map(preface_text)
            .into_iter()
            .collect(),
        What::Seed => candidate
            .prompt
            .map(|seed| seed.text.clone())
            .into_iter()
            .collect(),
        What::Answer => candidate.body.content.clone().into_iter().collect(),
        What::Round(at) => {
            let Some(round) = candidate
                .body
                .run
                .as_ref()
                .and_then(|run| run.rounds.get(at))
            else {
                return Vec::new();
            };
            let calls = round
                .calls
                .iter()
                .flat_map(|call| [call.name.clone(), call.arguments.clone()]);
            let results = round
                .results
                .values()
                .filter_map(|result| result.output.clone());
            std::iter::once(round.output.clone())
                .chain(calls)
                .chain(results)
                .collect()
        }
    }
}

fn preface_text(laid: &PrefaceEntry) -> String {
    let parts = serde_json::to_value(&laid.parts).unwrap_or_default();
    let texts = parts
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("text")?.as_str().map(str::to_owned));
    texts.collect::<Vec<_>>().join(" ")
}

/// Who a voice is, by name.
fn name(c: &Conversation, id: &str) -> String {
    let user = c.user(id).map(|user| voice::name_of(id, user).to_owned());
    user.or_else(|| {
        c.speakers
            .get(id)
            .map(|speaker| speaker.display_name.clone())
            .filter(|name| !name.is_empty())
    })
    .unwrap_or_else(|| id.to_owned())
}

/// The first words of a text on one line.
fn first_words(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            out.push(' ');
        }
        out.extend(word.chars().take(most - count));
        count = out.chars().count();
        if count >= most {
            break;
        }
    }
    out
}

/// A call in a few words: the tool, and its arguments' values.
fn gist(call: &Call) -> String {
    let values = match serde_json::from_str::<serde_json::Value>(&call.arguments) {
        Ok(serde_json::Value::Object(members)) => members
            .values()
            .map(|value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            })
            .collect::<Vec<_>>()
            .join(" "),
        _ => call.arguments.clone(),
    };
    first_words(
        &format!("{} {values}", call.name),
        call.name.chars().count() + ARGUMENTS,
    )
}

fn addressees(c: &Conversation) -> Vec<Addressee> {
    let defaults = c.execution_defaults.as_ref();
    c.users
        .iter()
        .filter(|(id, user)| {
            **id == c.answering_user
                || (user.kind == UserKind::Agent && user.access == Access::Full)
        })
        .map(|(id, user)| {
            let mechanism = defaults
                .and_then(|defaults| defaults.prompt_mechanism)
                .or(user.prompt_mechanism)
                .unwrap_or_default();
            Addressee {
                id: id.clone(),
                handle: voice::handle_of(id, user).to_owned(),
                name: voice::name_of(id, user).to_owned(),
                mechanism: match mechanism {
                    Mechanism::Default => "default",
                    Mechanism::Assembly => "assembly",
                    Mechanism::Raw => "raw",
                }
                .to_owned(),
                template: defaults
                    .and_then(|defaults| defaults.prompt_template.clone())
                    .or_else(|| user.prompt_template.clone()),
            }
        })
        .collect()
}

/// Rows of the file, then those of the catalogue that the file has not.
fn models(session: &Session) -> Vec<Model> {
    let own = &session.conversation().models;
    let known = |row: &ModelRow| own.iter().any(|one| one.model == row.model);
    let shown = |row: &ModelRow, origin: &str| -> Option<Model> {
        let mut model: Model = serde_json::from_value(serde_json::to_value(row).ok()?).ok()?;
        model.origin = origin.to_owned();
        Some(model)
    };
    let listed = catalogue::rows();
    // A dated or bare name of a listed model is no row of the list, and known all the same.
    let c = session.conversation();
    let named = c
        .users
        .values()
        .filter_map(|user| user.default_model.as_deref())
        .chain(current_model(c));
    let named: Vec<ModelRow> = named
        .filter_map(catalogue::lookup)
        .filter(|row| !listed.iter().any(|one| one.model == row.model))
        .collect();
    own.iter()
        .filter_map(|row| shown(row, "file"))
        .chain(
            named
                .iter()
                .chain(&listed)
                .filter(|row| !known(row))
                .filter_map(|row| shown(row, "catalogue")),
        )
        .collect()
}

/// The name a model is listed under: its own in the file, else the catalogue's for it.
fn listed_as(c: &Conversation, id: &str) -> String {
    let own = c.models.iter().any(|row| row.model.as_deref() == Some(id));
    let listed = catalogue::lookup(id)
        .filter(|_| !own)
        .and_then(|row| row.model);
    listed.unwrap_or_else(|| id.to_owned())
}

/// The model the conversation says it runs on, else the one that answered last.
fn current_model(c: &Conversation) -> Option<&str> {
    c.current_model.as_deref().or_else(|| {
        c.turns
            .iter()
            .rev()
            .find_map(|turn| turn.active().body.model.as_deref())
    })
}
