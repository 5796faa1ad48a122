//! What takes the room once the passes have been over it: by role, and the largest messages.

use leptos::prelude::*;

use super::super::TurnLink;
use crate::panel::Panel;
use crate::words::{n, percent};

/// The table of sizes.
#[component]
pub fn Room() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fit = panel.fitting.fit;
    let all = move || fit.with(|fit| fit.as_ref().map_or(0, |fit| fit.tokens_after));
    let share = move |tokens: u64| {
        let width = format!(
            "--g:0px;--u:{:.2}%;--c:var(--fill)",
            tokens as f64 / all().max(1) as f64 * 100.0
        );
        view! {
            <td class="n">{n(tokens)}</td><td class="n q">{percent(tokens, all())}</td>
            <td class="mt"><i class="meter" style=width></i></td>
        }
    };
    view! {
        <div class="sec" data-hook="room">
            <div class="head"><h2>"What takes the room"</h2><span class="s q">"after the last pass"</span></div>
            <table class="t shares">
                <thead><tr><th scope="col">"what"</th><th class="n" scope="col">"tokens"</th><th class="n" scope="col">"share"</th><th class="mt" scope="col"></th></tr></thead>
                <tbody>{move || fit.get().map(|fit| fit.shares.iter().map(|(word, tokens)| view! {
                    <tr class:dim=*tokens == 0 data-share=word.clone()><th scope="row">{word.clone()}</th>{share(*tokens)}</tr>
                }).collect_view())}</tbody>
                <tfoot><tr><th scope="row">"in all"</th><td class="n">{move || n(all())}</td><td></td><td class="mt"></td></tr></tfoot>
            </table>
            <table class="t shares">
                <thead><tr><th scope="col">"the largest messages"</th><th class="n" scope="col">"tokens"</th><th class="n" scope="col">"share"</th><th class="mt" scope="col"></th></tr></thead>
                <tbody>{move || fit.get().map(|fit| fit.largest.iter().map(|one| view! {
                    <tr><th scope="row"><span class="qq">{format!("message {} ", one.message)}</span>{one.role.clone()}{one.function_id.clone().map(|name| view! { " "<code>{name}</code> })}" "<TurnLink row=one.row/></th>{share(one.tokens)}</tr>
                }).collect_view())}</tbody>
            </table>
        </div>
    }
}
