//! Owns what a download costs and how much it may cost. Refuses to guess: it compresses as a web
//! server would at its best.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;

/// What the wasm that every visitor downloads may cost over the wire, in bytes.
const LIMIT: usize = 152 * 1024;

/// One file in its three forms, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// Reads and compresses a file.
pub fn measure(file: &Path) -> Result<Size> {
    let bytes = fs::read(file)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&bytes)?;
    Ok(Size { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: brotli(&bytes)?.len() })
}

/// Bytes as a web server would send them at its best.
pub fn brotli(mut bytes: &[u8]) -> Result<Vec<u8>> {
    let mut small = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut bytes, &mut small, &parameters)?;
    Ok(small)
}

impl Size {
    /// Fails when the file is over the limit.
    pub fn check(self) -> Result<()> {
        if self.brotli > LIMIT {
            bail!("the wasm is over its limit of {} with brotli: {self}", kib(LIMIT));
        }
        Ok(())
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} raw, {} gzip, {} brotli", kib(self.raw), kib(self.gzip), kib(self.brotli))
    }
}

fn kib(bytes: usize) -> String {
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_on_the_brotli_size() {
        let size = |brotli| Size { raw: 10 * LIMIT, gzip: 2 * LIMIT, brotli };
        assert!(size(LIMIT).check().is_ok());
        let error = size(LIMIT + 1).check().unwrap_err().to_string();
        assert!(error.contains("limit of 152.0 KiB"), "{error}");
    }
}
