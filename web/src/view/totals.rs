//! The one number, the limits it stands against, the bar, the blocks, and what would make it fit.

use leptos::prelude::*;

use super::{Pane, Stage};
use crate::panel::{Current, Panel};
use crate::protocol::{BlockRow, Plan, Recount};
use crate::share;
use crate::ways::{self, Act, Verdict};
use crate::words::{self, n, percent};

/// The totals.
#[component]
pub fn Totals() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let newest = Memo::new(move |_| {
        panel.doc.with(|doc| {
            let rail = &doc.as_ref()?.rail;
            rail.iter().rposition(|row| row.reported.is_some())
        })
    });
    view! {
        <div class="sec">
            {move || panel.plan.get().map(|plan| view! {
                <div class="slug">
                    <div><p class="big" data-hook="total">{words::about(&plan)}{n(plan.request_tokens)}<small>{words::counted(&plan)}</small></p>
                        <p class="verdict" role="status" data-hook="verdict">{verdict(&plan)}" "{parts(&plan)}</p></div>
                    {limits(&plan)}
                </div>
                {bar(&plan)}
            })}
            <Reported row=newest/>
        </div>
    }
}

/// What a provider counted of a request that was sent, beside what is counted here.
#[component]
pub fn Reported(
    /// The line of the rail that answered it.
    row: Memo<Option<usize>>,
) -> impl IntoView {
    let panel = expect_context::<Panel>();
    Effect::new(move |_| {
        let missing = |row: &usize| panel.recounts.with(|recounts| !recounts.contains_key(row));
        if let Some(row) = row.get().filter(missing)
            && panel.plan.with(Option::is_some)
        {
            panel.recount(row);
        }
    });
    move || {
        let at = row.get()?;
        let (turn, theirs) = panel.doc.with(|doc| {
            let row = doc.as_ref()?.rail.get(at)?;
            Some((row.position + 1, row.reported?))
        })?;
        let ours = panel.recounts.with(|recounts| recounts.get(&at).copied());
        let about = panel
            .plan
            .with(|plan| plan.as_ref().map(|plan| words::about(plan)));
        let ours = match ours {
            None => "counting".to_owned(),
            Some(None) => "we cannot lay that request again".to_owned(),
            Some(Some(Recount {
                tokens: ours,
                sealed,
            })) => {
                let (by, word) = (
                    ours.abs_diff(theirs),
                    if ours < theirs { "less" } else { "more" },
                );
                let by = if by == 0 {
                    "the same".to_owned()
                } else {
                    format!("{} {word}", percent(by, theirs))
                };
                let about = about.unwrap_or_default();
                // Told only where it can be the reason.
                let partly = if sealed || ours >= theirs {
                    ""
                } else {
                    " in what the file has of it"
                };
                format!("we count {about}{}{partly}, {by}", n(ours))
            }
        };
        Some(view! {
            <p class="note" data-hook="reported">{format!("Request of turn {turn}: ")}<b>{format!("provider counted {}", n(theirs))}</b>{format!(" · {ours}")}</p>
        })
    }
}

fn verdict(plan: &Plan) -> AnyView {
    let (bad, word) = match ways::verdict(plan) {
        Verdict::Fits(_) => (false, "Fits.".to_owned()),
        Verdict::PastAdvisory(over) => (false, format!("Past the advisory limit by {}.", n(over))),
        Verdict::Short(short) => (
            true,
            format!("Does not fit: required blocks are short by {}.", n(short)),
        ),
        Verdict::TooLong(over) => (true, format!("Will not go: {} too many.", n(over))),
        Verdict::TooLarge(bytes) => (
            true,
            format!("Will not go: {} bytes too many to seal.", n(bytes)),
        ),
        Verdict::NotStorable => (
            true,
            "Will not go: a text holds U+0000 and cannot be stored.".to_owned(),
        ),
    };
    view! { <b class:red=bad>{word}</b> }.into_any()
}

/// A total is followed by its parts, so that it can be checked.
fn parts(plan: &Plan) -> String {
    let blocks: u64 = plan.blocks.iter().map(|block| block.tokens).sum();
    let mut parts = format!("{} blocks", n(blocks));
    if plan.tools_tokens > 0 {
        parts.push_str(&format!(" + {} tools", n(plan.tools_tokens)));
    }
    match i128::from(plan.request_tokens) - i128::from(blocks) - i128::from(plan.tools_tokens) {
        0 => {}
        rest if rest > 0 => parts.push_str(&format!(" + {} joins and framing", n(rest as u64))),
        rest => parts.push_str(&format!(
            " − {} where joined texts round once",
            n(rest.unsigned_abs() as u64)
        )),
    }
    parts
}

fn limits(plan: &Plan) -> AnyView {
    let row = |word: &'static str, limit: Option<u64>| {
        limit.map(|limit| {
            let left = match limit.checked_sub(plan.request_tokens) {
                Some(left) => view! { <td class="n">{n(left)}" left"</td> }.into_any(),
                None => view! { <td class="n red">{n(plan.request_tokens - limit)}" over"</td> }.into_any(),
            };
            view! { <tr data-limit=word><th scope="row">{word}</th><td class="n">{n(limit)}</td><td class="n q">{percent(plan.request_tokens, limit)}</td>{left}</tr> }
        })
    };
    if share::planning_window(plan).is_none() {
        return view! { <p class="limits q">"Limits unknown: nothing is sized."</p> }.into_any();
    }
    view! {
        <table class="limits"><caption class="sr">"Against the limits"</caption>
            <tbody>{row("advisory", plan.advisory_input_token_limit)} {row("hard", plan.catalog_input_token_limit)}</tbody>
        </table>
    }
    .into_any()
}

/// The bar: floors, history, what history was granted and did not use, what is free, the answer's room.
fn bar(plan: &Plan) -> Option<AnyView> {
    let window = plan
        .catalog_input_token_limit
        .or(plan.advisory_input_token_limit)?;
    let history: u64 = plan
        .blocks
        .iter()
        .filter(|block| block.kind == "history")
        .map(|block| block.tokens)
        .sum();
    let granted: u64 = plan
        .blocks
        .iter()
        .filter(|block| block.kind == "history")
        .filter_map(|block| block.allocated_tokens)
        .sum();
    let floors = plan.request_tokens.saturating_sub(history);
    let usable = plan
        .advisory_input_token_limit
        .or(plan.pool.map(|pool| pool + plan.tools_tokens))
        .unwrap_or(window)
        .min(window);
    let used = plan.request_tokens;
    let unspent = granted
        .saturating_sub(history)
        .min(usable.saturating_sub(used));
    let free = usable.saturating_sub(used + unspent);
    let over = used.saturating_sub(window);
    let room = window.saturating_sub(usable.max(used));
    let scale = window.max(used).max(1);
    let width = |tokens: u64| format!("--w:{:.3}%", tokens as f64 / scale as f64 * 100.0);
    let shown_history = history.min(used.saturating_sub(over));
    let shown_floors = used.saturating_sub(over).saturating_sub(shown_history);
    let spans = [
        ("floors", shown_floors),
        ("history", shown_history),
        ("over", over),
        ("unspent", unspent),
        ("free", free),
        ("room", room),
    ];
    let at = |limit: u64| format!("--at:{:.3}%", limit as f64 / scale as f64 * 100.0);
    let name = format!(
        "Of {} tokens: floors {}, history {} of a grant of {}, free {}, answer room {}{}.",
        n(window),
        n(floors),
        n(history),
        n(granted),
        n(free),
        n(room),
        if over > 0 {
            format!(", {} over", n(over))
        } else {
            String::new()
        }
    );
    let keys: [(&str, &str, u64); 6] = [
        ("floors", "floors", floors),
        ("selected", "history", history),
        ("unspent", "granted, unspent", unspent),
        ("free", "free", free),
        ("room", "answer room", room),
        ("over", "over", over),
    ];
    let advisory = plan
        .advisory_input_token_limit
        .filter(|limit| *limit < window);
    Some(
        view! {
            <figure class="budget" role="img" aria-label=name>
                <div class="track">{spans.into_iter().filter(|(_, tokens)| *tokens > 0).map(|(class, tokens)| view! { <span class=class style=width(tokens)></span> }).collect_view()}</div>
                {advisory.map(|limit| view! { <span class="tick" style=at(limit)><span>"advisory "<b>{n(limit)}</b></span></span> })}
                <span class="tick" class:past={over > 0} style=at(window)><span>"hard "<b>{n(window)}</b></span></span>
            </figure>
            <dl class="key">{keys.into_iter().filter(|(class, _, tokens)| *tokens > 0 || *class == "selected").map(|(class, word, tokens)| view! {
                <div><dt><i class=format!("m {class}")></i>{word}</dt><dd>{n(tokens)}</dd></div>
            }).collect_view()}</dl>
        }
        .into_any(),
    )
}

/// What would make it fit, cheapest first.
#[component]
pub fn Ways() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let all = Memo::new(move |_| {
        let (Some(plan), Some(doc)) = (panel.plan.get(), panel.doc.get()) else {
            return Vec::new();
        };
        ways::ways(&plan, &doc.models, panel.form.with(|form| form.share))
    });
    let act = move |act: Act| match act {
        Act::Share(share) => panel.edit("history share", |form| form.share = Some(share)),
        Act::Model(model) => panel.edit("model", |form| form.model = model),
        Act::Block(index) => {
            let kind = panel.plan.with_untracked(|plan| {
                plan.as_ref()
                    .and_then(|plan| plan.blocks.get(index))
                    .map(|block| block.kind.clone())
            });
            stage.pane.set(Pane::Request);
            match kind.as_deref() {
                Some("input") => super::keys::focus("prompt"),
                _ => {
                    stage.as_json.set(false);
                    stage.reveal_block.set(Some(index));
                }
            }
        }
        Act::None => {}
    };
    move || {
        let all = all.get();
        (!all.is_empty()).then(|| view! {
            <div class="sec" data-hook="ways">
                <div class="head"><h2>"What would make it fit"</h2><span class="s q">"cheapest first, each enough by itself"</span></div>
                <ul class="ways">{all.into_iter().map(|way| {
                    let word = match way.act { Act::Share(_) => Some("Set it"), Act::Model(_) => Some("Take it"), Act::Block(_) => Some("Go to it"), Act::None => None };
                    let todo = way.act.clone();
                    view! { <li><span class="w1">{way.what}</span><span class="w2">{way.why}</span>{word.map(|word| view! { <button type="button" class="link" on:click=move |_| act(todo.clone())>{word}</button> })}</li> }
                }).collect_view()}</ul>
            </div>
        })
    }
}

/// One row per block of the template, one for the tool definitions.
#[component]
pub fn Blocks() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let count = Memo::new(move |_| {
        panel
            .plan
            .with(|plan| plan.as_ref().map_or(0, |plan| plan.blocks.len()))
    });
    let largest = Memo::new(move |_| {
        panel.plan.with(|plan| {
            plan.as_ref().map_or(1, |plan| {
                plan.blocks
                    .iter()
                    .map(|block| block.allocated_tokens.unwrap_or(0).max(block.tokens))
                    .max()
                    .unwrap_or(1)
                    .max(1)
            })
        })
    });
    let aside = move || {
        panel.plan.with(|plan| {
            plan.as_ref().map(|plan| {
                let mut words = vec![plan.mechanism.clone()];
                if plan.memory.included + plan.memory.omitted > 0 {
                    words.push(format!(
                        "memory {} in, {} left out",
                        plan.memory.included, plan.memory.omitted
                    ));
                }
                if !plan.slots.is_empty() {
                    words.push(format!(
                        "slots {}",
                        plan.slots
                            .iter()
                            .map(|(slot, version)| format!("{slot} v{version}"))
                            .collect::<Vec<_>>()
                            .join(", ")
                    ));
                }
                words.join(" · ")
            })
        })
    };
    let sums = Memo::new(move |_| {
        panel.plan.with(|plan| {
            plan.as_ref()
                .map(|plan| {
                    let grants: Option<u64> = plan
                        .blocks
                        .iter()
                        .map(|block| block.allocated_tokens)
                        .collect::<Option<Vec<_>>>()
                        .map(|all| all.iter().sum());
                    (
                        plan.blocks.iter().map(|block| block.tokens).sum::<u64>(),
                        grants,
                        plan.tools_tokens,
                    )
                })
                .unwrap_or_default()
        })
    });
    view! {
        <div class="sec">
            <div class="head"><h2>"Blocks"</h2><span class="s q">"in template order"</span><span class="s q">{aside}</span></div>
            <table class="t blocks" data-hook="blocks">
                <thead><tr><th class="i" scope="col">"#"</th><th scope="col">"block"</th><th scope="col">"role"</th><th scope="col">"state"</th>
                    <th class="n" scope="col">"tokens"</th><th class="n" scope="col">"grant"</th><th scope="col" class="mt">"grant, and its fill"</th></tr></thead>
                <tbody>
                    <For each=move || 0..count.get() key=|index| *index let:index><Row index largest/></For>
                    <tr class:dim=move || sums.get().2 == 0 data-block="tools"><td class="i"></td><th scope="row">"tools"</th><td class="q">"–"</td>
                        <td class="state">{move || if sums.get().2 == 0 { view! { <i class="m empty"></i>"none declared" }.into_any() } else { view! { <i class="m floors"></i>"declared" }.into_any() }}</td>
                        <td class="n">{move || n(sums.get().2)}</td><td class="n qq">"none"</td><td class="mt"></td></tr>
                </tbody>
                <tfoot><tr><td class="i"></td><th scope="row">"in all"</th><td></td><td></td><td class="n">{move || n(sums.get().0 + sums.get().2)}</td><td class="n">{move || sums.get().1.map(n)}</td><td class="mt"></td></tr></tfoot>
            </table>
        </div>
    }
}

#[component]
fn Row(index: usize, largest: Memo<u64>) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let row = Memo::new(move |_| {
        panel.plan.with(|plan| {
            plan.as_ref()
                .and_then(|plan| plan.blocks.get(index).cloned())
                .unwrap_or_default()
        })
    });
    let short = Memo::new(move |_| {
        panel
            .plan
            .with(|plan| plan.as_ref().map_or(0, |plan| ways::shortfall(plan)))
    });
    let meter = move || {
        let (row, largest) = (row.get(), largest.get() as f64);
        let width = |tokens: u64| {
            if tokens == 0 {
                "0px".to_owned()
            } else {
                format!("max(1px, {:.2}%)", tokens as f64 / largest * 100.0)
            }
        };
        let fill = if row.kind == "history" {
            ";--c:var(--fill)"
        } else {
            ""
        };
        format!(
            "--g:{};--u:{}{fill}",
            width(row.allocated_tokens.unwrap_or(0)),
            width(row.tokens)
        )
    };
    let state = move || {
        let row = row.get();
        let note = match row.state.as_str() {
            "floor_unmet" => Some(format!(
                "short by {}",
                n(short.get().min(row.tokens).max(1))
            )),
            "carried" => Some("laid once already".to_owned()),
            _ => None,
        };
        view! { <i class=format!("m {}", row.state)></i>{row.state.clone()}{note.map(|note| view! { " "<span class="qq">{note}</span> })} }
    };
    let go = move |_| {
        panel.current.set(Some(Current::Block(index)));
        let entry = panel.plan.with_untracked(|plan| {
            plan.as_ref()
                .and_then(|plan| first_entry(plan, &row.get_untracked()))
        });
        stage.reveal_entry.set(entry);
    };
    view! {
        <tr data-block=move || row.get().block class:hist=move || row.get().kind == "history" class:dim=move || row.get().state == "empty"
            aria-current=move || (panel.current.get() == Some(Current::Block(index))).then_some("true")>
            <td class="i">{move || row.get().index}</td>
            <th scope="row"><button type="button" class="bare" on:click=go>{move || row.get().block}</button></th>
            <td class="q">{move || row.get().role.unwrap_or_else(|| "–".to_owned())}</td>
            <td class=move || format!("state {}", row.get().state)>{state}</td>
            <td class="n">{move || n(row.get().tokens)}</td>
            <td class="n">{move || row.get().allocated_tokens.map_or("none".to_owned(), n)}</td>
            <td class="mt">{move || (row.get().allocated_tokens.is_some() && row.get().state != "empty").then(|| view! { <i class="meter" style=meter></i> })}</td>
        </tr>
    }
}

/// The first entry that holds a part of a block.
fn first_entry(plan: &Plan, row: &BlockRow) -> Option<usize> {
    plan.entries.iter().position(|entry| {
        entry
            .segments
            .iter()
            .any(|segment| segment.block == row.block)
    })
}
