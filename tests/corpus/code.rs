//! Sample text; never compiled.
use std::{collections::BTreeMap, fmt::{self, Display}};

#[derive(Debug, Clone, PartialEq)]
pub enum Node<'a, T: ?Sized + 'a> {
    Leaf { value: &'a T, weight: f64 },
    Branch(Vec<Node<'a, T>>, u8),
}

impl<'a, T> Node<'a, T> where T: Display {
    /// Sums `weight`s; 0.0 for an empty branch.
    pub fn weight(&self) -> f64 {
        match self {
            Self::Leaf { weight, .. } if *weight >= 1e-9 => *weight,
            Self::Branch(nodes, depth) => nodes.iter().map(|n| n.weight()).sum::<f64>() * (1 << depth) as f64,
            _ => f64::default(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let r#type = r#"raw "string" with {braces} \n not a newline"#;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, word) in r#type.split_whitespace().enumerate() {
        *seen.entry(word).or_insert(0) += 0xFF_u8 as usize ^ i & 0b1010;
    }
    println!("{seen:#?} {:>8.3}", 3.14159);
	// A tab, then CRLF text in a literal: "\r\n".
    Ok(())
}
