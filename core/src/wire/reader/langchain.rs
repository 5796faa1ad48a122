//! Messages of LangChain, whose kinds are types and not roles.

use serde_json::{Value, json};

use crate::transcript::AgentMessage;

use super::super::langchain::{Kind, answer, content, spelled};
use super::super::word;
use super::Reader;

impl Reader {
    /// Reads one message of LangChain, or one in a provider's spelling, which LangChain takes as well.
    pub fn langchain(&mut self, value: &Value, pointer: &str) {
        let Some((kind, members)) = spelled(value) else {
            self.message(value, pointer);
            return self.failed(value);
        };
        let members = members.as_ref();
        let said = |role: &str| json!({"role": role, "content": content(members.get("content"))});
        match kind {
            Kind::Human => self.message(&said("user"), pointer),
            Kind::System(role) => self.message(&said(role), pointer),
            Kind::Chat => {
                let role = word(members, "role").unwrap_or_default();
                self.message(&said(role), pointer);
            }
            Kind::Ai => {
                let (message, places, reply) = answer(members);
                let from = self.sources.as_ref().map_or(0, |known| known.blocks.len());
                self.reply(&message, pointer, reply);
                self.moved(from, pointer, &places);
            }
            Kind::Tool => {
                let mut message = said("tool");
                let named = ["name", "tool_call_id"].map(|key| {
                    let member = members.get(key).cloned().unwrap_or_default();
                    (key.to_owned(), member)
                });
                if let Some(own) = message.as_object_mut() {
                    own.extend(named);
                }
                self.message(&message, pointer);
                self.failed(members);
            }
            Kind::Remove | Kind::Placeholder => {
                let says = "what takes a message back or stands for one is none";
                self.note("not_a_message", pointer, says);
            }
        }
    }

    /// A result that was just read says whether it is a failure.
    fn failed(&mut self, message: &Value) {
        if let Some(AgentMessage::FunctionResult { is_error, .. }) =
            self.imported.messages.last_mut()
            && word(message, "status") == Some("error")
        {
            *is_error = true;
        }
    }

    /// Parts of an answer stand where its members have them, not where they were read.
    fn moved(&mut self, from: usize, pointer: &str, places: &[String]) {
        let read = format!("{pointer}/content/");
        let sources = self.sources.iter_mut().flat_map(|known| &mut known.blocks);
        for source in sources.skip(from) {
            let Some(rest) = source.pointer.strip_prefix(&read) else {
                continue;
            };
            let (index, within) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let place = index
                .parse()
                .ok()
                .and_then(|index: usize| places.get(index));
            if let Some(place) = place {
                source.pointer = format!("{pointer}{place}{within}");
            }
        }
    }
}
