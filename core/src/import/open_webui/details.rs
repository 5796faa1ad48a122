//! The blocks that Open WebUI folds inside the text of an answer.
//!
//! `<details type="reasoning" …>` holds the reasoning as quoted lines, `<details type="tool_calls" id name
//! arguments result …>` a call and what it came back with as JSON in escaped attributes, `<details
//! type="code_interpreter" output …>` a program and its output. Any other `<details>` is text.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::import::rounds::{Back, Call, Step};
use crate::json::{Notes, Place, value as parse};

/// An answer's text, unfolded.
#[derive(Debug, Default)]
pub(super) struct Unfolded {
    /// What it says, in order.
    pub steps: Vec<Step>,
    /// The types of the blocks that were unfolded.
    pub blocks: Vec<&'static str>,
}

const TYPES: [&str; 3] = ["reasoning", "tool_calls", "code_interpreter"];

/// One block of a text.
struct Block<'t> {
    start: usize,
    end: usize,
    kind: &'static str,
    attributes: BTreeMap<&'t str, String>,
    /// What stands inside, behind the summary.
    body: &'t str,
}

/// Unfolds the text of an answer. A text without blocks is one step, unchanged.
pub(super) fn unfold(text: &str) -> Unfolded {
    let mut unfolded = Unfolded::default();
    let mut rest = text;
    while let Some(block) = first_block(rest) {
        words(rest.get(..block.start), &mut unfolded.steps);
        unfolded.steps.push(step(&block));
        unfolded.blocks.push(block.kind);
        rest = rest.get(block.end..).unwrap_or_default();
    }
    match unfolded.blocks.is_empty() {
        true if text.is_empty() => {}
        true => unfolded.steps.push(Step::words(text)),
        false => words(Some(rest), &mut unfolded.steps),
    }
    unfolded
}

/// Words between blocks, without the line breaks that set the blocks apart.
fn words(text: Option<&str>, steps: &mut Vec<Step>) {
    let text = text.unwrap_or_default().trim_matches('\n');
    if !text.trim().is_empty() {
        steps.push(Step::words(text));
    }
}

fn first_block(text: &str) -> Option<Block<'_>> {
    let last = text.rfind(CLOSE)?;
    let mut opens = text
        .match_indices("<details")
        .take_while(|(start, _)| *start < last);
    opens.find_map(|(start, tag)| {
        let (attributes, inside) = attributes(text, start + tag.len())?;
        let kind = attributes.get("type")?.as_str();
        let kind = TYPES.into_iter().find(|known| *known == kind)?;
        let rest = text.get(inside..)?;
        let close = rest.find(CLOSE)?;
        let body = rest.get(..close)?;
        let summary = body.split_once("</summary>");
        Some(Block {
            start,
            end: inside + close + CLOSE.len(),
            kind,
            attributes,
            body: summary.map_or(body, |(_, after)| after).trim_matches('\n'),
        })
    })
}

const CLOSE: &str = "</details>";

/// The attributes of a tag from behind its name, and where its content begins. `None` of what is no tag.
fn attributes(text: &str, from: usize) -> Option<(BTreeMap<&str, String>, usize)> {
    let mut found = BTreeMap::new();
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let blank = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += blank;
        if rest.starts_with('>') {
            return Some((found, at + 1));
        }
        let (name, _) = rest.split_at(rest.find(|c: char| !c.is_alphanumeric() && c != '_')?);
        let after = rest.strip_prefix(name)?.strip_prefix("=\"")?;
        let (value, _) = after.split_once('"')?;
        if blank == 0 {
            return None;
        }
        found.insert(name, unescaped(value));
        at += name.len() + value.len() + 3;
    }
}

fn step(block: &Block<'_>) -> Step {
    let attribute = |name: &str| block.attributes.get(name).map(String::as_str);
    match block.kind {
        "reasoning" => Step::thought(&unescaped(&unquoted(block.body))),
        "tool_calls" => {
            let id = attribute("id").unwrap_or_default();
            let function = attribute("name").unwrap_or_default();
            let body = unescaped(block.body);
            let result = attribute("result").or(Some(body.as_str()));
            let result = result.filter(|text| !text.is_empty());
            let call = Call {
                id: id.to_owned(),
                function: function.to_owned(),
                arguments: decoded(attribute("arguments").unwrap_or_default()),
            };
            let files = attribute("files").filter(|files| !matches!(*files, "" | "\"\"" | "[]"));
            let back = result.map(|result| Back {
                call: id.to_owned(),
                function: function.to_owned(),
                content: said(result),
                details: files.map_or(Value::Null, |files| json!({ "files": decoded(files) })),
                ..Back::default()
            });
            Step::Called(call, back)
        }
        function => {
            let call = Call {
                function: function.to_owned(),
                arguments: json!({ "code": block.body }),
                ..Call::default()
            };
            let output = attribute("output").map(|output| Back {
                function: function.to_owned(),
                content: said(output),
                ..Back::default()
            });
            Step::Called(call, output)
        }
    }
}

/// JSON of an attribute; what is none is a text.
fn decoded(text: &str) -> Value {
    let read = parse(text.as_bytes(), Place::default(), &mut Notes::default());
    read.unwrap_or_else(|_| Value::from(text))
}

/// A result as the model got it: the text that a JSON string says, else the text as it stands.
fn said(text: &str) -> Value {
    match decoded(text) {
        Value::String(said) => Value::String(said),
        _ => Value::from(text),
    }
}

/// Lines without the mark of a quotation.
fn unquoted(text: &str) -> String {
    let plain = |line: &str| {
        let mark = ["> ", ">", "&gt; ", "&gt;"];
        let marked = mark.iter().find_map(|mark| line.strip_prefix(mark));
        marked.unwrap_or(line).to_owned()
    };
    let lines: Vec<String> = text.split('\n').map(plain).collect();
    lines.join("\n")
}

/// The text behind the five escapes that the blocks are written with.
fn unescaped(text: &str) -> String {
    let escapes = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        // The last, so that what it reveals is not taken for an escape.
        ("&amp;", "&"),
    ];
    let replace = |text: String, (escape, plain): (&str, &str)| text.replace(escape, plain);
    escapes.into_iter().fold(text.to_owned(), replace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let steps = unfold(text).steps.into_iter().map(|step| match step {
            Step::Said(part) => {
                format!("{} {}", part["type"], part[part["type"].as_str().unwrap()])
            }
            Step::Called(call, back) => format!(
                "{}({}) {} = {}",
                call.function,
                call.arguments,
                call.id,
                back.map_or(Value::Null, |back| back.content)
            ),
            Step::Back(_) => "a result apart".to_owned(),
        });
        steps.collect()
    }

    #[test]
    fn reasoning_and_calls_come_out_of_the_text_in_their_order() {
        let text = "<details type=\"reasoning\" done=\"true\" duration=\"5\">\n<summary>Thought for 5 seconds</summary>\n&gt; Is 1 &amp;lt; 2?\n&gt;\n&gt; Yes.\n</details>\nLet me look.\n\n<details type=\"tool_calls\" done=\"true\" id=\"c1\" name=\"find\" arguments=\"&quot;{\\&quot;q\\&quot;: \\&quot;a&lt;b\\&quot;}&quot;\" result=\"&quot;one\\ntwo&quot;\" files=\"\" embeds=\"\">\n<summary>Tool Executed</summary>\n</details>\nDone.\n";
        assert_eq!(
            told(text),
            [
                r#""thinking" "Is 1 &lt; 2?\n\nYes.""#,
                r#""text" "Let me look.""#,
                r#"find("{\"q\": \"a<b\"}") c1 = "one\ntwo""#,
                r#""text" "Done.""#,
            ]
        );
    }

    #[test]
    fn a_result_may_stand_in_the_body_and_arguments_may_be_an_object() {
        let text = "<details type=\"tool_calls\" done=\"true\" id=\"c\" name=\"f\" arguments=\"{&quot;a&quot;:1}\">\n<summary>Tool Executed</summary>\n{&quot;b&quot;: 2}\n</details>";
        assert_eq!(told(text), [r#"f({"a":1}) c = "{\"b\": 2}""#]);
        let waits = "<details type=\"tool_calls\" done=\"false\" id=\"c\" name=\"f\" arguments=\"\">\n<summary>Executing...</summary>\n</details>";
        assert_eq!(told(waits), ["f(\"\") c = null"]);
        let program = "<details type=\"code_interpreter\" done=\"true\" duration=\"0\" output=\"{&quot;stdout&quot;: &quot;3&quot;}\">\n<summary>Analyzed</summary>\n```python\n1 + 2\n```\n</details>";
        assert_eq!(
            told(program),
            [r#"code_interpreter({"code":"```python\n1 + 2\n```"})  = "{\"stdout\": \"3\"}""#]
        );
    }

    #[test]
    fn what_is_no_such_block_stays_text() {
        for text in [
            "\nplain\n",
            "<details><summary>More</summary>hidden</details>",
            "<details type=\"spoiler\">x</details>",
            "<details type=\"reasoning\" done=\"false\">\nnever closed",
            "<details type=\"reasoning",
            "<details type=reasoning>x</details>",
            "<detailsé type=\"reasoning\">x</details>",
        ] {
            assert_eq!(told(text), [format!("\"text\" {}", Value::from(text))]);
        }
        assert_eq!(told(""), [""; 0]);
    }
}
