//! The fence itself, and that the check of the stream finds when it is left out: a stand-in for a gateway's writer, which can
//! write without it.

use async_nats::HeaderMap;
use async_nats::jetstream;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Config;

use super::nats::{self, STREAM, Servers};
use super::stream::{self, Message};
use super::waiting::poll;

const SUBJECT: &str = "pilothouse.log.a.s";

/// Writes as a gateway does.
struct Writer {
    name: &'static str,
    context: jetstream::Context,
    /// The newest message of the subject, as far as it knows.
    sequence: u64,
}

impl Writer {
    async fn new(name: &'static str, servers: &Servers, number: usize) -> Self {
        Self { name, context: jetstream::new(servers.client(number).await), sequence: 0 }
    }

    /// Writes one event under this position; a claim has none.
    async fn write(&mut self, seq: u64, event: Option<&str>, fenced: bool) -> Result<(), PublishErrorKind> {
        let mut headers = HeaderMap::new();
        headers.insert("Pilothouse-Seq", seq.to_string());
        headers.insert("Pilothouse-Log", "folder");
        headers.insert("Pilothouse-Writer", self.name);
        let payload = event.map(|event| format!("{{\"seq\":{seq},\"event\":{event}}}\n")).unwrap_or_default();
        let mut message = PublishMessage::build().headers(headers).payload(payload.into());
        if fenced {
            message = message.expected_last_subject_sequence(self.sequence);
        }
        let ack = self.context.send_publish(SUBJECT, message).await.map_err(|error| error.kind())?;
        self.sequence = ack.await.map_err(|error| error.kind())?.sequence;
        Ok(())
    }
}

/// Two writers, of which the first does not know that the second has taken over. What came of its late write, and what is wrong
/// in the stream.
async fn late_writer(fenced: bool) -> Option<(Result<(), PublishErrorKind>, Vec<String>)> {
    nats::program()?;
    let servers = Servers::start(3).await;
    let mut first = Writer::new("first", &servers, 0).await;
    let mut second = Writer::new("second", &servers, 1).await;
    let config = Config {
        name: STREAM.to_owned(),
        subjects: vec!["pilothouse.log.>".to_owned()],
        num_replicas: 3,
        ..Config::default()
    };
    poll("the stream", async || first.context.create_stream(config.clone()).await.ok()).await;
    // Until all servers know of the stream, nobody takes it.
    poll("the first message", async || first.write(0, None, true).await.ok()).await;
    first.write(1, Some("{\"of\":1}"), true).await.unwrap();
    second.sequence = first.sequence;
    second.write(1, None, true).await.unwrap();
    servers.move_leader().await;
    poll("the next leader", async || first.context.get_stream(STREAM).await.ok()).await;
    poll("a write with the next leader", async || second.write(2, Some("{\"of\":2}"), true).await.ok()).await;
    // At the server of the first nobody may answer for the stream yet; then nothing was written.
    let late = poll("an answer to the late write", async || {
        let late = first.write(2, Some("{\"of\":1}"), fenced).await;
        (late != Err(PublishErrorKind::StreamNotFound)).then_some(late)
    })
    .await;
    let messages: Vec<_> = servers.messages(SUBJECT).await.into_iter().map(Message::from).collect();
    let mut wrong = Vec::new();
    stream::read(SUBJECT, &messages, &mut wrong);
    Some((late, wrong))
}

#[tokio::test]
async fn a_writer_that_was_replaced_is_refused_by_the_stream_itself() {
    let Some((late, wrong)) = late_writer(true).await else { return };
    assert_eq!(late, Err(PublishErrorKind::WrongLastSequence));
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test]
async fn without_the_fence_the_check_of_the_stream_finds_the_second_writer() {
    let Some((late, wrong)) = late_writer(false).await else { return };
    assert_eq!(late, Ok(()));
    for what in ["had claimed it", "and was", "came after"] {
        assert!(wrong.iter().any(|one| one.contains(what)), "{what}: {wrong:?}");
    }
}
