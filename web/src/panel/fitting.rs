//! What the page knows of the fit: the last answer, the pass that is chosen, the texts that are open.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use leptos::prelude::*;

use super::Panel;
use crate::fit;
use crate::protocol;
use crate::protocol::fit::{
    Answer, Fate, Fit, Look, Part, PartView, Parts, Question, Side, Stretch,
};
use crate::queue::Lane;

/// Parts asked for with the first fit, before the page knows what is in sight.
const FIRST_VIEW: Range<usize> = 0..24;

/// How much more of a text is asked for at once, bytes.
const MORE: u64 = 4_000;

/// What the page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// The request and its proof.
    Proof,
    /// The conversation made to fit.
    Fit,
}

/// The signals of the fit.
#[derive(Clone, Copy)]
pub struct Fitting {
    /// The last answer.
    pub fit: RwSignal<Option<Arc<Fit>>>,
    /// Its revision, and the milliseconds it took.
    pub shown: RwSignal<(u64, f64)>,
    /// Parts that have come, of the pass that is shown, by their places.
    pub parts: RwSignal<BTreeMap<usize, Part>>,
    /// Whose texts are open.
    pub look: RwSignal<Option<Look>>,
    /// These texts, as far as they have come.
    pub stretches: RwSignal<Vec<Stretch>>,
    /// The pass that was chosen.
    chosen: RwSignal<Option<String>>,
    in_sight: RwSignal<Range<usize>>,
    revision: StoredValue<u64>,
}

impl Fitting {
    /// Nothing asked yet.
    pub fn new() -> Self {
        Self {
            fit: RwSignal::new(None),
            shown: RwSignal::new((0, 0.0)),
            parts: RwSignal::new(BTreeMap::new()),
            look: RwSignal::new(None),
            stretches: RwSignal::new(Vec::new()),
            chosen: RwSignal::new(None),
            in_sight: RwSignal::new(FIRST_VIEW),
            revision: StoredValue::new(0),
        }
    }

    /// The pass that is shown: the chosen one, else the first that did something.
    pub fn pass(self) -> String {
        self.chosen.get().unwrap_or_else(|| {
            self.fit.with(|fit| {
                let passes = fit.as_ref().map(|fit| fit.passes.as_slice());
                let passes = passes.unwrap_or_default();
                let acted = passes.iter().find(|pass| pass.idle.is_none());
                let shown = acted.or(passes.first());
                shown.map(|pass| pass.pass.clone()).unwrap_or_default()
            })
        })
    }

    /// Forgets the conversation that was open.
    pub(super) fn reset(self) {
        self.fit.set(None);
        self.parts.set(BTreeMap::new());
        self.look.set(None);
        self.stretches.set(Vec::new());
        self.chosen.set(None);
        self.in_sight.set(FIRST_VIEW);
    }

    fn view(self) -> PartView {
        let range = self.in_sight.get_untracked();
        PartView {
            pass: untrack(|| self.pass()),
            from: range.start,
            to: range.end,
        }
    }
}

impl Default for Fitting {
    fn default() -> Self {
        Self::new()
    }
}

impl Panel {
    /// Shows the proof or the fit.
    pub fn show(self, screen: Screen) {
        self.screen.set(screen);
        self.fit_now();
    }

    /// Asks for the fit of the form as it is, where it is shown.
    pub(super) fn fit_now(self) {
        if self.screen.get_untracked() != Screen::Fit {
            return;
        }
        let Some(doc) = self.doc.get_untracked() else {
            return;
        };
        self.fitting
            .revision
            .update_value(|revision| *revision += 1);
        let request = self.form.with_untracked(|form| fit::request(form, &doc));
        let view = self.fitting.view();
        self.ask_fit(Lane::Fit, Question::Assemble { request, view });
    }

    /// Chooses a pass.
    pub fn choose_pass(self, pass: &str) {
        let fitting = self.fitting;
        fitting.chosen.set(Some(pass.to_owned()));
        fitting.parts.set(BTreeMap::new());
        fitting.in_sight.set(FIRST_VIEW);
        self.open_texts((pass == "compaction").then_some(Look::Summariser));
        self.fetch_parts();
    }

    /// Says which parts are in sight; what is missing is asked for.
    pub fn look_at_parts(self, range: Range<usize>) {
        if self.fitting.in_sight.with_untracked(|now| *now != range) {
            self.fitting.in_sight.set(range);
            self.fetch_parts();
        }
    }

    fn fetch_parts(self) {
        let mut view = self.fitting.view();
        let count = self.fitting.fit.with_untracked(|fit| {
            let pass = fit.as_ref().and_then(|fit| fit.pass(&view.pass));
            pass.map_or(0, |pass| pass.parts)
        });
        view.to = view.to.min(count);
        let here = |parts: &BTreeMap<usize, Part>| {
            (view.from..view.to).all(|place| parts.contains_key(&place))
        };
        if !self.fitting.parts.with_untracked(here) {
            self.ask_fit(Lane::Entries, Question::Parts { view });
        }
    }

    /// Opens the texts of a part, of the summariser, or none.
    pub fn open_texts(self, look: Option<Look>) {
        let fitting = self.fitting;
        if fitting.look.get_untracked() != look {
            fitting.stretches.set(Vec::new());
        }
        fitting.look.set(look.clone());
        if let Some(look) = look {
            self.ask_fit(Lane::Text, Question::Look { look });
        }
    }

    /// Asks for more of a stretch: on from where it ends, or back from where it begins.
    pub fn more_text(self, stretch: &Stretch) {
        let Some(look) = self.fitting.look.get_untracked() else {
            return;
        };
        let back = stretch.fate == Fate::Kept && stretch.from < stretch.at;
        let (from, to) = if back {
            (
                stretch.at.saturating_sub(MORE).max(stretch.from),
                stretch.at,
            )
        } else {
            (
                stretch.end(),
                stretch.end().saturating_add(MORE).min(stretch.to),
            )
        };
        let side = stretch.side;
        let question = Question::Text {
            look,
            side,
            from,
            to,
        };
        self.ask_fit(Lane::Text, question);
    }

    fn ask_fit(self, lane: Lane, question: Question) {
        let revision = self.fitting.revision.get_value();
        self.send(lane, revision, protocol::Question::Fit(question), None);
    }

    pub(super) fn fitted(self, answer: Answer, revision: u64, took_ms: f64) {
        let fitting = self.fitting;
        let shown = fitting.shown.get_untracked().0;
        match answer {
            Answer::Assembled { fit, parts } if revision >= shown => {
                fitting.fit.set(Some(Arc::new(*fit)));
                fitting.shown.set((revision, took_ms));
                fitting.parts.set(BTreeMap::new());
                self.take_parts(parts);
                self.fetch_parts();
                let pass = untrack(|| fitting.pass());
                self.open_texts(match fitting.look.get_untracked() {
                    _ if pass == "compaction" => Some(Look::Summariser),
                    Some(Look::Part { pass: of, .. }) if of != pass => None,
                    look => look,
                });
            }
            Answer::Parts(parts) if revision == shown => self.take_parts(parts),
            Answer::Looked { look, stretches } if revision == shown && self.looks_at(&look) => {
                if stretches.is_empty() {
                    fitting.look.set(None);
                }
                fitting.stretches.set(stretches);
            }
            Answer::Text {
                look,
                side,
                at,
                text,
            } if revision == shown && self.looks_at(&look) => self.take_text(side, at, &text),
            _ => {}
        }
    }

    fn looks_at(self, look: &Look) -> bool {
        self.fitting
            .look
            .with_untracked(|now| now.as_ref() == Some(look))
    }

    fn take_parts(self, parts: Parts) {
        if parts.pass == untrack(|| self.fitting.pass()) {
            let places = parts.from..;
            self.fitting
                .parts
                .update(|known| known.extend(places.zip(parts.parts)));
        }
    }

    fn take_text(self, side: Side, at: u64, text: &str) {
        self.fitting.stretches.update(|all| {
            for stretch in all.iter_mut().filter(|stretch| stretch.side == side) {
                stretch.take(at, text);
            }
        });
    }
}
