//! The page.

fn main() {
    leptos::mount::mount_to_body(galley_web::view::App);
    if let Ok(event) = web_sys::Event::new("galley:started") {
        // Nobody cancels this event, so its answer says nothing.
        let _ = leptos::prelude::window().dispatch_event(&event);
    }
}
