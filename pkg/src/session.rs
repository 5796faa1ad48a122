//! One open conversation, as JavaScript holds it.

use galley_core::assembly::request::ModelChoice;
use galley_core::doors::{Opened, SealAs};
use galley_core::json::typed;
use galley_core::refusal::Warning;
use wasm_bindgen::prelude::*;

use crate::cross;
use crate::host::{self, thrown};

/// An open conversation: what is asked of it, what is sent from it, and the answers that come back.
#[wasm_bindgen]
pub struct Session {
    inner: galley_core::session::Session,
    /// How many of the host's encodings it has been given.
    encodings: usize,
}

/// Opens a file that holds one conversation: a native file, or an export of another tool. Throws a
/// `Refusal` when nothing in it can be read, and `several_conversations` when it holds more than one.
#[wasm_bindgen(js_name = openConversation)]
pub fn open_conversation(
    #[wasm_bindgen(unchecked_param_type = "string | Uint8Array | ArrayBuffer")] source: JsValue,
) -> Result<Session, JsValue> {
    let bytes = cross::bytes(&source).map_err(thrown)?;
    let inner = galley_core::session::Session::open(&bytes).map_err(thrown)?;
    Ok(Session {
        inner,
        encodings: 0,
    })
}

/// A conversation that the importer opened: its native file, what it was, and what was noticed.
#[wasm_bindgen(js_name = openPicked, skip_typescript)]
pub fn open_picked(file: &str, format: JsValue, warnings: JsValue) -> Result<Session, JsValue> {
    let (conversation, mended) =
        galley_core::conversation::read(file.as_bytes()).map_err(thrown)?;
    let given = |value: &JsValue| cross::value(value).map_err(thrown);
    let misfit = |misfit: galley_core::json::Misfit| thrown(misfit.refusal("parameter_invalid"));
    let format = typed(&given(&format)?).map_err(misfit)?;
    let mut warnings: Vec<Warning> = typed(&given(&warnings)?).map_err(misfit)?;
    warnings.extend(mended);
    let inner = galley_core::session::Session::new(Opened {
        format,
        conversation,
        warnings,
    });
    Ok(Session {
        inner,
        encodings: 0,
    })
}

#[wasm_bindgen]
impl Session {
    /// Sizes a request; with `render: true` shows what the send would seal. Writes nothing.
    #[wasm_bindgen(unchecked_return_type = "Estimate & Partial<Preview>")]
    pub fn estimate(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "EstimateRequest")] request: JsValue,
    ) -> Result<JsValue, JsValue> {
        let request = cross::value(&request).map_err(thrown)?;
        self.take_encodings();
        let answer = self.inner.estimate(&request).map_err(thrown)?;
        Ok(cross::out(&answer))
    }

    /// Counts a request that was sent, for comparing with what its provider counted: the one that a round of a
    /// reply answered, or the reply's newest. Without `model` it is counted for the one that answered. Throws
    /// `not_found` for a reply or a round that is not there.
    #[wasm_bindgen(unchecked_return_type = "Recount")]
    pub fn recount(
        &mut self,
        turn: &str,
        round: Option<String>,
        #[wasm_bindgen(unchecked_optional_param_type = "string | ModelRow")] model: Option<JsValue>,
    ) -> Result<JsValue, JsValue> {
        let model = match model {
            Some(given) => {
                let given = cross::value(&given).map_err(thrown)?;
                Some(
                    typed::<ModelChoice>(&given)
                        .map_err(|misfit| thrown(misfit.refusal("parameter_invalid")))?,
                )
            }
            None => None,
        };
        self.take_encodings();
        let counted = self.inner.recount(turn, round.as_deref(), model);
        Ok(cross::out(&counted.map_err(thrown)?))
    }

    /// Writes what the send carries and appends its turn, running.
    #[wasm_bindgen(unchecked_return_type = "Sealed")]
    pub fn seal(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "EstimateRequest")] request: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SealAs", js_name = sealAs)] seal_as: Option<
            JsValue,
        >,
    ) -> Result<JsValue, JsValue> {
        let request = cross::value(&request).map_err(thrown)?;
        let seal_as = match seal_as {
            Some(given) => {
                let given = cross::value(&given).map_err(thrown)?;
                typed::<SealAs>(&given)
                    .map_err(|misfit| thrown(misfit.refusal("parameter_invalid")))?
            }
            None => SealAs::default(),
        };
        self.take_encodings();
        let sealed = self.inner.seal(&request, seal_as).map_err(thrown)?;
        Ok(cross::out(&sealed))
    }

    /// Puts an answer onto the turn that waits for it. Throws `not_found`, and `variant_settled` when it
    /// has one.
    #[wasm_bindgen(unchecked_return_type = "Turn")]
    pub fn settle(
        &mut self,
        id: &str,
        #[wasm_bindgen(unchecked_param_type = "Answer")] answer: JsValue,
    ) -> Result<JsValue, JsValue> {
        let answer = cross::value(&answer).map_err(thrown)?;
        let turn = self.inner.settle(id, &answer).map_err(thrown)?;
        Ok(cross::out(turn))
    }

    /// Appends a turn that no send wrote.
    #[wasm_bindgen(unchecked_return_type = "Turn")]
    pub fn append(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Turn")] turn: JsValue,
    ) -> Result<JsValue, JsValue> {
        let turn = cross::value(&turn).map_err(thrown)?;
        let turn = self.inner.append(&turn).map_err(thrown)?;
        Ok(cross::out(turn))
    }

    /// The native file: fields the engine does not know are in it as they came.
    #[wasm_bindgen(js_name = toJSON, unchecked_return_type = "Conversation")]
    pub fn to_json(&self) -> JsValue {
        cross::out(self.inner.conversation())
    }

    /// What could not be read, or was mended, by position.
    #[wasm_bindgen(getter, unchecked_return_type = "Warning[]")]
    pub fn warnings(&self) -> JsValue {
        cross::out(self.inner.warnings())
    }

    /// Last words of the file that nobody has answered.
    #[wasm_bindgen(getter, unchecked_return_type = "Seed | undefined")]
    pub fn pending(&self) -> JsValue {
        self.inner.pending().map_or(JsValue::UNDEFINED, cross::out)
    }

    fn take_encodings(&mut self) {
        for encoding in host::encodings_from(self.encodings) {
            self.inner.load_encoding(encoding);
            self.encodings += 1;
        }
    }
}
