//! Conversations and requests for the properties: small, odd, and rich enough to reach every state.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A conversation with the request to make of it, and the walls to make it against.
#[derive(Clone, Debug)]
pub struct Case {
    /// The native file.
    pub conversation: Value,
    /// The request.
    pub request: Value,
    /// Turns of the candidate window.
    pub window: usize,
    /// The seal's bound, bytes.
    pub bytes: u64,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,6}( [a-z]{1,6}){0,6}",
        2 => "[a-z]{1,20}".prop_map(|word| word.repeat(8)),
        1 => Just(String::new()),
        1 => "[ \n\t]{1,3}",
        1 => "[\u{0}-\u{7f}]{1,8}",
        1 => "\\PC{1,8}",
    ]
}

fn role() -> impl Strategy<Value = &'static str> {
    prop_oneof![5 => Just("user"), 4 => Just("assistant"), 1 => Just("developer"), 1 => Just("system")]
}

fn uploads() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![
        8 => Just(vec![]),
        1 => prop::collection::vec(prop::sample::select(vec!["pic", "doc", "log"]), 1..3),
    ]
}

/// `{key: value}` when there is a value.
fn maybe(object: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value);
    }
}

fn result() -> impl Strategy<Value = Option<Value>> {
    let status = prop::sample::select(vec![
        "failed",
        "canceled",
        "skipped",
        "timed_out",
        "uncertain",
        "running",
    ]);
    prop_oneof![
        6 => (text(), any::<bool>(), uploads()).prop_map(|(output, is_error, uploads)| {
            Some(json!({"status": "completed", "output": output, "is_error": is_error, "uploads": uploads}))
        }),
        2 => (status, prop::option::of(text())).prop_map(|(status, detail)| {
            Some(json!({"status": status, "error_key": "unknown_tool", "error_detail": detail}))
        }),
        2 => Just(None),
    ]
}

fn round() -> impl Strategy<Value = Value> {
    (
        text(),
        prop::collection::vec(("[a-z_]{1,8}", text(), result()), 0..3),
        prop::collection::vec(text(), 0..2),
        prop::collection::vec(text(), 0..2),
        prop::option::weighted(0.1, text()),
        prop::option::weighted(0.15, prop::sample::select(vec!["r0", "r1", "elsewhere"])),
        any::<bool>(),
    )
        .prop_map(
            |(output, calls, steers, material, summary, pruned, reads_fan)| {
                let mut list = Vec::new();
                let mut results = Map::new();
                for (index, (name, arguments, result)) in calls.into_iter().enumerate() {
                    let id = format!("c{index}");
                    list.push(json!({"id": id, "name": name, "arguments": arguments}));
                    maybe(&mut results, &id, result);
                }
                let fan = summary.is_some() && reads_fan;
                let mut round = json!({"output": output, "calls": list, "results": results,
                "steers": steers, "material": material});
                if let Some(object) = round.as_object_mut() {
                    maybe(object, "arrived_summary", summary.map(Value::from));
                    maybe(object, "pruned_before", pruned.map(Value::from));
                    maybe(
                        object,
                        "compacted_fan",
                        fan.then(|| json!({"source": "r0", "calls": ["c0", "c1"]})),
                    );
                }
                round
            },
        )
}

fn preface() -> impl Strategy<Value = Vec<Value>> {
    let entry = (lead_text(), any::<bool>()).prop_map(|(text, carried)| {
        json!({"role": "developer", "parts": [{"type": "text", "text": text}], "block": "lead", "carried": carried})
    });
    prop::collection::vec(entry, 0..2)
}

/// Few of them, so that a lead is met again.
fn lead_text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["paths are relative", "be brief"]).prop_map(str::to_owned)
}

fn turn() -> impl Strategy<Value = Value> {
    let visibility =
        prop_oneof![12 => Just("visible"), 1 => Just("hidden"), 1 => Just("excluded_from_context")];
    let speaker = prop::sample::select(vec![
        "u_member",
        "u_owner",
        "u_curator",
        "u_agent",
        "u_peer",
        "sp1",
        "system",
    ]);
    let message = (role(), text(), uploads()).prop_map(|(role, text, uploads)| {
        json!({"kind": "message", "role": role, "text": text, "uploads": uploads})
    });
    let reply = (
        text(),
        uploads(),
        preface(),
        prop::option::of(text()),
        prop::option::of(prop::collection::vec(round(), 0..4)),
        prop_oneof![4 => Just("u_agent"), 1 => Just("u_peer")],
        prop::sample::select(vec!["completed", "failed", "canceled", "running"]),
    )
        .prop_map(|(prompt, uploads, preface, content, rounds, answering, status)| {
            let run = rounds.map(|mut rounds| {
                for (index, round) in rounds.iter_mut().enumerate() {
                    round["key"] = json!(format!("r{index}"));
                }
                json!({"rounds": rounds})
            });
            json!({"kind": "direct_reply", "role": "assistant", "status": status, "answering_user": answering,
                "prompt": {"text": prompt, "uploads": uploads}, "preface": preface, "content": content, "run": run})
        });
    let summary = (text(), prop::sample::select(vec!["completed", "failed", "running"])).prop_map(|(content, status)| {
        json!({"kind": "compaction_summary", "role": "user", "status": status, "content": content})
    });
    let kind = prop_oneof![6 => message.boxed(), 6 => reply.boxed(), 1 => summary.boxed()];
    (
        kind,
        visibility,
        speaker,
        prop::bool::weighted(0.05),
        prop::bool::weighted(0.05),
    )
        .prop_map(|(mut turn, visibility, speaker, deleted, elsewhere)| {
            turn["visibility"] = json!(visibility);
            turn["deleted"] = json!(deleted);
            if turn["kind"] != "compaction_summary" {
                turn["speaker"] = json!(speaker);
            }
            if elsewhere {
                turn["sender_conversation"] = json!("c_else");
            }
            turn
        })
}

fn document() -> impl Strategy<Value = Value> {
    (role(), text()).prop_map(|(role, content)| json!({"role": role, "content": content}))
}

/// A conversation laid over `tests/suite/kernel-base.json`.
pub fn conversation(turns: std::ops::Range<usize>) -> impl Strategy<Value = Value> {
    (
        prop::collection::vec(turn(), turns),
        prop::option::of(document()),
        prop::option::of(document()),
        prop::option::of(document()),
        prop::collection::vec(("[a-z]{1,3}", text()), 0..3),
        prop::bool::weighted(0.15),
        prop::collection::vec("[a-z]{1,4}", 0..2),
    )
        .prop_map(|(turns, system_prompt, character, persona, memory, side, skills)| {
            let turns: Vec<Value> = turns
                .into_iter()
                .enumerate()
                .map(|(position, mut turn)| {
                    turn["position"] = json!(position);
                    if side && position < 2 {
                        turn["conversation"] = json!("c_parent");
                    }
                    turn
                })
                .collect();
            let mut documents = Map::new();
            maybe(&mut documents, "system_prompt", system_prompt);
            maybe(&mut documents, "character", character);
            maybe(&mut documents, "persona", persona);
            let memory: Vec<Value> = memory
                .into_iter()
                .map(|(name, content)| json!({"path": format!("workspace/{name}"), "content": content}))
                .collect();
            let skills: Vec<Value> =
                skills.into_iter().map(|name| json!({"callable": "skill", "name": name, "description": name})).collect();
            json!({"side": side,
                "ancestors": if side { json!([{"depth": 1, "conversation": "c_parent", "boundary_position": 1}]) } else { json!([]) },
                "speakers": {"sp1": {"kind": "ingress", "display_name": "Visitor", "controller": "u_agent"}},
                "uploads": {
                    "pic": {"filename": "pic.png", "content_type": "image/png", "byte_size": 70},
                    "doc": {"filename": "doc.pdf", "content_type": "application/pdf", "byte_size": 1234},
                    "log": {"filename": "run.log", "content_type": "text/plain", "byte_size": 5}},
                "documents": documents, "memory": memory, "skills": skills, "turns": turns})
        })
}

fn template() -> impl Strategy<Value = Option<Value>> {
    let order = (
        prop::bool::ANY,
        prop::bool::ANY,
        prop::option::of(role()),
        prop::option::of((0..40_u64, 0..200_u64)),
        prop::option::weighted(0.2, 1..6_u64),
    )
        .prop_map(|(slots, lead_after, inline, budget, max_entries)| {
            let mut blocks = Vec::new();
            if slots {
                blocks.extend(
                    ["system_prompt", "character", "persona"]
                        .map(|slot| json!({"type": "slot", "slot": slot})),
                );
            }
            blocks.push(json!({"type": "memory"}));
            if !lead_after {
                blocks.push(json!({"type": "lead"}));
            }
            let mut history = json!({"type": "history"});
            if let Some((min, more)) = budget {
                history["budget"] = json!({"min_tokens": min, "max_tokens": min + more});
            }
            if let Some(entries) = max_entries {
                history["max_entries"] = json!(entries);
            }
            blocks.push(history);
            if lead_after {
                blocks.push(json!({"type": "lead"}));
            }
            if let Some(role) = inline.filter(|role| *role != "system") {
                blocks
                    .push(json!({"type": "inline", "role": role, "text": "{{agent}} on {{date}}"}));
            }
            blocks.extend([json!({"type": "tail"}), json!({"type": "input"})]);
            json!({"blocks": blocks})
        });
    prop_oneof![1 => Just(None), 2 => order.prop_map(Some)]
}

fn model() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(json!({"counter": null})),
        3 => (8..260_u64).prop_map(|window| json!({"input_tokens": window})),
        1 => (8..260_u64).prop_map(|window| json!({"effective_input_tokens": window, "input_tokens": 4_000})),
        1 => Just(json!({"input_tokens": 4_000, "token_cost": {"image/png": 25}, "framing": {"fixed": 3, "per_text": 4}})),
        1 => Just(json!({"combined_tokens": 2_000, "input_modalities": ["text"], "file_types": ["application/pdf"]})),
    ]
}

/// A request.
pub fn request() -> impl Strategy<Value = Value> {
    let inline = (
        prop::option::of(lead_text()),
        prop::option::weighted(0.3, text()),
        prop::option::weighted(0.2, text()),
    )
        .prop_map(|(lead, tail, over)| {
            let mut list = Vec::new();
            list.extend(
                lead.map(|text| json!({"role": "developer", "text": text, "position": "lead"})),
            );
            list.extend(tail.map(|text| json!({"role": "user", "text": text, "position": "tail"})));
            list.extend(over.map(|text| json!({"slot": "persona", "text": text, "role": "user"})));
            list
        });
    let history = prop_oneof![
        3 => Just(None),
        1 => (0..6_u64).prop_map(|entries| Some(json!({"max_entries": entries}))),
        1 => (1..=100_u32).prop_map(|share| Some(json!({"token_budget_share": f64::from(share) / 100.0}))),
    ];
    (
        (text(), uploads(), inline, history, template(), model()),
        prop_oneof![3 => Just("u_member"), 1 => Just("u_owner"), 1 => Just("u_peer")],
        prop::option::weighted(0.2, Just("@peer")),
        prop::option::of(prop::sample::select(vec!["fold", "parts"])),
        prop::bool::weighted(0.3),
    )
        .prop_map(|((prompt, attachments, inline, history, template, model), caller, to, merge, tools)| {
            let mut request = json!({"prompt": prompt, "attachments": attachments, "model": model, "caller": caller,
                "render": true});
            let windowless = request["model"] == json!({"counter": null});
            if let Some(object) = request.as_object_mut() {
                maybe(object, "inline", (!inline.is_empty()).then(|| json!(inline)));
                maybe(object, "history", history.filter(|h| !(windowless && h.get("token_budget_share").is_some())));
                maybe(object, "template", template);
                maybe(object, "to", to.map(Value::from));
                maybe(object, "merge", merge.map(Value::from));
                maybe(object, "tools", tools.then(|| json!([{"name": "skill", "description": "loads a skill"}])));
            }
            request
        })
}

/// A whole case.
pub fn case() -> impl Strategy<Value = Case> {
    (
        conversation(0..12),
        request(),
        1..10_usize,
        prop_oneof![300..3_000_u64, Just(1_048_576)],
    )
        .prop_map(|(conversation, request, window, bytes)| Case {
            conversation,
            request,
            window,
            bytes,
        })
}
