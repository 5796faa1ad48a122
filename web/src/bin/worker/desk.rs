//! What the worker holds: the session, the last plan, and which vocabularies are here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use galley_core::assembly::Plan;
use galley_core::conversation;
use galley_core::doors::Opened;
use galley_core::import;
use galley_core::refusal;
use galley_core::session::Session;
use galley_core::tokens::Encoding;
use galley_web::protocol::{Answer, Counter, Refusal, View};
use serde_json::{Value, json};

use super::encodings::StandIn;
use super::facts::{self, Rows};
use super::sheet;

/// How a vocabulary stands.
#[derive(Clone)]
enum Standing {
    /// Asked for by a model, not yet on its way.
    Wanted,
    Coming,
    Here(Rc<dyn Encoding>),
    Failed,
}

/// The file the session came from.
#[derive(Default)]
struct Shelf {
    name: String,
    sample: bool,
    /// Kept while it holds more conversations than the one that is open.
    file: Option<import::Opened>,
}

impl Shelf {
    fn titles(&self) -> Vec<String> {
        let all = self
            .file
            .iter()
            .flat_map(|file| &file.conversations)
            .enumerate();
        all.map(|(index, one)| {
            one.title
                .clone()
                .unwrap_or_else(|| format!("conversation {}", index + 1))
        })
        .collect()
    }
}

/// The session and what goes with it.
#[derive(Default)]
pub struct Desk {
    shelf: Shelf,
    session: Option<Session>,
    rows: Rows,
    plan: Option<Rc<Plan>>,
    encodings: BTreeMap<String, Standing>,
}

impl Desk {
    /// Opens a file; the one before stays when this one is refused. Of several conversations the first is
    /// opened, and the others can be picked.
    pub fn open(&mut self, name: String, bytes: Vec<u8>, sample: bool) -> Result<Answer, Refusal> {
        match Session::open(&bytes) {
            Ok(session) => {
                self.shelf = Shelf {
                    name,
                    sample,
                    ..Shelf::default()
                };
                Ok(self.take(session, 0))
            }
            Err(refusal) if refusal.code == "several_conversations" => {
                let file = import::open(&bytes, &import::Ask::default()).map_err(refused)?;
                self.shelf = Shelf {
                    name,
                    sample,
                    file: Some(file),
                };
                self.pick(0)
            }
            Err(refusal) => Err(refused(refusal)),
        }
    }

    /// Opens another conversation of the file.
    pub fn pick(&mut self, index: usize) -> Result<Answer, Refusal> {
        let Some(file) = &self.shelf.file else {
            return Err(nothing_open());
        };
        let Some(one) = file.conversations.get(index) else {
            return Err(nothing_open());
        };
        let (conversation, noticed) = conversation::from_transcript(one);
        let warnings = file
            .warnings
            .iter()
            .chain(&one.warnings)
            .cloned()
            .chain(noticed)
            .collect();
        let session = Session::new(Opened {
            format: file.format,
            conversation,
            warnings,
        });
        Ok(self.take(session, index))
    }

    fn take(&mut self, mut session: Session, index: usize) -> Answer {
        for (name, standing) in &self.encodings {
            session.load_encoding(match standing {
                Standing::Here(encoding) => encoding.clone(),
                _ => Rc::new(StandIn(name.clone())),
            });
        }
        let (mut doc, rows) = facts::read(&session);
        doc.name = self.shelf.name.clone();
        doc.sample = self.shelf.sample;
        doc.conversation = index;
        doc.conversations = self.shelf.titles();
        self.session = Some(session);
        self.rows = rows;
        self.plan = None;
        Answer::Opened(Box::new(doc))
    }

    /// Plans a request, and renders the entries in sight.
    pub fn estimate(&mut self, request: &Value, view: View) -> Result<Answer, Refusal> {
        let Some(session) = &mut self.session else {
            return Err(nothing_open());
        };
        let mut request = Cow::Borrowed(request);
        let mut planned = session.plan(&request);
        // The engine refuses a model nobody knows; the page would rather see the request without limits.
        let unknown = planned
            .as_ref()
            .is_err_and(|refusal| refusal.code == "unknown_model");
        if unknown {
            request.to_mut()["model"] = json!({ "input_tokens": null });
            planned = session.plan(&request);
        }
        // And a counter that is not here yet: an estimate until it is.
        if let Err(refusal) = &planned
            && refusal.code == "token_counter_unavailable"
            && let Some(name) = refusal.detail.clone()
        {
            session.load_encoding(Rc::new(StandIn(name.clone())));
            self.encodings.entry(name).or_insert(Standing::Wanted);
            planned = session.plan(&request);
        }
        let plan = planned.map_err(refused)?;
        let stand_in =
            plan.counter
                .encoding
                .as_ref()
                .and_then(|name| match self.encodings.get(name) {
                    Some(Standing::Here(_)) => None,
                    Some(Standing::Failed) => Some(Counter::Bytes),
                    _ => Some(Counter::Waiting(name.clone())),
                });
        let mut sheet = sheet::sheet(session, &plan, &mut self.rows, stand_in);
        if unknown {
            sheet.model_from = "unknown".to_owned();
        }
        let entries = sheet::faces(session, &plan, view);
        self.plan = Some(plan);
        Ok(Answer::Planned {
            plan: Box::new(sheet),
            entries,
        })
    }

    /// Renders entries of the last plan.
    pub fn entries(&mut self, view: View) -> Result<Answer, Refusal> {
        let (Some(session), Some(plan)) = (&mut self.session, &self.plan) else {
            return Err(nothing_open());
        };
        Ok(Answer::Entries {
            entries: sheet::faces(session, plan, view),
        })
    }

    /// The next vocabulary to fetch.
    pub fn wanted(&mut self) -> Option<String> {
        let (name, standing) = self
            .encodings
            .iter_mut()
            .find(|(_, standing)| matches!(standing, Standing::Wanted))?;
        *standing = Standing::Coming;
        Some(name.clone())
    }

    /// A vocabulary has come.
    pub fn load_encoding(&mut self, encoding: Rc<dyn Encoding>) {
        self.encodings
            .insert(encoding.name().to_owned(), Standing::Here(encoding.clone()));
        // What the stand-in priced was bytes divided by four.
        self.rows.priced.clear();
        if let Some(session) = &mut self.session {
            session.load_encoding(encoding);
        }
    }

    /// A vocabulary cannot be had; the stand-in stays.
    pub fn encoding_failed(&mut self, name: &str) {
        self.encodings.insert(name.to_owned(), Standing::Failed);
    }
}

fn nothing_open() -> Refusal {
    Refusal {
        code: "nothing_open".to_owned(),
        message: "No conversation is open: open one first.".to_owned(),
        ..Refusal::default()
    }
}

/// A refusal of the engine in the page's shape.
fn refused(refusal: refusal::Refusal) -> Refusal {
    Refusal {
        code: refusal.code,
        message: refusal.message,
        path: refusal.path,
        detail: refusal.detail,
    }
}
