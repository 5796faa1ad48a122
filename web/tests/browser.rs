//! The page's own code against the browser it runs in: what it works out must be what the browser does.
#![cfg(target_arch = "wasm32")]

use galley_web::queue::{Lane, Queue};
use galley_web::view::App;
use galley_web::{place, share, template, windowing, words};
use leptos::mount::mount_to;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::*;
use web_sys::{Document, HtmlElement, window};

wasm_bindgen_test_configure!(run_in_browser);

fn document() -> Document {
    window().unwrap().document().unwrap()
}

fn body() -> HtmlElement {
    document().body().unwrap()
}

/// An element of the page, taken out again when it is dropped.
struct Bench(HtmlElement);

impl Bench {
    fn new(html: &str) -> Self {
        let element: HtmlElement = document().create_element("div").unwrap().unchecked_into();
        element.set_inner_html(html);
        body().append_child(&element).unwrap();
        Self(element)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// Resolves in the browser's next turn.
async fn next_turn() {
    let turn = js_sys::Promise::new(&mut |resolve, _| {
        window()
            .unwrap()
            .set_timeout_with_callback(&resolve)
            .unwrap();
    });
    JsFuture::from(turn).await.unwrap();
}

#[wasm_bindgen_test]
async fn a_burst_of_edits_asks_twice_and_ends_with_the_last() {
    let mut queue = Queue::new();
    let mut sent = Vec::new();
    for edit in 0..50 {
        sent.extend(queue.ask(Lane::Estimate, edit));
    }
    next_turn().await;
    sent.extend(queue.answered());
    sent.extend(queue.answered());
    assert_eq!(sent, [0, 49]);
    assert!(!queue.busy());
}

#[wasm_bindgen_test]
fn a_share_grants_what_javascript_computes() {
    let floor =
        js_sys::Function::new_with_args("window, share", "return Math.floor(window * share)");
    for window in [7u64, 8192, 14_336, 272_000, 1_050_000] {
        for step in 1..=200 {
            let share = f64::from(step) / 200.0;
            let expected = floor
                .call2(&JsValue::NULL, &(window as f64).into(), &share.into())
                .unwrap()
                .as_f64()
                .unwrap();
            assert_eq!(
                share::grant(window, share) as f64,
                expected,
                "{window} × {share}"
            );
        }
        let snapped = share::share_for(window, window / 2).unwrap();
        assert!(share::grant(window, snapped) >= window / 2);
    }
}

#[wasm_bindgen_test]
fn numbers_read_as_the_browser_writes_them() {
    let format = js_sys::Function::new_with_args("n", "return n.toLocaleString('en-US')");
    for number in [0u64, 12, 999, 1000, 7193, 1_048_576, 1_000_000_007] {
        let expected = format
            .call1(&JsValue::NULL, &(number as f64).into())
            .unwrap()
            .as_string()
            .unwrap();
        assert_eq!(words::n(number), expected);
    }
}

#[wasm_bindgen_test]
fn a_template_s_text_is_json_to_the_browser_too() {
    let order = serde_json::json!({
        "variables": { "scene": "a \"quiet\" day\u{2028}" },
        "blocks": [{ "type": "inline", "role": "system", "text": "Scene: {{scene}}. A long line that takes a line for each member." }, { "type": "history" }, { "type": "input" }]
    });
    let text = template::text(&order);
    let parsed = js_sys::JSON::parse(&text).unwrap();
    let again: String = js_sys::JSON::stringify(&parsed).unwrap().into();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&again).unwrap(),
        order
    );
    // The line a refusal is drawn at is the line the browser lays the text out on.
    let line = *place::lines(&text, "/blocks/0/text").start();
    let bench = Bench::new("<pre style='font: 12px/20px monospace; margin: 0'></pre>");
    let pre: HtmlElement = bench.0.first_element_child().unwrap().unchecked_into();
    pre.set_text_content(Some(
        &text
            .lines()
            .take(line)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    ));
    assert!((pre.get_bounding_client_rect().height() - 20.0 * line as f64).abs() < 1.0);
    assert!(text.lines().nth(line).unwrap().contains("Scene: {{scene}}"));
}

#[wasm_bindgen_test]
fn the_window_over_a_list_covers_what_the_browser_shows() {
    let rows: String = (0..400)
        .map(|row| format!("<div style='height:{}px'>{row}</div>", 20 + row % 7 * 11))
        .collect();
    let bench = Bench::new(&format!(
        "<div style='height:300px;overflow:auto'><div>{rows}</div></div>"
    ));
    let boxed: HtmlElement = bench.0.first_element_child().unwrap().unchecked_into();
    let list = boxed.first_element_child().unwrap();
    let mut heights = windowing::Heights::guessed(vec![30.0; 400]);
    for row in 0..400 {
        let element = list.children().item(row as u32).unwrap();
        heights.measure(row, element.get_bounding_client_rect().height());
    }
    for top in [0, 500, 4321, 999_999] {
        boxed.set_scroll_top(top);
        let shown = boxed.get_bounding_client_rect();
        let range = heights.between(
            f64::from(boxed.scroll_top()),
            f64::from(boxed.scroll_top()) + shown.height(),
            0.0,
        );
        for row in 0..400 {
            let place = list
                .children()
                .item(row as u32)
                .unwrap()
                .get_bounding_client_rect();
            let in_sight = place.bottom() > shown.top() && place.top() < shown.bottom();
            assert_eq!(range.contains(&row), in_sight, "row {row} at {top}");
        }
    }
}

#[wasm_bindgen_test]
async fn a_page_without_its_worker_says_so() {
    // There is no worker beside this test's page, so its script cannot load.
    let bench = Bench::new("");
    let mounted = mount_to(bench.0.clone(), App);
    let mut line = None;
    for _ in 0..2000 {
        next_turn().await;
        line = bench.0.query_selector("[data-hook=stopped]").unwrap();
        if line.is_some() {
            break;
        }
    }
    let said = line
        .expect("a line that says the worker stopped")
        .text_content()
        .unwrap();
    assert!(
        said.contains("Your text is safe") && said.contains("Start it again"),
        "{said}"
    );
    drop(mounted);
}
