//! The directory of a ZIP archive, read from the few stretches of it that hold it.

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use zip::{CompressionMethod, ZipArchive};

use super::damaged;
use crate::refusal::Refusal;

/// How much is read at once while the directory is looked for.
const STRETCH: u64 = 256 * 1024;

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::import) struct Entry {
    /// Its path in the archive.
    pub name: String,
    /// Where its packed bytes begin in the archive.
    pub from: u64,
    /// How many they are.
    pub packed: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// The checksum of them.
    pub crc32: u32,
    /// It is packed; otherwise it is stored as it is.
    pub deflated: bool,
}

/// Reads a directory.
#[derive(Debug)]
pub(in crate::import) struct Directory {
    pages: Rc<RefCell<Pages>>,
}

/// What reading came to.
#[derive(Debug)]
pub(in crate::import) enum Listing {
    /// This stretch is needed.
    Needs(u64, u64),
    /// The files that can be read, and the names of those that cannot: they are encrypted, or packed in a way
    /// that is not read here.
    Whole(Vec<Entry>, Vec<String>),
}

impl Directory {
    /// The directory of an archive of so many bytes.
    pub fn new(size: u64) -> Self {
        let pages = Pages {
            size,
            known: Vec::new(),
            missing: None,
        };
        Self {
            pages: Rc::new(RefCell::new(pages)),
        }
    }

    /// Takes a stretch of the archive.
    pub fn give(&self, from: u64, bytes: &[u8]) {
        let mut pages = self.pages.borrow_mut();
        pages.missing = None;
        pages.known.push((from, bytes.to_vec()));
    }

    /// Reads on as far as what was given goes.
    pub fn read(&self) -> Result<Listing, Refusal> {
        let size = self.pages.borrow().size;
        let reader = Window {
            pages: Rc::clone(&self.pages),
            at: 0,
        };
        let read = ZipArchive::new(reader).and_then(|mut archive| list(&mut archive, size));
        match (read, self.pages.borrow().missing) {
            (_, Some((from, len))) => Ok(Listing::Needs(from, len)),
            (Ok((entries, others)), None) => Ok(Listing::Whole(entries, others)),
            (Err(error), None) => Err(damaged("ZIP archive", error)),
        }
    }
}

type Lists = (Vec<Entry>, Vec<String>);

fn list(archive: &mut ZipArchive<Window>, size: u64) -> zip::result::ZipResult<Lists> {
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index)?;
        if file.is_dir() {
            continue;
        }
        let name = file.name().to_owned();
        let deflated = match file.compression() {
            CompressionMethod::Stored => Some(false),
            CompressionMethod::DEFLATE => Some(true),
            _ => None,
        };
        let end = |from: u64| from.checked_add(file.compressed_size());
        let from = file
            .data_start()
            .filter(|from| end(*from).is_some_and(|end| end <= size));
        match (deflated.filter(|_| !file.encrypted()), from) {
            (Some(deflated), Some(from)) => entries.push(Entry {
                name,
                from,
                packed: file.compressed_size(),
                bytes: file.size(),
                crc32: file.crc32(),
                deflated,
            }),
            _ => others.push(name),
        }
    }
    Ok((entries, others))
}

/// The stretches of a file that are there.
#[derive(Debug)]
struct Pages {
    size: u64,
    known: Vec<(u64, Vec<u8>)>,
    /// The stretch that was asked for and is not there.
    missing: Option<(u64, u64)>,
}

impl Pages {
    /// What is there from a byte on.
    fn held(&self, at: u64) -> Option<&[u8]> {
        self.known.iter().find_map(|(from, bytes)| {
            let skip = usize::try_from(at.checked_sub(*from)?).ok()?;
            bytes.get(skip..).filter(|rest| !rest.is_empty())
        })
    }
}

/// A file of which only some stretches are there. Reading another one fails and leaves a note of it.
struct Window {
    pages: Rc<RefCell<Pages>>,
    at: u64,
}

impl Read for Window {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut pages = self.pages.borrow_mut();
        if self.at >= pages.size || buffer.is_empty() {
            return Ok(0);
        }
        if let Some(held) = pages.held(self.at) {
            let len = held.len().min(buffer.len());
            if let (Some(into), Some(from)) = (buffer.get_mut(..len), held.get(..len)) {
                into.copy_from_slice(from);
            }
            self.at += len as u64;
            return Ok(len);
        }
        // A directory stands at the end and is read from its beginning on, but looked for from its end back.
        let start = self.at / STRETCH * STRETCH;
        // Of a stretch that came in part, the rest.
        let from = match pages.held(start) {
            Some(_) => self.at,
            None => start,
        };
        let len = (start + STRETCH).min(pages.size) - from;
        pages.missing = Some((from, len));
        Err(io::Error::from(io::ErrorKind::WouldBlock))
    }
}

impl Seek for Window {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.pages.borrow().size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
