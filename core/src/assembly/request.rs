//! What a caller asks for: the estimate's body, read strictly. Nothing in it is dropped silently.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::merge::Merge;
use crate::json::typed;
use crate::refusal::{Refusal, pointer_key};
use crate::role::Role;
use crate::template::Slot;
use crate::tokens::{ModelRow, ReplayMode};

/// Most inline entries of one request.
pub const MAX_INLINE: usize = 16;

/// The body of an estimate. `caller`, `before_position`, `regenerate`, `merge` and `wording` are the engine's
/// own; a door that speaks HTTP refuses them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EstimateRequest {
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// An id from the file or the catalogue, or a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "string | ModelRow"))]
    pub model: Option<ModelChoice>,
    /// How much history is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryIntent>,
    /// Which earlier reasoning rides again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_replay: Option<ReasoningReplay>,
    /// The caller's own texts, 1 to 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline: Option<Vec<InlineEntry>>,
    /// Values of the template's declared variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, string>"))]
    pub variables: Option<Value>,
    /// A trial template, compiled in place of the addressee's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub template: Option<Value>,
    /// The addressee: an id or `@handle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answering_user_public_id: Option<String>,
    /// The same, as an SDK spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// An ingress speaker the caller controls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker_public_id: Option<String>,
    /// Replaces the addressee's declared configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "ExecutionDeclaration"))]
    pub execution_declaration: Option<Value>,
    /// `{"model": id}` or a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "string | ModelRow"))]
    pub model_selection: Option<Value>,
    /// 1 to 8 models; the first one that is known is used when the one before them is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "(string | ModelRow)[]"))]
    pub fallback_models: Option<Value>,
    /// Whether the answer carries what the send would seal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<bool>,
    /// Who sends; default the creating user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Today, `YYYY-MM-DD`; without it `{{date}}` renders empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Upload ids that follow the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<String>>,
    /// Tool definitions in place of the declared ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "Tool[]"))]
    pub tools: Option<Value>,
    /// Reads only what is strictly below this position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_position: Option<i64>,
    /// Asks the reply at this position again, or from one of its rounds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regenerate: Option<Regenerate>,
    /// How adjacent texts of one entry are kept; default `fold`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    /// Replacements of the engine's own sentences by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, string>"))]
    pub wording: Option<IndexMap<String, String>>,
}

/// How much history is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HistoryIntent {
    /// Most segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_entries: Option<u64>,
    /// Share of the planning window, above 0 and at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget_share: Option<f64>,
}

/// Which earlier reasoning rides again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReasoningReplay {
    /// `none`, `last_turn` or `all`.
    pub mode: ReplayMode,
}

/// A text of the caller's own: placed by position, or in place of a slot's document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InlineEntry {
    /// Its role; an override without one takes the document's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Its text.
    pub text: String,
    /// `lead` (the default) or `tail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The slot whose document it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "types",
        tsify(type = "\"system_prompt\" | \"character\" | \"persona\"")
    )]
    pub slot: Option<String>,
}

/// Where a positioned inline entry stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// The lead block.
    #[default]
    Lead,
    /// The tail block.
    Tail,
}

/// Which reply is asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Regenerate {
    /// Its position.
    pub position: i64,
    /// The key of the round that is asked again: those before it ride after the words, as they stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
}

/// A model by id, or as a row of the request's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ModelChoice {
    /// An id, looked up in the file and the catalogue.
    Id(String),
    /// A row.
    Row(Box<ModelRow>),
}

impl<'de> Deserialize<'de> for ModelChoice {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = ModelChoice;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a model's id, {\"model\": id} or a model row")
            }
            fn visit_str<E>(self, id: &str) -> Result<ModelChoice, E> {
                Ok(ModelChoice::Id(id.to_owned()))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                map: A,
            ) -> Result<ModelChoice, A::Error> {
                let row = ModelRow::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                let reference = ModelRow {
                    model: row.model.clone(),
                    ..ModelRow::default()
                };
                Ok(match row.model.clone() {
                    Some(id) if row == reference => ModelChoice::Id(id),
                    _ => ModelChoice::Row(Box::new(row)),
                })
            }
        }
        d.deserialize_any(Either)
    }
}

/// The most a prompt-side text may say before it is a door's, not an estimate's: who reads the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// A look: blank inline texts and unknown macros in overrides are told, not refused.
    Estimate,
    /// A send: they are refused.
    Seal,
    /// A look at what was sent: no bound of the model or the template applies to it any more.
    Recount,
}

impl EstimateRequest {
    /// Reads a body, with or without its `context_estimate` wrapper.
    ///
    /// # Errors
    /// `parameter_invalid` at the pointer of the first thing that does not belong.
    pub fn read(body: &Value) -> Result<Self, Refusal> {
        let body = match body {
            Value::Object(object) if object.len() == 1 => {
                object.get("context_estimate").unwrap_or(body)
            }
            _ => body,
        };
        if !body.is_object() {
            return Err(Refusal::parameter("", "a request is an object"));
        }
        let request: Self = typed(body).map_err(|misfit| misfit.refusal("parameter_invalid"))?;
        request.check()?;
        Ok(request)
    }

    /// The addressee as the caller spells it.
    pub fn addressee(&self) -> Option<&str> {
        self.answering_user_public_id
            .as_deref()
            .or(self.to.as_deref())
    }

    fn check(&self) -> Result<(), Refusal> {
        if let (Some(a), Some(b)) = (&self.answering_user_public_id, &self.to)
            && a != b
        {
            return Err(Refusal::parameter(
                "/to",
                "`to` and `answering_user_public_id` name two addressees; give one",
            ));
        }
        if let Some(history) = &self.history {
            if history.max_entries.is_none() && history.token_budget_share.is_none() {
                return Err(Refusal::parameter(
                    "/history",
                    "history says max_entries, token_budget_share or both; leave it out for no bound",
                ));
            }
            if history
                .token_budget_share
                .is_some_and(|share| !(share > 0.0 && share <= 1.0))
            {
                return Err(Refusal::parameter(
                    "/history/token_budget_share",
                    "a share is above 0 and at most 1",
                ));
            }
        }
        if self.date.as_deref().is_some_and(|date| !is_date(date)) {
            return Err(Refusal::parameter("/date", "a date is YYYY-MM-DD"));
        }
        if let Some(inline) = &self.inline {
            if inline.is_empty() || inline.len() > MAX_INLINE {
                return Err(Refusal::parameter(
                    "/inline",
                    "inline holds 1 to 16 entries; leave it out for none",
                ));
            }
            for (index, entry) in inline.iter().enumerate() {
                entry.check(index)?;
            }
        }
        if self.regenerate.is_some() {
            let beside = [
                (
                    "prompt",
                    self.prompt
                        .as_deref()
                        .is_some_and(|prompt| !prompt.is_empty()),
                ),
                (
                    "attachments",
                    self.attachments
                        .as_deref()
                        .is_some_and(|list| !list.is_empty()),
                ),
                ("inline", self.inline.is_some()),
                ("before_position", self.before_position.is_some()),
            ];
            if let Some((name, _)) = beside.into_iter().find(|(_, given)| *given) {
                return Err(Refusal::parameter(
                    format!("/{name}"),
                    format!(
                        "`{name}` does not go with `regenerate`, which asks the turn's own words again"
                    ),
                ));
            }
        }
        Ok(())
    }
}

impl InlineEntry {
    fn check(&self, index: usize) -> Result<(), Refusal> {
        let path = format!("/inline/{index}");
        if self.slot.is_some() && self.position.is_some() {
            return Err(Refusal::parameter(
                format!("{path}/position"),
                "an entry has a slot or a position, not both",
            ));
        }
        match &self.slot {
            Some(slot) if Slot::parse(slot).is_none() => Err(Refusal::parameter(
                format!("{path}/slot"),
                "a slot is system_prompt, character or persona",
            )),
            None if self.role.is_none() => Err(Refusal::parameter(
                format!("{path}/role"),
                "a positioned entry says its role: user or developer",
            )),
            _ => Ok(()),
        }
    }
}

fn is_date(text: &str) -> bool {
    let digits = |from: usize, to: usize| {
        text.get(from..to).and_then(|part| {
            part.parse::<u32>()
                .ok()
                .filter(|_| part.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    text.len() == 10
        && text.get(4..5) == Some("-")
        && text.get(7..8) == Some("-")
        && digits(0, 4).is_some()
        && digits(5, 7).is_some_and(|month| (1..=12).contains(&month))
        && digits(8, 10).is_some_and(|day| (1..=31).contains(&day))
}

/// The request's values of declared variables, over the template's defaults.
///
/// # Errors
/// `prompt_template_invalid` without a path: a value for what is not declared, or one that is no string.
pub fn variables(
    given: Option<&Value>,
    declared: &IndexMap<String, String>,
) -> Result<IndexMap<String, String>, Refusal> {
    let mut values = declared.clone();
    let Some(given) = given else {
        return Ok(values);
    };
    let refuse = |message: String| Err(Refusal::new("prompt_template_invalid", message));
    let Value::Object(object) = given else {
        return refuse("variables are an object of names and strings".to_owned());
    };
    for (name, value) in object {
        let Some(text) = value.as_str() else {
            return refuse(format!("the value of the variable `{name}` is a string"));
        };
        match values.get_mut(name) {
            Some(slot) => *slot = text.to_owned(),
            None => {
                return refuse(format!(
                    "the template in effect declares no variable `{}`; declare it or leave it out",
                    pointer_key(name)
                ));
            }
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(body: Value) -> String {
        let refusal = EstimateRequest::read(&body).unwrap_err();
        assert_eq!(refusal.code, "parameter_invalid");
        refusal.path.unwrap()
    }

    #[test]
    fn what_does_not_belong_is_refused_at_its_place() {
        for (body, path) in [
            (json!([]), ""),
            (json!({"promt": "x"}), "/promt"),
            (json!({"prompt": 3}), "/prompt"),
            (json!({"render": "yes"}), "/render"),
            (json!({"history": {}}), "/history"),
            (
                json!({"history": {"max_entries": -1}}),
                "/history/max_entries",
            ),
            (
                json!({"history": {"token_budget_share": 1.5}}),
                "/history/token_budget_share",
            ),
            (json!({"history": {"share": 0.5}}), "/history/share"),
            (json!({"inline": []}), "/inline"),
            (
                json!({"inline": [{"role": "user", "text": "x", "at": "lead"}]}),
                "/inline/0/at",
            ),
            (
                json!({"inline": [{"role": "user", "text": "x", "position": "middle"}]}),
                "/inline/0/position",
            ),
            (
                json!({"inline": [{"text": "x", "position": "lead", "slot": "persona"}]}),
                "/inline/0/position",
            ),
            (
                json!({"inline": [{"text": "x", "slot": "summarizer"}]}),
                "/inline/0/slot",
            ),
            (json!({"inline": [{"text": "x"}]}), "/inline/0/role"),
            (
                json!({"reasoning_replay": {"mode": "some"}}),
                "/reasoning_replay/mode",
            ),
            (
                json!({"model": {"model": "m", "window": 3}}),
                "/model/window",
            ),
            (json!({"date": "2026-13-01"}), "/date"),
            (
                json!({"prompt": "x", "regenerate": {"position": 1}}),
                "/prompt",
            ),
            (json!({"to": "@a", "answering_user_public_id": "b"}), "/to"),
            (json!({"context_estimate": {"x": 1}}), "/x"),
        ] {
            assert_eq!(refused(body.clone()), path, "{body}");
        }
    }

    #[test]
    fn null_reads_as_absent_and_the_wrapper_falls_away() {
        let bare = EstimateRequest::read(
            &json!({"prompt": "x", "history": null, "model": {"model": "m"}}),
        )
        .unwrap();
        let wrapped =
            EstimateRequest::read(&json!({"context_estimate": {"prompt": "x", "model": "m"}}))
                .unwrap();
        assert_eq!(bare, wrapped);
    }

    #[test]
    fn variables_are_the_templates_own() {
        let declared = [("scene".to_owned(), "day".to_owned())]
            .into_iter()
            .collect();
        assert_eq!(
            variables(Some(&json!({"scene": "night"})), &declared).unwrap()["scene"],
            "night"
        );
        for wrong in [json!({"mood": "y"}), json!({"scene": 1}), json!("scene=y")] {
            let refusal = variables(Some(&wrong), &declared).unwrap_err();
            assert_eq!(
                (refusal.code.as_str(), refusal.path),
                ("prompt_template_invalid", None)
            );
        }
    }
}
