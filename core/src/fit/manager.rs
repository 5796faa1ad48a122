//! The calls, and what they share: configuration, rows, loaded tokenizers, what hosts answered.

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::detail::Detail;
use super::model::{Known, ModelCache};
use super::wire::{
    AssembleRequest, AssembleResponse, ByRoleTokens, CompactRequest, CompactResponse,
    CountTokensRequest, CountTokensResponse, ModelInput, PruneOptions, PruneRequest, PruneResponse,
};
use super::{
    Config, Desk, Exact, Heuristic, Item, Need, PartChange, Pass, PassName, PrefixBreak, Protected,
    PruneRule, ResolvedModel, Run, Scale, Sizes, ToolSize, Undo, change, item, prune,
};
use crate::json::typed;
use crate::refusal::Refusal;
use crate::tokens::{CounterRow, Encoding, ModelRow, catalogue};
use crate::transcript::AgentMessage;
use crate::wording::Wording;

/// How long a host may take to say what it knows of a model, milliseconds.
const RESOLVE_TIMEOUT_MS: u64 = 5_000;

/// What calls share from one to the next.
#[derive(Default)]
pub struct Manager {
    config: RefCell<Rc<Config>>,
    cache: RefCell<ModelCache>,
    encodings: RefCell<IndexMap<String, Rc<dyn Encoding>>>,
    /// Exact ways of counting met so far; the heuristic is number 0.
    scales: RefCell<Vec<Rc<Exact>>>,
    rows: Vec<ModelRow>,
    asks_host: bool,
    wording: Wording,
}

/// What is asked of a manager, besides what the contract's requests have members for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Extras {
    /// Nothing is summarised and no lease is taken; what would be summarised is told.
    pub dry_run: bool,
    /// Messages, by their index in the request, that no pass changes and no compaction takes.
    pub protected_messages: Vec<usize>,
}

/// One call's request.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// `context::assemble`.
    Assemble(AssembleRequest),
    /// `context::compact`.
    Compact(CompactRequest),
    /// `context::prune`.
    Prune(PruneRequest),
    /// `context::count-tokens`.
    CountTokens(CountTokensRequest),
}

impl Asked {
    /// The calls by their words.
    pub const ALL: [&str; 4] = ["assemble", "compact", "prune", "count_tokens"];

    /// A request as it is on the wire, for the call of that word.
    ///
    /// # Errors
    /// `invalid_request` at the place that does not fit; `parameter_invalid` for a word that is no call.
    pub fn read(call: &str, request: &Value) -> Result<Self, Refusal> {
        let fits = |misfit: crate::json::Misfit| {
            let message = format!("invalid request: {}", misfit.message);
            Refusal::new("invalid_request", message).at(misfit.pointer)
        };
        match call {
            "assemble" => typed(request).map(Self::Assemble),
            "compact" => typed(request).map(Self::Compact),
            "prune" => typed(request).map(Self::Prune),
            "count_tokens" => typed(request).map(Self::CountTokens),
            other => {
                let all = Self::ALL.join(", ");
                let message = format!("`{other}` is no call: {all} are");
                return Err(Refusal::new("parameter_invalid", message));
            }
        }
        .map_err(fits)
    }

    /// Puts these messages into the request, in place of what it has.
    pub fn with_messages(mut self, items: Vec<Item>) -> Self {
        *self.messages_mut() = Some(items);
        self
    }

    fn messages_mut(&mut self) -> &mut Option<Vec<Item>> {
        match self {
            Self::Assemble(request) => &mut request.messages,
            Self::Compact(request) => &mut request.messages,
            Self::Prune(request) => &mut request.messages,
            Self::CountTokens(request) => &mut request.messages,
        }
    }
}

/// What a call came to.
#[derive(Debug)]
pub struct Outcome {
    /// The contract's answer.
    pub response: Result<Response, Refusal>,
    /// What was done on the way to it.
    pub detail: Detail,
}

/// The contract's answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Response {
    /// Of `context::assemble`.
    Assemble(AssembleResponse),
    /// Of `context::compact`.
    Compact(CompactResponse),
    /// Of `context::prune`.
    Prune(PruneResponse),
    /// Of `context::count-tokens`.
    CountTokens(CountTokensResponse),
}

impl Response {
    /// The messages it holds, taken out of it; `None` when its call answers none.
    pub fn take_messages(&mut self) -> Option<Vec<Item>> {
        match self {
            Self::Assemble(response) => Some(std::mem::take(&mut response.messages)),
            Self::Prune(response) => Some(std::mem::take(&mut response.messages)),
            Self::Compact(_) | Self::CountTokens(_) => None,
        }
    }
}

/// One call on its way: what it works with.
pub(super) struct Call {
    pub manager: Rc<Manager>,
    pub desk: Rc<Desk>,
    pub config: Rc<Config>,
    pub extras: Extras,
    pub nonce: String,
}

impl Manager {
    /// A manager with rows that win over the built-in catalogue, and sentences of the caller's.
    pub fn new(rows: Vec<ModelRow>, wording: Wording) -> Self {
        Self {
            rows,
            wording,
            ..Self::default()
        }
    }

    /// The same, asking its host for models instead of the catalogue.
    pub fn asking_host(mut self) -> Self {
        self.asks_host = true;
        self
    }

    /// Sets the members that are given; `null` sets one back to its default. Calls on their way keep what they
    /// began with.
    ///
    /// # Errors
    /// `parameter_invalid` at the member that is unknown or of a wrong type; the configuration stays as it was.
    pub fn configure(&self, given: &Value) -> Result<(), Refusal> {
        let Some(given) = given.as_object() else {
            let message = "a configuration is an object";
            return Err(Refusal::parameter("", message));
        };
        let mut members = serde_json::to_value(&*self.config()).unwrap_or_default();
        if let Some(members) = members.as_object_mut() {
            for (name, value) in given {
                if value.is_null() {
                    members.shift_remove(name);
                } else {
                    members.insert(name.clone(), value.clone());
                }
            }
        }
        let config = typed(&members).map_err(|misfit| misfit.refusal("parameter_invalid"))?;
        *self.config.borrow_mut() = Rc::new(config);
        Ok(())
    }

    /// The configuration from here on.
    pub fn config(&self) -> Rc<Config> {
        Rc::clone(&self.config.borrow())
    }

    /// The catalogue has changed: hosts are asked anew.
    pub fn models_changed(&self) {
        self.cache.borrow_mut().flush();
    }

    /// Counts with this tokenizer from here on, for the models whose rows name it.
    pub fn load_encoding(&self, encoding: Rc<dyn Encoding>) {
        let name = encoding.name().to_owned();
        self.encodings.borrow_mut().insert(name, encoding);
    }

    /// The sentences in use.
    pub fn wording(&self) -> &Wording {
        &self.wording
    }

    /// Begins a call at this time. `nonce` tells its lease from every other.
    pub fn call(
        self: &Rc<Self>,
        asked: Asked,
        extras: Extras,
        now_ms: u64,
        nonce: String,
    ) -> Run<Outcome> {
        let manager = Rc::clone(self);
        Run::new(now_ms, move |desk| async move {
            let config = manager.config();
            let call = Call {
                manager,
                desk,
                config,
                extras,
                nonce,
            };
            let mut detail = Detail::default();
            let response = match asked {
                Asked::Assemble(asked) => super::assemble::assemble(&call, asked, &mut detail)
                    .await
                    .map(Response::Assemble),
                Asked::Compact(asked) => super::compact::compact(&call, asked, &mut detail)
                    .await
                    .map(Response::Compact),
                Asked::Prune(asked) => call.prune(asked, &mut detail).map(Response::Prune),
                Asked::CountTokens(asked) => call
                    .count_tokens(asked, &mut detail)
                    .map(Response::CountTokens),
            };
            Outcome { response, detail }
        })
    }

    /// How things are counted for a model: exactly where its row names a tokenizer that is loaded.
    pub fn scale(&self, model: Option<&ModelInput>) -> Scale {
        let heuristic = || Scale::new(0, Rc::new(Heuristic));
        let Some((name, row)) = model.and_then(|model| self.exact_row(model)) else {
            return heuristic();
        };
        let Some(encoding) = self.encodings.borrow().get(&name).cloned() else {
            return heuristic();
        };
        let exact = Exact::new(encoding, row);
        let mut scales = self.scales.borrow_mut();
        let known = scales.iter().position(|known| known.same(&exact));
        let number = known.unwrap_or(scales.len()) + 1;
        let exact = Rc::new(exact);
        if known.is_none() {
            scales.push(Rc::clone(&exact));
        }
        Scale::new(number, exact)
    }

    /// The encoding that a model's row names; loaded, it counts exactly.
    pub fn encoding(&self, model: &ModelInput) -> Option<String> {
        self.exact_row(model).map(|(name, _)| name)
    }

    fn exact_row(&self, model: &ModelInput) -> Option<(String, ModelRow)> {
        let row = self.row(model)?;
        match &row.counter {
            Some(CounterRow::Encoding(name)) => Some((name.clone(), row)),
            _ => None,
        }
    }

    /// The row of a model: the caller's own before the catalogue's.
    fn row(&self, model: &ModelInput) -> Option<ModelRow> {
        let ModelInput { id, provider, .. } = model;
        let own = self.rows.iter().find(|row| {
            let of_provider = provider.is_none()
                || row.provider_id.is_none()
                || row.provider_id.as_ref() == provider.as_ref();
            let named = row.model.as_ref() == Some(id) || row.model_id.as_ref() == Some(id);
            named && of_provider
        });
        own.cloned().or_else(|| {
            let listed = catalogue::lookup(id)?;
            let same = |provider: &String| {
                let listed = listed.provider_id.as_deref().unwrap_or_default();
                listed == provider || listed.strip_suffix("_api") == Some(provider)
            };
            provider.as_ref().is_none_or(same).then_some(listed)
        })
    }
}

impl Call {
    /// The limits of a model: the request's, the host's or catalogue's, or cautious ones.
    pub async fn resolve(&self, model: &ModelInput) -> Result<ResolvedModel, Refusal> {
        if let Some(limits) = model.limits {
            return Ok(ResolvedModel::inline(limits));
        }
        let found = if self.manager.asks_host {
            self.ask_for(model).await
        } else {
            Ok(self.manager.row(model).as_ref().and_then(Known::row))
        };
        let reason = match found {
            Ok(Some(known)) => return Ok(ResolvedModel::router(&known)),
            Ok(None) => format!("model {} is not in the router catalog", model.id),
            Err(error) => format!("router unavailable: {error}"),
        };
        if self.config.allow_fallback_limits {
            return Ok(ResolvedModel::fallback(reason));
        }
        let message = format!("could not resolve model limits ({reason})");
        Err(Refusal::new("context/model_unresolved", message))
    }

    async fn ask_for(&self, model: &ModelInput) -> Result<Option<Known>, String> {
        let cached = self.manager.cache.borrow().get(model, self.desk.now_ms());
        if let Some(known) = cached {
            return Ok(known);
        }
        let need = Need::ResolveModel {
            id: model.id.clone(),
            provider: model.provider.clone(),
            timeout_ms: RESOLVE_TIMEOUT_MS,
        };
        let given = self.desk.ask(need).await.map_err(|failed| failed.message)?;
        let reply = typed(&given).map_err(|misfit| {
            format!(
                "its answer does not fit at `{}`: {}",
                misfit.pointer, misfit.message
            )
        })?;
        let known = Known::of(reply);
        let mut cache = self.manager.cache.borrow_mut();
        cache.keep(model, known.clone(), self.desk.now_ms());
        Ok(known)
    }

    /// How things are counted for a model, told.
    pub fn scale(&self, model: Option<&ModelInput>, detail: &mut Detail) -> Scale {
        let scale = self.manager.scale(model);
        detail.estimator = scale.kind();
        detail.encoding = model.and_then(|model| self.manager.encoding(model));
        scale
    }

    /// The protected messages of a list that holds these of the request's.
    pub fn protected(&self, functions: Option<Vec<String>>, sources: &[usize]) -> Protected {
        let listed = &self.extras.protected_messages;
        let here = sources.iter().enumerate();
        let messages = here.filter(|(_, source)| listed.contains(source));
        Protected::new(
            functions.unwrap_or_default(),
            messages.map(|(index, _)| index),
        )
    }

    fn prune(&self, request: PruneRequest, detail: &mut Detail) -> Result<PruneResponse, Refusal> {
        let mut items = required(request.messages)?;
        let scale = self.scale(request.model.as_ref(), detail);
        let options = request.options.unwrap_or_default();
        let sources: Vec<usize> = (0..items.len()).collect();
        let protected = self.protected(options.protected_functions.clone(), &sources);
        let rule = rule(&self.config, &options);
        detail.tokens_before = item::sum(&items, &scale);
        let pruned = prune(&mut items, &rule, &protected, &scale);
        detail.tokens_after = item::sum(&items, &scale);
        detail.passes = vec![pass(
            PassName::Prune,
            (detail.tokens_before, detail.tokens_after),
            &pruned.changes,
            (&items, &sources, &scale),
            pruned_idle(&pruned, &rule),
        )];
        detail.sizes = Sizes::of(items.iter().enumerate(), &[], &scale);
        detail.undo = Some(Undo {
            requested: items.len(),
            answered: items.len(),
        });
        Ok(PruneResponse {
            pruned_tokens: pruned.tokens,
            pruned_parts: pruned.changes.len() as u64,
            scanned_parts: pruned.scanned,
            messages: items,
        })
    }

    fn count_tokens(
        &self,
        request: CountTokensRequest,
        detail: &mut Detail,
    ) -> Result<CountTokensResponse, Refusal> {
        let items = required(request.messages)?;
        let scale = self.scale(Some(&request.model), detail);
        let tools = request.tools.as_deref().unwrap_or_default();
        let mut sizes = Sizes::of(items.iter().enumerate(), tools, &scale);
        sizes.system_prompt = request
            .system_prompt
            .map_or(0, |prompt| scale.text(&prompt));
        let tools_tokens = tool_tokens(&sizes.tools);
        let tokens = item::sum(&items, &scale)
            .saturating_add(sizes.system_prompt)
            .saturating_add(tools_tokens);
        detail.tokens_before = tokens;
        detail.tokens_after = tokens;
        detail.sizes = sizes;
        Ok(CountTokensResponse {
            tokens,
            by_role: Some(by_role(&items, &scale)),
            estimator: scale.kind(),
            tools_tokens: request.tools.is_some().then_some(tools_tokens),
            by_part: by_part(request.parts.as_ref(), &scale),
        })
    }
}

/// The messages, which every call requires.
pub(super) fn required(messages: Option<Vec<Item>>) -> Result<Vec<Item>, Refusal> {
    messages.ok_or_else(|| {
        Refusal::new("context/invalid_request", "messages is required").at("/messages")
    })
}

/// Why a pruning did nothing, when it did nothing.
pub(super) fn pruned_idle(pruned: &super::Pruned, rule: &PruneRule) -> Option<String> {
    if !pruned.changes.is_empty() {
        return None;
    }
    Some(match (pruned.withheld, pruned.scanned) {
        (0, 0) => "there is no result before the protected turns".to_owned(),
        (0, 1) => "the one result before the protected turns stays".to_owned(),
        (0, scanned) => format!("all {scanned} results before the protected turns stay"),
        (freed, _) => format!(
            "it would free {freed} tokens, fewer than {}",
            rule.min_free_tokens
        ),
    })
}

/// One pass as it is told: tokens before and after, what changed, and the list as it is now.
pub(super) fn pass(
    name: PassName,
    (tokens_before, tokens_after): (u64, u64),
    changes: &[change::Change],
    (items, sources, scale): (&[Item], &[usize], &Scale),
    idle: Option<String>,
) -> Pass {
    let first = changes.iter().map(|change| change.message).min();
    Pass {
        pass: name,
        tokens_before,
        tokens_after,
        idle: idle.filter(|_| changes.is_empty()),
        parts: changes
            .iter()
            .map(|change| PartChange::of(change, sources))
            .collect(),
        prefix: first.map(|first| PrefixBreak {
            system_prompt: false,
            message: sources.get(first).copied(),
            tokens: item::sum(items.get(first..).unwrap_or_default(), scale),
        }),
    }
}

/// Tokens of all functions.
pub(super) fn tool_tokens(tools: &[ToolSize]) -> u64 {
    tools
        .iter()
        .fold(0, |sum, tool| sum.saturating_add(tool.tokens))
}

/// Tokens of messages, role by role.
pub(super) fn by_role(items: &[Item], scale: &Scale) -> ByRoleTokens {
    let mut by_role = ByRoleTokens::default();
    for item in items {
        let bucket = match item.message() {
            AgentMessage::User { .. } => &mut by_role.user,
            AgentMessage::Assistant { .. } => &mut by_role.assistant,
            AgentMessage::FunctionResult { .. } => &mut by_role.function_result,
            AgentMessage::Custom { .. } => &mut by_role.custom,
        };
        *bucket = bucket.saturating_add(item.tokens(scale));
    }
    by_role
}

/// Tokens of texts by name.
pub(super) fn by_part(
    parts: Option<&IndexMap<String, String>>,
    scale: &Scale,
) -> Option<IndexMap<String, u64>> {
    let sized = |(name, text): (&String, &String)| (name.clone(), scale.text(text));
    parts.map(|parts| parts.iter().map(sized).collect())
}

/// Configured, but for what the request says.
fn rule(config: &Config, options: &PruneOptions) -> PruneRule {
    let rule = PruneRule::of(config);
    PruneRule {
        protect_recent_tokens: options
            .protect_recent_tokens
            .unwrap_or(rule.protect_recent_tokens),
        decay_user_turns: options.decay_user_turns.unwrap_or(rule.decay_user_turns),
        protected_user_turns: options
            .protected_user_turns
            .unwrap_or(rule.protected_user_turns),
        min_free_tokens: options.min_free_tokens.unwrap_or(rule.min_free_tokens),
        max_output_chars: options.max_output_chars.unwrap_or(rule.max_output_chars),
    }
}
