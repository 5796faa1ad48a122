//! The agents whose lines stand in one log: the person's own, and those below it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::record::{Record, flag, word};
use super::is_said;

/// The lines of each agent, the person's own first, then those below it in the order they appear. In the file
/// of a sub-agent, which says nothing of any other, that one comes first and has the lines that name no agent.
pub(super) fn apart(talk: Vec<Record>) -> Vec<Vec<Record>> {
    let mut below: Vec<(String, Vec<Record>)> = Vec::new();
    let mut unnamed = BTreeMap::new();
    let agents = talk
        .iter()
        .map(|record| agent(&record.value, &mut unnamed).map(str::to_owned));
    let agents: Vec<Option<String>> = agents.collect();
    let marked = agents.iter().zip(&talk);
    let mut said = marked.filter(|(_, record)| is_said(&record.value));
    let main = match said.clone().any(|(agent, _)| agent.is_none()) {
        true => None,
        false => said.find_map(|(agent, _)| agent.clone()),
    };
    let mut own = Vec::new();
    for (agent, record) in agents.into_iter().zip(talk) {
        match agent.filter(|agent| main.as_ref() != Some(agent)) {
            None => own.push(record),
            Some(agent) => match below.iter_mut().find(|(known, _)| *known == agent) {
                Some((_, lines)) => lines.push(record),
                None => below.push((agent, vec![record])),
            },
        }
    }
    let below = below.into_iter().map(|(_, lines)| lines);
    [own].into_iter().chain(below).collect()
}

/// The agent below the person's own that a line is of. Older lines only say that there is one; then it goes by
/// the first of the lines that follow each other.
fn agent<'r>(value: &'r Value, unnamed: &mut BTreeMap<&'r str, &'r str>) -> Option<&'r str> {
    if let Some(call) = word(value, "parent_tool_use_id") {
        return Some(call);
    }
    if !flag(value, "isSidechain") {
        return None;
    }
    if let Some(id) = word(value, "agentId") {
        return Some(id);
    }
    let id = word(value, "uuid").unwrap_or_default();
    let before = word(value, "parentUuid").and_then(|parent| unnamed.get(parent).copied());
    let first = before.unwrap_or(id);
    unnamed.insert(id, first);
    Some(first)
}
