//! A push service on loopback, and browsers that subscribe there. What arrives is checked and decrypted from the RFCs' own steps
//! (8188, 8291, 8292), with none of the product's code.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use aes_gcm::aead::Aead as _;
use aes_gcm::{Aes128Gcm, KeyInit as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::{PublicKey, SecretKey};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::client::in_time;

/// What the service does with a message.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// This status, and a header.
    Status(u16, &'static str),
    /// Nothing, for ever.
    Silence,
}

/// A message as it arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// The service. Clones share one state.
#[derive(Clone)]
pub struct PushService {
    pub address: SocketAddr,
    facts: Arc<Mutex<Facts>>,
    count: Arc<watch::Sender<usize>>,
}

#[derive(Default)]
struct Facts {
    arrived: Vec<Arrived>,
    /// What is answered to the next messages at a path; then 201.
    answers: HashMap<String, VecDeque<Answer>>,
}

/// A browser with a subscription.
pub struct Browser {
    pub path: String,
    secret: SecretKey,
    auth: [u8; 16],
}

impl PushService {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service = Self {
            address: listener.local_addr().unwrap(),
            facts: Arc::default(),
            count: Arc::new(watch::Sender::new(0)),
        };
        let serving = service.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        service
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next messages to this browser are answered so.
    pub fn answer(&self, browser: &Browser, answers: &[Answer]) {
        self.facts().answers.entry(browser.path.clone()).or_default().extend(answers);
    }

    /// All messages to a browser, once `enough`.
    pub async fn until(&self, browser: &Browser, enough: impl Fn(&[Arrived]) -> bool) -> Vec<Arrived> {
        let mut seen = self.count.subscribe();
        in_time(&format!("messages at {}", browser.path), async {
            loop {
                seen.mark_unchanged();
                let own = self.arrived(browser);
                if enough(&own) {
                    return own;
                }
                seen.changed().await.unwrap();
            }
        })
        .await
    }

    /// All messages to a browser so far.
    pub fn arrived(&self, browser: &Browser) -> Vec<Arrived> {
        let facts = self.facts();
        facts.arrived.iter().filter(|one| one.path == browser.path).cloned().collect()
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap()
    }

    async fn serve(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        while let Some(arrived) = read(&mut stream).await {
            let answer = {
                let mut facts = self.facts();
                let answers = facts.answers.get_mut(&arrived.path);
                let answer = answers.and_then(VecDeque::pop_front).unwrap_or(Answer::Status(201, "a: b"));
                facts.arrived.push(arrived);
                answer
            };
            self.count.send_modify(|count| *count += 1);
            let Answer::Status(status, header) = answer else { return std::future::pending().await };
            let answer = format!("HTTP/1.1 {status} x\r\n{header}\r\nContent-Length: 0\r\n\r\n");
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Arrived> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|length| *length > 0)?;
    let path = line.strip_prefix("POST ").unwrap().split(' ').next().unwrap().to_owned();
    let mut headers = HashMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    stream.read_exact(&mut body).await.ok()?;
    Some(Arrived { path, headers, body })
}

impl Browser {
    pub fn new(path: &str) -> Self {
        let random = *uuid::Uuid::new_v4().as_bytes();
        let secret = [random, *uuid::Uuid::new_v4().as_bytes()].concat();
        Self { path: path.to_owned(), secret: SecretKey::from_slice(&secret).unwrap(), auth: random }
    }

    /// What the Push API gives the page, with the members that are not of it.
    pub fn subscription(&self, service: &PushService, more: &Value) -> Value {
        let mut subscription = json!({
            "endpoint": format!("{}{}", service.origin(), self.path),
            "expirationTime": null,
            "keys": {
                "p256dh": URL_SAFE_NO_PAD.encode(self.public()),
                "auth": URL_SAFE_NO_PAD.encode(self.auth),
            },
        });
        subscription.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        subscription
    }

    fn public(&self) -> Vec<u8> {
        self.secret.public_key().to_encoded_point(false).as_bytes().to_vec()
    }

    pub fn decrypt(&self, body: &[u8]) -> Value {
        assert!(body.len() <= 4096, "{}", body.len());
        let text = decrypt(&self.secret, &self.auth, body);
        assert!(text.len() <= 2800, "{}", text.len());
        serde_json::from_slice(&text).unwrap()
    }
}

/// RFC 8291, 3.4, and RFC 8188, 2, for one record.
fn decrypt(secret: &SecretKey, auth: &[u8], body: &[u8]) -> Vec<u8> {
    let (salt, rest) = body.split_at(16);
    let (size, rest) = rest.split_at(4);
    assert_eq!(rest[0], 65, "the sender's key");
    let (sender, record) = rest[1..].split_at(65);
    let size = u32::from_be_bytes(size.try_into().unwrap()) as usize;
    assert!(record.len() <= size && size >= 18, "one record");
    let public = secret.public_key().to_encoded_point(false);
    let sender_key = PublicKey::from_sec1_bytes(sender).unwrap();
    let shared = p256::ecdh::diffie_hellman(secret.to_nonzero_scalar(), sender_key.as_affine());
    let derive = |salt: &[u8], input: &[u8], info: &[u8], length: usize| {
        let mut out = vec![0; length];
        Hkdf::<Sha256>::new(Some(salt), input).expand(info, &mut out).unwrap();
        out
    };
    let info = [b"WebPush: info\0", public.as_bytes(), sender].concat();
    let input = derive(auth, shared.raw_secret_bytes(), &info, 32);
    let key = derive(salt, &input, b"Content-Encoding: aes128gcm\0", 16);
    let nonce = derive(salt, &input, b"Content-Encoding: nonce\0", 12);
    let cipher = Aes128Gcm::new_from_slice(&key).unwrap();
    let mut text = cipher.decrypt(nonce.as_slice().into(), record).unwrap();
    let end = text.iter().rposition(|byte| *byte != 0).unwrap();
    assert_eq!(text[end], 2, "the last record");
    text.truncate(end);
    text
}

/// Checks the signature (RFC 8292) against the gateway's public key, and returns its claims.
pub fn claims(arrived: &Arrived, key: &str) -> Value {
    let parameters = arrived.headers["authorization"].strip_prefix("vapid ").unwrap();
    let parameters: HashMap<_, _> =
        parameters.split(',').map(|part| part.trim().split_once('=').unwrap()).collect();
    assert_eq!(parameters["k"], key);
    let (signed, signature) = parameters["t"].rsplit_once('.').unwrap();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let public = VerifyingKey::from_sec1_bytes(&decode(key)).unwrap();
    public.verify(signed.as_bytes(), &Signature::from_slice(&decode(signature)).unwrap()).unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&decode(header)).unwrap()["alg"], "ES256");
    let claims: Value = serde_json::from_slice(&decode(claims)).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let left = claims["exp"].as_u64().unwrap().saturating_sub(now);
    assert!((60..=24 * 60 * 60).contains(&left), "{left} s");
    claims
}

/// The example of RFC 8291, appendix A: what is checked with here is right itself.
#[test]
fn the_example_of_the_rfc_is_read() {
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let secret = SecretKey::from_slice(&decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")).unwrap();
    let body = decode(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
    let text = decrypt(&secret, &decode("BTBZMqHH6r4Tts7J_aSIgg"), &body);
    assert_eq!(text, b"When I grow up, I want to be a watermelon");
}
