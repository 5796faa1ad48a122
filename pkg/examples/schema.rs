//! Prints the JSON Schema of the native conversation file.

use galley_core::conversation::Conversation;

fn main() -> Result<(), serde_json::Error> {
    let schema = schemars::schema_for!(Conversation);
    println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(())
}
