//! The frames of the runtime's protocol: `Content-Length: N`, an empty line, N bytes.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// In bytes. No frame of the runtime comes near it, so a larger length is an error.
const LARGEST_FRAME: u64 = 1 << 30;
const LONGEST_HEADER: u64 = 64 << 10;

/// Reads the bytes of the next frame; `None` at the end. A line that is no header was printed by the program:
/// it is skipped and handed to `printed`.
pub async fn read(
    from: &mut (impl AsyncBufRead + Unpin),
    printed: &mut (impl FnMut(&[u8]) + Send),
) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if (&mut *from).take(LONGEST_HEADER).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        match (line.trim_ascii(), length) {
            ([], Some(_)) => break,
            (header, _) => {
                if !is_header(header) {
                    printed(header);
                }
                length = content_length(header)?.or(length);
            }
        }
    }
    let length = length.unwrap_or_default();
    let mut bytes = Vec::new();
    if (&mut *from).take(length).read_to_end(&mut bytes).await? as u64 == length {
        return Ok(Some(bytes));
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended in the middle of a message"))
}

/// A frame with this text.
pub fn write(text: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// Whether a line has the form of a header, known or not.
fn is_header(line: &[u8]) -> bool {
    line.is_empty() || line.get(..8).is_some_and(|begin| begin.eq_ignore_ascii_case(b"content-"))
}

fn content_length(header: &[u8]) -> io::Result<Option<u64>> {
    let Some((name, value)) = std::str::from_utf8(header).ok().and_then(|header| header.split_once(':'))
    else {
        return Ok(None);
    };
    if !name.eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    match value.trim().parse() {
        Ok(length) if length <= LARGEST_FRAME => Ok(Some(length)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {} bytes", value.trim()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{read, write};

    async fn all(mut bytes: &[u8]) -> Vec<String> {
        let mut frames = Vec::new();
        while let Some(frame) = read(&mut bytes, &mut |_: &[u8]| {}).await.unwrap() {
            frames.push(String::from_utf8(frame).unwrap());
        }
        frames
    }

    #[tokio::test]
    async fn what_is_written_is_read_whatever_else_is_printed() {
        let mut bytes = write("{\"a\": \"é\\r\\n\"}");
        bytes.extend(b"warning: a line of somebody's\n");
        bytes.extend(b"content-length:2\r\nContent-Type: application/json\r\n\r\n{}");
        bytes.extend(write(""));
        assert_eq!(all(&bytes).await, ["{\"a\": \"é\\r\\n\"}", "{}", ""]);
    }

    #[tokio::test]
    async fn a_torn_frame_is_an_error_and_no_frame() {
        let whole = write("{\"a\":1}");
        let mut torn = whole.get(..whole.len() - 1).unwrap();
        let mut printed = Vec::new();
        let mut print = |line: &[u8]| printed.push(line.to_vec());
        assert!(read(&mut torn, &mut print).await.is_err());
        let mut endless: &[u8] = b"Content-Length: 99999999999999999999\r\n\r\n";
        assert!(read(&mut endless, &mut print).await.is_err());
        let mut spoken: &[u8] = b"Usage: runtime [options]\ncontent-type: x\nContent-Length: 2\r\n\r\n{}";
        assert!(read(&mut spoken, &mut print).await.is_ok());
        assert_eq!(printed, [b"Usage: runtime [options]"]);
    }
}
