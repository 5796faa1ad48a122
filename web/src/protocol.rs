//! What the page and its worker say to each other: JSON, one message a turn.
//!
//! The page asks ([`Ask`]), the worker answers ([`Reply`]); each carries the revision of the edit it
//! belongs to. Numbers and ids cross in every plan; a conversation's text crosses once, in [`Doc`], as
//! first words only, and an entry's text when it is in sight. Members that `galley-core` answers keep
//! its names.

pub mod fit;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The revision the question belongs to.
    pub revision: u64,
    /// What is asked.
    pub what: Question,
}

/// The kinds of question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Open the bundled sample.
    Sample,
    /// Open the file that rides beside this message.
    Open {
        /// The file's name, for the bar.
        name: String,
        /// What it is to be read as, when not as what it looks like.
        format: Option<String>,
    },
    /// Open another conversation of the same file, or another branch of it.
    Pick {
        /// Its place in [`Doc::conversations`].
        index: usize,
        /// The branch; the current one when unset.
        branch: Option<String>,
    },
    /// Give up the opening that is under way. What answers it is the refusal of that opening.
    GiveUp,
    /// Plan this request, and render the entries in sight.
    Estimate {
        /// The request, as the estimate door takes it.
        request: Value,
        /// The entries in sight.
        view: View,
    },
    /// Render entries of the last plan.
    Entries {
        /// Which.
        view: View,
    },
    /// Count the request that a line of the rail answered.
    Recount {
        /// The line, one with [`RailRow::reported`].
        row: usize,
    },
    /// Of the context manager.
    Fit(fit::Question),
    /// Write the conversation as a file.
    Write {
        /// `native`, or the shape of a request: `chat`, `responses`, `anthropic`, `gemini`.
        to: String,
    },
}

/// A half-open range of entries, and whether their whole text is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The first entry.
    pub from: usize,
    /// One past the last.
    pub to: usize,
    /// All of the text, or its beginning.
    pub whole: bool,
}

/// An answer of the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The revision of the question answered; 0 for news nobody asked for.
    pub revision: u64,
    /// The answer.
    pub what: Answer,
    /// Milliseconds the engine took.
    #[serde(default)]
    pub took_ms: f64,
}

/// Our count of a request that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recount {
    /// Its tokens.
    pub tokens: u64,
    /// It is the one that was sealed. Otherwise it is what the file has of it.
    pub sealed: bool,
}

/// The kinds of answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The worker listens.
    Ready,
    /// The next lines of a file that is about to be open: a long one comes in pieces, so that none of them
    /// holds the page up.
    Rail(Vec<RailRow>),
    /// A file is open. Its lines came before.
    Opened(Box<Doc>),
    /// A file is being read; news that nobody asked for.
    Reading {
        /// Bytes so far.
        loaded: u64,
        /// Of.
        total: u64,
    },
    /// A request is planned.
    Planned {
        /// The numbers.
        plan: Box<Plan>,
        /// The entries in sight.
        entries: Vec<EntryFace>,
    },
    /// Entries of the last plan.
    Entries {
        /// Their faces.
        entries: Vec<EntryFace>,
    },
    /// A request that was sent, counted by the last plan's counter.
    Recounted {
        /// The line of the rail that answered it.
        row: usize,
        /// What it counts; nothing when it cannot be laid again.
        counted: Option<Recount>,
    },
    /// Of the context manager.
    Fit(fit::Answer),
    /// The conversation as a file.
    Written {
        /// What it was written as.
        to: String,
        /// JSON.
        text: String,
        /// What is otherwise in it.
        warnings: Vec<Notice>,
    },
    /// The engine refuses.
    Refused(Refusal),
    /// A vocabulary is on its way, here, or not to be had.
    Encoding(Encoding),
}

/// A refusal, as the engine words it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// The wire's word for it.
    pub code: String,
    /// One sentence: the place and the remedy.
    pub message: String,
    /// A JSON pointer into what was refused.
    pub path: Option<String>,
    /// The grammar's word for the fault, or the name at fault.
    pub detail: Option<String>,
}

/// The state of one vocabulary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// Its name, such as `o200k_base`.
    pub name: String,
    /// How far it is.
    pub state: Loading,
}

/// How far a vocabulary has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loading {
    /// Bytes so far, of how many (0: unknown).
    Coming {
        /// So far.
        bytes: u64,
        /// Of.
        of: u64,
    },
    /// Counts are exact from now on.
    Here,
    /// Why it cannot be had; counts stay estimates.
    Failed(String),
}

/// What a file holds, in the page's words.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Doc {
    /// The file's name.
    pub name: String,
    /// What it was recognised as.
    pub format: String,
    /// Whether it is the bundled sample.
    pub sample: bool,
    /// What could not be read, by position.
    pub warnings: Vec<Notice>,
    /// The conversations of the file; none of a native one.
    pub conversations: Vec<Choice>,
    /// Which of them is open.
    pub conversation: usize,
    /// On which branch, when not on the current one.
    pub branch: Option<String>,
    /// The conversation, oldest first: turns and the segments in them.
    #[serde(skip)]
    pub rail: Vec<RailRow>,
    /// Who can be addressed.
    pub addressees: Vec<Addressee>,
    /// The conversation's own answerer.
    pub answering_user: String,
    /// Models of the file, then of the catalogue.
    pub models: Vec<Model>,
    /// The model the conversation last ran on.
    pub current_model: Option<String>,
    /// The order used where no template is declared.
    pub default_template: Value,
    /// Files that may be attached.
    pub uploads: Vec<Upload>,
    /// Last words of the file that nobody has answered yet.
    pub pending: Option<String>,
}

/// A conversation that can be opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    /// Its name, or its first words.
    pub title: String,
    /// How often the person spoke.
    pub turns: usize,
    /// Bytes it takes in the file; 0 when it is not apart from the others.
    pub bytes: u64,
    /// The ways through it, when it has several.
    pub branches: Vec<Branch>,
}

/// One way through a conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Branch {
    /// What it is asked for by.
    pub id: String,
    /// The first words that are its own.
    pub title: String,
    /// How often the person spoke on it.
    pub turns: usize,
    /// The file has it as the current one.
    pub current: bool,
}

/// A line about something that could not be read, or that the engine wants seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notice {
    /// Where: a line, a byte, a pointer.
    pub at: String,
    /// What, in a sentence.
    pub message: String,
    /// The byte of the file, where there is one.
    pub offset: Option<u64>,
}

/// One line of the conversation: a message, a question, a round, a summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RailRow {
    /// The turn's id.
    pub turn: String,
    /// The turn's position.
    pub position: i64,
    /// The round's key, when the line is a round.
    pub round: Option<String>,
    /// `message`, `preface`, `seed`, `round`, `answer` or `summary`.
    pub kind: String,
    /// Who speaks.
    pub speaker: String,
    /// The first words.
    pub head: String,
    /// Tools called, each with the head of its arguments.
    pub calls: Vec<String>,
    /// The first line of its turn.
    pub opens: bool,
    /// Tokens of the request it answered, as its provider counted them.
    pub reported: Option<u64>,
}

/// Somebody who can answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Addressee {
    /// Public id.
    pub id: String,
    /// Handle, without the at sign.
    pub handle: String,
    /// Display name.
    pub name: String,
    /// `default`, `assembly` or `raw`.
    pub mechanism: String,
    /// The declared template, when the mechanism is `assembly`.
    pub template: Option<Value>,
}

/// A model row: its limits, and where they come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// The id.
    pub model: String,
    /// Hard input bound.
    pub input_tokens: Option<u64>,
    /// Bound on input and output together.
    pub combined_tokens: Option<u64>,
    /// Advisory input bound.
    pub effective_input_tokens: Option<u64>,
    /// The longest answer.
    pub max_output_tokens: Option<u64>,
    /// The counter: an encoding's name, or an object.
    pub counter: Value,
    /// `file` or `catalogue`.
    pub origin: String,
    /// Where the figures were read.
    pub source: Option<String>,
    /// When.
    pub dated: Option<String>,
}

/// A file the conversation knows of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Upload {
    /// Public id.
    pub id: String,
    /// File name.
    pub filename: String,
    /// MIME type.
    pub content_type: String,
    /// Size.
    pub byte_size: u64,
}

/// The plan of a request: ids and numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Tokens of the entries, framing included.
    pub input_tokens: u64,
    /// Whether the model's own tokenizer counted.
    pub tokenizer_exact: bool,
    /// The hard bound.
    pub catalog_input_token_limit: Option<u64>,
    /// The advisory bound.
    pub advisory_input_token_limit: Option<u64>,
    /// Entries after merge.
    pub message_count: u64,
    /// What history kept.
    pub history: History,
    /// `assembly` or `default`.
    pub mechanism: String,
    /// Bytes against the seal's bound.
    pub storage: Storage,
    /// One row per block of the template.
    pub blocks: Vec<BlockRow>,
    /// Memory documents in and out.
    pub memory: Memory,
    /// Registered documents compiled: slot, version.
    pub slots: serde_json::Map<String, Value>,
    /// Tokens of the tool definitions.
    pub tools_tokens: u64,
    /// Entries and tool definitions together.
    pub request_tokens: u64,
    /// What the engine wants seen.
    pub warnings: Vec<Notice>,
    /// How texts were counted.
    pub counter: Counter,
    /// The model the plan ran under.
    pub model: Option<String>,
    /// Where its row comes from: `inline`, `file`, `catalogue`, or `unknown` when nobody knows it and the
    /// plan was made without a window.
    pub model_from: String,
    /// Tokens the allocator shared out.
    pub pool: Option<u64>,
    /// One per entry.
    pub entries: Vec<EntryMeta>,
    /// One per line of [`Doc::rail`].
    pub rail: Vec<RowState>,
}

/// How the counts of a plan were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// The model's own tokenizer, by its encoding's name.
    Exact(String),
    /// A near tokenizer times a factor.
    Anchored(String, f64),
    /// Bytes divided by four.
    #[default]
    Bytes,
    /// Bytes divided by four until this vocabulary has arrived.
    Waiting(String),
}

/// Evidence of the history block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    /// Segments in the request.
    pub selected: u64,
    /// Segments and older turns left out.
    pub skipped: u64,
    /// The bound that stopped it.
    pub skipped_reason: Option<String>,
    /// Turns a summary stands for.
    pub compacted: Option<u64>,
}

/// The seal's one measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Storage {
    /// Canonical bytes of the entries.
    pub bytes: u64,
    /// The bound.
    pub bound: u64,
    /// Whether it holds.
    pub within_bound: bool,
    /// The word the seal would refuse with.
    pub refusal: Option<String>,
}

/// Memory documents, counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// In the block.
    pub included: u64,
    /// Left out of it.
    pub omitted: u64,
}

/// One block of the template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockRow {
    /// Its key, such as `slot:persona`.
    pub block: String,
    /// Its place in the template.
    pub index: usize,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The first segment's role.
    pub role: Option<String>,
    /// `selected`, `empty`, `carried` or `floor_unmet`.
    pub state: String,
    /// Fill cost.
    pub tokens: u64,
    /// The allocator's grant.
    pub allocated_tokens: Option<u64>,
}

/// An entry without its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntryMeta {
    /// Its role, or the item's type.
    pub role: String,
    /// Canonical bytes.
    pub bytes: u64,
    /// Where its parts come from.
    pub segments: Vec<Origin>,
}

/// Where a part of an entry comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// The template's key.
    pub block: String,
    /// The turn, when the block is history.
    pub turn: Option<String>,
    /// The round in it.
    pub round: Option<String>,
    /// Its fill cost.
    pub tokens: u64,
    /// The line of [`Doc::rail`] it is.
    pub row: Option<usize>,
}

/// What became of one line of the rail. It crosses as a list of its members: there is one for every line in
/// every plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "RowCells", into = "RowCells")]
pub struct RowState {
    /// What became of it.
    pub state: SegmentState,
    /// Its fill cost under this counter.
    pub tokens: u64,
    /// Whether selection looks at it: it is inside the candidate window.
    pub candidate: bool,
    /// The entry it stands in.
    pub entry: Option<usize>,
}

type RowCells = (SegmentState, u64, bool, Option<usize>);

impl From<RowCells> for RowState {
    fn from((state, tokens, candidate, entry): RowCells) -> Self {
        Self {
            state,
            tokens,
            candidate,
            entry,
        }
    }
}

impl From<RowState> for RowCells {
    fn from(row: RowState) -> Self {
        (row.state, row.tokens, row.candidate, row.entry)
    }
}

/// The four fates of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentState {
    /// In the request.
    Selected,
    /// A bound stopped before it.
    Skipped,
    /// A summary stands for it.
    Compacted,
    /// Taken out by a person, or deleted.
    Excluded,
    /// Renders nothing for this addressee.
    #[default]
    Silent,
}

/// An entry as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntryFace {
    /// Its place.
    pub index: usize,
    /// Its tokens.
    pub tokens: u64,
    /// Its texts, in order.
    pub parts: Vec<FacePart>,
    /// A call's tool, or a result's.
    pub tool: Option<String>,
    /// Phase, origin, error flag and the like, in a line.
    pub facts: Option<String>,
    /// Its canonical JSON, or the beginning of it.
    pub sealed: String,
    /// Bytes of text not carried here.
    pub more: u64,
}

/// A text of an entry, and the segment it comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FacePart {
    /// Its place in [`EntryMeta::segments`].
    pub segment: usize,
    /// The text, or the JSON of a part that is none.
    pub text: String,
}
