//! An OpenID Connect provider of the tests' own, on loopback. It does what a test wants of it, wrong things included.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac as _};
use openidconnect::PrivateSigningKey as _;
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreJwsSigningAlgorithm, CoreRsaPrivateSigningKey};
use openidconnect::url::{Url, form_urlencoded};
use openidconnect::{JsonWebKeyId, Nonce};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub const CLIENT: &str = "pilothouse";
pub const SECRET: &str = "secret-of-the-client";

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signature {
    /// With the key of this number.
    Key(u8),
    /// With the key of the first number, under the name of the second.
    KeyAs(u8, u8),
    Rsa,
    /// `alg: none`, and no signature.
    None,
    /// HS256, with the client's secret.
    Secret,
    /// HS256, with the public key as it is published.
    PublicKey,
    /// The right key, but the claims are changed after that.
    Changed,
}

/// What the provider does.
pub struct Scene {
    /// The numbers of the keys that it publishes.
    pub keys: Vec<u8>,
    pub signature: Signature,
    /// Added to the claims, or removed where it is `null`.
    pub claims: Value,
    /// In seconds, how long ID tokens last.
    pub life: i64,
    pub gives_refresh_tokens: bool,
    pub refuses_renewal: bool,
    /// How often its keys were fetched.
    pub fetched: usize,
    /// How many tokens it has renewed.
    pub renewed: usize,
    codes: HashMap<String, Grant>,
}

#[derive(Clone)]
struct Grant {
    nonce: String,
    challenge: String,
    redirect: String,
}

pub struct Provider {
    pub issuer: String,
    scene: Arc<Mutex<Scene>>,
}

#[derive(Clone)]
struct Served {
    issuer: String,
    scene: Arc<Mutex<Scene>>,
}

impl Provider {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let scene = Arc::new(Mutex::new(Scene {
            keys: vec![1],
            signature: Signature::Key(1),
            claims: json!({"name": "Ana"}),
            life: 3600,
            gives_refresh_tokens: true,
            refuses_renewal: false,
            fetched: 0,
            renewed: 0,
            codes: HashMap::new(),
        }));
        let served = Served { issuer: issuer.clone(), scene: Arc::clone(&scene) };
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(about))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .with_state(served);
        // hyper serves it, since axum's own server is not among its features here.
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let routes = routes.clone();
                tokio::spawn(async move {
                    let service = hyper_util::service::TowerToHyperService::new(routes);
                    let stream = hyper_util::rt::TokioIo::new(stream);
                    // The other side may leave at any time.
                    let _ =
                        hyper::server::conn::http1::Builder::new().serve_connection(stream, service).await;
                });
            }
        });
        Self { issuer, scene }
    }

    pub fn scene(&self) -> MutexGuard<'_, Scene> {
        self.scene.lock().unwrap()
    }

    /// Somebody signs in at this address of the provider. Returns the path to which the browser goes then.
    pub fn approve(&self, location: &str) -> String {
        let url = Url::parse(location).unwrap();
        assert!(location.starts_with(&format!("{}/authorize?", self.issuer)), "{location}");
        let asked: HashMap<_, _> = url.query_pairs().into_owned().collect();
        assert_eq!((asked["client_id"].as_str(), asked["response_type"].as_str()), (CLIENT, "code"));
        assert_eq!(asked["code_challenge_method"], "S256");
        assert!(asked["scope"].split(' ').any(|scope| scope == "openid"), "{location}");
        let code = format!("code-{}", Nonce::new_random().secret());
        let grant = Grant {
            nonce: asked["nonce"].clone(),
            challenge: asked["code_challenge"].clone(),
            redirect: asked["redirect_uri"].clone(),
        };
        self.scene().codes.insert(code.clone(), grant);
        let path = Url::parse(&asked["redirect_uri"]).unwrap().path().to_owned();
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("code", &code)
            .append_pair("state", &asked["state"])
            .finish();
        format!("{path}?{query}")
    }
}

async fn about(State(Served { issuer, .. }): State<Served>) -> Response {
    json_response(&json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "end_session_endpoint": format!("{issuer}/logout"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "EdDSA", "HS256", "none"],
    }))
}

async fn keys(State(served): State<Served>) -> Response {
    let mut scene = served.scene.lock().unwrap();
    scene.fetched += 1;
    let mut keys: Vec<_> = scene.keys.iter().map(|number| public(*number)).collect();
    keys.push(serde_json::to_value(rsa().as_verification_key()).unwrap());
    json_response(&json!({ "keys": keys }))
}

async fn token(State(served): State<Served>, headers: HeaderMap, body: String) -> Response {
    let basic = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{SECRET}")));
    if headers.get(header::AUTHORIZATION).is_none_or(|value| value.as_bytes() != basic.as_bytes()) {
        return refuse("invalid_client");
    }
    let asked: HashMap<_, _> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let mut scene = served.scene.lock().unwrap();
    let nonce = match asked["grant_type"].as_str() {
        "refresh_token" if scene.refuses_renewal || asked["refresh_token"] != "refresh" => {
            return refuse("invalid_grant");
        }
        "refresh_token" => {
            scene.renewed += 1;
            None
        }
        "authorization_code" => {
            let Some(grant) = scene.codes.remove(&asked["code"]) else { return refuse("invalid_grant") };
            let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(asked["code_verifier"].as_bytes()));
            if digest != grant.challenge || asked["redirect_uri"] != grant.redirect {
                return refuse("invalid_grant");
            }
            Some(grant.nonce)
        }
        _ => return refuse("unsupported_grant_type"),
    };
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap();
    let mut claims = json!({
        "iss": served.issuer, "aud": CLIENT, "sub": "4711", "iat": now, "exp": now + scene.life, "nonce": nonce,
    });
    for (claim, value) in scene.claims.as_object().unwrap() {
        match value {
            // What is relative to now.
            Value::Object(of) if of.contains_key("in") => {
                claims[claim] = (now + of["in"].as_i64().unwrap()).into();
            }
            value => claims[claim] = value.clone(),
        }
    }
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    let mut answer = json!({
        "access_token": "access", "token_type": "Bearer", "id_token": sign(&claims, scene.signature),
    });
    if scene.gives_refresh_tokens {
        answer["refresh_token"] = "refresh".into();
    }
    json_response(&answer)
}

fn sign(claims: &Value, signature: Signature) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = |alg: &str, kid: &str| format!("{}.{}", part(&json!({"alg": alg, "kid": kid})), part(claims));
    let hmac = |key: &[u8]| {
        let text = text("HS256", "1");
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        mac.update(text.as_bytes());
        (text, mac.finalize().into_bytes().to_vec())
    };
    let eddsa = |number, name: u8| {
        let text = text("EdDSA", &name.to_string());
        let signature = key(number).sign(&CoreJwsSigningAlgorithm::EdDsa, text.as_bytes()).unwrap();
        (text, signature)
    };
    let (text, signature) = match signature {
        Signature::Key(number) => eddsa(number, number),
        Signature::KeyAs(number, name) => eddsa(number, name),
        Signature::Rsa => {
            let text = text("RS256", "rsa");
            let signature =
                rsa().sign(&CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256, text.as_bytes()).unwrap();
            (text, signature)
        }
        Signature::None => (text("none", "1"), Vec::new()),
        Signature::Secret => hmac(SECRET.as_bytes()),
        Signature::PublicKey => hmac(&URL_SAFE_NO_PAD.decode(public(1)["x"].as_str().unwrap()).unwrap()),
        Signature::Changed => {
            let (text, signature) = eddsa(1, 1);
            let mut changed = claims.clone();
            changed["groups"] = json!(["agents"]);
            (format!("{}.{}", text.split_once('.').unwrap().0, part(&changed)), signature)
        }
    };
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// The key of this number.
fn key(number: u8) -> CoreEdDsaPrivateSigningKey {
    // PKCS#8 has this in front of the 32 bytes.
    let mut der = vec![0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    der.extend([number; 32]);
    let label = "PRIVATE KEY";
    let pem = format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der));
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(JsonWebKeyId::new(number.to_string()))).unwrap()
}

fn public(number: u8) -> Value {
    serde_json::to_value(key(number).as_verification_key()).unwrap()
}

fn rsa() -> CoreRsaPrivateSigningKey {
    let pem =
        std::fs::read_to_string(format!("{}/tests/data/oidc-rsa.pem", env!("CARGO_MANIFEST_DIR"))).unwrap();
    CoreRsaPrivateSigningKey::from_pem(&pem, Some(JsonWebKeyId::new("rsa".to_owned()))).unwrap()
}

fn refuse(code: &str) -> Response {
    (StatusCode::BAD_REQUEST, json_response(&json!({ "error": code }))).into_response()
}

fn json_response(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
