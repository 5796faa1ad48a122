//! Macros: `{{name}}` in registered slots, slot overrides and the template's inline texts.
//!
//! Substitution is one pass over the text: what a value contains is never looked at again.

use indexmap::IndexMap;

/// Names every template knows.
pub const BUILT_INS: [&str; 5] = ["agent", "user", "workspace", "date", "conversation_kind"];

/// What names stand for. A known name without a value renders empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    values: IndexMap<String, Option<String>>,
}

impl Sources {
    /// Makes `name` known, with or without a value; the later value wins.
    pub fn set(&mut self, name: &str, value: Option<&str>) {
        self.values
            .insert(name.to_owned(), value.map(str::to_owned));
    }

    /// Whether `name` is known.
    pub fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The text with every known macro replaced; unknown ones stay byte for byte.
    pub fn render(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = 0;
        for found in find(text) {
            if let Some(value) = self.values.get(found.name) {
                out.push_str(text.get(rest..found.start).unwrap_or_default());
                out.push_str(value.as_deref().unwrap_or_default());
                rest = found.end;
            }
        }
        out.push_str(text.get(rest..).unwrap_or_default());
        out
    }

    /// The first macro of the text that is not known.
    pub fn first_unknown<'t>(&self, text: &'t str) -> Option<&'t str> {
        find(text)
            .map(|found| found.name)
            .find(|name| !self.knows(name))
    }
}

/// One macro in a text, byte offsets.
struct Found<'t> {
    start: usize,
    end: usize,
    name: &'t str,
}

/// Every macro of a text, from the left: `{{`, white space, `[a-z][a-z0-9_]*`, white space, `}}`.
fn find(text: &str) -> impl Iterator<Item = Found<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text.get(from..)?.find("{{")?;
            let inner = text.get(start + 2..)?;
            if let Some((name, length)) = name_and_close(inner) {
                from = start + 2 + length;
                return Some(Found {
                    start,
                    end: from,
                    name,
                });
            }
            from = start + 1;
        }
    })
}

/// The name at the head of what follows `{{`, and the length up to and with `}}`.
fn name_and_close(inner: &str) -> Option<(&str, usize)> {
    let padded = inner.trim_start();
    let name_length = padded
        .bytes()
        .position(|b| !(b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'))?;
    let name = padded.get(..name_length)?;
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let after = padded.get(name_length..)?.trim_start().strip_prefix("}}")?;
    Some((name, inner.len() - after.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(pairs: &[(&str, Option<&str>)]) -> Sources {
        let mut sources = Sources::default();
        for name in BUILT_INS {
            sources.set(name, None);
        }
        for (name, value) in pairs {
            sources.set(name, *value);
        }
        sources
    }

    #[test]
    fn built_ins_render_with_inner_space() {
        let all = sources(&[
            ("agent", Some("rho")),
            ("user", Some("Ada")),
            ("workspace", Some("Shared")),
            ("date", Some("2026-09-08")),
            ("conversation_kind", Some("scheduled")),
        ]);
        assert_eq!(
            all.render(
                "{{agent}} serves {{ user }} in {{workspace}} on {{date}}; {{conversation_kind}}."
            ),
            "rho serves Ada in Shared on 2026-09-08; scheduled."
        );
    }

    #[test]
    fn a_known_name_without_a_value_renders_empty() {
        assert_eq!(
            sources(&[]).render("Hello {{agent}} and {{user}}."),
            "Hello  and ."
        );
    }

    #[test]
    fn what_is_not_known_stays_byte_for_byte() {
        for text in [
            "keep {{ this }} alone",
            "{{Scene}}",
            "{{{",
            "{{ }}",
            "{{2a}}",
            "{{a b}}",
            "{{é}}",
            "{{scene2}}",
        ] {
            assert_eq!(sources(&[]).render(text), text);
        }
    }

    #[test]
    fn a_value_is_never_looked_at_again() {
        let both = sources(&[("scene", Some("{{date}}")), ("date", Some("today"))]);
        assert_eq!(both.render("{{scene}} {{date}}"), "{{date}} today");
    }

    #[test]
    fn a_third_brace_belongs_to_the_text() {
        assert_eq!(
            sources(&[("user", Some("Ada"))]).render("{{{user}}}"),
            "{Ada}"
        );
    }

    #[test]
    fn the_first_unknown_name_is_told() {
        assert_eq!(
            sources(&[]).first_unknown("{{user}} {{mood}} {{place}}"),
            Some("mood")
        );
        assert_eq!(sources(&[]).first_unknown("{{Mood}}"), None);
    }
}
