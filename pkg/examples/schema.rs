//! Writes the JSON Schemas of the package into a folder: the native conversation file, and what each function of
//! the context manager is asked and answers.

use std::path::PathBuf;

use galley_core::conversation::Conversation;
use galley_core::fit::{
    Acknowledged, AssembleRequest, AssembleResponse, CompactRequest, CompactResponse,
    CountTokensRequest, CountTokensResponse, OnConfigChangeEvent, OnModelsChangedEvent,
    PruneRequest, PruneResponse,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: schema FOLDER")?);
    let written = [
        ("conversation-1", schemars::schema_for!(Conversation)),
        ("context-assemble.request", contract::<AssembleRequest>()),
        ("context-assemble.response", contract::<AssembleResponse>()),
        ("context-compact.request", contract::<CompactRequest>()),
        ("context-compact.response", contract::<CompactResponse>()),
        (
            "context-count-tokens.request",
            contract::<CountTokensRequest>(),
        ),
        (
            "context-count-tokens.response",
            contract::<CountTokensResponse>(),
        ),
        ("context-prune.request", contract::<PruneRequest>()),
        ("context-prune.response", contract::<PruneResponse>()),
        (
            "context-on-config-change.request",
            contract::<OnConfigChangeEvent>(),
        ),
        (
            "context-on-config-change.response",
            contract::<Acknowledged>(),
        ),
        (
            "context-on-models-changed.request",
            contract::<OnModelsChangedEvent>(),
        ),
        (
            "context-on-models-changed.response",
            contract::<Acknowledged>(),
        ),
    ];
    for (name, schema) in written {
        let text = serde_json::to_string_pretty(&schema)?;
        std::fs::write(folder.join(format!("{name}.json")), format!("{text}\n"))?;
    }
    Ok(())
}

/// In the contract's own draft of JSON Schema.
fn contract<T: JsonSchema>() -> Schema {
    SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<T>()
}
