//! What the worker holds: the session, the last plan, and which vocabularies are here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use galley_core::assembly::Plan;
use galley_core::assembly::request::ModelChoice;
use galley_core::conversation;
use galley_core::doors::Opened;
use galley_core::import::Format;
use galley_core::refusal;
use galley_core::session::Session;
use galley_core::tokens::Encoding;
use galley_web::protocol::{Answer, Counter, Recount, Refusal, View, fit};
use serde_json::{Value, json};

use super::encodings::StandIn;
use super::facts::{self, Rows};
use super::files::Index;
use super::fit::Bench;
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
#[derive(Clone, Default)]
pub struct Shelf {
    /// Its name.
    pub name: String,
    /// It is the page's own sample.
    pub sample: bool,
    /// What else is in it; nothing for a native file.
    pub index: Option<Index>,
    /// Which of its conversations is open.
    pub conversation: usize,
    /// On which branch, when not on the current one.
    pub branch: Option<String>,
}

/// The session and what goes with it.
#[derive(Default)]
pub struct Desk {
    shelf: Shelf,
    session: Option<Session>,
    rows: Rows,
    plan: Option<Rc<Plan>>,
    /// Laid out when it is first asked for.
    bench: Option<Bench>,
    encodings: BTreeMap<String, Standing>,
}

impl Desk {
    /// Opens the sample.
    pub fn open_sample(&mut self, name: &str, bytes: &[u8]) -> Result<Answer, Refusal> {
        let shelf = Shelf {
            name: name.to_owned(),
            sample: true,
            ..Shelf::default()
        };
        self.open_native(bytes, shelf)
    }

    /// Opens a native file. Those of other tools become one in the importer.
    pub fn open_native(&mut self, bytes: &[u8], shelf: Shelf) -> Result<Answer, Refusal> {
        let (conversation, warnings) = conversation::read(bytes).map_err(refused)?;
        let session = Session::new(Opened {
            format: Format::Galley,
            conversation,
            warnings,
        });
        Ok(self.take(session, shelf))
    }

    /// The file the session came from.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// The open conversation as a native file.
    pub fn file(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        Some(session.conversation().to_json())
    }

    /// Takes a session that was opened, and the file it came from.
    pub fn take(&mut self, mut session: Session, shelf: Shelf) -> Answer {
        for (name, standing) in &self.encodings {
            session.load_encoding(match standing {
                Standing::Here(encoding) => encoding.clone(),
                _ => Rc::new(StandIn(name.clone())),
            });
        }
        let (mut doc, rows) = facts::read(&session);
        doc.name = shelf.name.clone();
        doc.sample = shelf.sample;
        doc.conversations = shelf.index.as_ref().map(Index::choices).unwrap_or_default();
        doc.conversation = shelf.conversation;
        doc.branch = shelf.branch.clone();
        self.shelf = shelf;
        self.session = Some(session);
        self.rows = rows;
        self.plan = None;
        self.bench = None;
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

    /// Counts the request that a line of the rail answered, by the last plan's counter.
    pub fn recount(&mut self, row: usize) -> Result<Answer, Refusal> {
        let (Some(session), Some(plan)) = (&mut self.session, &self.plan) else {
            return Err(nothing_open());
        };
        let turns = &session.conversation().turns;
        let line = self.rows.lines.get(row);
        let asked = line.and_then(|line| Some((turns.get(line.turn)?, line.what.round())));
        let asked = asked.map(|(turn, round)| {
            let rounds = turn.active().body.run.as_ref().map(|run| &run.rounds);
            let round = rounds.and_then(|rounds| rounds.get(round?));
            (turn.id.clone(), round.map(|round| round.key.clone()))
        });
        let counted = asked.and_then(|(turn, round)| {
            let model = ModelChoice::Row(Box::new(plan.model.row.clone()));
            let counted = session.recount(&turn, round.as_deref(), Some(model)).ok()?;
            Some(Recount {
                tokens: counted.request_tokens,
                sealed: counted.sealed,
            })
        });
        Ok(Answer::Recounted { row, counted })
    }

    /// Answers a question about a fit.
    pub fn fit(&mut self, question: fit::Question) -> Result<Answer, Refusal> {
        let Some(session) = &self.session else {
            return Err(nothing_open());
        };
        let (encodings, lines) = (&mut self.encodings, &self.rows.lines);
        let bench = self.bench.get_or_insert_with(|| {
            let mut bench = Bench::of(session.conversation(), lines);
            for standing in encodings.values() {
                if let Standing::Here(encoding) = standing {
                    bench.load_encoding(encoding.clone());
                }
            }
            bench
        });
        Ok(Answer::Fit(match question {
            fit::Question::Assemble { request, view } => {
                let name = bench.encoding(&request.model);
                let waiting = name.and_then(|name| {
                    let standing = encodings.entry(name.clone()).or_insert(Standing::Wanted);
                    let waits = matches!(standing, Standing::Wanted | Standing::Coming);
                    waits.then_some(Counter::Waiting(name))
                });
                let fit = Box::new(bench.assemble(&request, waiting));
                let parts = bench.parts(view);
                fit::Answer::Assembled { fit, parts }
            }
            fit::Question::Parts { view } => fit::Answer::Parts(bench.parts(view)),
            fit::Question::Look { look } => {
                let stretches = bench.look(&look);
                fit::Answer::Looked { look, stretches }
            }
            fit::Question::Text {
                look,
                side,
                from,
                to,
            } => {
                let (at, text) = bench.text_of(&look, side, from, to);
                fit::Answer::Text {
                    look,
                    side,
                    at,
                    text,
                }
            }
        }))
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
        if let Some(bench) = &mut self.bench {
            bench.load_encoding(encoding.clone());
        }
        if let Some(session) = &mut self.session {
            session.load_encoding(encoding);
        }
    }

    /// A vocabulary cannot be had; the stand-in stays.
    pub fn encoding_failed(&mut self, name: &str) {
        self.encodings.insert(name.to_owned(), Standing::Failed);
    }
}

/// What there is to say before a file is open.
pub fn nothing_open() -> Refusal {
    Refusal {
        code: "nothing_open".to_owned(),
        message: "No conversation is open: open one first.".to_owned(),
        ..Refusal::default()
    }
}

/// A refusal of the engine in the page's shape.
pub fn refused(refusal: refusal::Refusal) -> Refusal {
    Refusal {
        code: refusal.code,
        message: refusal.message,
        path: refusal.path,
        detail: refusal.detail,
    }
}
