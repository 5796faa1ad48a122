//! The panel's state: the form being edited, the last plan, what is refused, what is current.
//!
//! One signal holds the last plan; whoever draws a row takes a memo of that row.

mod current;
mod fitting;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use web_sys::Blob;

use crate::engine::{Engine, News};
use crate::form::{self, Form};
use crate::place::{self, Place};
use crate::protocol::{
    Answer, Ask, Doc, EntryFace, Loading, Notice, Plan, Question, RailRow, Recount, Refusal, Reply,
    View,
};
use crate::queue::Lane;
use crate::save;

pub use current::Current;
pub use fitting::{Fitting, Screen};

/// Bytes shown before and behind a place of the file.
const AROUND: u64 = 240;

/// Entries asked for with the first plan, before the page knows what is in sight.
const FIRST_VIEW: Range<usize> = 0..24;

/// How the entries are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Their texts.
    Read,
    /// Their canonical JSON.
    Sealed,
}

/// A refusal and the revision it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The revision refused.
    pub revision: u64,
    /// The refusal.
    pub refusal: Refusal,
    /// Where it stands.
    pub place: Place,
}

/// The panel's signals. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Panel {
    /// The open file.
    pub doc: RwSignal<Option<Arc<Doc>>>,
    /// The request being edited.
    pub form: RwSignal<Form>,
    /// The last plan that passed.
    pub plan: RwSignal<Option<Arc<Plan>>>,
    /// Its revision, and the milliseconds it took.
    pub shown: RwSignal<(u64, f64)>,
    /// The newest refusal, when the newest revision is refused.
    pub refused: RwSignal<Option<Refused>>,
    /// Why a file could not be opened.
    pub unopened: RwSignal<Option<(String, Refusal)>>,
    /// The file that was written last, and what is otherwise in it.
    pub written: RwSignal<Option<(String, Vec<Notice>)>>,
    /// A file is being read.
    pub reading: RwSignal<Option<String>>,
    /// How far, in bytes.
    pub read: RwSignal<Option<(u64, u64)>>,
    /// Vocabularies on their way or failed.
    pub encodings: RwSignal<BTreeMap<String, Loading>>,
    /// The worker has stopped; what it said.
    pub stopped: RwSignal<Option<String>>,
    /// Entries whose text has come, by place.
    pub faces: RwSignal<BTreeMap<usize, Arc<EntryFace>>>,
    /// Our counts of requests that were sent, by the line of the rail that answered; nothing where one cannot be
    /// laid again.
    pub recounts: RwSignal<BTreeMap<usize, Option<Recount>>>,
    /// Entries opened to their whole text.
    pub opened: RwSignal<Vec<usize>>,
    /// What is current.
    pub current: RwSignal<Option<Current>>,
    /// How entries are shown.
    pub shown_as: RwSignal<Shown>,
    /// Entries have the proof to themselves.
    pub alone: RwSignal<bool>,
    /// Single-letter keys act.
    pub letters: RwSignal<bool>,
    /// What is shown: the proof, or the fit.
    pub screen: RwSignal<Screen>,
    /// The fit.
    pub fitting: Fitting,
    /// Lines of the file that is about to be open.
    coming: StoredValue<Vec<RailRow>>,
    in_sight: RwSignal<Range<usize>>,
    revision: StoredValue<u64>,
    past: RwSignal<Vec<(String, Form)>>,
    future: RwSignal<Vec<(String, Form)>>,
    engine: StoredValue<Option<Engine>, LocalStorage>,
    /// The file that was given last.
    given: StoredValue<Option<Blob>, LocalStorage>,
}

impl Panel {
    /// An empty panel; [`Panel::start`] gives it its engine.
    pub fn new() -> Self {
        Self {
            doc: RwSignal::new(None),
            form: RwSignal::new(Form::default()),
            plan: RwSignal::new(None),
            shown: RwSignal::new((0, 0.0)),
            refused: RwSignal::new(None),
            unopened: RwSignal::new(None),
            written: RwSignal::new(None),
            reading: RwSignal::new(None),
            read: RwSignal::new(None),
            encodings: RwSignal::new(BTreeMap::new()),
            stopped: RwSignal::new(None),
            faces: RwSignal::new(BTreeMap::new()),
            recounts: RwSignal::new(BTreeMap::new()),
            opened: RwSignal::new(Vec::new()),
            current: RwSignal::new(None),
            shown_as: RwSignal::new(Shown::Read),
            alone: RwSignal::new(false),
            letters: RwSignal::new(true),
            screen: RwSignal::new(Screen::Proof),
            fitting: Fitting::new(),
            coming: StoredValue::new(Vec::new()),
            in_sight: RwSignal::new(FIRST_VIEW),
            revision: StoredValue::new(0),
            past: RwSignal::new(Vec::new()),
            future: RwSignal::new(Vec::new()),
            engine: StoredValue::new_local(None),
            given: StoredValue::new_local(None),
        }
    }

    /// Starts the engine and opens the sample.
    pub fn start(self) {
        self.engine
            .set_value(Some(Engine::start(move |news| self.hear(news))));
        self.ask(Lane::Open, Question::Sample, None);
    }

    /// Starts a stopped engine again; the form is kept.
    pub fn restart(self) {
        self.stopped.set(None);
        let revision = self.next_revision();
        self.engine.with_value(|engine| {
            if let Some(engine) = engine {
                engine.restart(revision);
            }
        });
    }

    /// Opens a file.
    pub fn open(self, name: String, blob: Blob) {
        self.open_as(name, blob, None);
    }

    /// Opens the file that was refused last, by the guess its refusal shows.
    pub fn open_by_guess(self) {
        let name = self.unopened.get_untracked().map(|(name, _)| name);
        if let (Some(name), Some(blob)) = (name, self.given.get_value()) {
            self.unopened.set(None);
            self.open_as(name, blob, Some("guess".to_owned()));
        }
    }

    fn open_as(self, name: String, blob: Blob, format: Option<String>) {
        self.given.set_value(Some(blob.clone()));
        self.reading.set(Some(name.clone()));
        self.ask(Lane::Open, Question::Open { name, format }, Some(blob));
    }

    /// Opens the sample.
    pub fn open_sample(self) {
        self.ask(Lane::Open, Question::Sample, None);
    }

    /// Opens another conversation of the file, or another branch of it.
    pub fn pick(self, index: usize, branch: Option<String>) {
        let title = self.doc.with_untracked(|doc| {
            let choice = doc.as_ref()?.conversations.get(index)?;
            Some(choice.title.clone())
        });
        self.reading.set(title);
        self.ask(Lane::Open, Question::Pick { index, branch }, None);
    }

    /// Writes the conversation as a file, which the browser saves.
    pub fn write(self, to: &str) {
        let to = to.to_owned();
        self.written.set(None);
        self.ask(Lane::Entries, Question::Write { to }, None);
    }

    /// Gives up the file that is being read.
    pub fn give_up(self) {
        self.engine.with_value(|engine| {
            if let Some(engine) = engine {
                engine.give_up();
            }
        });
    }

    /// What stands around a byte of the open file, in what goes before it and what begins with it.
    pub async fn around(self, offset: u64) -> Option<(String, String)> {
        let engine = self.engine.get_value()?;
        let before = engine
            .excerpt(offset.saturating_sub(AROUND), offset)
            .await?;
        let after = engine
            .excerpt(offset, offset.saturating_add(AROUND))
            .await?;
        Some((before, after))
    }

    /// Edits the form and asks for its plan. Edits of one kind in a row undo as one.
    pub fn edit(self, kind: &str, change: impl FnOnce(&mut Form)) {
        let before = self.form.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return;
        }
        self.past.update(|past| {
            if past
                .last()
                .is_none_or(|(last, _)| last != kind || kind.is_empty())
            {
                past.push((kind.to_owned(), before.clone()));
            }
            let surplus = past.len().saturating_sub(200);
            past.drain(..surplus);
        });
        self.future.update(Vec::clear);
        self.form.set(after);
        self.edited(&before);
    }

    /// Edits the template in force, as a trial.
    pub fn edit_template(self, kind: &str, change: impl FnOnce(&mut Value)) {
        let Some(doc) = self.doc.get_untracked() else {
            return;
        };
        self.edit(kind, |form| {
            let mut template = form::template(form, &doc);
            change(&mut template);
            let unchanged = template == form::declared(form, &doc);
            form.trial = (!unchanged).then(|| crate::template::text(&template));
        });
    }

    /// The edit that undo would take back.
    pub fn undoable(self) -> Option<String> {
        self.past
            .with(|past| past.last().map(|(kind, _)| kind.clone()))
    }

    /// The edit that redo would make again.
    pub fn redoable(self) -> Option<String> {
        self.future
            .with(|future| future.last().map(|(kind, _)| kind.clone()))
    }

    /// Takes the last edit back.
    pub fn undo(self) {
        self.travel(self.past, self.future);
    }

    /// Makes it again.
    pub fn redo(self) {
        self.travel(self.future, self.past);
    }

    fn travel(self, from: RwSignal<Vec<(String, Form)>>, to: RwSignal<Vec<(String, Form)>>) {
        let Some((kind, form)) = from.try_update(Vec::pop).flatten() else {
            return;
        };
        let now = self.form.get_untracked();
        to.update(|to| to.push((kind, now.clone())));
        self.form.set(form);
        self.edited(&now);
    }

    /// Asks for what an edit changes: a plan knows nothing of the context manager's settings.
    fn edited(self, before: &Form) {
        let same = self.form.with_untracked(|after| {
            let fit = after.fit.clone();
            *after
                == Form {
                    fit,
                    ..before.clone()
                }
        });
        if !same {
            self.plan_now();
        }
        self.fit_now();
    }

    /// Says which entries are in sight; what is missing is asked for.
    pub fn look(self, range: Range<usize>) {
        if self.in_sight.with_untracked(|now| *now == range) {
            return;
        }
        self.in_sight.set(range);
        self.fetch_in_sight();
    }

    fn fetch_in_sight(self) {
        let range = self.in_sight.get_untracked();
        let count = self
            .plan
            .with_untracked(|plan| plan.as_ref().map_or(0, |plan| plan.entries.len()));
        let (from, to) = (range.start.min(count), range.end.min(count));
        if !self
            .faces
            .with_untracked(|faces| (from..to).all(|index| faces.contains_key(&index)))
        {
            self.ask(
                Lane::Entries,
                Question::Entries {
                    view: View {
                        from,
                        to,
                        whole: false,
                    },
                },
                None,
            );
        }
    }

    /// Asks for all of an entry's text.
    pub fn open_entry(self, index: usize) {
        self.opened.update(|opened| opened.push(index));
        self.ask(
            Lane::Entries,
            Question::Entries {
                view: View {
                    from: index,
                    to: index + 1,
                    whole: true,
                },
            },
            None,
        );
    }

    /// The number of the turn that a line of the rail is of, from one.
    pub fn turn_of(self, row: usize) -> Option<i64> {
        self.doc.with_untracked(|doc| {
            let row = doc.as_ref()?.rail.get(row)?;
            Some(row.position + 1)
        })
    }

    /// Asks for our count of the request that a line of the rail answered.
    pub fn recount(self, row: usize) {
        self.ask(Lane::Recount, Question::Recount { row }, None);
    }

    /// The refusal at a place, if the newest revision is refused there.
    pub fn refusal_at(self, here: impl Fn(&Place) -> bool) -> Option<Refusal> {
        self.refused.with(|refused| {
            refused
                .as_ref()
                .filter(|one| here(&one.place))
                .map(|one| one.refusal.clone())
        })
    }

    fn next_revision(self) -> u64 {
        self.revision.update_value(|revision| *revision += 1);
        self.revision.get_value()
    }

    fn ask(self, lane: Lane, what: Question, blob: Option<Blob>) {
        let revision = match lane {
            Lane::Open | Lane::Estimate => self.next_revision(),
            _ => self.revision.get_value(),
        };
        self.send(lane, revision, what, blob);
    }

    fn send(self, lane: Lane, revision: u64, what: Question, blob: Option<Blob>) {
        self.engine.with_value(|engine| {
            if let Some(engine) = engine {
                engine.ask(lane, Ask { revision, what }, blob);
            }
        });
    }

    /// Asks for the plan of the form as it is. A trial that is no JSON is refused here, at its line.
    fn plan_now(self) {
        let Some(doc) = self.doc.get_untracked() else {
            return;
        };
        let form = self.form.get_untracked();
        if let Some(trial) = &form.trial
            && let Err(error) = serde_json::from_str::<Value>(trial)
        {
            let revision = self.next_revision();
            let message = format!("This is not JSON yet: {error}.");
            let refusal = Refusal {
                code: "prompt_template_invalid".into(),
                message,
                path: Some("/".into()),
                detail: None,
            };
            self.refused.set(Some(Refused {
                revision,
                place: place::place(&refusal),
                refusal,
            }));
            return;
        }
        let range = self.in_sight.get_untracked();
        let view = View {
            from: range.start,
            to: range.end,
            whole: false,
        };
        self.ask(
            Lane::Estimate,
            Question::Estimate {
                request: form::request(&form, &doc),
                view,
            },
            None,
        );
    }

    fn hear(self, news: News) {
        match news {
            News::Stopped(said) => {
                self.reading.set(None);
                self.stopped.set(Some(said));
            }
            News::Reply(reply) => self.answer(*reply),
        }
    }

    fn answer(self, reply: Reply) {
        match reply.what {
            Answer::Ready => {}
            Answer::Encoding(encoding) => self.encoding(encoding.name, encoding.state),
            Answer::Rail(rows) => self.coming.update_value(|coming| coming.extend(rows)),
            Answer::Opened(mut doc) => {
                doc.rail = self
                    .coming
                    .try_update_value(std::mem::take)
                    .unwrap_or_default();
                self.take_doc(*doc);
            }
            Answer::Fit(answer) => self.fitted(answer, reply.revision, reply.took_ms),
            Answer::Written { to, text, warnings } => {
                let name = self
                    .doc
                    .with_untracked(|doc| doc.as_ref().map(|doc| doc.name.clone()));
                let name = name.unwrap_or_default();
                let stem = name.split('.').next().unwrap_or_default();
                let name = format!("{stem}.{to}.json");
                save::save(&name, &text);
                self.written.set(Some((name, warnings)));
            }
            Answer::Reading { loaded, total } => self.read.set(Some((loaded, total))),
            Answer::Planned { plan, entries } => {
                if reply.revision < self.shown.get_untracked().0 {
                    return;
                }
                let current = reply.revision == self.revision.get_value();
                self.faces.set(
                    entries
                        .into_iter()
                        .map(|face| (face.index, Arc::new(face)))
                        .collect(),
                );
                self.opened.set(Vec::new());
                let counted_so = self.plan.with_untracked(|last| {
                    last.as_ref().is_some_and(|last| {
                        (&last.model, &last.counter) == (&plan.model, &plan.counter)
                    })
                });
                if !counted_so {
                    self.recounts.set(BTreeMap::new());
                }
                self.plan.set(Some(Arc::new(*plan)));
                self.shown.set((reply.revision, reply.took_ms));
                if current {
                    self.refused.set(None);
                }
                self.fetch_in_sight();
            }
            Answer::Recounted { row, counted } => self.recounts.update(|recounts| {
                recounts.insert(row, counted);
            }),
            Answer::Entries { entries } => self.faces.update(|faces| {
                for face in entries {
                    faces.insert(face.index, Arc::new(face));
                }
            }),
            // One given up for another file: that one is being read.
            Answer::Refused(refusal)
                if refusal.code == "given_up" && reply.revision < self.revision.get_value() => {}
            Answer::Refused(refusal) => match self.reading.get_untracked() {
                Some(name) => {
                    self.reading.set(None);
                    self.read.set(None);
                    if refusal.code != "given_up" {
                        self.unopened.set(Some((name, refusal)));
                    }
                }
                None => {
                    let place = place::place(&refusal);
                    self.refused.set(Some(Refused {
                        revision: reply.revision,
                        refusal,
                        place,
                    }));
                }
            },
        }
    }

    fn take_doc(self, doc: Doc) {
        // After a restart the same file comes again: what was written stays.
        let same = self.doc.with_untracked(|now| {
            now.as_ref().is_some_and(|now| {
                now.name == doc.name
                    && now.conversation == doc.conversation
                    && now.branch == doc.branch
                    && now.rail == doc.rail
            })
        });
        let doc = Arc::new(doc);
        self.reading.set(None);
        self.read.set(None);
        self.unopened.set(None);
        if !same {
            let fit = self.form.with_untracked(|form| form.fit.clone());
            self.form.set(Form {
                fit,
                ..form::fresh(&doc, &today())
            });
            self.fitting.reset();
            self.past.set(Vec::new());
            self.future.set(Vec::new());
            self.current.set(None);
            self.plan.set(None);
            self.faces.set(BTreeMap::new());
            self.recounts.set(BTreeMap::new());
            self.in_sight.set(FIRST_VIEW);
        }
        self.doc.set(Some(doc));
        self.plan_now();
        self.fit_now();
    }

    fn encoding(self, name: String, state: Loading) {
        let settled = !matches!(state, Loading::Coming { .. });
        self.encodings.update(|all| {
            all.insert(name, state);
        });
        if settled {
            self.plan_now();
            self.fit_now();
        }
    }
}

impl Default for Panel {
    fn default() -> Self {
        Self::new()
    }
}

/// Today where the reader is, `YYYY-MM-DD`.
fn today() -> String {
    let now = js_sys::Date::new_0();
    format!(
        "{:04}-{:02}-{:02}",
        now.get_full_year(),
        now.get_month() + 1,
        now.get_date()
    )
}
