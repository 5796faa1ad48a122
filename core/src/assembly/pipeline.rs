//! The pipeline, from a request to its plan.
//!
//! Resolve the addressee, pick the template, check variables and inline texts, render every block, price it,
//! allocate, select history inside its bounds, place the blocks in template order, merge, measure.

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use super::blocks::{self, Ask};
use super::grant::{grant, share_tokens, usable};
use super::history::{self, CANDIDATE_WINDOW, Candidates, Reading};
use super::merge::merge;
use super::pen::Pen;
use super::place::{block_rows, evidence, is_carried, place};
use super::plan::{Plan, ToolRow};
use super::request::{Door, EstimateRequest, variables};
use super::resolve::{self, Catalogue, Declared, Ends};
use super::segment::Segment;
use super::select::{Bounds, Weight, select};
use super::turns::trace_turns;
use crate::conversation::Conversation;
use crate::conversation::native::{Mechanism, Tool};
use crate::refusal::{Refusal, Warning};
use crate::seal::{BOUND, Measure};
use crate::template::{self, Template};
use crate::tokens::{Counter, Encodings, ModelRow, Text, Texts};
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
    /// Built-in model rows.
    pub catalogue: Catalogue,
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

    /// Works out a plan beside the others: what history the next of those reads stays rendered.
    pub fn aside<T>(&mut self, work_out: impl FnOnce(&mut Self) -> T) -> T {
        let history = self.history.take();
        let answer = work_out(self);
        self.history = history;
        answer
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
    let (mechanism, mut template) = pick_template(request, &declared)?;
    let values = variables(request.variables.as_ref(), &template.variables)?;
    let macros = blocks::macros(c, ends, &ask, request, &values);
    let mut warnings = blocks::check_inline(request, &template, &macros, given.door)?;
    let mut model = resolve::model(c, ends, &declared, request, selections, given.catalogue)?;
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
    if given.door == Door::Recount {
        model.row = model.row.without_limits();
        template = template.without_bounds();
    }
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
    let (tool_rows, tool_texts, tool_definitions) = size_tools(&tools, &mut memo.texts);
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
    let preface_cost = fill(&rendered.resealed, texts) + fill(&rendered.rounds, texts);
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
        .chain(&rendered.rounds)
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
        render: request.render.unwrap_or(false),
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
        tool_texts,
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

/// Each visible tool as the wire would define it: its row, its text, its definition.
fn size_tools(tools: &[Tool], texts: &mut Texts) -> (Vec<ToolRow>, Vec<Text>, Vec<Value>) {
    let (mut rows, mut held, mut definitions) = (Vec::new(), Vec::new(), Vec::new());
    for tool in tools.iter().filter(|tool| !tool.deferred) {
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
        rows.push(ToolRow {
            name: tool.called().to_owned(),
            tokens: texts.fill(&text),
        });
        held.push(text);
        definitions.push(definition);
    }
    (rows, held, definitions)
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
