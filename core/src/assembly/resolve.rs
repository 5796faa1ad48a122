//! Who is asked, by whom, under which declaration, and on which model.

use serde::Serialize;
use serde_json::Value;

use super::request::{EstimateRequest, ModelChoice};
use crate::conversation::native::{
    Access, ExecutionDeclaration, Mechanism, Tool, TurnKind, UserKind,
};
use crate::conversation::{Conversation, voice};
use crate::json::typed;
use crate::refusal::Refusal;
use crate::tokens::ModelRow;

/// Most fallback models.
const MAX_FALLBACKS: usize = 8;
/// Bytes of memory content, and of the skills block, unless declared.
const CONTEXT_LIMIT: u64 = 16_384;

/// Built-in model rows by id; those of the file and the request win.
pub type Catalogue = fn(&str) -> Option<ModelRow>;

/// The two ends of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends<'c> {
    /// Who sends.
    pub caller: &'c str,
    /// The ingress speaker it is sent as.
    pub ingress: Option<&'c str>,
    /// Who answers.
    pub addressee: &'c str,
    /// Whether the addressee is an agent, which declares.
    pub declares: bool,
}

/// What the addressee declares for this request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// The word it compiles under.
    pub mechanism: Mechanism,
    /// Its template, as written.
    pub template: Option<Value>,
    /// A system prompt in place of the registered one.
    pub system_prompt: Option<String>,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// The model it answers with by default.
    pub default_model: Option<String>,
    /// Bytes for the memory block and, separately, for the skills block.
    pub context_limit: u64,
}

/// Where a model row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModelFrom {
    /// The request.
    Inline,
    /// The file.
    File,
    /// The catalogue.
    Catalogue,
}

/// The model that decides window, counter and modalities.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Its row.
    pub row: ModelRow,
    /// Where the row comes from.
    pub from: ModelFrom,
    /// Models that were asked for first and are not known.
    pub passed_over: Vec<String>,
}

/// Finds the two ends: the caller, then the addressee, then the speaker.
pub fn ends<'c>(c: &'c Conversation, request: &EstimateRequest) -> Result<Ends<'c>, Refusal> {
    let caller = match &request.caller {
        None => c.creating_user.as_str(),
        Some(word) => c.user_named(word).ok_or_else(|| {
            Refusal::parameter(
                "/caller",
                format!("`{word}` is no user of this conversation"),
            )
        })?,
    };
    let addressee = match request.addressee() {
        None => c.answering_user.as_str(),
        Some(word) => eligible(c, word)?,
    };
    let ingress = match &request.speaker_public_id {
        None => None,
        Some(id) => match c.speakers.get_key_value(id.as_str()) {
            Some((id, speaker)) if speaker.controller.as_deref() == Some(caller) => {
                Some(id.as_str())
            }
            _ => {
                return Err(Refusal::new(
                    "not_authorized",
                    format!("the caller `{caller}` controls no ingress speaker `{id}`"),
                )
                .at("/speaker_public_id"));
            }
        },
    };
    let declares = c
        .user(addressee)
        .is_some_and(|user| user.kind == UserKind::Agent);
    Ok(Ends {
        caller,
        ingress,
        addressee,
        declares,
    })
}

fn eligible<'c>(c: &'c Conversation, word: &str) -> Result<&'c str, Refusal> {
    let id = c.user_named(word).ok_or_else(|| {
        Refusal::new(
            "principal_unknown",
            format!("nobody here is named `{word}`"),
        )
    })?;
    match c.user(id) {
        Some(user) if user.kind == UserKind::Agent && user.access == Access::Full => Ok(id),
        _ => Err(Refusal::new(
            "answerer_not_eligible",
            format!("`{word}` cannot answer: only an agent with full access can be addressed"),
        )),
    }
}

/// The tools of the request, when it has some.
pub fn tools(given: Option<&Value>) -> Result<Option<Vec<Tool>>, Refusal> {
    let Some(given) = given else { return Ok(None) };
    let list = given
        .as_array()
        .ok_or_else(|| Refusal::parameter("/tools", "tools are a list"))?;
    let mut tools = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let path = format!("/tools/{index}");
        let tool: Tool = typed(value).map_err(|misfit| {
            Refusal::parameter(format!("{path}{}", misfit.pointer), misfit.message)
        })?;
        if let Some(key) = tool.extra.keys().next() {
            return Err(Refusal::parameter(
                path,
                format!(
                    "`{key}` does not belong to a tool; known are name, alias, description, parameters, deferred"
                ),
            ));
        }
        if tool.name.trim().is_empty() {
            return Err(Refusal::parameter(path, "a tool has a name"));
        }
        tools.push(tool);
    }
    Ok(Some(tools))
}

/// The declaration in effect: the request's, else the conversation's own, else the addressee's. A declaration
/// replaces mechanism, template, tools and default model as a whole; the system prompt and the memory limit it
/// leaves out stay the addressee's.
pub fn declaration(
    c: &Conversation,
    ends: Ends<'_>,
    request: &EstimateRequest,
) -> Result<Declared, Refusal> {
    let given = match &request.execution_declaration {
        None => c.execution_defaults.clone(),
        Some(value) => Some(typed::<ExecutionDeclaration>(value).map_err(|misfit| {
            Refusal::new("execution_declaration_invalid", misfit.message)
                .at(format!("/execution_declaration{}", misfit.pointer))
        })?),
    };
    let user = c.user(ends.addressee).filter(|_| ends.declares);
    let own_limit = user.and_then(|user| user.memory_context_limit);
    Ok(match (given, user) {
        (Some(given), _) => Declared {
            mechanism: given.prompt_mechanism.unwrap_or_default(),
            template: given.prompt_template,
            system_prompt: given.system_prompt,
            tools: given.tools.unwrap_or_default(),
            default_model: given.default_model,
            context_limit: given
                .memory_context_limit
                .or(own_limit)
                .unwrap_or(CONTEXT_LIMIT),
        },
        (None, Some(user)) => Declared {
            mechanism: user.prompt_mechanism.unwrap_or_default(),
            template: user.prompt_template.clone(),
            system_prompt: None,
            tools: user.tools.clone(),
            default_model: user.default_model.clone(),
            context_limit: own_limit.unwrap_or(CONTEXT_LIMIT),
        },
        (None, None) => Declared {
            context_limit: CONTEXT_LIMIT,
            ..Declared::default()
        },
    })
}

/// What the request selects beside `model`, checked for shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selections {
    selection: Option<ModelChoice>,
    fallbacks: Vec<ModelChoice>,
}

/// Reads `model_selection` and `fallback_models`.
pub fn selections(request: &EstimateRequest) -> Result<Selections, Refusal> {
    let choice = |value: &Value, code: &str, path: &str| {
        typed::<ModelChoice>(value).map_err(|misfit| {
            Refusal::new(code, misfit.message).at(format!("{path}{}", misfit.pointer))
        })
    };
    let selection = match &request.model_selection {
        None => None,
        Some(value) if value.is_object() => Some(choice(
            value,
            "model_selection_invalid",
            "/model_selection",
        )?),
        Some(_) => {
            return Err(Refusal::new(
                "model_selection_invalid",
                "a selection is {\"model\": id} or a model row",
            )
            .at("/model_selection"));
        }
    };
    let mut fallbacks = Vec::new();
    if let Some(value) = &request.fallback_models {
        let code = "fallback_models_invalid";
        let list = value
            .as_array()
            .filter(|list| (1..=MAX_FALLBACKS).contains(&list.len()))
            .ok_or_else(|| {
                Refusal::new(code, "fallback models are a list of 1 to 8").at("/fallback_models")
            })?;
        for (index, value) in list.iter().enumerate() {
            let path = format!("/fallback_models/{index}");
            if !value.is_object() {
                return Err(
                    Refusal::new(code, "a fallback is {\"model\": id} or a model row").at(path),
                );
            }
            fallbacks.push(choice(value, code, &path)?);
        }
    }
    Ok(Selections {
        selection,
        fallbacks,
    })
}

/// The first model of the ladder that is known.
///
/// # Errors
/// `model_selection_missing` when nobody names one, `unknown_model` when none of those named is known.
pub fn model(
    c: &Conversation,
    ends: Ends<'_>,
    declared: &Declared,
    request: &EstimateRequest,
    selections: Selections,
    catalogue: Catalogue,
) -> Result<Resolved, Refusal> {
    let submitted = request.model.clone().or(selections.selection);
    let first = if ends.addressee == c.answering_user {
        submitted
            .or_else(|| {
                c.execution_defaults
                    .as_ref()
                    .and(c.current_model.clone())
                    .map(ModelChoice::Id)
            })
            .or_else(|| declared.default_model.clone().map(ModelChoice::Id))
    } else {
        declared
            .default_model
            .clone()
            .or_else(|| newest_model(c, Some(ends.addressee)))
            .or_else(|| newest_model(c, None))
            .map(ModelChoice::Id)
            .or(submitted)
    };
    let mut passed_over = Vec::new();
    for choice in first.into_iter().chain(selections.fallbacks) {
        match choice {
            ModelChoice::Row(row) => {
                return Ok(Resolved {
                    row: *row,
                    from: ModelFrom::Inline,
                    passed_over,
                });
            }
            ModelChoice::Id(id) => {
                let named = |row: &&ModelRow| row.model.as_deref() == Some(id.as_str());
                if let Some(row) = c.models.iter().find(named) {
                    return Ok(Resolved {
                        row: row.clone(),
                        from: ModelFrom::File,
                        passed_over,
                    });
                }
                if let Some(row) = catalogue(&id) {
                    return Ok(Resolved {
                        row,
                        from: ModelFrom::Catalogue,
                        passed_over,
                    });
                }
                passed_over.push(id);
            }
        }
    }
    Err(if passed_over.is_empty() {
        Refusal::new(
            "model_selection_missing",
            "no model is named; give `model` an id or a row",
        )
    } else {
        Refusal::new(
            "unknown_model",
            format!(
                "neither the file nor the catalogue has {}; name a known model or give its row",
                passed_over
                    .iter()
                    .map(|id| format!("`{id}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        )
    })
}

/// The model of the newest direct reply, of one answerer or of anyone.
fn newest_model(c: &Conversation, answerer: Option<&str>) -> Option<String> {
    c.surface(None)
        .turns
        .into_iter()
        .rev()
        .filter_map(|index| c.turns.get(index))
        .find_map(|turn| {
            let theirs = answerer.is_none_or(|id| turn.answerer(c) == id);
            (turn.kind == TurnKind::DirectReply && theirs)
                .then(|| turn.active().body.model.clone())
                .flatten()
        })
}

/// The display name behind the `agent` macro.
pub fn agent_name<'c>(c: &'c Conversation, ends: Ends<'_>) -> Option<&'c str> {
    let (id, user) = c.users.get_key_value(ends.addressee)?;
    ends.declares.then(|| voice::name_of(id, user))
}
