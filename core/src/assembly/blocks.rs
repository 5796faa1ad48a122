//! Every block but history as segments, and the checks of what the caller put into them.

use std::rc::Rc;

use indexmap::IndexMap;

use super::documents::{self, registered};
use super::history::said;
use super::memory;
use super::pen::Pen;
use super::request::{Door, EstimateRequest, InlineEntry, Position};
use super::resolve::{Declared, Ends, agent_name};
use super::rounds;
use super::segment::Segment;
use crate::conversation::Conversation;
use crate::conversation::native::{
    ConversationKind, PrefaceEntry, Run, Seed, Tool, TurnKind, UserKind,
};
use crate::conversation::voice::{self, Row};
use crate::refusal::{Refusal, Warning};
use crate::role::Role;
use crate::template::macros::{BUILT_INS, Sources};
use crate::template::{Block, Slot, Template};

/// The words that are asked, whose they are, and who is to answer them.
#[derive(Clone, Debug)]
pub struct Ask<'c> {
    /// The words and their uploads.
    pub seed: Seed,
    /// How they are judged for their envelope.
    pub row: Row<'c>,
    /// The human behind their author.
    pub human: Option<&'c str>,
    /// Who answers.
    pub addressee: &'c str,
    /// Whether that is an agent, which declares.
    pub declares: bool,
    /// What was sealed with the turn, when it is asked again.
    pub sealed: Option<&'c [PrefaceEntry]>,
    /// The rounds before the one that is asked again, and what that one read first.
    pub run: Option<Run>,
    /// The turn that is asked again.
    turn: Option<usize>,
    position: Option<i64>,
}

impl<'c> Ask<'c> {
    /// The request's own words, or those of the reply it asks again.
    ///
    /// # Errors
    /// `not_found` when no reply stands at the position to ask again, or it has no such round.
    pub fn of(
        c: &'c Conversation,
        request: &EstimateRequest,
        ends: Ends<'c>,
    ) -> Result<Self, Refusal> {
        let Some(regenerate) = &request.regenerate else {
            let seed = Seed {
                text: request.prompt.clone().unwrap_or_default(),
                uploads: request.attachments.clone().unwrap_or_default(),
            };
            let row = Row {
                speaker: ends.ingress.unwrap_or(ends.caller),
                answerer: ends.addressee,
                creator: &c.creating_user,
                sender_conversation: None,
                of_kernel_origin: false,
            };
            return Ok(Self {
                seed,
                row,
                human: c.human_behind(ends.caller),
                addressee: ends.addressee,
                declares: ends.declares,
                sealed: None,
                run: None,
                turn: None,
                position: None,
            });
        };
        let (index, turn) = c
            .reachable()
            .into_iter()
            .filter(|index| c.position(*index) == regenerate.position)
            .filter_map(|index| Some((index, c.turns.get(index)?)))
            .find(|(_, turn)| turn.kind == TurnKind::DirectReply)
            .ok_or_else(|| {
                Refusal::new(
                    "not_found",
                    format!("no reply stands at position {}", regenerate.position),
                )
                .at("/regenerate/position")
            })?;
        let addressee = if request.addressee().is_some() {
            ends.addressee
        } else {
            turn.answerer(c)
        };
        let candidate = turn.active();
        let run = match &regenerate.round {
            None => None,
            Some(key) => Some(asked_at(candidate.body.run.as_ref(), key).ok_or_else(|| {
                Refusal::new("not_found", format!("the reply has no round `{key}`"))
                    .at("/regenerate/round")
            })?),
        };
        Ok(Self {
            seed: candidate.prompt.cloned().unwrap_or_default(),
            row: Row {
                answerer: addressee,
                ..c.row(turn)
            },
            human: c.human_behind(turn.speaker(c)),
            addressee,
            declares: c
                .user(addressee)
                .is_some_and(|user| user.kind == UserKind::Agent),
            sealed: Some(candidate.preface),
            run,
            turn: Some(index),
            position: Some(regenerate.position),
        })
    }

    /// Only what is strictly below this position is read.
    pub fn before(&self, request: &EstimateRequest) -> Option<i64> {
        self.position.or(request.before_position)
    }
}

/// A run as it stood when one of its rounds was asked: that one has read, and not spoken.
fn asked_at(run: Option<&Run>, key: &str) -> Option<Run> {
    let mut run = run?.clone();
    let at = run.rounds.iter().position(|round| round.key == key)?;
    run.rounds.truncate(at + 1);
    let asked = run.rounds.last_mut()?;
    asked.output.clear();
    asked.calls.clear();
    asked.results.clear();
    Some(run)
}

/// What the macros stand for in this request.
pub fn macros(
    c: &Conversation,
    ends: Ends<'_>,
    ask: &Ask<'_>,
    request: &EstimateRequest,
    values: &IndexMap<String, String>,
) -> Sources {
    let user = ask
        .human
        .and_then(|id| c.users.get_key_value(id))
        .map(|(id, user)| voice::name_of(id, user));
    let kind = match (c.kind, c.side) {
        (ConversationKind::Standalone, _) => "standalone",
        (_, true) => "side",
        (ConversationKind::Scheduled, _) => "scheduled",
        (ConversationKind::Child, _) => "child",
        (ConversationKind::Conversation, _) => "conversation",
    };
    let built_in = [
        agent_name(c, ends),
        user,
        Some(c.workspace.name.as_str()),
        request.date.as_deref(),
        Some(kind),
    ];
    let mut sources = Sources::default();
    for (name, value) in BUILT_INS.into_iter().zip(built_in) {
        sources.set(name, value);
    }
    for (name, value) in values {
        sources.set(name, Some(value));
    }
    sources
}

/// Checks inline entries against the template, in their order.
///
/// # Errors
/// `inline_role_unplaced`, `inline_position_unplaced`; at a sending door also `parameter_invalid` for a blank
/// text and `macro_unknown` for an unknown macro in an override, which an estimate only warns of.
pub fn check_inline(
    request: &EstimateRequest,
    template: &Template,
    macros: &Sources,
    door: Door,
) -> Result<Vec<Warning>, Refusal> {
    let mut warnings = Vec::new();
    for (index, entry) in request.inline.iter().flatten().enumerate() {
        let path = format!("/inline/{index}");
        if entry.text.trim().is_empty() {
            let message = "the text is blank, so it renders nothing";
            match door {
                Door::Seal => {
                    return Err(Refusal::parameter(
                        format!("{path}/text"),
                        format!("{message}; write it or take the entry out"),
                    ));
                }
                Door::Estimate | Door::Recount => {
                    warnings.push(Warning::new("inline_blank", message).at(format!("{path}/text")))
                }
            }
        }
        match &entry.slot {
            Some(slot) => {
                if let Some(name) = macros.first_unknown(&entry.text) {
                    let message =
                        format!("`{name}` is neither built in nor declared by the template");
                    match door {
                        Door::Seal => {
                            return Err(Refusal::new("macro_unknown", message)
                                .at(format!("{path}/text"))
                                .detail(name));
                        }
                        Door::Estimate | Door::Recount => {
                            warnings.push(
                                Warning::new(
                                    "macro_unknown",
                                    format!("{message}; it stays as written"),
                                )
                                .at(format!("{path}/text")),
                            );
                        }
                    }
                }
                let placed = template
                    .blocks
                    .iter()
                    .any(|block| matches!(block, Block::Slot(s) if s.as_str() == slot));
                if !placed {
                    warnings.push(
                        Warning::new(
                            "override_unplaced",
                            format!(
                                "the template places no `{slot}`, so this override is not used"
                            ),
                        )
                        .at(path),
                    );
                }
            }
            None => {
                if matches!(entry.role, Some(Role::System | Role::Assistant)) {
                    return Err(Refusal::new(
                        "inline_role_unplaced",
                        "a positioned entry speaks as user or developer; system and assistant have no place there",
                    )
                    .at(format!("{path}/role")));
                }
                let position = entry.position.unwrap_or_default();
                let placed = template.blocks.iter().any(|block| {
                    matches!(
                        (block, position),
                        (Block::Lead, Position::Lead) | (Block::Tail, Position::Tail)
                    )
                });
                if !placed {
                    let word = match position {
                        Position::Lead => "lead",
                        Position::Tail => "tail",
                    };
                    return Err(Refusal::new(
                        "inline_position_unplaced",
                        format!(
                            "the template has no {word} block; add one or use the other position"
                        ),
                    )
                    .at(format!("{path}/position")));
                }
            }
        }
    }
    Ok(warnings)
}

/// Every block's segments; none of them holds nothing.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// In template order; history's is empty.
    pub blocks: Vec<Vec<Rc<Segment>>>,
    /// The lead that stands after history, role and text of each segment, for comparing with the one carried.
    pub lead: Option<Vec<(Role, String)>>,
    /// What was sealed with the turn that is asked again.
    pub resealed: Vec<Rc<Segment>>,
    /// Those entries, one per segment.
    pub resealed_as: Vec<PrefaceEntry>,
    /// Its rounds before the one that is asked again.
    pub rounds: Vec<Rc<Segment>>,
    /// Registered documents compiled.
    pub slots: IndexMap<String, u64>,
    /// Memory documents included and omitted.
    pub memory: (u64, u64),
    /// What was noticed.
    pub warnings: Vec<Warning>,
}

/// Renders them.
#[expect(
    clippy::too_many_arguments,
    reason = "a block may read any of these, and each is a room's own value"
)]
pub fn render(
    pen: &mut Pen<'_>,
    template: &Template,
    ends: Ends<'_>,
    ask: &Ask<'_>,
    declared: &Declared,
    tools: &[Tool],
    request: &EstimateRequest,
    macros: &Sources,
) -> Rendered {
    let c = pen.conversation;
    let history_at = template.history().map_or(0, |(at, _)| at);
    let input_at = template.blocks.len().saturating_sub(1);
    let inline = request.inline.as_deref().unwrap_or_default();
    let mut rendered = Rendered::default();
    for (index, block) in template.blocks.iter().enumerate() {
        let after_history = index > history_at && index < input_at;
        // What was sealed with a turn that is asked again stands for all of these.
        let replaced = ask.sealed.is_some() && after_history;
        let segments = match block {
            _ if replaced => Vec::new(),
            Block::Slot(slot) => {
                let owner = match slot {
                    Slot::SystemPrompt => ends.declares.then_some(ends.addressee),
                    Slot::Character => Some("workspace"),
                    Slot::Persona => ask.human,
                };
                let document = registered(&c.documents, *slot, owner);
                let own = declared
                    .system_prompt
                    .as_deref()
                    .filter(|_| *slot == Slot::SystemPrompt);
                let over = inline
                    .iter()
                    .rfind(|entry| entry.slot.as_deref() == Some(slot.as_str()));
                let filled = documents::slot(pen, document, own, over, macros);
                if let Some(version) = filled.version {
                    rendered.slots.insert(slot.as_str().to_owned(), version);
                }
                filled.segment.into_iter().collect()
            }
            Block::Inline { role, text } => {
                let words = pen.words(&macros.render(text));
                vec![Segment::words(*role, words)]
            }
            Block::Memory => {
                let memory = memory::render(pen, ends, declared.context_limit);
                rendered.memory = (memory.included, memory.omitted);
                memory.segment.into_iter().collect()
            }
            Block::Skills => documents::skills(pen, &c.skills, tools, declared.context_limit)
                .into_iter()
                .collect(),
            Block::Lead => positioned(pen, inline, Position::Lead),
            Block::Tail => positioned(pen, inline, Position::Tail),
            Block::History(_) => Vec::new(),
            Block::Input => {
                let text = c.voiced(ask.row, &ask.seed.text);
                let parts = pen.parts(&text, &ask.seed.uploads);
                vec![Segment {
                    role: Role::User,
                    parts,
                    ..Segment::default()
                }]
            }
        };
        let segments: Vec<Rc<Segment>> = segments
            .into_iter()
            .filter(|segment| !segment.is_nothing())
            .map(Rc::new)
            .collect();
        if matches!(block, Block::Lead) && after_history && !replaced {
            rendered.lead = Some(
                segments
                    .iter()
                    .map(|segment| (segment.role, said(&segment.parts)))
                    .collect(),
            );
        }
        rendered.blocks.push(segments);
    }
    if let Some(sealed) = ask.sealed {
        reseal(pen, sealed, &mut rendered);
    }
    if let Some(run) = &ask.run {
        let mut segments = Vec::new();
        rounds::render(pen, run, ask.turn.unwrap_or_default(), &mut segments);
        segments.retain(|segment| !segment.is_nothing());
        rendered.rounds = segments.into_iter().map(Rc::new).collect();
        // A summary stands for everything of the turn that is before it.
        if rounds::led_by_summary(run).is_some() {
            rendered.blocks.last_mut().map(Vec::clear);
            rendered.resealed.clear();
            rendered.resealed_as.clear();
        }
    }
    rendered
}

fn positioned(pen: &mut Pen<'_>, inline: &[InlineEntry], position: Position) -> Vec<Segment> {
    inline
        .iter()
        .filter(|entry| entry.slot.is_none() && entry.position.unwrap_or_default() == position)
        .map(|entry| Segment::words(entry.role.unwrap_or_default(), pen.words(&entry.text)))
        .collect()
}

/// The sealed preface of a turn that is asked again, laid as it stood.
fn reseal(pen: &mut Pen<'_>, sealed: &[PrefaceEntry], rendered: &mut Rendered) {
    for entry in sealed {
        let parts = pen.sealed(&entry.parts);
        let segment = Segment {
            role: entry.role,
            parts,
            ..Segment::default()
        };
        if !segment.is_nothing() {
            rendered.resealed.push(Rc::new(segment));
            rendered.resealed_as.push(entry.clone());
        }
    }
    let carried: Vec<(Role, String)> = rendered
        .resealed
        .iter()
        .zip(&rendered.resealed_as)
        .filter(|(_, entry)| entry.carried)
        .map(|(segment, _)| (segment.role, said(&segment.parts)))
        .collect();
    rendered.lead = Some(carried);
}
