//! Writes the vocabulary files, from the reference tokenizer's own vocabularies.
//!
//! `cargo run -p galley-counter --features reference --example vocabularies -- FOLDER`

use std::path::PathBuf;

use galley_counter::reference;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder: PathBuf = std::env::args_os()
        .nth(1)
        .ok_or("name a folder to write to")?
        .into();
    std::fs::create_dir_all(&folder)?;
    for name in reference::VOCABULARIES {
        let file = reference::vocabulary_file(name).ok_or("not a byte-pair vocabulary")?;
        std::fs::write(folder.join(format!("{name}.bin")), file)?;
    }
    Ok(())
}
