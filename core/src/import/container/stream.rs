//! Packed bytes in, plain bytes out, as they come.

use std::io::Write;

use flate2::Crc;
use flate2::write::{DeflateDecoder, MultiGzDecoder};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Entry, damaged};
use crate::refusal::Refusal;

/// The most that a zstd block takes, packed: so much is gathered before it is unpacked.
const BLOCK: usize = 128 * 1024 + 64;

/// How far streams are packed in one another at most.
const DEPTH: usize = 3;

/// How bytes are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Packing {
    /// A gzip file.
    Gzip,
    /// A zstd file.
    Zstd,
}

impl Packing {
    /// The packing that the first bytes name.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Undoes the packing of a file, or of an entry of an archive: whatever is packed is unpacked again.
#[derive(Default)]
pub(in crate::import) struct Stream {
    layers: Vec<Layer>,
    /// The first plain bytes, by which a further layer shows.
    head: Vec<u8>,
    /// It shows that no further layer follows.
    plain: bool,
}

enum Layer {
    Entry(Check),
    Deflated(Box<DeflateDecoder<Vec<u8>>>, Check),
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zstd(Box<Zstd>),
}

impl Stream {
    /// The bytes of an entry.
    pub fn of_entry(entry: &Entry) -> Self {
        let check = Check {
            sum: Crc::new(),
            expected: entry.crc32,
            bytes: entry.bytes,
            seen: 0,
        };
        let layer = match entry.deflated {
            true => Layer::Deflated(Box::new(DeflateDecoder::new(Vec::new())), check),
            false => Layer::Entry(check),
        };
        Self {
            layers: vec![layer],
            ..Self::default()
        }
    }

    /// Whether the bytes come out as they go in.
    pub fn is_plain(&self) -> bool {
        self.layers.is_empty()
    }

    /// Takes the next packed bytes and gives the plain ones of them.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut out = bytes.to_vec();
        for layer in &mut self.layers {
            out = layer.push(&out)?;
        }
        self.settle(out, false)
    }

    /// The bytes that the end brings. What the packing says of itself has to hold.
    pub fn finish(&mut self) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::new();
        for layer in &mut self.layers {
            let mut passed = layer.push(&out)?;
            passed.extend(layer.finish()?);
            out = passed;
        }
        self.settle(out, true)
    }

    /// Looks whether what comes out is packed once more.
    fn settle(&mut self, out: Vec<u8>, end: bool) -> Result<Vec<u8>, Refusal> {
        if self.plain {
            return Ok(out);
        }
        self.head.extend(out);
        if self.head.len() < 4 && !end {
            return Ok(Vec::new());
        }
        let head = std::mem::take(&mut self.head);
        let mut layer = match Packing::of(&head).filter(|_| self.layers.len() < DEPTH) {
            Some(Packing::Gzip) => Layer::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            Some(Packing::Zstd) => Layer::Zstd(Box::default()),
            None => {
                self.plain = true;
                return Ok(head);
            }
        };
        let mut out = layer.push(&head)?;
        if end {
            out.extend(layer.finish()?);
        }
        self.layers.push(layer);
        self.settle(out, end)
    }
}

impl Layer {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Entry(check) => {
                check.see(bytes);
                Ok(bytes.to_vec())
            }
            Self::Deflated(decoder, check) => {
                let written = decoder.write_all(bytes);
                written.map_err(|error| damaged("ZIP archive", error))?;
                let out = std::mem::take(decoder.get_mut());
                check.see(&out);
                Ok(out)
            }
            Self::Gzip(decoder) => {
                let written = decoder.write_all(bytes);
                written.map_err(|error| damaged("gzip file", error))?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Zstd(zstd) => zstd.push(bytes, false),
        }
    }

    fn finish(&mut self) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Entry(check) => check.holds().map(|()| Vec::new()),
            Self::Deflated(decoder, check) => {
                let finished = decoder.try_finish();
                finished.map_err(|error| damaged("ZIP archive", error))?;
                let out = std::mem::take(decoder.get_mut());
                check.see(&out);
                check.holds().map(|()| out)
            }
            Self::Gzip(decoder) => {
                let finished = decoder.try_finish();
                finished.map_err(|error| damaged("gzip file", error))?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Zstd(zstd) => zstd.push(&[], true),
        }
    }
}

/// What an archive says of an entry.
struct Check {
    sum: Crc,
    expected: u32,
    bytes: u64,
    seen: u64,
}

impl Check {
    fn see(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
        self.seen += bytes.len() as u64;
    }

    fn holds(&self) -> Result<(), Refusal> {
        if self.seen == self.bytes && self.sum.sum() == self.expected {
            return Ok(());
        }
        let why = format!("a file in it has {} bytes of {}", self.seen, self.bytes);
        match self.seen == self.bytes {
            true => Err(damaged(
                "ZIP archive",
                "the checksum of a file in it is wrong",
            )),
            false => Err(damaged("ZIP archive", why)),
        }
    }
}

/// A zstd file: frames one after the other.
#[derive(Default)]
struct Zstd {
    decoder: FrameDecoder,
    /// Packed bytes that are no whole block yet.
    waiting: Vec<u8>,
    /// A frame has begun and not ended.
    inside: bool,
    /// How many bytes of a frame that says nothing are still to come.
    skip: usize,
}

impl Zstd {
    fn push(&mut self, bytes: &[u8], end: bool) -> Result<Vec<u8>, Refusal> {
        let gathered = std::mem::take(&mut self.waiting);
        let gathered = [gathered.as_slice(), bytes].concat();
        let mut rest = gathered.as_slice();
        let mut out = Vec::new();
        // A block that is not whole yet is not begun.
        while !rest.is_empty() && (end || rest.len() >= BLOCK) {
            let skipped = self.skip.min(rest.len());
            if skipped > 0 {
                self.skip -= skipped;
                rest = rest.get(skipped..).unwrap_or_default();
            } else if self.inside {
                self.block(&mut rest, &mut out)?;
            } else {
                self.frame(&mut rest)?;
            }
        }
        self.waiting = rest.to_vec();
        if end && (self.inside || self.skip > 0) {
            return Err(damaged("zstd file", "it is cut off"));
        }
        Ok(out)
    }

    fn frame(&mut self, rest: &mut &[u8]) -> Result<(), Refusal> {
        use FrameDecoderError::ReadFrameHeaderError as Header;
        match self.decoder.reset(&mut *rest) {
            Ok(()) => self.inside = true,
            Err(Header(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                self.skip = length as usize;
            }
            Err(error) => return Err(damaged("zstd file", error)),
        }
        Ok(())
    }

    fn block(&mut self, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Refusal> {
        let one = BlockDecodingStrategy::UptoBlocks(1);
        let over = self.decoder.decode_blocks(&mut *rest, one);
        let over = over.map_err(|error| damaged("zstd file", error))?;
        out.extend(self.decoder.collect().unwrap_or_default());
        if over {
            self.inside = false;
            let (said, is) = (
                self.decoder.get_checksum_from_data(),
                self.decoder.get_calculated_checksum(),
            );
            if said.is_some() && said != is {
                return Err(damaged("zstd file", "its checksum is wrong"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn unpacked(bytes: &[u8], slice: usize) -> Result<Vec<u8>, Refusal> {
        let mut stream = Stream::default();
        let mut out = Vec::new();
        for slice in bytes.chunks(slice.max(1)) {
            out.extend(stream.push(slice)?);
        }
        out.extend(stream.finish()?);
        Ok(out)
    }

    #[test]
    fn packed_in_packed_is_unpacked_and_damage_is_told() {
        let text: Vec<u8> = (0..400_000u32)
            .flat_map(|n| (n / 7).to_le_bytes())
            .collect();
        for packed in [
            gzip(&text),
            zstd(&text),
            gzip(&zstd(&text)),
            [gzip(&text[..9]), gzip(&text[9..])].concat(),
            [
                zstd(&text[..9]),
                b"\x50\x2a\x4d\x18\x02\0\0\0xx".to_vec(),
                zstd(&text[9..]),
            ]
            .concat(),
        ] {
            assert!(unpacked(&packed, 50_000).unwrap() == text);
            let cut = unpacked(&packed[..packed.len() - 9], 50_000).unwrap_err();
            assert!(cut.message.contains("damaged"), "{cut}");
        }
        let mut wrong = zstd(&text);
        let last = wrong.len() - 1;
        wrong[last] ^= 1;
        assert!(unpacked(&wrong, 1 << 20).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_slices(bytes in prop::collection::vec(any::<u8>(), 0..400), slice in 1usize..50,
            head in prop::sample::select(vec![&b""[..], b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd"])) {
            let _ = unpacked(&[head, &bytes].concat(), slice);
            prop_assert_eq!(unpacked(&gzip(&bytes), slice).ok(), Some(bytes.clone()));
            prop_assert_eq!(unpacked(&zstd(&bytes), slice).ok(), Some(bytes));
        }
    }
}
