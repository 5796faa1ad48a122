//! Request bodies of callers: read for the context manager, brought into what it answered, written from a transcript.

use galley_core::json::{self, typed};
use galley_core::refusal::Refusal;
use galley_core::role::Role;
use galley_core::transcript::{Imported, SystemPiece};
use galley_core::wire::Shape;
use galley_core::wire::adapt;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::{read, thrown};

/// A body of one shape.
#[wasm_bindgen]
pub struct Body(adapt::Body);

#[wasm_bindgen]
impl Body {
    /// Reads a body, JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(shape: &str, body: &str) -> Result<Self, JsValue> {
        let body = json::read(body.as_bytes(), "parameter_invalid").map_err(thrown)?;
        let body = adapt::Body::read(named(shape)?, body.value);
        body.map(Self).map_err(thrown)
    }

    /// The whole transcript, JSON, with the system text as one.
    pub fn transcript(self) -> String {
        let transcript = self.0.transcript();
        let system_prompt = adapt::joined(&transcript.system);
        let mut transcript = json!(transcript);
        if let (Some(members), Some(text)) = (transcript.as_object_mut(), system_prompt) {
            members.insert("system_prompt".to_owned(), json!(text));
        }
        transcript.to_string()
    }

    /// What is to be fitted, JSON, once what the provider would refuse is out, and the summary that is handed on by
    /// itself.
    pub fn request(&mut self, summary: Option<String>) -> String {
        self.0.mend();
        if let Some(summary) = summary {
            self.0.without_summary(&summary);
        }
        json!(self.0.request()).to_string()
    }

    /// What is to do to the body that was fitted, JSON.
    pub fn fit(mut self, fitted: &str) -> Result<String, JsValue> {
        self.0.fit(&read(fitted)?);
        Ok(json!(self.0.finish()).to_string())
    }
}

/// Writes a transcript as a body: `{ body, warnings }`, JSON.
#[wasm_bindgen(js_name = writeBody)]
pub fn write_body(shape: &str, transcript: &str) -> Result<String, JsValue> {
    let shape = named(shape)?;
    let value: Value = read(transcript)?;
    let mut transcript: Imported =
        typed(&value).map_err(|misfit| thrown(misfit.refusal("parameter_invalid")))?;
    let system_prompt = value.get("system_prompt").and_then(Value::as_str);
    // The one text is what a context manager answers; it wins over the pieces it was once made of.
    if let Some(text) =
        system_prompt.filter(|text| adapt::joined(&transcript.system).as_deref() != Some(*text))
    {
        let (role, text) = (Role::System, text.to_owned());
        transcript.system = vec![SystemPiece { role, text }];
    }
    // A transcript is of the shape that it is written for, unless it says of which it is.
    transcript
        .api_format
        .get_or_insert_with(|| shape.api_format().to_owned());
    let (body, warnings) = shape.write(&transcript);
    Ok(json!({"body": body, "warnings": warnings}).to_string())
}

fn named(shape: &str) -> Result<Shape, JsValue> {
    Shape::parse(shape).ok_or_else(|| {
        let message = format!("`{shape}` is no shape of a body");
        thrown(Refusal::new("parameter_invalid", message))
    })
}
