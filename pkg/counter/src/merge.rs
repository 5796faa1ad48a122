//! Byte-pair encoding of one piece: of all neighbours that make a token the pair of lowest rank is
//! joined, the leftmost of equals, until none is left.

use std::collections::BTreeMap;

use crate::ranks::{NONE, Ranks};

/// Pieces up to this many bytes, of which each can be numbered in a byte, are merged by looking
/// through all pairs each time.
const SHORT: usize = 192;

/// Hands on the rank of each token of `piece`, in order.
pub(crate) fn merge(ranks: &Ranks, piece: &[u8], token: impl FnMut(u32)) {
    if piece.len() <= SHORT {
        merge_short(ranks, piece, token);
    } else {
        merge_long(ranks, piece, token);
    }
}

fn merge_short(ranks: &Ranks, piece: &[u8], mut token: impl FnMut(u32)) {
    // Where each part starts, and the rank of the token it makes with the next.
    let mut starts: [u8; SHORT + 1] = std::array::from_fn(|at| at as u8);
    let mut joined = [NONE; SHORT + 1];
    let mut parts = piece.len();
    for (joined, pair) in joined.iter_mut().zip(piece.windows(2)) {
        *joined = ranks.get(pair);
    }
    let span = |from: u8, to: u8| &piece[usize::from(from)..usize::from(to)];
    loop {
        let mut lowest = NONE;
        let mut at = 0;
        for (index, rank) in joined[..parts].iter().enumerate() {
            if *rank < lowest {
                (lowest, at) = (*rank, index);
            }
        }
        if lowest == NONE {
            break;
        }
        starts.copy_within(at + 2..=parts, at + 1);
        joined.copy_within(at + 1..parts, at);
        parts -= 1;
        let mut renew = |at: usize| {
            joined[at] = if at + 2 <= parts {
                ranks.get(span(starts[at], starts[at + 2]))
            } else {
                NONE
            };
        };
        renew(at);
        if at > 0 {
            renew(at - 1);
        }
    }
    for part in starts[..=parts].windows(2) {
        token(ranks.get(span(part[0], part[1])));
    }
}

/// The same with the places of the pairs by rank, in about the time of a sort whatever the length.
fn merge_long(ranks: &Ranks, piece: &[u8], mut token: impl FnMut(u32)) {
    let length = piece.len();
    // A part is known by the byte it starts at; these hold for parts that are left.
    let mut next: Vec<u32> = (1..=length as u32).collect();
    let mut previous: Vec<u32> = (0..length as u32).map(|at| at.wrapping_sub(1)).collect();
    let mut joined: Vec<u32> = piece.windows(2).map(|pair| ranks.get(pair)).collect();
    joined.push(NONE);
    let mut waiting: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (rank, at) in joined.iter().zip(0..) {
        if *rank != NONE {
            waiting.entry(*rank).or_default().push(at);
        }
    }

    while let Some((rank, mut places)) = waiting.pop_first() {
        places.sort_unstable();
        for index in 0..places.len() {
            let at = places[index] as usize;
            // A pair that was joined or changed since it was put there is passed over.
            if joined[at] != rank {
                continue;
            }
            let gone = next[at] as usize;
            let after = next[gone] as usize;
            next[at] = after as u32;
            joined[gone] = NONE;
            if after < length {
                previous[after] = at as u32;
            }
            let mut lowest = NONE;
            let mut renew = |at: usize| {
                let middle = next[at] as usize;
                joined[at] = match next.get(middle) {
                    Some(end) => ranks.get(&piece[at..*end as usize]),
                    None => NONE,
                };
                if joined[at] != NONE {
                    waiting.entry(joined[at]).or_default().push(at as u32);
                }
                lowest = lowest.min(joined[at]);
            };
            renew(at);
            if at > 0 {
                renew(previous[at] as usize);
            }
            if lowest < rank {
                // What has arisen goes first.
                waiting
                    .entry(rank)
                    .or_default()
                    .extend(&places[index + 1..]);
                break;
            }
        }
    }

    let mut at = 0;
    while at < length {
        let end = next[at] as usize;
        token(ranks.get(&piece[at..end]));
        at = end;
    }
}
