//! The request as the page edits it, and the JSON it becomes.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::fit::Settings;
use crate::protocol::{Addressee, Doc};

/// Every field of the request form. A field left alone is not sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// The words to send.
    pub prompt: String,
    /// Public id of who is asked; empty: the conversation's answerer.
    pub to: String,
    /// Model id; empty: none is named.
    pub model: String,
    /// The hard limit given by hand for a model nobody knows.
    pub window: Option<u64>,
    /// History's share of the window.
    pub share: Option<f64>,
    /// History's bound in segments.
    pub max_entries: Option<u64>,
    /// Values for declared variables.
    pub variables: BTreeMap<String, String>,
    /// Client text.
    pub inline: Vec<Inline>,
    /// Upload ids.
    pub attachments: Vec<String>,
    /// Today as `{{date}}` renders it, `YYYY-MM-DD`; empty: it renders empty.
    pub date: String,
    /// The trial template's JSON text; none: the addressee's own order.
    pub trial: Option<String>,
    /// What the context manager is told.
    pub fit: Settings,
}

/// One piece of client text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inline {
    /// `user` or `developer`.
    pub role: String,
    /// `lead` or `tail`.
    pub position: String,
    /// The text.
    pub text: String,
}

/// The addressee a form names, or the conversation's own.
pub fn addressee<'a>(form: &Form, doc: &'a Doc) -> Option<&'a Addressee> {
    let id = if form.to.is_empty() {
        &doc.answering_user
    } else {
        &form.to
    };
    doc.addressees.iter().find(|one| &one.id == id)
}

/// The template in force before any trial: the addressee's, or the default order.
pub fn declared(form: &Form, doc: &Doc) -> Value {
    match addressee(form, doc) {
        Some(one) if one.mechanism == "assembly" => one
            .template
            .clone()
            .unwrap_or_else(|| doc.default_template.clone()),
        _ => doc.default_template.clone(),
    }
}

/// The template in force: the trial when it reads, else the declared one.
pub fn template(form: &Form, doc: &Doc) -> Value {
    form.trial
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_else(|| declared(form, doc))
}

/// Names a template declares, with their defaults, in its order.
pub fn variables(template: &Value) -> Vec<(String, String)> {
    let Some(Value::Object(declared)) = template.get("variables") else {
        return Vec::new();
    };
    declared
        .iter()
        .map(|(name, default)| {
            (
                name.clone(),
                default.as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

/// The share the sample opens with, so that its bound is seen at once.
const SAMPLE_SHARE: f64 = 0.3;

/// A form for a file just opened: its answerer, its model, its unanswered words, today.
pub fn fresh(doc: &Doc, today: &str) -> Form {
    let model = doc
        .current_model
        .clone()
        .or_else(|| doc.models.first().map(|row| row.model.clone()))
        .unwrap_or_default();
    Form {
        prompt: doc.pending.clone().unwrap_or_default(),
        to: doc.answering_user.clone(),
        model,
        date: today.to_owned(),
        share: doc.sample.then_some(SAMPLE_SHARE),
        ..Form::default()
    }
}

/// The body of the estimate. The trial template is in it only when it reads as JSON.
pub fn request(form: &Form, doc: &Doc) -> Value {
    let mut body = Map::new();
    if !form.prompt.is_empty() {
        body.insert("prompt".into(), json!(form.prompt));
    }
    if !form.to.is_empty() && form.to != doc.answering_user {
        body.insert("to".into(), json!(form.to));
    }
    let listed = doc.models.iter().any(|row| row.model == form.model);
    match form.window.filter(|_| !listed) {
        Some(window) => body.insert("model".into(), json!({ "input_tokens": window })),
        None if form.model.is_empty() => {
            body.insert("model".into(), json!({ "input_tokens": null }))
        }
        None => body.insert("model".into(), json!({ "model": form.model })),
    };
    let mut history = Map::new();
    if let Some(most) = form.max_entries {
        history.insert("max_entries".into(), json!(most));
    }
    if let Some(share) = form.share {
        history.insert("token_budget_share".into(), json!(share));
    }
    if !history.is_empty() {
        body.insert("history".into(), Value::Object(history));
    }
    let in_force = template(form, doc);
    let declared = variables(&in_force);
    let given: Map<String, Value> = form
        .variables
        .iter()
        .filter(|(name, _)| declared.iter().any(|(known, _)| known == *name))
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    if !given.is_empty() {
        body.insert("variables".into(), Value::Object(given));
    }
    let inline: Vec<Value> = form
        .inline
        .iter()
        .map(|one| json!({ "role": one.role, "position": one.position, "text": one.text }))
        .collect();
    if !inline.is_empty() {
        body.insert("inline".into(), Value::Array(inline));
    }
    if !form.date.is_empty() {
        body.insert("date".into(), json!(form.date));
    }
    if !form.attachments.is_empty() {
        body.insert("attachments".into(), json!(form.attachments));
    }
    if let Some(trial) = &form.trial
        && let Ok(trial) = serde_json::from_str::<Value>(trial)
    {
        body.insert("template".into(), trial);
    }
    body.insert("render".into(), Value::Bool(true));
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Model;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn doc() -> Doc {
        Doc {
            addressees: vec![Addressee {
                id: "u_lark".into(),
                handle: "lark".into(),
                name: "Lark".into(),
                mechanism: "assembly".into(),
                template: Some(
                    json!({"variables":{"scene":""},"blocks":[{"type":"history"},{"type":"input"}]}),
                ),
            }],
            answering_user: "u_lark".into(),
            models: vec![Model {
                model: "acme/quill-2".into(),
                ..Model::default()
            }],
            default_template: json!({"blocks":[{"type":"history"},{"type":"input"}]}),
            ..Doc::default()
        }
    }

    #[test]
    fn a_fresh_form_sends_its_model_and_no_more() {
        let doc = doc();
        let form = fresh(&doc, "");
        assert_eq!(
            request(&form, &doc),
            json!({ "model": { "model": "acme/quill-2" }, "render": true })
        );
    }

    #[test]
    fn fields_are_sent_by_their_wire_names() {
        let doc = doc();
        let mut form = fresh(&doc, "");
        form.prompt = "hi".into();
        form.share = Some(0.5);
        form.max_entries = Some(20);
        form.variables.insert("scene".into(), "rain".into());
        form.variables
            .insert("gone".into(), "dropped with its declaration".into());
        form.inline.push(Inline {
            role: "developer".into(),
            position: "lead".into(),
            text: "11 °C".into(),
        });
        assert_eq!(
            request(&form, &doc),
            json!({ "prompt": "hi", "model": { "model": "acme/quill-2" },
                "history": { "max_entries": 20, "token_budget_share": 0.5 },
                "variables": { "scene": "rain" },
                "inline": [{ "role": "developer", "position": "lead", "text": "11 °C" }],
                "render": true })
        );
    }

    #[test]
    fn a_trial_that_does_not_read_is_not_sent() {
        let doc = doc();
        let mut form = fresh(&doc, "");
        form.trial = Some("{\"blocks\":[".into());
        assert_eq!(request(&form, &doc).get("template"), None);
        assert_eq!(template(&form, &doc), declared(&form, &doc));
    }

    #[test]
    fn a_model_that_is_not_listed_is_named_until_its_window_is_given() {
        let doc = doc();
        let mut form = fresh(&doc, "");
        form.model = "someone/else".into();
        assert_eq!(
            request(&form, &doc)["model"],
            json!({ "model": "someone/else" })
        );
        form.window = Some(4096);
        assert_eq!(
            request(&form, &doc)["model"],
            json!({ "input_tokens": 4096 })
        );
        form.model = "acme/quill-2".into();
        assert_eq!(
            request(&form, &doc)["model"],
            json!({ "model": "acme/quill-2" })
        );
    }
}
