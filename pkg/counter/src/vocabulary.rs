//! The vocabulary file: an encoding's tokens as the merges that make them.
//!
//! A token of two bytes or more is written as the ranks of the two tokens that byte-pair encoding
//! joins into it, which is less than half the size of the bytes. The ranks stand in byte planes, so
//! that gzip finds what repeats.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `GALLEYV1` |
//! | 16 | the vocabulary's name, padded with zeros |
//! | 4 | the number of ranks `n`, little-endian |
//! | 8 | FNV-1a of all that follows, little-endian |
//! | 256 | the byte that each of the first 256 ranks stands for |
//! | 6 × (n − 256) | planes: bits 16–23, 8–15 and 0–7 of every left rank, then of every right rank |
//!
//! A rank that no token has is the pair of two ranks of 0xFFFFFF.

use std::collections::HashMap;
use std::fmt;

const MAGIC: &[u8; 8] = b"GALLEYV1";
const NAME: usize = 16;
const HEADER: usize = MAGIC.len() + NAME + 4 + 8;
const ALPHABET: usize = 256;
const HOLE: u32 = 0xFF_FFFF;
/// The longest token of any encoding here has 128 bytes; a file that claims far more is damaged.
const LONGEST: usize = 1024;

/// Why no counter could be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No encoding has this name.
    UnknownEncoding(String),
    /// The bytes are no vocabulary file.
    NotAVocabulary,
    /// The file holds another vocabulary.
    OtherVocabulary {
        /// The one that is needed.
        wanted: String,
        /// The one in the file.
        found: String,
    },
    /// The file is cut short or changed; the text says where.
    Damaged(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::UnknownEncoding(name) => write!(
                f,
                "no encoding is named {name:?}; use o200k_base, o200k_harmony, cl100k_base, p50k_base or r50k_base"
            ),
            Fault::NotAVocabulary => f.write_str(
                "these bytes are no vocabulary file; decompress the asset and hand in all of it",
            ),
            Fault::OtherVocabulary { wanted, found } => {
                write!(f, "this is the vocabulary {found:?}; load {wanted:?}")
            }
            Fault::Damaged(place) => {
                write!(f, "the vocabulary file is damaged ({place}); load it again")
            }
        }
    }
}

impl std::error::Error for Fault {}

/// The tokens of a vocabulary, by rank; a rank that no token has is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    bytes: Vec<u8>,
    /// Where each token ends.
    ends: Vec<u32>,
}

impl Tokens {
    fn with_capacity(tokens: usize) -> Tokens {
        // The tokens of these encodings have 7 to 8 bytes on average.
        Tokens {
            bytes: Vec::with_capacity(tokens * 8),
            ends: Vec::with_capacity(tokens),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The token of a rank; empty when there is none.
    #[inline]
    pub(crate) fn get(&self, rank: u32) -> &[u8] {
        self.bytes.get(self.span(rank)).unwrap_or_default()
    }

    #[inline]
    fn span(&self, rank: u32) -> std::ops::Range<usize> {
        let rank = rank as usize;
        let start = rank.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(rank);
        start.map_or(0, |start| *start as usize)..end.map_or(0, |end| *end as usize)
    }
}

impl<'a> FromIterator<&'a Vec<u8>> for Tokens {
    fn from_iter<I: IntoIterator<Item = &'a Vec<u8>>>(tokens: I) -> Tokens {
        let mut made = Tokens::with_capacity(0);
        for token in tokens {
            made.bytes.extend(token);
            made.ends.push(made.bytes.len() as u32);
        }
        made
    }
}

/// The tokens of the vocabulary file `name`.
pub(crate) fn unpack(name: &str, file: &[u8]) -> Result<Tokens, Fault> {
    let rest = file.strip_prefix(MAGIC).ok_or(Fault::NotAVocabulary)?;
    let header = Fault::Damaged("its header");
    let (found, rest) = rest.split_at_checked(NAME).ok_or(header.clone())?;
    let (count, rest) = rest.split_first_chunk().ok_or(header.clone())?;
    let (checksum, body) = rest.split_first_chunk().ok_or(header.clone())?;
    let found = String::from_utf8_lossy(found)
        .trim_end_matches('\0')
        .to_owned();
    if found != name {
        return Err(Fault::OtherVocabulary {
            wanted: name.to_owned(),
            found,
        });
    }
    let pairs = (u32::from_le_bytes(*count) as usize)
        .checked_sub(ALPHABET)
        .ok_or(header)?;
    if pairs
        .checked_mul(6)
        .and_then(|planes| planes.checked_add(ALPHABET))
        != Some(body.len())
    {
        return Err(Fault::Damaged("its length"));
    }
    if fnv1a(body) != u64::from_le_bytes(*checksum) {
        return Err(Fault::Damaged("its checksum"));
    }

    let (alphabet, planes) = body.split_at(ALPHABET);
    let mut tokens = Tokens::with_capacity(ALPHABET + pairs);
    tokens.bytes.extend(alphabet);
    tokens.ends.extend(1..=ALPHABET as u32);
    let plane = |which: usize, at: usize| u32::from(planes[which * pairs + at]);
    let rank = |side: usize, at: usize| {
        plane(side, at) << 16 | plane(side + 1, at) << 8 | plane(side + 2, at)
    };
    for at in 0..pairs {
        let (left, right) = (rank(0, at), rank(3, at));
        if (left, right) != (HOLE, HOLE) {
            let (left, right) = (tokens.span(left), tokens.span(right));
            let length = left.len() + right.len();
            if left.is_empty() || right.is_empty() || length > LONGEST {
                return Err(Fault::Damaged("its merges"));
            }
            tokens.bytes.extend_from_within(left);
            tokens.bytes.extend_from_within(right);
        }
        tokens.ends.push(tokens.bytes.len() as u32);
    }
    Ok(tokens)
}

/// The vocabulary file `name` of `tokens` by rank, where a rank that no token has is empty.
///
/// `None` when it is not the vocabulary of a byte-pair encoding over bytes: the first 256 ranks are
/// not the bytes, or a later token is no merge of two earlier ones.
pub fn pack(name: &str, tokens: &[Vec<u8>]) -> Option<Vec<u8>> {
    let (alphabet, merged) = tokens.split_at_checked(ALPHABET)?;
    if name.len() > NAME || alphabet.iter().any(|token| token.len() != 1) {
        return None;
    }
    let ranks: HashMap<&[u8], u32> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
    let mut body: Vec<u8> = alphabet.concat();
    let pairs = merged
        .iter()
        .zip(ALPHABET as u32..)
        .map(|(token, rank)| {
            if token.is_empty() {
                Some((HOLE, HOLE))
            } else {
                operands(token, rank, &ranks)
            }
        })
        .collect::<Option<Vec<_>>>()?;
    let (left, right): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    for side in [left, right] {
        for shift in [16, 8, 0] {
            body.extend(side.iter().map(|rank| (rank >> shift) as u8));
        }
    }

    let mut file = MAGIC.to_vec();
    file.extend(name.bytes().chain(std::iter::repeat(0)).take(NAME));
    file.extend(u32::try_from(tokens.len()).ok()?.to_le_bytes());
    file.extend(fnv1a(&body).to_le_bytes());
    debug_assert_eq!(file.len(), HEADER);
    file.extend(body);
    Some(file)
}

/// The two tokens that byte-pair encoding joins into `token`, whose rank is `rank`.
fn operands(token: &[u8], rank: u32, ranks: &HashMap<&[u8], u32>) -> Option<(u32, u32)> {
    let mut cuts: Vec<usize> = (0..=token.len()).collect();
    while cuts.len() > 3 {
        let (_, at) = cuts
            .windows(3)
            .enumerate()
            .filter_map(|(at, cut)| Some((*ranks.get(&token[cut[0]..cut[2]])?, at)))
            .filter(|(joined, _)| *joined < rank)
            .min()?;
        cuts.remove(at + 1);
    }
    match cuts[..] {
        [start, middle, end] => Some((
            *ranks.get(&token[start..middle])?,
            *ranks.get(&token[middle..end])?,
        )),
        _ => None,
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Vec<Vec<u8>> {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        tokens.extend([b"ab".to_vec(), Vec::new(), b"abc".to_vec(), b"cab".to_vec()]);
        tokens
    }

    #[test]
    fn a_file_gives_back_the_tokens_it_was_made_of() {
        let file = pack("small", &tokens()).unwrap();
        assert_eq!(file.len(), HEADER + 256 + 6 * 4);
        assert_eq!(unpack("small", &file).unwrap(), tokens().iter().collect());
    }

    #[test]
    fn what_is_no_byte_pair_vocabulary_is_not_packed() {
        let mut unreachable = tokens();
        unreachable.push(b"xyz".to_vec());
        assert_eq!(pack("small", &unreachable), None);
        assert_eq!(pack("small", &tokens()[1..]), None);
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_a_fault() {
        let file = pack("small", &tokens()).unwrap();
        for end in 0..file.len() {
            assert!(unpack("small", &file[..end]).is_err(), "cut at {end}");
        }
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(unpack("small", &changed).is_err(), "changed at {at}");
        }
    }

    #[test]
    fn a_merge_of_what_is_not_there_yet_is_a_fault_though_the_checksum_holds() {
        let mut file = pack("small", &tokens()).unwrap();
        let planes = HEADER + 256;
        // The left rank of the first pair, low plane and middle plane: rank 0x0104, four ahead.
        file[planes + 4] = 1;
        file[planes + 8] = 4;
        let checksum = fnv1a(&file[HEADER..]).to_le_bytes();
        file[HEADER - 8..HEADER].copy_from_slice(&checksum);
        assert_eq!(unpack("small", &file), Err(Fault::Damaged("its merges")));
    }

    #[test]
    fn another_vocabulary_is_named() {
        let file = pack("small", &tokens()).unwrap();
        let fault = unpack("large", &file).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "this is the vocabulary \"small\"; load \"large\""
        );
        assert_eq!(unpack("small", b"PK"), Err(Fault::NotAVocabulary));
    }
}
