//! The live document: one conversation with everything that is kept from request to request.
//!
//! Texts are counted once, history is rendered once a revision, and a request that changes nothing of a stage
//! gets that stage's last result.
//!
//! ```
//! use galley_core::session::Session;
//! use serde_json::json;
//!
//! let mut session = Session::open(br#"{"galley":"conversation/1","turns":[{"text":"hi"}]}"#)?;
//! let request = json!({"prompt": "and this question", "model": {"input_tokens": 8192}});
//! assert_eq!(session.estimate(&request)?.message_count, 1);
//! let sealed = session.seal(&request, Default::default())?;
//! session.settle(&sealed.turn.id, &json!({"content": "an answer"}))?;
//! # Ok::<(), galley_core::refusal::Refusal>(())
//! ```

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use crate::assembly::request::ModelChoice;
use crate::assembly::{Estimate, Limits, Memo, Plan};
use crate::conversation::Conversation;
use crate::conversation::native::{Seed, Turn};
use crate::doors::{self, Desk, Opened, Recount, SealAs, Sealed};
use crate::import::Format;
use crate::refusal::{Refusal, Warning};
use crate::tokens::{Encoding, catalogue};

/// One open conversation.
pub struct Session {
    format: Format,
    conversation: Conversation,
    warnings: Vec<Warning>,
    encodings: IndexMap<String, Rc<dyn Encoding>>,
    limits: Limits,
    memo: Memo,
    /// Holds the texts that the next request most likely has too.
    last: Option<Rc<Plan>>,
}

impl Session {
    /// Opens a file that holds one conversation: the native file, or an export of another tool.
    ///
    /// # Errors
    /// What the file is and what can be done, when nothing in it can be read; `several_conversations` when it
    /// holds more than one.
    pub fn open(bytes: &[u8]) -> Result<Self, Refusal> {
        Ok(Self::new(doors::open(bytes)?))
    }

    /// A conversation that was opened before.
    pub fn new(opened: Opened) -> Self {
        let Opened {
            format,
            conversation,
            warnings,
        } = opened;
        Self {
            format,
            conversation,
            warnings,
            encodings: IndexMap::new(),
            limits: Limits::default(),
            memo: Memo::new(),
            last: None,
        }
    }

    /// The same with other walls, so that small cases reach them.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Counts with this tokenizer from here on, where a model row declares it.
    pub fn load_encoding(&mut self, encoding: Rc<dyn Encoding>) {
        self.encodings.insert(encoding.name().to_owned(), encoding);
    }

    /// The conversation.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// What the file was.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What was noticed when it was read.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Last words that nobody answered, offered as the request's prompt.
    pub fn pending(&self) -> Option<&Seed> {
        self.conversation.pending.as_ref()
    }

    /// How many texts were counted since it was opened.
    pub fn counted(&self) -> u64 {
        self.memo.texts.counted()
    }

    /// Tokens of one text by the counter of the last request.
    pub fn fill(&mut self, text: &str) -> u64 {
        let text = self.memo.texts.text(text);
        self.memo.texts.fill(&text)
    }

    /// Works a request out, in numbers and handles. What the plan before it used and this one does not is
    /// forgotten, so that a long evening of edits does not fill the memory.
    pub fn plan(&mut self, request: &Value) -> Result<Rc<Plan>, Refusal> {
        let Self {
            conversation,
            encodings,
            limits,
            memo,
            last,
            ..
        } = self;
        let desk = Desk {
            catalogue: catalogue::lookup,
            encodings,
            limits: *limits,
        };
        let plan = Rc::new(doors::plan(desk, conversation, memo, request)?);
        *last = Some(plan.clone());
        memo.texts.forget_unused();
        Ok(plan)
    }

    /// Sizes a request; with `render: true` shows what the send would seal.
    pub fn estimate(&mut self, request: &Value) -> Result<Estimate, Refusal> {
        let plan = self.plan(request)?;
        Ok(Estimate::of(&plan, &self.conversation))
    }

    /// Counts a request that was sent: the one a round of a reply answered, or the reply's newest. Without a model
    /// it is the one that answered.
    pub fn recount(
        &mut self,
        turn: &str,
        round: Option<&str>,
        model: Option<ModelChoice>,
    ) -> Result<Recount, Refusal> {
        let Self {
            conversation,
            encodings,
            limits,
            memo,
            ..
        } = self;
        let desk = Desk {
            catalogue: catalogue::lookup,
            encodings,
            limits: *limits,
        };
        doors::recount(desk, conversation, memo, turn, round, model)
    }

    /// Seals a request and appends its turn, running.
    pub fn seal(&mut self, request: &Value, seal_as: SealAs) -> Result<Sealed, Refusal> {
        let Self {
            conversation,
            encodings,
            limits,
            memo,
            ..
        } = self;
        let desk = Desk {
            catalogue: catalogue::lookup,
            encodings,
            limits: *limits,
        };
        doors::seal(desk, conversation, memo, request, seal_as)
    }

    /// Puts an answer onto the turn that waits for it.
    pub fn settle(&mut self, id: &str, answer: &Value) -> Result<&Turn, Refusal> {
        doors::settle(&mut self.conversation, &mut self.memo, id, answer)
    }

    /// Appends any other turn.
    pub fn append(&mut self, turn: &Value) -> Result<&Turn, Refusal> {
        doors::append(&mut self.conversation, &mut self.memo, turn)
    }

    /// The native file.
    pub fn to_json(&self) -> String {
        self.conversation.to_json()
    }
}
