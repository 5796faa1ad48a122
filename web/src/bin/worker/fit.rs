//! The context manager on the open conversation: its messages, counted once, and what was last made of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use galley_core::conversation::{self, Conversation};
use galley_core::fit::{
    Asked, Detail, EstimatorName, Extras, Item, Manager, MessageSize, ModelInput, Outcome,
    PartChange, Step,
};
use galley_core::refusal::Refusal;
use galley_core::tokens::Encoding;
use galley_core::transcript::{AgentFunction, AgentMessage, ContentBlock};
use galley_core::wording::Wording;
use galley_web::protocol::Counter;
use galley_web::protocol::fit::{
    Compaction, Fit, FitRequest, Large, Look, Part, PartView, Parts, Pass, Side, Stretch,
};
use galley_web::stretches;
use serde_json::{Value, json};

use super::desk::refused;
use super::facts::Line;
use super::sheet::again;

/// How many of the largest messages are told, of those that are a hundredth of the whole.
const LARGEST: usize = 12;

/// The open conversation as the context manager reads it.
pub struct Bench {
    manager: Rc<Manager>,
    items: Vec<Item>,
    system_prompt: String,
    tools: Vec<AgentFunction>,
    texts: Vec<Rc<Remembering>>,
    /// The line of the rail each call's result stands in, by the call's id; none for an id that stands twice.
    rows: HashMap<String, Option<usize>>,
    last: Detail,
}

impl Bench {
    /// A conversation laid out, and the lines of the rail it is shown by.
    pub fn of(conversation: &Conversation, lines: &[Line]) -> Self {
        let (imported, _) = conversation::to_transcript(conversation);
        let pieces: Vec<String> = imported
            .system
            .into_iter()
            .map(|piece| piece.text)
            .collect();
        Self {
            manager: Rc::new(Manager::new(
                conversation.models.clone(),
                Wording::default(),
            )),
            items: imported.messages.into_iter().map(Item::new).collect(),
            system_prompt: pieces.join("\n\n"),
            tools: imported.tools,
            texts: Vec::new(),
            rows: rows(conversation, lines),
            last: Detail::default(),
        }
    }

    /// Counts exactly from here on, for the models whose rows name this tokenizer.
    pub fn load_encoding(&mut self, encoding: Rc<dyn Encoding>) {
        let texts = Rc::new(Remembering {
            encoding,
            now: RefCell::default(),
            before: RefCell::default(),
        });
        self.manager.load_encoding(texts.clone());
        self.texts.push(texts);
    }

    /// The tokenizer that a model's row names.
    pub fn encoding(&self, model: &Value) -> Option<String> {
        let model: ModelInput = serde_json::from_value(model.clone()).ok()?;
        self.manager.encoding(&model)
    }

    /// Makes the conversation fit. `waiting` is what is said of a tokenizer that is not here.
    pub fn assemble(&mut self, request: &FitRequest, waiting: Option<Counter>) -> Fit {
        for texts in &self.texts {
            texts.turn();
        }
        let began = self.begin(request);
        let refusal = match began {
            Ok(outcome) => {
                self.last = outcome.detail;
                outcome.response.err()
            }
            Err(refusal) => {
                self.last = Detail::default();
                Some(refusal)
            }
        };
        self.told(refusal, waiting)
    }

    fn begin(&self, request: &FitRequest) -> Result<Outcome, Refusal> {
        self.manager
            .configure(&Value::Object(request.config.clone()))?;
        let asked = json!({ "model": request.model, "options": request.options });
        let mut asked = Asked::read("assemble", &asked)?.with_messages(self.items.clone());
        if let Asked::Assemble(asked) = &mut asked {
            asked.system_prompt = Some(self.system_prompt.clone());
            asked.tools = Some(self.tools.clone());
        }
        let extras = Extras {
            dry_run: true,
            ..Extras::default()
        };
        let mut run = self.manager.call(asked, extras, 0, String::new());
        let Step::Done(outcome) = run.step() else {
            return Err(Refusal::new("unavailable", "the page has nobody to ask"));
        };
        Ok(outcome)
    }

    fn told(&self, refusal: Option<Refusal>, waiting: Option<Counter>) -> Fit {
        let detail = &self.last;
        let counter = match (detail.estimator, &detail.encoding) {
            (EstimatorName::Tokenizer, Some(name)) => Counter::Exact(name.clone()),
            _ => waiting.unwrap_or(Counter::Bytes),
        };
        let resolved = detail.model.as_ref();
        Fit {
            messages: self.items.len() as u64,
            refusal: refusal.map(refused),
            counter,
            model_resolved: again(&resolved.map(|model| model.model_resolved)),
            limits: again(&resolved.map(|model| model.limits)),
            budget: again(&detail.budget),
            tokens_before: detail.passes.first().map_or(0, |pass| pass.tokens_before),
            tokens_after: detail.tokens_after,
            passes: detail.passes.iter().map(pass).collect(),
            compaction: detail.compaction.as_ref().map(|told| Compaction {
                outcome: again(&told.outcome),
                head_len: told.head_len,
                tail_start_index: told.tail_start_index,
                head_tokens: told.head_tokens,
                bytes: (told.system_prompt.len() + told.prompt.len()) as u64,
            }),
            shares: self.shares(),
            largest: self.largest(),
        }
    }

    /// What the tokens that are left are for.
    fn shares(&self) -> Vec<(String, u64)> {
        let sizes = &self.last.sizes;
        let mut shares = BTreeMap::new();
        for size in &sizes.messages {
            let of_role: &mut u64 = shares.entry(size.role).or_default();
            *of_role = of_role.saturating_add(size.tokens);
        }
        let tools = sizes.tools.iter().map(|tool| tool.tokens).sum();
        let roles = ["user", "assistant", "function_result"];
        let roles = roles.map(|role| (role, shares.get(role).copied().unwrap_or_default()));
        [("system_prompt", sizes.system_prompt), ("tools", tools)]
            .into_iter()
            .chain(roles)
            .map(|(word, tokens)| (word.to_owned(), tokens))
            .collect()
    }

    fn largest(&self) -> Vec<Large> {
        let mut sizes = self.last.sizes.messages.clone();
        sizes.sort_by_key(|size| std::cmp::Reverse(size.tokens));
        let of = self.last.tokens_after;
        let counts = |size: &&MessageSize| size.tokens.saturating_mul(100) >= of;
        let large = sizes.iter().take(LARGEST).take_while(counts).map(|size| {
            let (function_id, call) = match self.items.get(size.message).map(Item::message) {
                Some(AgentMessage::FunctionResult {
                    function_id,
                    function_call_id,
                    ..
                }) => (Some(function_id.clone()), Some(function_call_id)),
                _ => (None, None),
            };
            Large {
                message: size.message,
                role: size.role.to_owned(),
                function_id,
                row: self.row(call),
                tokens: size.tokens,
            }
        });
        large.collect()
    }

    /// Parts of the last fit.
    pub fn parts(&self, view: PartView) -> Parts {
        let all = self.changes(&view.pass);
        let from = view.from.min(all.len());
        let parts = all.iter().skip(from).take(view.to.saturating_sub(from));
        Parts {
            from,
            parts: parts.map(|part| self.part(part)).collect(),
            pass: view.pass,
        }
    }

    fn part(&self, part: &PartChange) -> Part {
        Part {
            message: part.message,
            block: part.block,
            function_id: part.function_id.clone(),
            row: self.row(part.function_call_id.as_ref()),
            tokens_before: part.tokens_before,
            tokens_after: part.tokens_after,
        }
    }

    fn row(&self, call: Option<&String>) -> Option<usize> {
        self.rows.get(call?).copied().flatten()
    }

    /// Texts of the last fit, where they differ and how they begin.
    pub fn look(&self, look: &Look) -> Vec<Stretch> {
        match look {
            Look::Part { .. } => {
                let (Some(old), Some(new)) =
                    (self.text(look, Side::Old), self.text(look, Side::New))
                else {
                    return Vec::new();
                };
                stretches::between(&old, &new)
            }
            Look::Summariser => [Side::Told, Side::Asked]
                .into_iter()
                .filter_map(|side| Some(stretches::alone(side, &self.text(look, side)?)))
                .filter(|stretch| stretch.from < stretch.to)
                .collect(),
        }
    }

    /// A part of one of those texts.
    pub fn text_of(&self, look: &Look, side: Side, from: u64, to: u64) -> (u64, String) {
        let text = self.text(look, side).unwrap_or_default();
        stretches::cut(&text, from, to)
    }

    fn text(&self, look: &Look, side: Side) -> Option<String> {
        let summariser = self.last.compaction.as_ref();
        match (look, side) {
            (Look::Summariser, Side::Told) => Some(summariser?.system_prompt.clone()),
            (Look::Summariser, _) => Some(summariser?.prompt.clone()),
            (
                Look::Part {
                    pass,
                    message,
                    block,
                },
                side,
            ) => {
                let named = |part: &&PartChange| part.message == *message && part.block == *block;
                let part = self.changes(pass).iter().find(named)?;
                let item = if side == Side::Old {
                    &part.old
                } else {
                    &part.new
                };
                Some(words(item.as_ref()?.message(), *block))
            }
        }
    }

    fn changes(&self, pass: &str) -> &[PartChange] {
        let named = |one: &&galley_core::fit::Pass| word(&one.pass) == pass;
        let found = self.last.passes.iter().find(named);
        found.map(|pass| pass.parts.as_slice()).unwrap_or_default()
    }
}

fn word(name: &galley_core::fit::PassName) -> String {
    again(name)
}

fn pass(pass: &galley_core::fit::Pass) -> Pass {
    Pass {
        pass: word(&pass.pass),
        tokens_before: pass.tokens_before,
        tokens_after: pass.tokens_after,
        idle: pass.idle.clone(),
        parts: pass.parts.len(),
        prefix: again(&pass.prefix),
    }
}

/// The line of the rail that each result stands in.
fn rows(conversation: &Conversation, lines: &[Line]) -> HashMap<String, Option<usize>> {
    let mut rows = HashMap::new();
    for (row, line) in lines.iter().enumerate() {
        let turn = conversation.turns.get(line.turn);
        let run = turn.and_then(|turn| turn.active().body.run.as_ref());
        let round = run.and_then(|run| run.rounds.get(line.what.round()?));
        for id in round.into_iter().flat_map(|round| round.results.keys()) {
            let known = rows.entry(id.clone()).or_insert(Some(row));
            if *known != Some(row) {
                *known = None;
            }
        }
    }
    rows
}

/// What a part says: a message's blocks, or those of the block of it that is meant.
fn words(message: &AgentMessage, block: Option<usize>) -> String {
    let content = message.content();
    match block {
        None => of_blocks(content),
        Some(block) => of_blocks(content.get(block..=block).unwrap_or_default()),
    }
}

fn of_blocks(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().map(|block| match block {
        ContentBlock::Text { text } | ContentBlock::Thinking { text, .. } => text.clone(),
        ContentBlock::Image { mime, data } => format!("{mime}, {} bytes of base64", data.len()),
        ContentBlock::FunctionCall {
            function_id,
            arguments,
            ..
        } => format!("{function_id} {arguments}"),
        ContentBlock::FunctionResult { content, .. } => of_blocks(content),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A tokenizer that knows the texts of this fit and of the one before it: a pass writes the same texts anew each
/// time it is asked.
struct Remembering {
    encoding: Rc<dyn Encoding>,
    now: RefCell<HashMap<String, u64>>,
    before: RefCell<HashMap<String, u64>>,
}

impl Remembering {
    /// Another fit begins: what the last one did not ask for is forgotten.
    fn turn(&self) {
        self.before.swap(&self.now);
        self.now.borrow_mut().clear();
    }
}

impl Encoding for Remembering {
    fn name(&self) -> &str {
        self.encoding.name()
    }

    fn count(&self, text: &str) -> u64 {
        if let Some(known) = self.now.borrow().get(text) {
            return *known;
        }
        let (text, tokens) = match self.before.borrow_mut().remove_entry(text) {
            Some(known) => known,
            None => (text.to_owned(), self.encoding.count(text)),
        };
        self.now.borrow_mut().insert(text, tokens);
        tokens
    }
}
