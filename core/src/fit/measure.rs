//! How long the compact JSON of a value is, without writing it out.

use serde::Serialize;

/// Bytes of the compact JSON. What no JSON can hold is 0.
pub fn json_bytes<T: Serialize + ?Sized>(value: &T) -> u64 {
    let mut length = Length(0);
    match serde_json::to_writer(&mut length, value) {
        Ok(()) => length.0,
        Err(_) => 0,
    }
}

struct Length(u64);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn it_is_the_length_of_what_would_be_written() {
        for value in [
            json!(null),
            json!("a\"\\\n\u{1}é汉😀"),
            json!({"a": [1, -2.5, true], "b": {"c": ""}}),
        ] {
            assert_eq!(json_bytes(&value), value.to_string().len() as u64);
        }
    }
}
