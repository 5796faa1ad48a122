//! What a file may leave out, filled in; what it names and does not have, told.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::super::native::{Conversation, FORMAT, Seed, Turn, User, UserKind};
use super::super::voice::SYSTEM;
use super::names::{Names, is_name};
use crate::json::Notes;
use crate::refusal::{Warning, pointer_key};

/// The owner of what belongs to no user.
const WORKSPACE: &str = "workspace";

/// Fills in a conversation's defaults and makes its references hold, with a warning for each that did not.
/// A settled conversation stays as it is.
pub fn settle(file: &mut Conversation, notes: &mut Notes) {
    FORMAT.clone_into(&mut file.galley);
    people(file);
    names(file, notes);
    users(file, notes);
    registered(file, notes);
    turns(file, notes);
    uploads(file, notes);
}

/// One human and one agent, where there is nobody.
fn people(file: &mut Conversation) {
    if !file.users.is_empty() {
        return;
    }
    let human = User {
        kind: UserKind::Human,
        display_name: "You".to_owned(),
        ..User::default()
    };
    let agent = User {
        kind: UserKind::Agent,
        display_name: "Assistant".to_owned(),
        steward: Some("human".to_owned()),
        ..User::default()
    };
    file.users.insert("human".to_owned(), human);
    file.users.insert("agent".to_owned(), agent);
}

/// Ids that may stand in what a model reads.
fn names(file: &mut Conversation, notes: &mut Notes) {
    let known = file.users.keys().chain(file.speakers.keys()).cloned();
    let handles = file.users.values().map(|user| user.handle.clone());
    let mut voices = Names::new("u", known.chain(handles).collect::<Vec<_>>());
    renamed(&mut file.users, "/users", &mut voices, notes);
    renamed(&mut file.speakers, "/speakers", &mut voices, notes);
    for (id, user) in &mut file.users {
        let at = format!("/users/{}", pointer_key(id));
        if user.handle.is_empty() {
            user.handle.clone_from(id);
        }
        voices.settle(&mut user.handle, &format!("{at}/handle"), notes);
        if user.display_name.is_empty() {
            user.display_name.clone_from(&user.handle);
        }
        each(
            &mut user.steward,
            &format!("{at}/steward"),
            &mut voices,
            notes,
        );
    }
    for (id, speaker) in &mut file.speakers {
        let at = format!("/speakers/{}/controller", pointer_key(id));
        each(&mut speaker.controller, &at, &mut voices, notes);
    }
    for (id, at) in [
        (&mut file.creating_user, "/creating_user"),
        (&mut file.answering_user, "/answering_user"),
    ] {
        if !id.is_empty() {
            voices.settle(id, at, notes);
        }
    }
    for (index, document) in file.documents.iter_mut().enumerate() {
        each(
            &mut document.owner,
            &format!("/documents/{index}/owner"),
            &mut voices,
            notes,
        );
    }
    for (index, document) in file.memory.iter_mut().enumerate() {
        each(
            &mut document.owner,
            &format!("/memory/{index}/owner"),
            &mut voices,
            notes,
        );
    }
    for (index, binding) in file.memory_bindings.iter_mut().flatten().enumerate() {
        each(
            &mut binding.subject,
            &format!("/memory_bindings/{index}/subject"),
            &mut voices,
            notes,
        );
    }
    let mut conversations = Names::new("c", [file.id.clone()]);
    if file.id.is_empty() {
        file.id = conversations.free();
    }
    conversations.settle(&mut file.id, "/id", notes);
    for (index, ancestor) in file.ancestors.iter_mut().enumerate() {
        let at = format!("/ancestors/{index}");
        conversations.settle(
            &mut ancestor.conversation,
            &format!("{at}/conversation"),
            notes,
        );
        each(
            &mut ancestor.creating_user,
            &format!("{at}/creating_user"),
            &mut voices,
            notes,
        );
    }
    for (index, turn) in file.turns.iter_mut().enumerate() {
        let at = |member: &str| format!("/turns/{index}/{member}");
        each(&mut turn.speaker, &at("speaker"), &mut voices, notes);
        each(
            &mut turn.answering_user,
            &at("answering_user"),
            &mut voices,
            notes,
        );
        each(
            &mut turn.conversation,
            &at("conversation"),
            &mut conversations,
            notes,
        );
        each(
            &mut turn.sender_conversation,
            &at("sender_conversation"),
            &mut conversations,
            notes,
        );
    }
}

fn each(id: &mut Option<String>, at: &str, names: &mut Names, notes: &mut Notes) {
    if let Some(id) = id {
        names.settle(id, at, notes);
    }
}

/// The same map with every key a name.
fn renamed<T>(map: &mut IndexMap<String, T>, at: &str, names: &mut Names, notes: &mut Notes) {
    if map.keys().all(|id| is_name(id)) {
        return;
    }
    let settled = std::mem::take(map).into_iter().map(|(mut id, value)| {
        let at = format!("{at}/{}", pointer_key(&id));
        names.settle(&mut id, &at, notes);
        (id, value)
    });
    *map = settled.collect();
}

/// Who made the conversation, who answers it, and whom its people name.
fn users(file: &mut Conversation, notes: &mut Notes) {
    let first = |kind: UserKind| {
        let of_kind = file.users.iter().find(|(_, user)| user.kind == kind);
        of_kind
            .or(file.users.first())
            .map(|(id, _)| id.clone())
            .unwrap_or_default()
    };
    let (human, agent) = (first(UserKind::Human), first(UserKind::Agent));
    for (id, default, at) in [
        (&mut file.creating_user, human, "/creating_user"),
        (&mut file.answering_user, agent, "/answering_user"),
    ] {
        if !id.is_empty() && !file.users.contains_key(id.as_str()) {
            let message = format!("no user is called {id}; it reads as {default}");
            notes.push(Warning::new("user_unknown", message).at(at));
            id.clear();
        }
        if id.is_empty() {
            *id = default;
        }
    }
    let known: BTreeSet<String> = file.users.keys().cloned().collect();
    let creator = file.creating_user.clone();
    for (id, user) in &mut file.users {
        let at = format!("/users/{}/steward", pointer_key(id));
        known_user(&mut user.steward, &known, &creator, &at, notes);
    }
    for (id, speaker) in &mut file.speakers {
        let at = format!("/speakers/{}/controller", pointer_key(id));
        known_user(&mut speaker.controller, &known, &creator, &at, notes);
        if speaker.display_name.is_empty() {
            speaker.display_name.clone_from(id);
        }
    }
}

/// An unknown user reads as the creating one.
fn known_user(
    id: &mut Option<String>,
    known: &BTreeSet<String>,
    creator: &str,
    at: &str,
    notes: &mut Notes,
) {
    let Some(id) = id.as_mut().filter(|id| !known.contains(id.as_str())) else {
        return;
    };
    let message =
        format!("no user is called {id}; it reads as {creator}, who made the conversation");
    notes.push(Warning::new("user_unknown", message).at(at));
    creator.clone_into(id);
}

/// Documents, memory and model rows.
fn registered(file: &mut Conversation, notes: &mut Notes) {
    let mut owners: BTreeSet<String> = file.users.keys().cloned().collect();
    owners.insert(WORKSPACE.to_owned());
    for (index, document) in file.documents.iter_mut().enumerate() {
        let at = format!("/documents/{index}");
        let owner = match document.slot.as_str() {
            "system_prompt" | "summarizer" => &file.answering_user,
            "persona" => &file.creating_user,
            "character" => WORKSPACE,
            other => {
                let message =
                    format!("no slot is called {other:?}; the document is placed nowhere");
                notes.push(Warning::new("slot_unknown", message).at(format!("{at}/slot")));
                continue;
            }
        };
        if document.owner.is_none() {
            document.owner = Some(owner.to_owned());
        }
        known_user(
            &mut document.owner,
            &owners,
            &file.creating_user,
            &format!("{at}/owner"),
            notes,
        );
    }
    owners.extend(file.speakers.keys().cloned());
    for (index, document) in file.memory.iter_mut().enumerate() {
        let root = document.path.split('/').next().unwrap_or_default();
        if !matches!(root, "conversation" | "workspace" | "user" | "speaker") {
            let message = format!("no memory root is called {root:?}; the document is in no block");
            let at = format!("/memory/{index}/path");
            notes.push(Warning::new("memory_root_unknown", message).at(at));
        }
        let at = format!("/memory/{index}/owner");
        known_user(
            &mut document.owner,
            &owners,
            &file.creating_user,
            &at,
            notes,
        );
    }
    for (index, row) in file.models.iter().enumerate() {
        if row.model.is_none() {
            let message =
                "a model row of the file needs `model`, its id; this one can be named by nobody";
            notes.push(Warning::new("model_nameless", message).at(format!("/models/{index}")));
        }
    }
}

/// Ids, positions and roles of turns, and who speaks in them.
fn turns(file: &mut Conversation, notes: &mut Notes) {
    let users: BTreeSet<String> = file.users.keys().cloned().collect();
    let mut voices: BTreeSet<String> = file.speakers.keys().cloned().collect();
    voices.extend(users.iter().cloned());
    voices.insert(SYSTEM.to_owned());
    let given: BTreeSet<String> = file.turns.iter().map(|turn| turn.id.clone()).collect();
    let mut ids = BTreeSet::new();
    let mut position = -1_i64;
    for (index, turn) in file.turns.iter_mut().enumerate() {
        let at = |member: &str| format!("/turns/{index}/{member}");
        position = turn.position.unwrap_or(position.saturating_add(1));
        turn.position = Some(position);
        turn.role = Some(turn.role());
        let creator = &file.creating_user;
        known_user(&mut turn.speaker, &voices, creator, &at("speaker"), notes);
        known_user(
            &mut turn.answering_user,
            &users,
            creator,
            &at("answering_user"),
            notes,
        );
        let wanted = match is_name(&turn.id) {
            true => turn.id.clone(),
            false => format!("t{position}"),
        };
        let repeated = ids.contains(&wanted) || wanted != turn.id && given.contains(&wanted);
        let id = match repeated {
            true => (2..)
                .map(|n: u64| format!("{wanted}.{n}"))
                .find(|id| !ids.contains(id) && !given.contains(id)),
            false => Some(wanted),
        };
        let id = id.unwrap_or_default();
        if !turn.id.is_empty() && turn.id != id {
            let message = format!(
                "{:?} is no id, or another turn's; it reads as {id}",
                turn.id
            );
            notes.push(Warning::new("turn_id_replaced", message).at(at("id")));
        }
        ids.insert(id.clone());
        turn.id = id;
        variants(turn, index, notes);
    }
}

fn variants(turn: &mut Turn, index: usize, notes: &mut Notes) {
    let mut ids = BTreeSet::new();
    for (number, variant) in turn.variants.iter_mut().enumerate() {
        if variant.id.is_empty() {
            variant.id = format!("v{}", number + 1);
        }
        if !ids.insert(variant.id.clone()) {
            let message = format!(
                "two candidates are called {}; the first of them counts",
                variant.id
            );
            let at = format!("/turns/{index}/variants/{number}/id");
            notes.push(Warning::new("variant_id_repeated", message).at(at));
        }
    }
    let active = turn.active_variant.as_ref();
    if let Some(id) = active.filter(|id| !turn.variants.is_empty() && !ids.contains(*id)) {
        let message = format!("no candidate is called {id}; the last one counts");
        let at = format!("/turns/{index}/active_variant");
        notes.push(Warning::new("variant_unknown", message).at(at));
    }
}

/// Keys of rounds; uploads that are named and not there.
fn uploads(file: &mut Conversation, notes: &mut Notes) {
    let mut names = Names::new("up", file.uploads.keys().cloned());
    renamed(&mut file.uploads, "/uploads", &mut names, notes);
    let known: BTreeSet<String> = file.uploads.keys().cloned().collect();
    let mut check = |id: &mut String, at: String| {
        names.settle(id, &at, notes);
        if !known.contains(id.as_str()) {
            let message = format!("no upload is called {id}; nothing is known of it");
            notes.push(Warning::new("upload_unknown", message).at(at));
        }
    };
    let mut list = |ids: &mut Vec<String>, at: &str| {
        for (index, id) in ids.iter_mut().enumerate() {
            check(id, format!("{at}/{index}"));
        }
    };
    let mut seed = |seed: &mut Option<Seed>, at: &str| {
        if let Some(seed) = seed {
            list(&mut seed.uploads, &format!("{at}/uploads"));
        }
    };
    seed(&mut file.pending, "/pending");
    for (index, turn) in file.turns.iter_mut().enumerate() {
        let at = format!("/turns/{index}");
        seed(&mut turn.prompt, &format!("{at}/prompt"));
        for (number, variant) in turn.variants.iter_mut().enumerate() {
            seed(
                &mut variant.prompt,
                &format!("{at}/variants/{number}/prompt"),
            );
        }
    }
    for (index, turn) in file.turns.iter_mut().enumerate() {
        let at = format!("/turns/{index}");
        list(&mut turn.uploads, &format!("{at}/uploads"));
        let own = turn
            .body
            .run
            .iter_mut()
            .map(|run| (format!("{at}/run"), run));
        let candidates = turn
            .variants
            .iter_mut()
            .enumerate()
            .flat_map(|(number, variant)| {
                let at = format!("{at}/variants/{number}/run");
                variant.body.run.as_mut().map(|run| (at, run))
            });
        for (at, run) in own.chain(candidates) {
            for (number, round) in run.rounds.iter_mut().enumerate() {
                if round.key.is_empty() {
                    round.key = format!("r{}", number + 1);
                }
                for (call, result) in &mut round.results {
                    let call = pointer_key(call);
                    list(
                        &mut result.uploads,
                        &format!("{at}/rounds/{number}/results/{call}/uploads"),
                    );
                }
            }
        }
    }
}
