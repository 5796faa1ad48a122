//! One request, worked out: what is sent, and why.
//!
//! Resolve the addressee, pick the template, check variables and inline texts, render every block, price it,
//! allocate, select history inside its bounds, place the blocks in template order, merge, measure. A plan
//! holds texts by handle; [`Plan::entry`] writes one entry out.

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use super::allocator::{Grants, Want, allocate};
use super::blocks::{self, Ask, Rendered};
use super::history::{self, CANDIDATE_WINDOW, Candidates, Reading};
use super::merge::{Merged, merge};
use super::pen::Pen;
use super::request::{Door, EstimateRequest, variables};
use super::resolve::{self, Declared, Ends, Resolved};
use super::segment::{Part, Segment};
use super::select::{Bounds, Selection, SkippedReason, Weight, select};
use super::turns::{TurnTrace, trace_turns};
use crate::conversation::Conversation;
use crate::conversation::native::{Mechanism, PrefaceEntry, Tool};
use crate::refusal::{Refusal, Warning};
use crate::role::Role;
use crate::seal::{self, BOUND, Measure, Storage};
use crate::template::{self, Template};
use crate::tokens::{Counter, CounterLabel, Encodings, ModelRow, Texts};
use crate::wording::Wording;

/// The walls of the pure functions; parameters, so that small cases reach them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Turns of the candidate window.
    pub window: usize,
    /// The seal's bound, bytes.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            window: CANDIDATE_WINDOW,
            bytes: BOUND,
        }
    }
}

/// What a plan is made from.
pub struct Given<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// The request.
    pub request: &'a EstimateRequest,
    /// Who reads the request.
    pub door: Door,
    /// Built-in model rows; those of the file and the request win.
    pub catalogue: &'a [ModelRow],
    /// The tokenizers at hand.
    pub encodings: &'a dyn Encodings,
    /// The walls.
    pub limits: Limits,
}

/// What is kept from plan to plan. `revision` counts the conversation's changes.
#[derive(Default)]
pub struct Memo {
    /// Texts with their counts.
    pub texts: Texts,
    /// The conversation's revision.
    pub revision: u64,
    history: Option<(HistoryKey, Rc<Candidates>, Rc<[u64]>)>,
}

impl Memo {
    /// Nothing kept yet.
    pub fn new() -> Self {
        Self {
            texts: Texts::new(),
            ..Self::default()
        }
    }
}

/// Everything the rendering of history follows from.
#[derive(Clone, PartialEq)]
struct HistoryKey {
    revision: u64,
    addressee: String,
    before: Option<i64>,
    window: usize,
    wording: Wording,
    modalities: Option<Vec<String>>,
    image_types: Option<Vec<String>>,
    file_types: Vec<String>,
    token_cost: IndexMap<String, u64>,
}

/// The state of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    /// It rendered and was funded.
    Selected,
    /// It rendered nothing.
    Empty,
    /// The window could not fund it; its bytes send whole.
    FloorUnmet,
    /// A lead equal to the one the window carries, laid once.
    Carried,
}

/// One row per block of the template, in its order.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct BlockRow {
    /// The block's key.
    pub block: String,
    /// Its index.
    pub index: usize,
    /// Its type.
    pub r#type: &'static str,
    /// The role of its first segment; null when it rendered nothing.
    pub role: Option<Role>,
    /// Its state.
    pub state: BlockState,
    /// Its fill cost.
    pub tokens: u64,
    /// The allocator's grant; null on a model with no declared window.
    pub allocated_tokens: Option<u64>,
}

/// What history kept, skipped and stands for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct HistoryEvidence {
    /// Segments that ride.
    pub selected: u64,
    /// Segments of the window that do not, and content-bearing turns beyond it.
    pub skipped: u64,
    /// The bound that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<SkippedReason>,
    /// Content-bearing turns that a summary stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted: Option<u64>,
}

/// A segment where it was placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The segment.
    pub segment: Rc<Segment>,
    /// The block that placed it, by its key.
    pub block: Rc<str>,
    /// Its fill cost.
    pub tokens: u64,
}

/// One tool definition's size.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ToolRow {
    /// The name the model calls it by.
    pub name: String,
    /// Tokens of its compact JSON.
    pub tokens: u64,
}

/// A request, worked out.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The word it compiled under.
    pub mechanism: Mechanism,
    /// The template it compiled.
    pub template: Template,
    /// The caller's id.
    pub caller: String,
    /// The ingress speaker's id.
    pub ingress: Option<String>,
    /// The addressee's id.
    pub addressee: String,
    /// The model.
    pub model: Resolved,
    /// What the counts are labelled with.
    pub counter: CounterLabel,
    /// Whether the model's own tokenizer counted.
    pub tokenizer_exact: bool,
    /// One row per block.
    pub blocks: Vec<BlockRow>,
    /// Everything placed, in order.
    pub placed: Vec<Placed>,
    /// The entries; their ranges are indexes of `placed`.
    pub entries: Vec<Merged>,
    /// What history kept.
    pub history: HistoryEvidence,
    /// Every turn and what became of it.
    pub turns: Vec<TurnTrace>,
    /// The history candidates and their weights, oldest first.
    pub candidates: Rc<Candidates>,
    /// One weight per candidate segment.
    pub weights: Vec<Weight>,
    /// The first selected candidate.
    pub first_selected: usize,
    /// The storage measure.
    pub storage: Storage,
    /// Memory documents in the request, and left out.
    pub memory: (u64, u64),
    /// Registered documents compiled: slot and version.
    pub slots: IndexMap<String, u64>,
    /// What the send would seal with the turn.
    pub preface: Vec<PrefaceEntry>,
    /// Tool definitions.
    pub tools: Vec<ToolRow>,
    /// The definitions as the send carries them.
    pub tool_definitions: Vec<Value>,
    /// Tokens of the entries, framing included.
    pub input_tokens: u64,
    /// Of those, what the wire adds.
    pub framing_tokens: u64,
    /// What was noticed.
    pub warnings: Vec<Warning>,
}

impl Plan {
    /// Tokens of the tool definitions.
    pub fn tools_tokens(&self) -> u64 {
        self.tools.iter().map(|tool| tool.tokens).sum()
    }

    /// Everything a provider would count: entries and tool definitions.
    pub fn request_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.tools_tokens())
    }

    /// One entry as the send writes it.
    pub fn entry(&self, index: usize) -> Option<seal::Entry> {
        self.entries.get(index).map(|merged| merged.entry.sealed())
    }

    /// All entries as the send writes them.
    pub fn sealed(&self) -> Vec<seal::Entry> {
        self.entries
            .iter()
            .map(|merged| merged.entry.sealed())
            .collect()
    }
}

/// Works a request out.
///
/// # Errors
/// The first refusal in the contract's order: shape, addressee, speaker, regenerate, tools, declaration and
/// selections, raw, template, variables and inline, missing model, unknown model, share on a windowless
/// model, unknown attachment, counter.
pub fn plan(given: Given<'_>, memo: &mut Memo) -> Result<Plan, Refusal> {
    let Given {
        conversation: c,
        request,
        ..
    } = given;
    let wording = Wording::with(request.wording.clone().unwrap_or_default())?;
    let ends = resolve::ends(c, request)?;
    let ask = Ask::of(c, request, ends)?;
    let ends = Ends {
        addressee: ask.addressee,
        declares: ask.declares,
        ..ends
    };
    let own_tools = resolve::tools(request.tools.as_ref())?;
    let declared = resolve::declaration(c, ends, request)?;
    let selections = resolve::selections(request)?;
    if declared.mechanism == Mechanism::Raw {
        return Err(Refusal::new(
            "estimate_unavailable_under_raw",
            "the addressee's requests are raw, so there is nothing to assemble; address another agent",
        ));
    }
    let (mechanism, template) = pick_template(request, &declared)?;
    let values = variables(request.variables.as_ref(), &template.variables)?;
    let macros = blocks::macros(c, ends, &ask, request, &values);
    let mut warnings = blocks::check_inline(request, &template, &macros, given.door)?;
    let model = resolve::model(c, ends, &declared, request, selections, given.catalogue)?;
    for id in &model.passed_over {
        warnings.push(Warning::new(
            "model_passed_over",
            format!("`{id}` is not known; a fallback is used"),
        ));
    }
    let share = request
        .history
        .as_ref()
        .and_then(|history| history.token_budget_share);
    let (_, bounds) = template.history().unwrap_or_default();
    let share = share.or(bounds.share);
    if share.is_some() && model.row.planning_window().is_none() {
        return Err(Refusal::new(
            "history_budget_unavailable",
            "the model declares no window, so no share of it can be taken; leave the share out or give the window",
        ));
    }
    for (index, id) in request.attachments.iter().flatten().enumerate() {
        if !c.uploads.contains_key(id) {
            return Err(Refusal::parameter(
                format!("/attachments/{index}"),
                format!("`{id}` is no upload of this conversation"),
            ));
        }
    }
    let counter = Counter::resolve(model.row.counter.as_ref(), given.encodings).map_err(|unloaded| {
        Refusal::new(
            "token_counter_unavailable",
            format!("the model counts with `{0}`, which is not loaded; load the encoding `{0}` first", unloaded.encoding),
        )
        .detail(unloaded.encoding)
    })?;
    let label = counter.describe();
    let tokenizer_exact = counter.exact();
    memo.texts.use_counter(counter);

    let tools = own_tools.unwrap_or_else(|| declared.tools.clone());
    let (tool_rows, tool_definitions) = size_tools(&tools, &mut memo.texts);
    let (candidates, segment_bytes) = candidates(
        given.limits,
        &model.row,
        &wording,
        ends,
        &ask,
        request,
        c,
        memo,
    );

    let mut pen = Pen {
        conversation: c,
        texts: &mut memo.texts,
        model: &model.row,
        wording: &wording,
    };
    let rendered = blocks::render(
        &mut pen, &template, ends, &ask, &declared, &tools, request, &macros,
    );
    warnings.extend(rendered.warnings.iter().cloned());
    let texts = &mut memo.texts;

    let pool = usable(&model.row)
        .map(|pool| pool.saturating_sub(tool_rows.iter().map(|tool| tool.tokens).sum()));
    let costs: Vec<u64> = rendered
        .blocks
        .iter()
        .map(|segments| fill(segments, texts))
        .collect();
    let preface_cost = fill(&rendered.resealed, texts);
    let weights: Vec<Weight> = candidates
        .segments
        .iter()
        .zip(segment_bytes.iter())
        .map(|(segment, bytes)| Weight {
            tokens: segment.fill(texts),
            bytes: *bytes,
        })
        .collect();

    let share_of_window =
        share.and_then(|share| Some(share_tokens(model.row.planning_window()?, share)));
    let grant = grant(&template, &costs, preface_cost, pool, share_of_window);
    let others: u64 = rendered
        .blocks
        .iter()
        .flatten()
        .chain(&rendered.resealed)
        .map(|segment| segment.bytes())
        .sum();
    let max_entries = request
        .history
        .as_ref()
        .and_then(|history| history.max_entries)
        .or(bounds.max_entries);
    let selection = select(
        &weights,
        Bounds {
            entries: max_entries,
            tokens: grant.history,
            bytes: given.limits.bytes.saturating_sub(others),
        },
    );
    let history = evidence(&selection, &candidates);

    let carried = is_carried(&rendered, &candidates, selection.first);
    let rows = block_rows(
        &template,
        &rendered,
        &costs,
        &grant,
        carried,
        &selection,
        &candidates,
        &weights,
    );
    let (placed, preface) = place(
        &template,
        &rendered,
        &candidates,
        &weights,
        selection.first,
        carried,
        texts,
    );
    let segments: Vec<Rc<Segment>> = placed.iter().map(|placed| placed.segment.clone()).collect();
    let entries = merge(&segments, request.merge.unwrap_or_default(), texts);
    let mut measure = Measure::against(given.limits.bytes);
    let (mut input_tokens, mut counted_texts) = (0_u64, 0_u64);
    for merged in &entries {
        measure.add(merged.entry.bytes(), merged.entry.storable());
        for words in merged
            .entry
            .texts()
            .into_iter()
            .filter(|words| !words.text.is_blank())
        {
            input_tokens = input_tokens.saturating_add(texts.fill(&words.text));
            counted_texts += 1;
        }
    }
    let framing = model.row.framing;
    let framing_tokens = framing
        .fixed
        .saturating_add(framing.per_text.saturating_mul(counted_texts));
    let turns = trace_turns(
        c,
        ask.before(request),
        &candidates,
        &weights,
        &selection,
        history.skipped_reason,
    );
    Ok(Plan {
        mechanism,
        template,
        caller: ends.caller.to_owned(),
        ingress: ends.ingress.map(str::to_owned),
        addressee: ends.addressee.to_owned(),
        model,
        counter: label,
        tokenizer_exact,
        blocks: rows,
        placed,
        entries,
        history,
        turns,
        candidates,
        weights,
        first_selected: selection.first,
        storage: measure.storage(),
        memory: rendered.memory,
        slots: rendered.slots,
        preface,
        tools: tool_rows,
        tool_definitions,
        input_tokens: input_tokens.saturating_add(framing_tokens),
        framing_tokens,
        warnings,
    })
}

/// A trial template, else the declared one under `assembly`, else the default order.
fn pick_template(
    request: &EstimateRequest,
    declared: &Declared,
) -> Result<(Mechanism, Template), Refusal> {
    if let Some(trial) = &request.template {
        return Ok((Mechanism::Assembly, template::parse(trial)?));
    }
    match (&declared.template, declared.mechanism) {
        (Some(own), Mechanism::Assembly) => Ok((Mechanism::Assembly, template::parse(own)?)),
        (_, mechanism) => Ok((mechanism, Template::default_order())),
    }
}

/// Each visible tool as the wire would define it, and its tokens.
fn size_tools(tools: &[Tool], texts: &mut Texts) -> (Vec<ToolRow>, Vec<Value>) {
    tools
        .iter()
        .filter(|tool| !tool.deferred)
        .map(|tool| {
            let mut definition = serde_json::Map::new();
            definition.insert("name".to_owned(), tool.called().into());
            if let Some(description) = &tool.description {
                definition.insert("description".to_owned(), description.as_str().into());
            }
            if let Some(parameters) = &tool.parameters {
                definition.insert("parameters".to_owned(), parameters.clone());
            }
            let definition = Value::Object(definition);
            let text = texts.text(&definition.to_string());
            (
                ToolRow {
                    name: tool.called().to_owned(),
                    tokens: texts.fill(&text),
                },
                definition,
            )
        })
        .unzip()
}

/// The tokens that may be filled: the advisory bound itself, else a hard window less its answer room.
fn usable(row: &ModelRow) -> Option<u64> {
    if let Some(advisory) = row.advisory_window() {
        return Some(advisory);
    }
    let window = row.hard_window()?;
    Some(
        window
            .saturating_sub(32_768)
            .max(window - window.div_ceil(8)),
    )
}

/// A share of the planning window, in binary64 as the contract counts it.
fn share_tokens(window: u64, share: f64) -> u64 {
    (window as f64 * share).floor() as u64
}

#[expect(
    clippy::too_many_arguments,
    reason = "everything the rendering of history follows from, each named once"
)]
fn candidates(
    limits: Limits,
    row: &ModelRow,
    wording: &Wording,
    ends: Ends<'_>,
    ask: &Ask<'_>,
    request: &EstimateRequest,
    c: &Conversation,
    memo: &mut Memo,
) -> (Rc<Candidates>, Rc<[u64]>) {
    let wanted = request
        .history
        .as_ref()
        .and_then(|history| history.max_entries)
        .unwrap_or(0);
    let window = limits
        .window
        .max(usize::try_from(wanted).unwrap_or(usize::MAX));
    let key = HistoryKey {
        revision: memo.revision,
        addressee: ends.addressee.to_owned(),
        before: ask.before(request),
        window,
        wording: wording.clone(),
        modalities: row.input_modalities.clone(),
        image_types: row.image_types.clone(),
        file_types: row.file_types.clone(),
        token_cost: row.token_cost.clone(),
    };
    if let Some((known, candidates, bytes)) = &memo.history
        && *known == key
    {
        return (candidates.clone(), bytes.clone());
    }
    let mut pen = Pen {
        conversation: c,
        texts: &mut memo.texts,
        model: row,
        wording,
    };
    let reading = Reading {
        addressee: ends.addressee,
        before: key.before,
        window,
    };
    let candidates = Rc::new(history::render(&mut pen, reading));
    let bytes: Rc<[u64]> = candidates
        .segments
        .iter()
        .map(|segment| segment.bytes())
        .collect();
    memo.history = Some((key, candidates.clone(), bytes.clone()));
    (candidates, bytes)
}

fn fill(segments: &[Rc<Segment>], texts: &mut Texts) -> u64 {
    segments
        .iter()
        .map(|segment| segment.fill(texts))
        .fold(0, u64::saturating_add)
}

/// What the allocator granted: per block in template order, `None` where it excluded one; and history's bound.
struct Grant {
    windowless: bool,
    blocks: Vec<Option<u64>>,
    history: Option<u64>,
    history_excluded: bool,
}

fn grant(
    template: &Template,
    costs: &[u64],
    preface: u64,
    pool: Option<u64>,
    share: Option<u64>,
) -> Grant {
    let (at, bounds) = template.history().unwrap_or_default();
    let Some(pool) = pool else {
        return Grant {
            windowless: true,
            blocks: vec![None; costs.len()],
            history: bounds.max_tokens,
            history_excluded: false,
        };
    };
    // The input block's place is last; a regenerated turn's sealed preface comes after it.
    let mut floors: Vec<u64> = costs
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != at)
        .map(|(_, cost)| *cost)
        .collect();
    floors.push(preface);
    let want = Want {
        min_tokens: bounds.min_tokens.unwrap_or(0),
        max_tokens: bounds.max_tokens,
    };
    let grants: Grants = allocate(pool, &floors, want);
    let funded = grants.all_floors_funded();
    let stated = share.map(|share| share.min(bounds.max_tokens.unwrap_or(u64::MAX)));
    let history = match (funded, stated) {
        (false, _) => 0,
        (true, Some(stated)) => stated,
        (true, None) => grants.history.unwrap_or(0),
    };
    let mut blocks = grants.floors;
    blocks.pop();
    blocks.insert(at.min(blocks.len()), Some(history));
    let history_excluded = stated.is_none() && grants.history.is_none();
    Grant {
        windowless: false,
        blocks,
        history: Some(history),
        history_excluded,
    }
}

fn evidence(selection: &Selection, candidates: &Candidates) -> HistoryEvidence {
    let beyond = candidates.beyond.len() as u64;
    let compacted = candidates.compacted.len() as u64;
    HistoryEvidence {
        selected: (candidates.segments.len() - selection.first) as u64,
        skipped: selection.first as u64 + beyond,
        skipped_reason: selection
            .reason
            .or((beyond > 0).then_some(SkippedReason::CandidateLimit)),
        compacted: (compacted > 0).then_some(compacted),
    }
}

/// Whether this request's lead equals, segment by segment, the one its window carries.
fn is_carried(rendered: &Rendered, candidates: &Candidates, first: usize) -> bool {
    let Some(lead) = rendered.lead.as_ref().filter(|lead| !lead.is_empty()) else {
        return false;
    };
    candidates
        .carriers
        .last()
        .is_some_and(|carrier| carrier.first >= first && carrier.lead == *lead)
}

#[expect(
    clippy::too_many_arguments,
    reason = "one row says where each of these went"
)]
fn block_rows(
    template: &Template,
    rendered: &Rendered,
    costs: &[u64],
    grant: &Grant,
    carried: bool,
    selection: &Selection,
    candidates: &Candidates,
    weights: &[Weight],
) -> Vec<BlockRow> {
    let mut rows = Vec::with_capacity(template.blocks.len());
    for (index, block) in template.blocks.iter().enumerate() {
        let segments = rendered
            .blocks
            .get(index)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let granted = grant.blocks.get(index).copied().flatten();
        let allocated = if grant.windowless {
            None
        } else {
            Some(granted.unwrap_or(0))
        };
        let cost = costs.get(index).copied().unwrap_or(0);
        let row = |role, state, tokens, allocated_tokens| BlockRow {
            block: block.key(index),
            index,
            r#type: block.type_word(),
            role,
            state,
            tokens,
            allocated_tokens,
        };
        rows.push(match block {
            template::Block::History(_) => {
                let role = candidates
                    .segments
                    .get(selection.first)
                    .map(|segment| segment.role);
                let state = match role {
                    Some(_) => BlockState::Selected,
                    None if grant.history_excluded && !weights.is_empty() => BlockState::FloorUnmet,
                    None => BlockState::Empty,
                };
                row(role, state, selection.tokens, grant.history)
            }
            _ if segments.is_empty() => row(None, BlockState::Empty, 0, allocated),
            template::Block::Lead if carried => row(
                segments.first().map(|s| s.role),
                BlockState::Carried,
                0,
                allocated,
            ),
            _ => {
                let unmet = !grant.windowless && granted.is_none();
                let state = if unmet {
                    BlockState::FloorUnmet
                } else {
                    BlockState::Selected
                };
                row(segments.first().map(|s| s.role), state, cost, allocated)
            }
        });
    }
    rows
}

/// Blocks in template order, and what the send seals with the turn.
fn place(
    template: &Template,
    rendered: &Rendered,
    candidates: &Candidates,
    weights: &[Weight],
    first: usize,
    carried: bool,
    texts: &mut Texts,
) -> (Vec<Placed>, Vec<PrefaceEntry>) {
    let history_at = template.history().map_or(0, |(at, _)| at);
    let input_at = template.blocks.len().saturating_sub(1);
    let mut placed = Vec::with_capacity(candidates.segments.len() - first + template.blocks.len());
    let mut preface = Vec::new();
    for (index, block) in template.blocks.iter().enumerate() {
        let key: Rc<str> = block.key(index).into();
        if index == history_at {
            for (segment, weight) in candidates.segments.iter().zip(weights).skip(first) {
                placed.push(Placed {
                    segment: segment.clone(),
                    block: key.clone(),
                    tokens: weight.tokens,
                });
            }
            continue;
        }
        if index == input_at {
            // Asked again: what was sealed with the turn stands where it stood.
            for (segment, sealed) in rendered.resealed.iter().zip(&rendered.resealed_as) {
                let still = sealed.carried && carried;
                let tokens = segment.fill(texts);
                let block: Rc<str> = sealed.block.as_deref().unwrap_or("lead").into();
                if !still {
                    placed.push(Placed {
                        segment: segment.clone(),
                        block,
                        tokens,
                    });
                }
                preface.push(PrefaceEntry {
                    carried: still,
                    ..sealed.clone()
                });
            }
        }
        let segments = rendered
            .blocks
            .get(index)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let stays_out = carried && matches!(block, template::Block::Lead) && index > history_at;
        for segment in segments {
            if index > history_at && index < input_at {
                preface.push(PrefaceEntry {
                    role: segment.role,
                    parts: segment
                        .parts
                        .iter()
                        .filter(|part| !part.is_blank())
                        .map(sealed_part)
                        .collect(),
                    block: Some(key.to_string()),
                    carried: stays_out,
                    ..PrefaceEntry::default()
                });
            }
            if !stays_out {
                let tokens = segment.fill(texts);
                placed.push(Placed {
                    segment: segment.clone(),
                    block: key.clone(),
                    tokens,
                });
            }
        }
    }
    (placed, preface)
}

fn sealed_part(part: &Part) -> seal::Part {
    match part {
        Part::Words(words) => seal::Part::Text {
            text: words.text.as_str().to_owned(),
        },
        Part::Upload(id, _) => seal::Part::Upload {
            upload_public_id: id.id.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_answer_room_of_a_hard_window() {
        for (row, pool) in [
            (json!({"input_tokens": 200_000}), Some(175_000)),
            (json!({"input_tokens": 8_192}), Some(7_168)),
            (json!({"input_tokens": 1_000_000}), Some(967_232)),
            (
                json!({"input_tokens": 1_050_000, "effective_input_tokens": 272_000}),
                Some(272_000),
            ),
            (json!({"combined_tokens": 262_144}), Some(229_376)),
            (json!({"input_tokens": 8_000}), Some(7_000)),
            (json!({"input_tokens": 400}), Some(350)),
            (json!({"input_tokens": 7}), Some(6)),
            (json!({"input_tokens": 0}), None),
            (json!({"input_tokens": u64::MAX}), Some(u64::MAX - 32_768)),
        ] {
            let row: ModelRow = serde_json::from_value(row).unwrap();
            assert_eq!(usable(&row), pool);
        }
    }

    #[test]
    fn a_share_is_of_the_whole_window() {
        assert_eq!(share_tokens(8_192, 0.0004), 3);
        assert_eq!(share_tokens(100, 0.5), 50);
        assert_eq!(share_tokens(u64::MAX, 1.0), u64::MAX);
    }
}
