//! A text, saved as a file by the browser.

use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Hands a JSON text to the browser as a download of this name.
pub fn save(name: &str, text: &str) {
    let parts = js_sys::Array::of1(&text.into());
    let kind = BlobPropertyBag::new();
    kind.set_type("application/json");
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind);
    let Ok(address) = blob.and_then(|blob| Url::create_object_url_with_blob(&blob)) else {
        return;
    };
    let anchor = leptos::prelude::document().create_element("a");
    if let Some(anchor) = anchor
        .ok()
        .and_then(|anchor| anchor.dyn_into::<HtmlAnchorElement>().ok())
    {
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    // The download has its own hold of the bytes by now; an address that is gone already is no harm.
    let _ = Url::revoke_object_url(&address);
}
