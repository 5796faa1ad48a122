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
    /// Tokens of three to eight bytes, which are most look-ups.
    short: Table<Short>,
    /// Tokens of nine bytes and more.
    long: Table<Long>,
    longest: usize,
}

/// A token whose bytes are in the entry itself.
#[derive(Clone, Copy, PartialEq)]
struct Short {
    bytes: u64,
    length: u32,
    rank: u32,
}

/// A token by its rank, with as much of its hash as keeps most other strings from being compared.
#[derive(Clone, Copy, PartialEq)]
struct Long {
    hash: u32,
    rank: u32,
}

impl Ranks {
    pub(crate) fn new(tokens: Tokens) -> Ranks {
        let by_length = |fits: fn(usize) -> bool| {
            (0..tokens.len() as u32)
                .filter(|rank| fits(tokens.get(*rank).len()))
                .count()
        };
        let vacant_short = Short {
            bytes: 0,
            length: 0,
            rank: NONE,
        };
        let mut ranks = Ranks {
            bytes: [NONE; 256],
            pairs: vec![NONE; 1 << 16].into_boxed_slice(),
            short: Table::new(by_length(|length| (3..=8).contains(&length)), vacant_short),
            long: Table::new(
                by_length(|length| length > 8),
                Long {
                    hash: 0,
                    rank: NONE,
                },
            ),
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
                _ => match short(token) {
                    Some(bytes) => {
                        let length = token.len() as u32;
                        ranks.short.insert(
                            mix(bytes, length),
                            Short {
                                bytes,
                                length,
                                rank,
                            },
                        );
                    }
                    None => {
                        let hash = hash(token);
                        ranks.long.insert(
                            hash,
                            Long {
                                hash: (hash >> 32) as u32,
                                rank,
                            },
                        );
                    }
                },
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
            _ => match short(bytes) {
                Some(key) => {
                    let length = bytes.len() as u32;
                    self.short
                        .find(mix(key, length), |entry| {
                            entry.rank == NONE || entry.bytes == key && entry.length == length
                        })
                        .rank
                }
                None => {
                    let hash = hash(bytes);
                    self.long
                        .find(hash, |entry| {
                            entry.rank == NONE
                                || entry.hash == (hash >> 32) as u32
                                    && self.tokens.get(entry.rank) == bytes
                        })
                        .rank
                }
            },
        }
    }

    /// The bytes of the token of this rank, which is in the vocabulary.
    pub(crate) fn token(&self, rank: u32) -> &[u8] {
        self.tokens.get(rank)
    }
}

/// Open addressing, at most half full, so that every search comes to a vacant entry.
struct Table<E> {
    entries: Box<[E]>,
    vacant: E,
}

impl<E: Copy + PartialEq> Table<E> {
    fn new(entries: usize, vacant: E) -> Table<E> {
        Table {
            entries: vec![vacant; (entries * 2).next_power_of_two()].into_boxed_slice(),
            vacant,
        }
    }

    fn insert(&mut self, hash: u64, entry: E) {
        let mask = self.entries.len() - 1;
        let mut at = hash as usize & mask;
        while self.entries[at] != self.vacant {
            at = (at + 1) & mask;
        }
        self.entries[at] = entry;
    }

    /// The first entry from the hash's place on that `ends` the search.
    #[inline]
    fn find(&self, hash: u64, ends: impl Fn(&E) -> bool) -> &E {
        let mask = self.entries.len() - 1;
        let mut at = hash as usize & mask;
        while !ends(&self.entries[at]) {
            at = (at + 1) & mask;
        }
        &self.entries[at]
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

/// Three to eight bytes as one number, different for different bytes of one length.
#[inline]
fn short(bytes: &[u8]) -> Option<u64> {
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two overlap when there are fewer than eight.
        (Some(first), Some(last)) if bytes.len() <= 8 => {
            Some(u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32)
        }
        (None, _) => Some(
            bytes
                .iter()
                .fold(0, |key, byte| key << 8 | u64::from(*byte)),
        ),
        _ => None,
    }
}

/// A hash of eight bytes and a length; the low bits choose the place.
#[inline]
fn mix(bytes: u64, length: u32) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = (bytes ^ u64::from(length)).wrapping_mul(ODD);
    hash ^ hash >> 32
}

/// A hash of more than eight bytes.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    let last = bytes
        .last_chunk::<8>()
        .map_or(0, |last| u64::from_le_bytes(*last));
    words
        .iter()
        .fold(mix(last, bytes.len() as u32), |hash, word| {
            mix(hash.rotate_left(23) ^ u64::from_le_bytes(*word), 0)
        })
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
