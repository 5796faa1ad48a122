//! The tokens of a vocabulary, by rank and by their bytes.

use crate::vocabulary::Tokens;

/// No token.
pub(crate) const NONE: u32 = u32::MAX;

/// Finds the rank of a token by its bytes.
pub(crate) struct Ranks {
    tokens: Tokens,
    /// Ranks of the single bytes.
    bytes: [u32; 256],
    /// Ranks of two bytes, by `first << 8 | second`.
    pairs: Box<[u32]>,
    /// Ranks of longer tokens, open-addressed and at most half full: the upper half of the hash, so
    /// that most other strings are told apart without reading the token, and the rank.
    slots: Box<[u64]>,
    longest: usize,
}

const VACANT: u64 = u64::MAX;

impl Ranks {
    pub(crate) fn new(tokens: Tokens) -> Ranks {
        let mut ranks = Ranks {
            bytes: [NONE; 256],
            pairs: vec![NONE; 1 << 16].into_boxed_slice(),
            slots: vec![VACANT; (tokens.len() * 2).next_power_of_two()].into_boxed_slice(),
            longest: 0,
            tokens,
        };
        for rank in 0..ranks.tokens.len() as u32 {
            let token = ranks.tokens.get(rank);
            ranks.longest = ranks.longest.max(token.len());
            match *token {
                [] => {}
                [byte] => ranks.bytes[usize::from(byte)] = rank,
                [first, second] => ranks.pairs[pair(first, second)] = rank,
                _ => {
                    let hash = hash(token);
                    let mut slot = ranks.slot_of(hash);
                    while ranks.slots[slot] != VACANT {
                        slot = (slot + 1) & (ranks.slots.len() - 1);
                    }
                    ranks.slots[slot] = hash & TAG | u64::from(rank);
                }
            }
        }
        ranks
    }

    /// The rank of the token of these bytes, or [`NONE`].
    #[inline]
    pub(crate) fn get(&self, bytes: &[u8]) -> u32 {
        match *bytes {
            [] => NONE,
            [byte] => self.bytes[usize::from(byte)],
            [first, second] => self.pairs[pair(first, second)],
            _ if bytes.len() > self.longest => NONE,
            _ => {
                let hash = hash(bytes);
                let mut slot = self.slot_of(hash);
                loop {
                    let found = self.slots[slot];
                    if found == VACANT {
                        return NONE;
                    }
                    let rank = found as u32;
                    if found & TAG == hash & TAG && self.tokens.get(rank) == bytes {
                        return rank;
                    }
                    slot = (slot + 1) & (self.slots.len() - 1);
                }
            }
        }
    }

    /// The bytes of the token of this rank, which is in the vocabulary.
    pub(crate) fn token(&self, rank: u32) -> &[u8] {
        self.tokens.get(rank)
    }

    fn slot_of(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }
}

/// The half of the hash that a slot keeps.
const TAG: u64 = 0xffff_ffff_0000_0000;

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

/// Eight bytes at a time, each mixed by a multiplication and a turn.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    let mut mix = |word: u64| hash = (hash.rotate_left(23) ^ word).wrapping_mul(ODD);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        mix(u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        mix(rest
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    hash ^ hash >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_and_nothing_else() {
        let mut bytes: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        bytes.extend([
            b"ab".to_vec(),
            Vec::new(),
            b"abc".to_vec(),
            b"abcabcabc".to_vec(),
            vec![0; 8],
            vec![0; 9],
        ]);
        let ranks = Ranks::new(bytes.iter().collect());
        for (token, rank) in bytes.iter().zip(0..) {
            if !token.is_empty() {
                assert_eq!(ranks.get(token), rank);
                assert_eq!(ranks.token(rank), token);
            }
        }
        for other in [&b""[..], b"ba", b"abd", b"abca", &[0; 3], &[0; 7], &[0; 10]] {
            assert_eq!(ranks.get(other), NONE);
        }
    }
}
